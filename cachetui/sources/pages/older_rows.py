"""The rows of an older page (2021 and 2022): spec strings in a list, and a JSON sidecar beside the page for each.

`name@version%compiler@version+on~off key=value arch=platform-os-target ^dependency …`
A fault costs one row, a sidecar that is missing nothing but the hash. A field that is not written stays empty.
Input: `spec_files` and `spec_names` of a page, and the files of its folder.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from cachetui.model.spec import Row, normal_compiler
from cachetui.sources.files import read_file
from cachetui.sources.pages.frontmatter import FrontMatter, FrontMatterError, block_list, value
from cachetui.sources.pages.problems import PageProblems, check_hash, kind_of, shortened
from cachetui.store.mtimes import FileMtimes, no_mtimes

MAX_SIDECAR = 16 * 2**20
"""Bytes of a sidecar."""

MAX_SPEC = 2**18
"""Characters of a spec string; the longest real one has some thousands."""

MAX_DEPENDENCIES = 500_000
"""Dependencies in all spec strings of a page; a real one has some thousands."""

_SIDECAR_NAME = re.compile(r"spec-[0-9]{1,9}\.json")


class OlderRows:
    """Reads the rows of one older page, and says what is wrong with them."""

    def __init__(self, root: str, path: str, front: FrontMatter, problems: PageProblems) -> None:
        self.sidecars: list[FileMtimes] = []
        """The sidecars that were read."""
        self._root = root
        self._path = path
        self._front = front
        self._findings = problems
        self._dependencies = 0
        self._list_line = front.line("spec_files") or front.line("spec_names")

    def rows(self, package: str) -> tuple[Row, ...]:
        """Return the rows as far as they can be read; `package` is the page's."""
        specs = list(self._listed())
        rows = tuple(self._completed(package, number, *spec) for number, spec in enumerate(specs, 1))
        if self._dependencies > MAX_DEPENDENCIES:
            message = f"more than {MAX_DEPENDENCIES:,} dependencies: further ones are not read"
            self._findings.add("unreadable", message, self._list_line)
        return rows

    def _listed(self) -> Iterator[tuple[str, str]]:
        """Yield the spec string and the sidecar's name of each row of an older page; either may be empty."""
        files, names = (self._list(key) for key in ("spec_files", "spec_names"))
        if names and len(names) != len(files):
            message = f"{len(files)} spec_files, but {len(names)} spec_names"
            self._findings.add("row", message, self._list_line)
        for index in range(max(len(files), len(names))):
            file = files[index] if index < len(files) else ""
            name = names[index] if index < len(names) else ""
            if isinstance(file, dict) and len(file) == 1:
                ((name, file),) = file.items()
            if isinstance(name, str) and isinstance(file, str | None):
                yield name, file or ""
            elif not isinstance(file, FrontMatterError) and not isinstance(name, FrontMatterError):
                wrong = file if isinstance(name, str) else name
                self._findings.add("row", f"row {index + 1} is {kind_of(wrong)}", self._list_line)

    def _list(self, key: str) -> list[Any]:
        """Return the elements of a list; FrontMatterError in place of one that cannot be read."""
        entry = self._front.entries.get(key)
        if entry is None:
            return []
        try:
            stated = block_list(entry) or value(entry) or []
        except FrontMatterError as error:
            self._findings.add("unreadable", f"{key}: {error.reason}", error.line)
            return []
        if not isinstance(stated, list):
            self._findings.add("unreadable", f"{key} is {kind_of(stated)}, not a list", entry.line)
            return []
        for each in stated:
            if isinstance(each, FrontMatterError):
                self._findings.add("row", f"{key}: {each.reason}", each.line)
        return stated

    def _completed(self, package: str, number: int, text: str, sidecar: str) -> Row:
        """Return the row of a spec string, with the hash and the details of its sidecar."""
        if len(text) > MAX_SPEC:
            message = f"row {number} has {len(text):,} characters, of which {MAX_SPEC:,} are read"
            self._findings.add("row", message, self._list_line)
        spec = parse_spec(text[:MAX_SPEC])
        self._dependencies += len(spec.row.dependencies)
        if self._dependencies > MAX_DEPENDENCIES:
            spec = msgspec.structs.replace(spec, row=msgspec.structs.replace(spec.row, dependencies=()))
        if spec.unread:
            message = f"row {number} cannot be read from here: {shortened(spec.unread)}"
            self._findings.add("row", message, self._list_line)
        found = self._sidecar(sidecar)
        if found is None:
            return spec.row
        # Pages of several packages in one flat folder all call their sidecars the same.
        if found.name != package or found.contradicts(spec):
            message = f"row {number}: {sidecar} is about another spec and was left out"
            self._findings.add("row", message, self._list_line, level="note")
            return spec.row
        check_hash(found.row.hash, sidecar, None, self._findings)
        return found.completed_by(spec)

    def _sidecar(self, name: str) -> WrittenSpec | None:
        """Return the sidecar beside the page; None where there is none, which is no fault."""
        if _SIDECAR_NAME.fullmatch(name) is None:
            return None
        path = self._path[: self._path.rfind("/") + 1] + name
        try:
            # A link could lead out of the folder.
            stamp, data = read_file(f"{self._root}/{path}", path, MAX_SIDECAR, flags=os.O_NOFOLLOW)
            self.sidecars.append(stamp)
            if stamp.size > MAX_SIDECAR:
                raise ValueError(f"larger than {MAX_SIDECAR // 2**20} MB")
            return parse_sidecar(data)
        except FileNotFoundError:
            return None
        except OSError as error:
            is_link = error.errno == errno.ELOOP
            if not is_link:
                self.sidecars.append(no_mtimes(path))
            reason = "a link" if is_link else error.strerror
        except ValueError as error:
            reason = str(error)
        self._findings.add("unreadable", f"{path} was not read: {reason}")
        return None


# Spec strings and sidecars


_NAME = re.compile(r"\s*([A-Za-z0-9_][\w.-]*)?")
_PART = re.compile(
    r"""\s+
    | @=?(?P<version>[^\s@%+~]+)
    | %\s*(?P<compiler>[^\s@%+~]+(?:@[^\s@%+~]+)?)
    | (?P<sign>[+~-])(?P<flag>\w[\w.-]*)
    | (?P<key>\w[\w.-]*):?=(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<plain>\S*))
    """,
    re.VERBOSE,
)
_PLACES = {"os": "os", "operating_system": "os", "platform": "platform", "target": "target"}
_IDENTITY = ("os", "platform", "target", "versions")


class WrittenSpec(Struct, frozen=True):
    """One spec as it is written."""

    name: str | None
    row: Row
    unread: str = ""
    """The end of a spec string that could not be read."""

    def contradicts(self, other: WrittenSpec) -> bool:
        """Return whether the two state different things, so that they cannot be one spec."""
        if self.name and other.name and self.name != other.name:
            return True
        mine, others = self.row, other.row
        if mine.compiler and others.compiler and normal_compiler(mine.compiler) != normal_compiler(others.compiler):
            return True
        pairs = ((getattr(mine, field), getattr(others, field)) for field in _IDENTITY)
        return any(one and two and one != two for one, two in pairs)

    def completed_by(self, other: WrittenSpec) -> Row:
        """This row, with the other's fields where this one has none."""
        gaps = {field: getattr(other.row, field) for field in Row.__struct_fields__ if not getattr(self.row, field)}
        return msgspec.structs.replace(self.row, **gaps)


def split_architecture(text: str) -> dict[str, str | None]:
    """`linux-ubuntu22.04-zen3` as platform, os and target; empty if it has not three parts."""
    parts = text.split("-")
    if len(parts) < 3:
        return {}
    places = {"platform": parts[0], "os": "-".join(parts[1:-1]), "target": parts[-1]}
    return {name: None if place in ("", "None") else place for name, place in places.items()}


def parse_spec(text: str) -> WrittenSpec:
    """Return the spec of a spec string; what cannot be read is left over in `unread`."""
    own, *dependencies = text.split("^")
    named = _NAME.match(own)
    position = named.end() if named else 0
    fields: dict[str, Any] = {"dependencies": tuple(piece.strip() for piece in dependencies if piece.strip())}
    variants: list[str] = []
    while position < len(own) and (part := _PART.match(own, position)):
        position = part.end()
        if part["version"]:
            fields["versions"] = (part["version"],)
        elif part["compiler"]:
            fields["compiler"] = part["compiler"]
        elif part["flag"]:
            variants.append(("+" if part["sign"] == "+" else "~") + part["flag"])
        elif key := part["key"]:
            written = part["double"] or part["single"] or part["plain"] or ""
            if key in ("arch", "architecture"):
                fields.update(split_architecture(written))
            elif key in _PLACES:
                fields[_PLACES[key]] = written
            elif written:
                variants.append(f"{key}={written}")
    name = named[1].rpartition(".")[2] if named and named[1] else None
    return WrittenSpec(name, Row(variants=tuple(variants), **fields), own[position:].strip())


def parse_sidecar(data: bytes) -> WrittenSpec:
    """Return the spec of a `spec-N.json`: its first node, the others its dependencies; ValueError if it is none."""
    try:
        nodes = msgspec.json.decode(data)["spec"]["nodes"]
        own, *others = nodes
        spec = _node(own)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError("no JSON of a spec") from error
    dependencies = tuple(_spelled(_node(other)) for other in others if isinstance(other, dict))
    return WrittenSpec(spec.name, msgspec.structs.replace(spec.row, dependencies=dependencies))


def _node(node: dict[str, Any]) -> WrittenSpec:
    version = _text(node.get("version"))
    arch = _mapping(node.get("arch"))
    target = arch.get("target")
    compiler = _mapping(node.get("compiler"))
    compiler_name, compiler_version = _text(compiler.get("name")), _text(compiler.get("version"))
    row = Row(
        hash=_text(node.get("hash")),
        compiler=f"{compiler_name}@{compiler_version}" if compiler_name and compiler_version else compiler_name,
        versions=(version,) if version else (),
        os=_text(arch.get("platform_os")),
        platform=_text(arch.get("platform")),
        target=_text(target.get("name")) if isinstance(target, dict) else _text(target),
        variants=tuple(
            variant
            for name, setting in _mapping(node.get("parameters")).items()
            if (variant := _variant(name, setting))
        ),
    )
    return WrittenSpec(_text(node.get("name")), row)


def _variant(name: str, setting: object) -> str | None:
    if isinstance(setting, bool):
        return ("+" if setting else "~") + name
    if isinstance(setting, list):
        setting = ",".join(word for word in setting if isinstance(word, str))
    # An empty list is a compiler flag that was not set.
    return f"{name}={setting}" if isinstance(setting, str) and setting else None


def _spelled(spec: WrittenSpec) -> str:
    row = spec.row
    text = spec.name or ""
    text += f"@{row.versions[0]}" if row.versions else ""
    text += f"%{row.compiler}" if row.compiler else ""
    text += "".join(variant for variant in row.variants if variant[0] in "+~")
    valued = [variant for variant in row.variants if variant[0] not in "+~"]
    if row.platform and row.os and row.target:
        valued.append(f"arch={row.platform}-{row.os}-{row.target}")
    return " ".join([text, *valued])


def _text(written: object) -> str | None:
    return written if isinstance(written, str) and written else None


def _mapping(written: object) -> dict[str, Any]:
    return written if isinstance(written, dict) else {}

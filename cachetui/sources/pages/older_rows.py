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
from itertools import zip_longest
from typing import Any

import msgspec
from msgspec import Struct

from cachetui.model.spec import Row, normal_compiler
from cachetui.sources.buildcache.node import WrittenNode, architecture_of, compiler_of, variants_of
from cachetui.sources.files import read_file
from cachetui.sources.pages.frontmatter import FrontMatter, block_list, kind_of, shortened
from cachetui.sources.yaml_data import YamlError
from cachetui.store.mtimes import FileMtimes, no_mtimes

MAX_SIDECAR = 16 * 2**20
"""Bytes of a sidecar."""

MAX_SPECS = 2**22
"""Characters of all spec strings of a page: twice the largest real page."""

_SIDECAR_NAME = re.compile(r"spec-[0-9]{1,9}\.json")


class OlderRows:
    """Reads the rows of one older page, and says what is wrong with them."""

    def __init__(self, root: str, path: str, front: FrontMatter) -> None:
        self.sidecars: list[FileMtimes] = []
        """The sidecars that were read."""
        self._root = root
        self._path = path
        self._front = front
        self._problems = front.problems
        self._list_line = front.line("spec_files") or front.line("spec_names")

    def rows(self, package: str) -> tuple[Row, ...]:
        """Return the rows as far as they can be read; `package` is the page's."""
        rows: list[Row] = []
        left = MAX_SPECS
        for number, (text, sidecar) in enumerate(self._listed(), 1):
            left -= len(text)
            if left < 0:
                message = f"more than {MAX_SPECS:,} characters of specs: further ones are not read"
                self._problems.add("unreadable", message, self._list_line)
                break
            rows.append(self._completed(package, number, text, sidecar))
        return tuple(rows)

    def _listed(self) -> Iterator[tuple[str, str]]:
        """Yield the spec string and the sidecar's name of each row of an older page; either may be empty."""
        files, names = (self._list(key) for key in ("spec_files", "spec_names"))
        if names and len(names) != len(files):
            message = f"{len(files)} spec_files, but {len(names)} spec_names"
            self._problems.add("row", message, self._list_line)
        for number, (file, name) in enumerate(zip_longest(files, names, fillvalue=""), 1):
            if isinstance(file, dict) and len(file) == 1:
                ((name, file),) = file.items()
            if isinstance(name, str) and isinstance(file, str | None):
                yield name, file or ""
            elif not isinstance(file, YamlError) and not isinstance(name, YamlError):
                wrong = file if isinstance(name, str) else name
                self._problems.add("row", f"row {number} is {kind_of(wrong)}", self._list_line)

    def _list(self, key: str) -> list[Any]:
        """Return the elements of a list; YamlError in place of one that cannot be read."""
        entry = self._front.entries.get(key)
        stated = (entry and block_list(entry)) or self._front.value(key) or []
        if not isinstance(stated, list):
            if not isinstance(stated, YamlError):
                message = f"{key} is {kind_of(stated)}, not a list"
                self._problems.add("unreadable", message, self._front.line(key))
            return []
        for each in stated:
            if isinstance(each, YamlError):
                self._problems.add("row", f"{key}: {each.reason}", each.line)
        return stated

    def _completed(self, package: str, number: int, text: str, sidecar: str) -> Row:
        """Return the row of a spec string, with the hash of its sidecar, and what else it does not say itself."""
        spec = parse_spec(text)
        if spec.unread:
            message = f"row {number} cannot be read from here: {shortened(spec.unread)}"
            self._problems.add("row", message, self._list_line)
        found = self._sidecar(sidecar)
        if found is None:
            return spec.row
        # Pages of several packages in one flat folder all call their sidecars the same.
        if found.name != package or found.contradicts(spec):
            message = f"row {number}: {sidecar} is about another spec and was left out"
            self._problems.add("row", message, self._list_line, level="note")
            return spec.row
        self._problems.check_hash(found.row.hash, sidecar, None)
        return spec.completed_by(found)

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
        self._problems.add("unreadable", f"{path} was not read: {reason}")
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


class WrittenSpec(Struct, frozen=True):
    """One spec as it is written."""

    name: str | None
    row: Row
    unread: str = ""
    """The end of a spec string that could not be read."""

    @property
    def _identity(self) -> tuple[object, ...]:
        row = self.row
        return self.name, row.compiler and normal_compiler(row.compiler), row.os, row.platform, row.target, row.versions

    def contradicts(self, other: WrittenSpec) -> bool:
        """Return whether the two state different things, so that they cannot be one spec."""
        pairs = zip(self._identity, other._identity, strict=True)
        return any(one and two and one != two for one, two in pairs)

    def completed_by(self, other: WrittenSpec) -> Row:
        """Return this row, with the other's fields where this one has none."""
        gaps = {field: getattr(other.row, field) for field in Row.__struct_fields__ if not getattr(self.row, field)}
        return msgspec.structs.replace(self.row, **gaps)


def split_architecture(text: str) -> dict[str, str | None]:
    """Return `linux-ubuntu22.04-zen3` as platform, os and target; empty if it has not three parts."""
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


class _Graph(Struct):
    nodes: list[WrittenNode]


class _Sidecar(Struct):
    spec: _Graph


def parse_sidecar(data: bytes) -> WrittenSpec:
    """Return the spec of a `spec-N.json`: its first node, the others its dependencies; ValueError if it is none."""
    try:
        own, *others = msgspec.json.decode(data, type=_Sidecar).spec.nodes
    except (ValueError, RecursionError) as error:
        raise ValueError("no JSON of a spec") from error
    dependencies = tuple(_spelled(other.name, _row(other)) for other in others)
    return WrittenSpec(own.name, msgspec.structs.replace(_row(own), dependencies=dependencies))


def _row(node: WrittenNode) -> Row:
    os_name, platform, target = architecture_of(bytes(node.arch))
    return Row(
        hash=node.hash or None,
        compiler=compiler_of(bytes(node.compiler)),
        versions=(node.version,) if node.version else (),
        os=os_name,
        platform=platform,
        target=target,
        variants=variants_of(bytes(node.parameters)),
    )


def _spelled(name: str, row: Row) -> str:
    text = name + "".join(f"@{version}" for version in row.versions)
    text += f"%{row.compiler}" if row.compiler else ""
    text += "".join(variant for variant in row.variants if variant[0] in "+~")
    valued = [variant for variant in row.variants if variant[0] not in "+~"]
    if row.platform and row.os and row.target:
        valued.append(f"arch={row.platform}-{row.os}-{row.target}")
    return " ".join([text, *valued])

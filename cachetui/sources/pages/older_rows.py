"""Read the rows of an older page (2021 and 2022): a list of spec strings, each with a sidecar file in JSON.

A spec string: `name@version%compiler@version+on~off key=value arch=platform-os-target ^dependency …`
After an error, only one row is missing. Without a sidecar file, the hash of the row is missing, which is allowed.
Input: `spec_files` and `spec_names` of a page, and the other files in the folder of the page.
"""

import re
from itertools import zip_longest
from typing import Any

import msgspec

from cachetui.model.spec import Row, normal_compiler
from cachetui.sources.buildcache.manifests import read_spec_file
from cachetui.sources.buildcache.node import WrittenNode, architecture_of, compiler_of, variants_of
from cachetui.sources.files import read_file
from cachetui.sources.pages.frontmatter import FrontMatter, RowFaults
from cachetui.sources.pages.listing import SIDECAR
from cachetui.store.mtimes import UNREAD_MTIMES, Mtimes

MAX_SIDECAR_BYTES = 16 * 2**20
"""Maximum number of bytes of a sidecar file."""

# The lists are not parsed as YAML, because some pages of 2021 have unescaped quotes inside quotes.
_ITEM = re.compile(r"""-[ \t]+(?=\S)(?:(["'])(?P<spec>.*?)\1)?(?:[ \t]*:[ \t]+)?(?P<file>[\w./-]+)?""")


class OlderRows:
    """The readable rows of one older page (2021 or 2022)."""

    def __init__(self, root: str, front: FrontMatter, package: str) -> None:
        """Read the rows. `package` is the package name from the title of the page."""
        self.sidecars: dict[str, Mtimes] = {}
        """The mtimes of all existing sidecar files, including unreadable files."""
        self._root = root
        self._path = front.path
        self._faults = RowFaults()
        files, names = (self._items(front, key) for key in ("spec_files", "spec_names"))
        at = min(front.entries[key].at for key in ("spec_files", "spec_names") if key in front.entries)
        if names and len(names) != len(files):
            front.add("row", f"{len(files)} spec_files, but {len(names)} spec_names", at)
        listed = list(zip_longest(files, names, fillvalue=("", "")))
        self.rows = [
            self._row(number, package, name[0] or file[0], file[1])
            for number, (file, name) in enumerate(listed, 1)
            if file and name
        ]
        self._faults.report(front, len(listed), at)

    def _items(self, front: FrontMatter, key: str) -> list[tuple[str, str] | None]:
        """Return the items in the list under a key. Each item is a pair of spec string and file name.

        The spec string or the file name may be empty. An unreadable item is None.
        """
        text = front.entries[key].text if key in front.entries else ""
        if text.lstrip().startswith("["):
            return [("", each) if key == "spec_files" else (each, "") for each in front.names(key) or ()]
        items: list[tuple[str, str] | None] = []
        for number, line in enumerate(filter(None, map(str.strip, text.split("\n"))), 1):
            found = _ITEM.fullmatch(line)
            items.append(found and ((found["spec"] or "").replace('\\"', '"'), found["file"] or ""))
            if found is None:
                self._faults.add(number, "row", f"{key} cannot be read")
        return items

    def _row(self, number: int, package: str, text: str, sidecar: str) -> Row:
        """Return the row of a spec string. The sidecar file adds the hash and other missing fields."""
        spec = parse_spec(text)
        if spec.unread:
            self._faults.add(number, "row", "the spec cannot be read completely")
        found = self._sidecar(number, sidecar) if SIDECAR.fullmatch(sidecar) else None
        # In a flat folder, sidecar files of several packages may have the same name.
        if found is None or found.name != package or found.contradicts(spec):
            return spec.row
        self._faults.check_hash(number, found.row.hash)
        return spec.completed_by(found)

    def _sidecar(self, number: int, name: str) -> "WrittenSpec | None":
        """Return the spec in the sidecar file of a row, or None if the file is missing or unreadable."""
        path = self._path[: self._path.rfind("/") + 1] + name
        try:
            self.sidecars[path], data, is_too_large = read_file(f"{self._root}/{path}", MAX_SIDECAR_BYTES)
            if is_too_large:
                raise ValueError(f"larger than {MAX_SIDECAR_BYTES // 2**20} MB")
            return parse_sidecar(data)
        except FileNotFoundError:
            return None
        except OSError as error:
            self.sidecars[path] = UNREAD_MTIMES
            reason = error.strerror
        except ValueError as error:
            reason = str(error)
        self._faults.add(number, "unreadable", f"the sidecar file cannot be read ({reason})")
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


class WrittenSpec(msgspec.Struct, frozen=True):
    """One spec, from a spec string or a sidecar file."""

    name: str | None
    row: Row
    unread: str = ""
    """The rest of a spec string from the first syntax error on. Empty if the spec string is correct."""

    @property
    def _identity(self) -> tuple[object, ...]:
        row = self.row
        return self.name, row.compiler and normal_compiler(row.compiler), row.os, row.platform, row.target, row.versions

    def contradicts(self, other: "WrittenSpec") -> bool:
        """Return whether any field has different values in both specs. Empty fields are not compared."""
        return any(one and two and one != two for one, two in zip(self._identity, other._identity, strict=True))

    def completed_by(self, other: "WrittenSpec") -> Row:
        """Return this spec as a row. Empty fields get the values of the other spec."""
        gaps = {field: getattr(other.row, field) for field in Row.__struct_fields__ if not getattr(self.row, field)}
        return msgspec.structs.replace(self.row, **gaps)


def split_architecture(text: str) -> dict[str, str | None]:
    """Split a string such as `linux-ubuntu22.04-zen3` into platform, os and target. Return `{}` for other strings."""
    parts = text.split("-")
    if len(parts) < 3:
        return {}
    places = {"platform": parts[0], "os": "-".join(parts[1:-1]), "target": parts[-1]}
    return {name: None if place in ("", "None") else place for name, place in places.items()}


def parse_spec(text: str) -> WrittenSpec:
    """Parse a spec string up to the first syntax error."""
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
    """Return the spec in a sidecar file: the first node of the file. All other nodes are dependencies.

    Raises ValueError.
    """
    try:
        own, *others = read_spec_file(data).nodes
    except ValueError:
        raise ValueError("it is not the JSON of a spec") from None
    dependencies = tuple(_spelled(other.name, _row_of(other)) for other in others)
    return WrittenSpec(own.name, msgspec.structs.replace(_row_of(own), dependencies=dependencies))


def _row_of(node: WrittenNode) -> Row:
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

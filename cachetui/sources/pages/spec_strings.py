"""One spec as the older pages write it: a spec string, and the JSON sidecar beside the page.

`name@version%compiler@version+on~off key=value arch=platform-os-target ^dependency …`
Both become a row. A field that is not written stays empty: nothing is guessed.
Input: `spec_files` and `spec_names` of the forms of 2021 and 2022, and their `spec-N.json`.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Struct

from cachetui.model.spec import Row, normal_compiler

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
        """Whether the two state different things, so that they cannot be one spec."""
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
    """The spec of a spec string; what cannot be read is left over in `unread`."""
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
    """The spec of a `spec-N.json`: its first node, the others its dependencies; ValueError if it is none."""
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

"""Read a node of a dependency graph in Spack's JSON (specfile versions 1 to 6).

Architectures, parameters and edges are often equal in many nodes. They stay JSON at first, so that equal texts are
decoded only once. For example, half of an index consists of the feature lists of targets.
Input: JSON of any origin. Values of the wrong type are skipped.
"""

from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct

from cachetui.mappings import grouped
from cachetui.model.dependency import LANGUAGES
from cachetui.model.installed import Installed
from cachetui.model.spec import FLAGS, MIXED, at_version, normal_compiler

BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,/_.-")
"""Characters that Spack writes without quotes in the value of a variant."""

NOTHING = Raw(b"null")

MAX_TIME_SECONDS = 2**32
"""The maximum valid time, in seconds since the epoch; greater times are damaged."""


class WrittenNode(Struct, gc=False):
    """A node in Spack's JSON."""

    name: str = ""
    version: str = ""
    hash: str = ""
    namespace: str | None = None
    package_hash: str | None = None
    arch: Raw = NOTHING
    compiler: Raw = NOTHING
    """The compiler, up to specfile 4."""
    parameters: Raw = NOTHING
    dependencies: Raw = NOTHING
    """The edges. See `columns`."""
    external: Raw = NOTHING
    build_spec: Raw = NOTHING
    provided_virtuals: Raw = NOTHING
    """The virtual packages that the node provides, since specfile 6."""
    annotations: Raw = NOTHING


class Record(Installed, frozen=True, gc=False):
    """The record of an installation in Spack's database; the prefix may be missing."""

    name: str = ""
    is_external: bool = False
    """Whether the package was installed without Spack."""


class Entry(Struct, gc=False):
    """An entry of an index in Spack's JSON. Only installations use the fields after `in_buildcache`."""

    spec: WrittenNode
    in_buildcache: bool = False
    path: str | None = None
    """The prefix of the installation. In old files, a missing prefix is the text `None`."""
    installed: bool = False
    explicit: bool = False
    installation_time: float | None = None
    deprecated_for: str | None = None

    @property
    def record(self) -> Record:
        """The installation record of the entry."""
        node, when = self.spec, self.installation_time
        is_external = node.external is not NOTHING and external_of(bytes(node.external)) is not None
        state = ("external" if is_external else "installed") if self.installed else "missing"
        return Record(
            "deprecated" if state == "missing" and self.deprecated_for else state,
            self.explicit,
            when if when is not None and 0 <= when < MAX_TIME_SECONDS else None,
            self.path,
            self.deprecated_for,
            name=node.name,
            is_external=is_external,
        )


_decode_node = msgspec.json.Decoder(WrittenNode).decode


def read_node(text: Raw | bytes) -> WrittenNode:
    """Read a node of any specfile version. Raises ValueError if the JSON is invalid or the node has no name."""
    node = _decode_node(text)
    if node.name:
        return node
    # in specfile 1 a node is {"<name>": {...}}
    wrapped = msgspec.json.decode(text, type=dict[str, Raw])
    if len(wrapped) != 1:
        raise ValueError("it has no name")
    ((name, inner),) = wrapped.items()
    return msgspec.structs.replace(_decode_node(inner), name=name)


class Architecture(NamedTuple):
    os: str | None
    platform: str | None
    target: str | None


def architecture_of(text: bytes) -> Architecture:
    """Return os, platform and target. In JSON, a target is a string, or a mapping with a `name`."""
    written = _mapping(text)
    target = written.get("target")
    name = target.get("name") if isinstance(target, dict) else target
    return Architecture(_text(written.get("platform_os")), _text(written.get("platform")), _text(name))


def compiler_of(text: bytes, annotations: bytes = b"null") -> str | None:
    """Return the `compiler` of a node (up to specfile 4) in the spelling of Spack 1.x: `llvm@14.0.6`.

    If this key is missing, return the compiler in the `annotations`, which Spack writes when it converts an older file.
    If both keys are missing, return None.
    """
    written = _mapping(text)
    name, version = _text(written.get("name")), _text(written.get("version"))
    named = at_version(name, version) if name else _text(_mapping(annotations).get("compiler"))
    return normal_compiler(named) if named else None


def mixed_compiler(by_language: dict[str, str]) -> str | None:
    """Return one string for the compilers of all languages: `gcc@13.2.0`, or `llvm@18.1.3 (fortran gcc@13.2.0)`.

    Return None if the compiler is missing.
    """
    ordered = {language: by_language[language] for language in LANGUAGES if language in by_language}
    first = next(iter(ordered.values()), None)
    others = grouped((compiler, language) for language, compiler in ordered.items() if compiler != first)
    texts = ", ".join(f"{','.join(languages)} {compiler}" for compiler, languages in others.items())
    return f"{first}{MIXED}{texts})" if texts else first


def variants_of(text: bytes) -> tuple[str, ...]:
    """Return the `parameters` of a node in Spack's spelling.

    The order is compiler flags, boolean variants, other variants. Each group is sorted by name. If the value of a
    variant is a list in JSON, the result has `:=` instead of `=`.
    """
    flags, switches, values = [], [], []
    written = _mapping(text)
    for name in sorted(written):
        value = written[name]
        if value is True or value is False:
            switches.append(f"+{name}" if value else f"~{name}")
        elif value == []:
            continue
        elif name in FLAGS:
            words = " ".join(texts_of([value] if isinstance(value, str) else value))
            if words:
                flags.append(f"{name}={_quoted(words)}")
        elif isinstance(value, list):
            words = ",".join(text[:7] if name == "patches" else text for text in texts_of(value))
            if words:
                values.append(f"{name}:={_quoted(words)}")
        elif isinstance(value, str | int | float):
            values.append(f"{name}={_quoted(str(value))}")
    return (*flags, *switches, *values)


def external_of(text: bytes) -> tuple[str, tuple[str, ...]] | None:
    """Return the path and modules of an external package, or None for any other spec."""
    written = json_of(text)
    if not isinstance(written, dict):
        return None
    modules = written.get("module") or ()
    return _text(written.get("path")) or "", texts_of([modules] if isinstance(modules, str) else modules)


def spliced_from(text: bytes) -> str | None:
    """Return the hash of the spec from which this spec was spliced, or None if this spec was built as it is."""
    return _text(_mapping(text).get("hash"))


def _quoted(value: str) -> str:
    """Return a value with quotes if Spack would quote it."""
    if value and BARE.issuperset(value):
        return value
    return msgspec.json.encode(value).decode() if "'" in value else f"'{value}'"


def json_of(text: bytes) -> Any:
    """Decode JSON, or return None if the text is invalid."""
    try:
        return _decode(text)
    except (ValueError, RecursionError):
        return None


_decode = msgspec.json.Decoder().decode


def _mapping(text: bytes) -> dict[str, Any]:
    found = json_of(text)
    return found if isinstance(found, dict) else {}


def _text(written: object) -> str | None:
    return written if isinstance(written, str) and written else None


def texts_of(written: object) -> tuple[str, ...]:
    """Return the strings and numbers in a list as strings. The result is empty if the value is not a list."""
    return tuple(str(each) for each in written if isinstance(each, str | int)) if isinstance(written, list) else ()

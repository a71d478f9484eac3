"""One node of a dependency graph as Spack writes it (specfile versions 1 to 5), and its parts as texts of a catalogue.

What repeats from node to node (architectures, parameters, the kinds of edges) stays JSON until it is asked for, and is
read once for each distinct text: the feature list of a target alone is half of an index.
Input: JSON of any origin; whatever is of the wrong type is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Raw, Struct

from cachetui.model.spec import MIXED, normal_compiler
from cachetui.store.graph import LANGUAGES
from cachetui.store.nodes import EdgeKind

FLAGS = ("cflags", "cppflags", "cxxflags", "fflags", "ldflags", "ldlibs")
"""The parameters that are compiler flags: a list each, empty for none."""

TYPES = ("build", "link", "run", "test")

BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,/_.-")
"""The characters that need no quotes in the value of a variant."""

NOTHING = Raw(b"null")


class Dependency(Struct):
    """An edge as it is written."""

    hash: str = ""
    name: str = ""
    build_hash: str = ""
    """Of Spack 0.17, where there may be no `hash`."""
    type: Raw = NOTHING
    """Its types up to specfile 3."""
    parameters: Raw = NOTHING
    """Its types and virtuals from specfile 4 on."""


class Node(Struct):
    """A node as it is written."""

    name: str = ""
    version: str = ""
    hash: str = ""
    namespace: str | None = None
    package_hash: str | None = None
    arch: Raw = NOTHING
    compiler: Raw = NOTHING
    """Up to specfile 4."""
    parameters: Raw = NOTHING
    dependencies: list[Dependency] | dict[str, Dependency] = []
    """A map by name in specfile 1."""
    external: Raw = NOTHING
    build_spec: Raw = NOTHING
    annotations: Raw = NOTHING

    @property
    def edges(self) -> Iterable[Dependency]:
        """The edges, each with its name."""
        if isinstance(self.dependencies, list):
            return self.dependencies
        return [msgspec.structs.replace(edge, name=name) for name, edge in self.dependencies.items()]


_decode_node = msgspec.json.Decoder(Node).decode
_decode_map = msgspec.json.Decoder(dict[str, Raw]).decode


def read_node(text: Raw | bytes) -> Node:
    """A node of any specfile version; raises msgspec.MsgspecError, and ValueError where it has no name."""
    node = _decode_node(text)
    if node.name:
        return node
    # specfile 1: {"<name>": {...}}
    wrapped = _decode_map(text)
    if len(wrapped) == 1:
        ((name, inner),) = wrapped.items()
        node = msgspec.structs.replace(_decode_node(inner), name=name)
    if not node.name:
        raise ValueError("it has no name")
    return node


class Architecture(Struct, frozen=True):
    platform: str | None = None
    os: str | None = None
    target: str | None = None


class Texts:
    """The texts of a catalogue for what nodes write; each distinct piece of JSON is read once."""

    def __init__(self) -> None:
        self._architectures: dict[bytes, Architecture] = {}
        self._compilers: dict[bytes, str | None] = {}
        self._variants: dict[bytes, tuple[str, ...]] = {}
        self.kinds: dict[bytes, EdgeKind] = {}
        """What `kind` has read so far, for those that look there first."""

    def architecture(self, node: Node) -> Architecture:
        """Platform, operating system and target; the target may be a text or a map with a name."""
        text = bytes(node.arch)
        found = self._architectures.get(text)
        if found is None:
            written = _mapping(text)
            target = written.get("target")
            name = target.get("name") if isinstance(target, dict) else target
            found = Architecture(_text(written.get("platform")), _text(written.get("platform_os")), _text(name))
            self._architectures[text] = found
        return found

    def recorded_compiler(self, node: Node) -> str | None:
        """The compiler that the node itself names, as Spack 1.x spells it: `llvm@14.0.6`."""
        text = bytes(node.compiler)
        if text == b"null":
            text = bytes(node.annotations)
        if text == b"null":
            return None
        if text not in self._compilers:
            written = _mapping(text)
            name, version = _text(written.get("name")), _text(written.get("version"))
            named = f"{name}@{version}" if name and version else name or _text(written.get("compiler"))
            self._compilers[text] = normal_compiler(named) if named else None
        return self._compilers[text]

    def variants(self, node: Node) -> tuple[str, ...]:
        """The parameters in Spack's own spelling: flags, then what is on or off, then the others, each by name."""
        text = bytes(node.parameters)
        found = self._variants.get(text)
        if found is None:
            found = self._variants[text] = spelled_variants(_mapping(text))
        return found

    def kind(self, text: bytes) -> EdgeKind:
        """The types and virtuals of an edge: of its parameters, or up to specfile 3 of its types alone."""
        found = self.kinds.get(text)
        if found is None:
            written = _json(text)
            types = written.get("deptypes") if isinstance(written, dict) else written
            virtuals = written.get("virtuals") if isinstance(written, dict) else ()
            known = _texts([types] if isinstance(types, str) else types)
            kind = tuple(name for name in TYPES if name in known), tuple(sorted(set(_texts(virtuals))))
            found = self.kinds[text] = kind
        return found


def mixed_compiler(by_language: dict[str, str]) -> str | None:
    """One text for the compilers of the languages: `gcc@13.2.0`, or `llvm@18.1.3 (fortran gcc@13.2.0)`."""
    ordered = {language: by_language[language] for language in LANGUAGES if language in by_language}
    if not ordered:
        return None
    first, *_ = ordered.values()
    others: dict[str, list[str]] = {}
    for language, compiler in ordered.items():
        if compiler != first:
            others.setdefault(compiler, []).append(language)
    if not others:
        return first
    return f"{first}{MIXED}{', '.join(','.join(languages) + ' ' + compiler for compiler, languages in others.items())})"


def spelled_variants(parameters: dict[str, Any]) -> tuple[str, ...]:
    """The texts of these parameters; lists are variants of several values, written with `:=`."""
    flags, switches, values = [], [], []
    for name in sorted(parameters):
        value = parameters[name]
        if isinstance(value, bool):
            switches.append(f"{'+' if value else '~'}{name}")
        elif name in FLAGS:
            words = " ".join(_texts([value] if isinstance(value, str) else value))
            if words:
                flags.append(f"{name}={_quoted(words)}")
        elif isinstance(value, list):
            words = ",".join(text[:7] if name == "patches" else text for text in _texts(value))
            values.append(f"{name}:={_quoted(words)}")
        elif isinstance(value, str | int | float):
            values.append(f"{name}={_quoted(str(value))}")
    return (*flags, *switches, *values)


def external_of(node: Node) -> tuple[str, tuple[str, ...]] | None:
    """Path and modules of an external; None for what Spack has built."""
    text = bytes(node.external)
    if text == b"null":
        return None
    written = _mapping(text)
    modules = written.get("module") or ()
    return _text(written.get("path")) or "", _texts([modules] if isinstance(modules, str) else modules)


def spliced_from(node: Node) -> str | None:
    """The hash of the spec that the node was spliced from."""
    text = bytes(node.build_spec)
    return None if text == b"null" else _text(_mapping(text).get("hash"))


def _quoted(value: str) -> str:
    """A value in single quotes where Spack puts it into some."""
    if value and BARE.issuperset(value):
        return value
    return msgspec.json.encode(value).decode() if "'" in value else f"'{value}'"


def _json(text: bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _mapping(text: bytes) -> dict[str, Any]:
    found = _json(text)
    return found if isinstance(found, dict) else {}


def _text(written: object) -> str | None:
    return written if isinstance(written, str) and written else None


def _texts(written: object) -> tuple[str, ...]:
    return tuple(str(each) for each in written if isinstance(each, str | int)) if isinstance(written, list) else ()

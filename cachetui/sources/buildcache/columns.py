"""The entries of an index as columns of numbers, and a table of what each number stands for.

Column by column, and each distinct piece of JSON once: that is several times as fast as node by node, and what comes
of it is small and can be handed from one process to another. What only the graph says stays as it is written.
Builds of one package mostly need the same packages in the same way, and differ in the hashes alone. So the text of
the edges is read once for each that is different when its hashes are cut out: an index of 60,000 specs has half a
million edges, and a few thousand such texts. Which nodes the hashes are of is looked up when the graph is asked for.
Input: entries as they are written, in any order; an edge without a hash leads nowhere and is left out.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, compress, zip_longest
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import Raw, Struct

from cachetui.model.dependency import LANGUAGES, EdgeKind
from cachetui.model.spec import BUILTIN
from cachetui.sources.buildcache.node import (
    NOTHING,
    Architecture,
    Entry,
    annotated_compiler,
    architecture_of,
    compiler_of,
    external_of,
    json_of,
    spliced_from,
    texts_of,
    variants_of,
)
from cachetui.store.arrays import Numbering, Once
from cachetui.store.string_table import encoded

# Edges

TYPES = ("build", "link", "run", "test")

Languages: TypeAlias = tuple[str, ...]

Compilers: TypeAlias = tuple[tuple[bytes, Languages], ...]
"""The hashes of what compiled a node, with the languages of each."""

HASH_LENGTH = 32
"""Letters of a hash of Spack's."""

_cut = re.compile(rb'"hash": ?"([0-9A-Za-z]{32})"').split
"""Takes a text apart: what is before the first hash, the hash, what is between it and the second one, and so on."""


class Dependency(Struct, gc=False):
    """An edge as it is written."""

    hash: str | None = None
    name: str = ""
    build_hash: str | None = None
    """Of Spack 0.17, where there may be no `hash`."""
    type: Raw = NOTHING
    """Its types up to specfile 3."""
    parameters: Raw = NOTHING
    """Its types and virtuals from specfile 4 on."""


class Shape(NamedTuple):
    """All of some edges but their hashes."""

    names: tuple[str, ...]
    kinds: tuple[EdgeKind, ...]
    compilers: tuple[tuple[int, Languages], ...]
    """Which of the edges lead to a compiler, and of which languages."""


NO_EDGES = Shape((), (), ())

_decode_edges = msgspec.json.Decoder(list[Dependency] | dict[str, Dependency] | None).decode


class EdgeReader:
    """Reads the edges of one node after the other."""

    def __init__(self) -> None:
        self.shapes: list[Shape] = []
        """All that were read, each once."""
        self._numbers: dict[Shape, int] = {}
        self._shapes = Once(self._shape)
        """The number of a shape by the text around the hashes; None where the text cannot be read so."""

    def read(self, written: Raw) -> tuple[bytes, int, Compilers]:
        """Return the edges in this JSON: their hashes one after the other, a number in `shapes`, and the compilers."""
        text = bytes(written)
        pieces = _cut(text)
        shape = self._shapes[tuple(pieces[::2])]
        if shape is None:
            return self._read_one_by_one(text)
        hashes = pieces[1::2]
        compilers = tuple([(hashes[k], languages) for k, languages in self.shapes[shape].compilers])
        return b"".join(hashes), shape, compilers

    def _shape(self, around: tuple[bytes, ...]) -> int | None:
        """Return the shape of the edges in a text without hashes; None where others than the cut ones would be read."""
        filled = [b"%0*d" % (HASH_LENGTH, k) for k in range(len(around) - 1)]
        hashes = (b'"hash":"%b"' % each for each in filled)
        edges = edges_of(b"".join(chain.from_iterable(zip_longest(around, hashes, fillvalue=b""))))
        return self._number(edges) if [encoded(edge.hash or "") for edge in edges] == filled else None

    def _read_one_by_one(self, text: bytes) -> tuple[bytes, int, Compilers]:
        found = [(_hash_of(needed), edge) for edge in edges_of(text) if (needed := edge.hash or edge.build_hash)]
        shape = self._number([edge for _, edge in found])
        compilers = tuple((found[k][0], languages) for k, languages in self.shapes[shape].compilers)
        return b"".join([needed for needed, _ in found]), shape, compilers

    def _number(self, edges: Sequence[Dependency]) -> int:
        said = [_said(bytes(edge.parameters), bytes(edge.type)) for edge in edges]
        compilers = [(place, languages) for place, (_, languages) in enumerate(said) if languages]
        shape = Shape(tuple([edge.name for edge in edges]), tuple([kind for kind, _ in said]), tuple(compilers))
        number = self._numbers.setdefault(shape, len(self.shapes))
        if number == len(self.shapes):
            self.shapes.append(shape)
        return number


def _hash_of(text: str) -> bytes:
    """Return a hash in UTF-8; for what is none one that nothing has, as nothing may be known of such a node."""
    is_hash = len(text) == HASH_LENGTH and text.isascii() and text.isalnum()
    return text.encode() if is_hash else blake2b(encoded(text), digest_size=HASH_LENGTH // 2).hexdigest().encode()


@lru_cache(1024)
def _said(parameters: bytes, old_type: bytes) -> tuple[EdgeKind, Languages]:
    """Return what these pieces of JSON say; most edges have one of a few."""
    written = json_of(parameters)
    of_parameters = isinstance(written, dict)
    types = written.get("deptypes") if of_parameters else json_of(old_type)
    known = texts_of([types] if isinstance(types, str) else types)
    virtuals = texts_of(written.get("virtuals")) if of_parameters else ()
    kind = tuple(name for name in TYPES if name in known), tuple(sorted(set(virtuals)))
    return kind, tuple(language for language in LANGUAGES if language in virtuals) if "build" in known else ()


def edges_of(text: bytes) -> list[Dependency]:
    """Return the edges in the JSON that a node has for them; none where that is damaged."""
    try:
        found = _decode_edges(text)
    except (ValueError, RecursionError):
        return []
    if isinstance(found, dict):
        # specfile 1: by name
        return [msgspec.structs.replace(edge, name=name) for name, edge in found.items()]
    return found or []


# Nodes

COLUMNS = ("name", "version", "variants", "build", "extra", "shape")
"""The columns, with one entry a node. Their tables hold texts; texts; JSON lists; `Build`s; `Extra`s; the `Shape`s of
all edges. The last two are for the graph alone."""

Named: TypeAlias = tuple[bytes, bytes]
"""The JSON for the compiler and for the annotations."""

Build: TypeAlias = tuple[Compilers, Named, Architecture]
"""By what and for what a node was built: many nodes were by the same."""

Extra: TypeAlias = tuple[str | None, str | None, bytes, bytes]
"""Namespace, package hash, and the JSON for an external and for what a node was spliced from."""


class Nodes(Struct):
    """Some entries of one index."""

    hashes: list[str]
    """Of each entry."""
    marks: bytes
    """For each entry 1 where it is marked as a binary, else 0."""
    in_columns: bytes | None
    """For each entry 1 where its node is in the columns, 0 where it was known before; None where all are in them."""
    tables: dict[str, list[Any]]
    columns: dict[str, array[int]]
    edges: bytes
    """The hashes that the edges of these nodes lead to, those of one after those of the other."""

    @property
    def hashes_in_columns(self) -> list[str]:
        """The hashes of the nodes in the columns."""
        return self.hashes if self.in_columns is None else list(compress(self.hashes, self.in_columns))


class NodeReader:
    """Takes entries up, and makes columns of them."""

    def __init__(self, known: Container[str] = ()) -> None:
        """Of hashes that are `known` nothing is taken up but whether they are binaries."""
        self._known = known
        self._edges = EdgeReader()
        self._begin()

    def _begin(self) -> None:
        self._targets: list[bytes] = []
        self._hashes: list[str] = []
        self._marks: list[bytes] = []
        self._in_columns: list[bytes] = []
        self._numbers: dict[str, Numbering[Any]] = {column: Numbering() for column in COLUMNS}
        self._columns = {column: array("I") for column in COLUMNS}
        self._architectures: Numbering[bytes] = Numbering()

    def add(self, entries: Mapping[str, Entry]) -> None:
        """Take up some entries."""
        nodes = [entry.spec for entry in entries.values()]
        self._hashes += entries
        self._marks.append(bytes([entry.in_buildcache for entry in entries.values()]))
        if self._known:
            is_new = bytes([node_hash not in self._known for node_hash in entries])
            self._in_columns.append(is_new)
            nodes = list(compress(nodes, is_new))
        edges = [self._edges.read(node.dependencies) for node in nodes]
        self._targets.append(b"".join([hashes for hashes, _, _ in edges]))
        self._columns["shape"].extend([shape for _, shape, _ in edges])
        self._add_column("name", [node.name for node in nodes])
        self._add_column("version", [node.version for node in nodes])
        self._add_column("variants", [bytes(node.parameters) for node in nodes])
        # mostly a node is no external, and was spliced from nothing
        extras = [
            (
                node.namespace,
                node.package_hash,
                _NULL if node.external is NOTHING else bytes(node.external),
                _NULL if node.build_spec is NOTHING else bytes(node.build_spec),
            )
            for node in nodes
        ]
        self._add_column("extra", extras)
        compilers = [compilers for _, _, compilers in edges]
        named = [
            (_NULL if node.compiler is NOTHING else bytes(node.compiler), bytes(node.annotations)) for node in nodes
        ]
        architectures = map(self._architectures.__getitem__, [bytes(node.arch) for node in nodes])
        self._add_column("build", zip(compilers, named, architectures, strict=True))

    def _add_column(self, name: str, values: Iterable[Any]) -> None:
        self._columns[name].extend(map(self._numbers[name].__getitem__, values))

    def result(self) -> Nodes:
        """Return what was taken up since the last call."""
        tables = {name: list(numbers) for name, numbers in self._numbers.items()}
        architectures = list(map(architecture_of, self._architectures))
        tables["build"] = [(compilers, named, architectures[a]) for compilers, named, a in tables["build"]]
        tables["variants"] = [_encode(variants_of(written)).decode() for written in tables["variants"]]
        shapes: Numbering[int] = Numbering()
        self._columns["shape"] = shapes.of(self._columns["shape"])
        tables["shape"] = list(map(self._edges.shapes.__getitem__, shapes))
        edges = b"".join(self._targets)
        in_columns = b"".join(self._in_columns) if self._known else None
        found = Nodes(self._hashes, b"".join(self._marks), in_columns, tables, self._columns, edges)
        self._begin()
        return found


def nodes_of(entries: Mapping[str, Entry], known: Container[str] = ()) -> Nodes:
    """Return these entries as columns; see `NodeReader`."""
    reader = NodeReader(known)
    reader.add(entries)
    return reader.result()


def extra_text(extra: Extra) -> tuple[str, bool]:
    """Return the text of the node column `extra`, and whether it is that of an external."""
    namespace, package_hash, external, build_spec = extra
    found = external_of(external)
    path, modules = found or (None, ())
    text = _encode((namespace or BUILTIN, path, package_hash, spliced_from(build_spec), modules))
    return text.decode(), found is not None


@lru_cache(256)
def named_compiler(named: Named) -> str | None:
    """Return the compiler that a node has in its field for it, else in its annotations."""
    compiler, annotations = named
    return compiler_of(compiler) or annotated_compiler(annotations)


_encode = msgspec.json.Encoder().encode
_NULL = bytes(NOTHING)

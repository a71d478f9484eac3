"""Convert the entries of an index to columns. A column contains numbers: positions in a table of distinct values.

Equal pieces of JSON are decoded only once. This is several times as fast as decoding each node, and the result is small
enough to send to another process. Values that only the dependency graph uses are decoded later.

Most builds of one package have dependencies that differ only in their hashes. Therefore the hashes are cut out of the
JSON of a node's edges. The remaining text is decoded to a `Shape`, and equal texts are decoded only once. An index of
60,000 specs has half a million edges, but only a few thousand shapes.
Input: entries of an index, in any order. Edges without a hash are skipped.
"""

import re
from array import array
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, compress, zip_longest
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import Raw, Struct

from cachetui.mappings import Once
from cachetui.model.dependency import LANGUAGES, EdgeKind
from cachetui.model.spec import BUILTIN
from cachetui.sources.buildcache.node import (
    NOTHING,
    Architecture,
    Entry,
    Record,
    architecture_of,
    compiler_of,
    external_of,
    json_of,
    spliced_from,
    texts_of,
    variants_of,
)
from cachetui.store.arrays import Numbering, encoded

# Edges

TYPES = ("build", "link", "run", "test")

Languages: TypeAlias = tuple[str, ...]

Compilers: TypeAlias = tuple[tuple[bytes, Languages], ...]
"""The hash of each compiler of a node, with the languages that the compiler compiled."""

HASH_LENGTH = 32
"""The length of a hash in characters."""

_cut = re.compile(rb'"hash": ?"([0-9A-Za-z]{32})"').split
"""Cut the hashes out of the JSON of edges. The result is a list of text, hash, text, hash, …, text."""


class Dependency(Struct, gc=False):
    """An edge of the graph, as written in the JSON of an index."""

    hash: str | None = None
    name: str = ""
    build_hash: str | None = None
    """The hash in indexes of Spack 0.17, which lack the key `hash`."""
    type: Raw = NOTHING
    """The dependency types, up to specfile 3."""
    parameters: Raw = NOTHING
    """The dependency types and virtuals, since specfile 4."""


class Shape(NamedTuple):
    """All edges of a node, without their hashes."""

    names: tuple[str, ...]
    kinds: tuple[EdgeKind, ...]
    compilers: tuple[tuple[int, Languages], ...]
    """The position of each edge to a compiler, with the languages of the compiler."""


NO_EDGES = Shape((), (), ())

_decode_edges = msgspec.json.Decoder(list[Dependency] | dict[str, Dependency] | None).decode


class EdgeReader:
    """Reads the edges of nodes, one node at a time."""

    def __init__(self) -> None:
        self.shapes: list[Shape] = []
        """All distinct shapes found so far."""
        self._numbers: dict[Shape, int] = {}
        self._shapes = Once(self._shape)
        """The position in `shapes` for each JSON without its hashes, or None if it cannot be cut at the hashes."""

    def read(self, written: Raw) -> tuple[bytes, int, Compilers] | None:
        """Read the `dependencies` of a node, which are written as JSON. Return None if they are damaged.

        Return the joined hashes of the edges, the position of their shape in `shapes`, and the compilers of the node.
        """
        text = bytes(written)
        pieces = _cut(text)
        shape = self._shapes[tuple(pieces[::2])]
        if shape is None:
            return self._read_one_by_one(text)
        hashes = pieces[1::2]
        return b"".join(hashes), shape, tuple([(hashes[k], languages) for k, languages in self.shapes[shape].compilers])

    def _shape(self, around: tuple[bytes, ...]) -> int | None:
        """Read the shape of a node's edges, and return its position in `shapes`.

        `around` contains the pieces of JSON between the hashes of the edges. Return None if the pieces are wrong, for
        example because an edge has no hash.
        """
        filled = [b"%0*d" % (HASH_LENGTH, k) for k in range(len(around) - 1)]
        hashes = (b'"hash":"%b"' % each for each in filled)
        edges = edges_of(b"".join(chain.from_iterable(zip_longest(around, hashes, fillvalue=b""))))
        if edges is None or [encoded(edge.hash or "") for edge in edges] != filled:
            return None
        return self._number(edges)

    def _read_one_by_one(self, text: bytes) -> tuple[bytes, int, Compilers] | None:
        edges = edges_of(text)
        if edges is None:
            return None
        found = [(_hash_of(needed), edge) for edge in edges if (needed := edge.hash or edge.build_hash)]
        shape = self._number([edge for _, edge in found])
        compilers = tuple((found[k][0], languages) for k, languages in self.shapes[shape].compilers)
        return b"".join([needed for needed, _ in found]), shape, compilers

    def _number(self, edges: Sequence[Dependency]) -> int:
        said = [_kind_of(bytes(edge.parameters), bytes(edge.type)) for edge in edges]
        compilers = [(place, languages) for place, (_, languages) in enumerate(said) if languages]
        shape = Shape(tuple([edge.name for edge in edges]), tuple([kind for kind, _ in said]), tuple(compilers))
        number = self._numbers.setdefault(shape, len(self.shapes))
        if number == len(self.shapes):
            self.shapes.append(shape)
        return number


def _hash_of(text: str) -> bytes:
    """Return a hash as bytes. For a string that is not a hash, return a digest that differs from all real hashes."""
    is_hash = len(text) == HASH_LENGTH and text.isascii() and text.isalnum()
    return text.encode() if is_hash else blake2b(encoded(text), digest_size=HASH_LENGTH // 2).hexdigest().encode()


@lru_cache(1024)
def _kind_of(parameters: bytes, old_type: bytes) -> tuple[EdgeKind, Languages]:
    """Return the types and virtuals of an edge, and the languages for which the dependency is the compiler.

    `parameters` and `old_type` are the JSON of the keys `parameters` and `type` of the edge.
    """
    written = json_of(parameters)
    of_parameters = isinstance(written, dict)
    types = written.get("deptypes") if of_parameters else json_of(old_type)
    known = texts_of([types] if isinstance(types, str) else types)
    virtuals = texts_of(written.get("virtuals")) if of_parameters else ()
    kind = tuple(name for name in TYPES if name in known), tuple(sorted(set(virtuals)))
    return kind, tuple(language for language in LANGUAGES if language in virtuals) if "build" in known else ()


def edges_of(text: bytes) -> list[Dependency] | None:
    """Decode the `dependencies` of a node. Return None if they are damaged."""
    try:
        found = _decode_edges(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict):
        # in specfile 1, keyed by name
        return [msgspec.structs.replace(edge, name=name) for name, edge in found.items()]
    return found or []


# Nodes

COLUMNS = ("name", "version", "variants", "build", "extra", "shape")
"""The names of the columns. Each column has one entry for each node.

The column `variants` has JSON lists, `build` has values of the type `Build`, `extra` of the type `WrittenExtra`, and
`shape` of the type `Shape`. Only the graph uses the last two columns.
"""

Named: TypeAlias = tuple[bytes, bytes]
"""The JSON of a node's `compiler` and `annotations`."""

Build: TypeAlias = tuple[Compilers, Named, Architecture]
"""The compilers and the architecture of a node. Many nodes have the same build."""

WrittenExtra: TypeAlias = tuple[str | None, str | None, bytes, bytes, bytes]
"""The namespace and package hash, then JSON: `external`, `build_spec` and `provided_virtuals`."""


class Nodes(Struct):
    """Some or all entries of one index, as columns (see `COLUMNS`).

    If the node of an entry was already read from another index, the columns do not contain this node.
    """

    hashes: list[str]
    """The hash of each entry."""
    marks: bytes
    """For each entry, 1 if the index marks it as having a binary, otherwise 0."""
    in_columns: bytes
    """For each entry, 1 if the columns contain its node, 0 if the node was already read from another index."""
    tables: dict[str, list[Any]]
    columns: dict[str, "array[int]"]
    edges: bytes
    """The joined hashes of the targets of all edges, in the order of the nodes."""
    faults: list[str]
    """The errors of skipped entries."""
    records: list[Record]
    """The installation record of each entry. Empty for a build cache."""

    @property
    def hashes_in_columns(self) -> list[str]:
        """The hash of each node in the columns."""
        return list(compress(self.hashes, self.in_columns))


class NodeReader:
    """Converts entries to columns."""

    def __init__(self, known: Container[str] = (), *, keeps_records: bool = False) -> None:
        """`known` contains hashes that were already read from other indexes.

        If an entry has such a hash, read only whether the entry has a binary. With `keeps_records`, also read the
        installation records.
        """
        self._known, self._keeps_records = known, keeps_records
        self._edges = EdgeReader()
        self._targets: list[bytes] = []
        self._hashes: list[str] = []
        self._marks: list[bytes] = []
        self._in_columns: list[bytes] = []
        self._numbers: dict[str, Numbering[Any]] = {column: Numbering() for column in COLUMNS}
        self._columns = {column: array("I") for column in COLUMNS}
        self._architectures: Numbering[bytes] = Numbering()
        self._faults: list[str] = []
        self._records: list[Record] = []

    def add(self, entries: Mapping[str, Entry]) -> None:
        """Add entries, keyed by hash. Skip entries with damaged dependencies."""
        is_new = bytes([node_hash not in self._known for node_hash in entries])
        nodes = [entry.spec for entry in compress(entries.values(), is_new)]
        edges = [each for node in nodes if (each := self._edges.read(node.dependencies)) is not None]
        if len(edges) < len(nodes):
            read = {key: self._edges.read(entry.spec.dependencies) for key, entry in entries.items()}
            self._faults += (f"the dependencies of {key} cannot be read" for key, each in read.items() if each is None)
            self.add({key: entry for key, entry in entries.items() if read[key] is not None})
            return
        self._hashes += entries
        self._records += [entry.record for entry in entries.values() if self._keeps_records]
        self._marks.append(bytes([entry.in_buildcache for entry in entries.values()]))
        self._in_columns.append(is_new)
        self._targets.append(b"".join([hashes for hashes, _, _ in edges]))
        self._columns["shape"].extend([shape for _, shape, _ in edges])
        self._add_column("name", [node.name for node in nodes])
        self._add_column("version", [node.version for node in nodes])
        self._add_column("variants", [bytes(node.parameters) for node in nodes])
        # use the shared constant to save memory, because few nodes are external or spliced
        extras = [
            (
                node.namespace,
                node.package_hash,
                _NULL if node.external is NOTHING else bytes(node.external),
                _NULL if node.build_spec is NOTHING else bytes(node.build_spec),
                _NULL if node.provided_virtuals is NOTHING else bytes(node.provided_virtuals),
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
        """Return all added entries. Call this once, after the last entry."""
        tables = {name: list(numbers) for name, numbers in self._numbers.items()}
        architectures = list(map(architecture_of, self._architectures))
        tables["build"] = [(compilers, named, architectures[a]) for compilers, named, a in tables["build"]]
        tables["variants"] = [_encode(variants_of(written)).decode() for written in tables["variants"]]
        shapes: Numbering[int] = Numbering()
        columns = self._columns | {"shape": shapes.of(self._columns["shape"])}
        tables["shape"] = list(map(self._edges.shapes.__getitem__, shapes))
        marks, in_columns, edges = map(b"".join, (self._marks, self._in_columns, self._targets))
        return Nodes(self._hashes, marks, in_columns, tables, columns, edges, self._faults, self._records)


def nodes_of(entries: Mapping[str, Entry], known: Container[str] = (), *, keeps_records: bool = False) -> Nodes:
    """Return these entries as columns. See `NodeReader`."""
    reader = NodeReader(known, keeps_records=keeps_records)
    reader.add(entries)
    return reader.result()


def extra_text(extra: WrittenExtra) -> tuple[str, bool]:
    """Convert a value of the column `extra` to the JSON that the graph contains.

    Return this JSON, and whether the node is external.
    """
    namespace, package_hash, external, build_spec, virtuals = extra
    found = external_of(external)
    path, modules = found or (None, ())
    provided = texts_of(json_of(virtuals))
    text = _encode((namespace or BUILTIN, path, package_hash, spliced_from(build_spec), modules, provided))
    return text.decode(), found is not None


@lru_cache(256)
def named_compiler(named: Named) -> str | None:
    """Return the compiler from the key `compiler` of a node, otherwise from its key `annotations`, otherwise None."""
    return compiler_of(*named)


_encode = msgspec.json.Encoder().encode
_NULL = bytes(NOTHING)

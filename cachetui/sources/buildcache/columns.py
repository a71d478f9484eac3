"""The entries of an index as columns of numbers, and a table of what each number stands for.

Column by column, and each distinct piece of JSON once: that is several times as fast as node by node, and what comes
of it is small and can be handed from one process to another. What only the graph says stays as it is written.
Input: entries as they are written, in any order.
"""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from itertools import compress
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from cachetui.model.spec import BUILTIN
from cachetui.sources.buildcache.edges import Compilers, EdgeReader
from cachetui.sources.buildcache.node import (
    NOTHING,
    Architecture,
    Entry,
    annotated_compiler,
    architecture_of,
    compiler_of,
    external_of,
    spliced_from,
    variants_of,
)
from cachetui.store.arrays import Numbering
from cachetui.store.tag_graph import RawEdges

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
    edges: RawEdges
    """Of these nodes, those of one after those of the other."""

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
        self._edges.others = Numbering()
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
        edges = RawEdges(b"".join(self._targets), list(self._edges.others))
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

"""The entries of an index as columns of numbers, and a table of what each number stands for.

Column by column, and each distinct piece of JSON once: that is several times as fast as node by node, and what comes
of it is small and can be handed from one process to another.
Input: entries as they are written, in any order.
"""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import chain, compress
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from cachetui.model.spec import BUILTIN
from cachetui.sources.buildcache.database import Entry
from cachetui.sources.buildcache.edges import EdgeReader, Hash, HashNumbers, Shape, hash_keys
from cachetui.sources.buildcache.node import (
    WrittenNode,
    annotated_compiler,
    architecture_of,
    compiler_of,
    external_of,
    spliced_from,
    variants_of,
)
from cachetui.store.arrays import Numbering, Once

COLUMNS = ("name", "version", "compiler", "architecture", "variants", "extra", "shape")
"""The columns with one entry a node. In their tables stand: texts; texts; `Compiler`; `Architecture`; JSON; the
text of the node column `extra` and whether it is an external; `Shape` of all edges."""

Compiler: TypeAlias = tuple[str | None, tuple[tuple[int, tuple[str, ...]], ...]]
"""The compiler that a node names, and where it names none, the hashes of its compilers with the languages of each."""


class Nodes(Struct):
    """Some entries of one index."""

    hashes: list[Hash]
    """Every hash that an entry has or an edge leads to; its place here is its number in all that follows."""
    entries: array[int]
    """Of each entry its hash."""
    binaries: array[int]
    """The hashes of the entries that are marked as binaries."""
    told: array[int]
    """The hashes of the nodes in the columns: of all entries but those that were known before."""
    tables: dict[str, list[Any]]
    columns: dict[str, array[int]]
    targets: array[int]
    """The hashes that the edges lead to, those of one node after those of the other."""


class NodeReader:
    """Takes entries up, and makes columns of them."""

    def __init__(self, known: Container[Hash] = ()) -> None:
        """Of hashes that are `known` nothing is taken up but whether they are binaries."""
        self._known = known
        self._edges = EdgeReader()
        self._architecture = Once(architecture_of)
        self._variants = Once(_variants)
        self._compiler = Once(_named_compiler)
        self._extra = Once(_extra)
        self._shapes: dict[int, Shape] = {}
        """By identity, which is faster to tell than equality."""
        self._begin()

    def _begin(self) -> None:
        self._edges.hashes = HashNumbers()
        self._numbers: dict[str, Numbering[Any]] = {column: Numbering() for column in COLUMNS}
        self._nodes = Nodes(
            [], array("I"), array("I"), array("I"), {}, {name: array("I") for name in COLUMNS}, array("I")
        )

    def add(self, entries: Mapping[str, Entry]) -> None:
        """Takes up some entries."""
        keys = hash_keys(list(entries))
        hashes = self._edges.hashes.of_new(keys)
        found = self._nodes
        found.entries.extend(hashes)
        found.binaries.extend(compress(hashes, (entry.in_buildcache for entry in entries.values())))
        nodes = [entry.spec for entry in entries.values()]
        if self._known:
            is_new = [key not in self._known for key in keys]
            hashes, nodes = array("I", compress(hashes, is_new)), list(compress(nodes, is_new))
        found.told.extend(hashes)
        self._add_nodes(nodes)

    def _add_nodes(self, nodes: Sequence[WrittenNode]) -> None:
        read = self._edges.read
        edges = [read(node.name, node.dependencies) for node in nodes]
        self._nodes.targets.extend(array("I", chain.from_iterable(targets for targets, _ in edges)))
        named = self._compiler.of((bytes(node.compiler), bytes(node.annotations)) for node in nodes)
        self._add_column("name", [node.name for node in nodes])
        self._add_column("version", [node.version for node in nodes])
        self._add_column("compiler", map(_compiler, named, edges))
        self._add_column("architecture", self._architecture.of(bytes(node.arch) for node in nodes))
        self._add_column("variants", self._variants.of(bytes(node.parameters) for node in nodes))
        self._add_column(
            "extra",
            self._extra.of(
                (node.namespace, node.package_hash, bytes(node.external), bytes(node.build_spec)) for node in nodes
            ),
        )
        self._shapes.update((id(shape), shape) for _, shape in edges)
        self._add_column("shape", (id(shape) for _, shape in edges))

    def _add_column(self, name: str, values: Iterable[Any]) -> None:
        self._nodes.columns[name].extend(self._numbers[name].of(values))

    def result(self) -> Nodes:
        """What was taken up since the last call."""
        found = self._nodes
        found.hashes = list(self._edges.hashes)
        found.tables = {name: list(numbers) for name, numbers in self._numbers.items()}
        found.tables["shape"] = list(map(self._shapes.__getitem__, found.tables["shape"]))
        self._begin()
        return found


def nodes_of(entries: Mapping[str, Entry], known: Container[Hash] = ()) -> Nodes:
    """These entries as columns; see `NodeReader`."""
    reader = NodeReader(known)
    reader.add(entries)
    return reader.result()


def _compiler(named: str | None, edges: tuple[Sequence[int], Shape]) -> Compiler:
    """The compiler of a node that names this one, and has these edges."""
    targets, shape = edges
    return named, () if named else tuple([(targets[place], languages) for place, languages in shape.compilers])


def _named_compiler(written: tuple[bytes, bytes]) -> str | None:
    """The compiler that a node has in its field for it, else in its annotations."""
    compiler, annotations = written
    return compiler_of(compiler) or annotated_compiler(annotations)


def _variants(text: bytes) -> str:
    return _encode(variants_of(text)).decode()


def _extra(written: tuple[str | None, str | None, bytes, bytes]) -> tuple[str, bool]:
    """The text of the node column `extra`, and whether it is that of an external."""
    namespace, package_hash, external, build_spec = written
    found = external_of(external)
    path, modules = found or (None, ())
    text = _encode((namespace or BUILTIN, path, package_hash, spliced_from(build_spec), modules))
    return text.decode(), found is not None


_encode = msgspec.json.Encoder().encode

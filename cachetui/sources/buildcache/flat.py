"""The nodes of a tag as columns: the lists that a graph is made of, and the rows of its pages.

Column by column, and each distinct piece of JSON once: that is several times as fast as node by node.
Input: nodes as they are written, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TypeAlias, TypeVar

import msgspec
from msgspec import Raw, Struct

from cachetui.model.dependency import State
from cachetui.model.spec import BUILTIN, NO_COMPILER, Page, Row
from cachetui.sources.buildcache.edges import EdgeReader, Shape
from cachetui.sources.buildcache.node import (
    Architecture,
    Node,
    annotated_compiler,
    architecture_of,
    compiler_of,
    external_of,
    mixed_compiler,
    spliced_from,
    variants_of,
)
from cachetui.store.arrays import Once
from cachetui.store.nodes import NodeLists

Value = TypeVar("Value")

_Edges: TypeAlias = Sequence[tuple[Sequence[str], Shape]]
"""For each node the hashes that it needs, and all else of its edges."""


class Flat(Struct):
    """The nodes of a tag, an entry for each node in every list."""

    lists: NodeLists
    compilers: list[str | None]
    architectures: list[Architecture]
    variants: list[tuple[str, ...]]


def flat_nodes(hashes: list[str], nodes: Sequence[Node], masks: Sequence[int]) -> Flat:
    """The columns of these nodes; those whose mask is not zero have a binary."""
    lists = NodeLists(hashes=hashes, names=[node.name for node in nodes], versions=[node.version for node in nodes])
    read = EdgeReader(hashes).read
    edges = [read(node.name, bytes(node.dependencies)) for node in nodes]
    _add_edges(lists, edges)
    compilers = _compilers(lists, nodes, edges)
    architectures = _each((node.arch for node in nodes), architecture_of)
    variants = _each((node.parameters for node in nodes), variants_of)
    externals = _each((node.external for node in nodes), external_of)
    lists.profiles = Once(_encoded).of(
        (compiler, *where) for compiler, where in zip(compilers, architectures, strict=True)
    )
    lists.variants = Once(_encoded).of(variants)
    spliced_specs = _each((node.build_spec for node in nodes), spliced_from)
    lists.extras = Once(_encoded_extra).of(
        (node.namespace or BUILTIN, external and external[0], node.package_hash, spliced, external and external[1])
        for node, external, spliced in zip(nodes, externals, spliced_specs, strict=True)
    )
    lists.states = [
        State.BINARY if mask else State.HOLE if external is None else State.EXTERNAL
        for mask, external in zip(masks, externals, strict=True)
    ]
    return Flat(lists, compilers, architectures, variants)


def rows_of(flat: Flat, masks: Sequence[int], stacks: Mapping[int, tuple[str, ...]], path: str, tag: str) -> list[Page]:
    """The pages of the nodes that have a binary; `stacks` are those of each mask."""
    lists = flat.lists
    keys = zip(lists.versions, flat.compilers, flat.architectures, flat.variants, masks, strict=True)

    def row(key: tuple[str, str | None, Architecture, tuple[str, ...], int]) -> Row:
        version, compiler, where, variants, mask = key
        return Row(
            compiler=compiler or NO_COMPILER,
            versions=(version,) if version else (),
            os=where.os,
            platform=where.platform,
            target=where.target,
            variants=variants,
            stacks=stacks[mask],
        )

    rows = Once(row).of(keys)
    packages: dict[str, list[int]] = {}
    for k, (name, mask) in enumerate(zip(lists.names, masks, strict=True)):
        if mask:
            packages.setdefault(name, []).append(k)
    for places in packages.values():
        places.sort(key=lists.hashes.__getitem__)
    return [
        Page(
            path=f"{path}#{package}",
            package=package,
            tag=tag,
            hashes=tuple(map(lists.hashes.__getitem__, places)),
            builds=tuple(map(rows.__getitem__, places)),
        )
        for package, places in sorted(packages.items())
    ]


def _add_edges(lists: NodeLists, edges: _Edges) -> None:
    """Takes up the edges of each node."""
    shapes = [shape for _, shape in edges]
    lists.edge_counts = [len(hashes) for hashes, _ in edges]
    lists.edge_hashes = list(chain.from_iterable(hashes for hashes, _ in edges))
    lists.edge_names = list(chain.from_iterable(shape.names for shape in shapes))
    by_identity = {id(shape): shape for shape in shapes}
    lists.kinds = list(dict.fromkeys(chain.from_iterable(shape.kinds for shape in by_identity.values())))
    number = {kind: k for k, kind in enumerate(lists.kinds)}
    numbers = {key: [number[kind] for kind in shape.kinds] for key, shape in by_identity.items()}
    lists.edge_kinds = list(chain.from_iterable(numbers[id(shape)] for shape in shapes))


def _compilers(lists: NodeLists, nodes: Sequence[Node], edges: _Edges) -> list[str | None]:
    """The compiler of each node: the one it names, else what its edges say provides the languages."""
    recorded = _each((node.compiler for node in nodes), compiler_of)
    annotated = _each((node.annotations for node in nodes), annotated_compiler)
    names = dict(zip(lists.hashes, lists.names, strict=True))
    versions = dict(zip(lists.hashes, lists.versions, strict=True))

    def mixed(compiled_by: tuple[tuple[str, tuple[str, ...]], ...]) -> str | None:
        by_language: dict[str, str] = {}
        for node_hash, languages in compiled_by:
            if node_hash in names:
                version = versions[node_hash]
                compiler = f"{names[node_hash]}@{version}" if version else names[node_hash]
                by_language |= {language: compiler for language in languages if language not in by_language}
        return mixed_compiler(by_language)

    provided = Once(mixed).of(tuple([(hashes[k], some) for k, some in shape.compilers]) for hashes, shape in edges)
    return [one or other or last for one, other, last in zip(recorded, annotated, provided, strict=True)]


def _each(pieces: Iterable[Raw], read: Callable[[bytes], Value]) -> list[Value]:
    """What these pieces of JSON say, each distinct one read once."""
    return Once(read).of(map(bytes, pieces))


def _encoded(value: object) -> str:
    return _encode(value).decode()


def _encoded_extra(extra: tuple[str, str | None, str | None, str | None, tuple[str, ...] | None]) -> str:
    namespace, path, package_hash, spliced, modules = extra
    return _encoded((namespace, path, package_hash, spliced, modules or ()))


_encode = msgspec.json.Encoder().encode

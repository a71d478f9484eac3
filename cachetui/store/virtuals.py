"""The virtual packages of a dependency graph, and what provides them: to each node its compilers and its C library.

Input: a graph, and numbers of its nodes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from cachetui.model.dependency import LANGUAGES
from cachetui.model.libc import Libc
from cachetui.store.graph import Graph


def virtual_packages(graph: Graph) -> set[str]:
    """The virtual packages that edges provide."""
    return {virtual for kinds in graph.kinds for _, virtuals in kinds for virtual in virtuals}


def providers(graph: Graph, virtual: str) -> list[int]:
    """The nodes that an edge names as what provides a virtual package."""
    found: set[int] = set()
    for part, base, kinds in zip(graph.parts, graph.bases, graph.kinds, strict=False):
        wanted = {number for number, (_, virtuals) in enumerate(kinds) if virtual in virtuals}
        if wanted:
            found.update(base + part.target[at] for at, kind in enumerate(part.kind) if kind in wanted)
    return sorted(found)


def compilers_of(graph: Graph, number: int) -> dict[str, int]:
    """For each of `LANGUAGES` the node that compiled it, where the graph records compilers as dependencies."""
    by_language = {
        virtual: edge.number
        for edge in graph.edges(number, frozenset({"build"}))
        for virtual in edge.virtuals
        if virtual in LANGUAGES
    }
    return {language: by_language[language] for language in LANGUAGES if language in by_language}


def libc_of(graph: Graph, number: int) -> int | None:
    """The node of the C library that a node was built against; None where none is recorded."""
    p = bisect_right(graph.bases, number) - 1
    part, k, kinds = graph.parts[p], number - graph.bases[p], graph.kinds[p]
    for at in range(part.first[k], part.first[k + 1]):
        types, virtuals = kinds[part.kind[at]]
        if types and "libc" in virtuals:
            return graph.known(p, part.target[at])
    return None


def built_with_libc(graph: Graph) -> Iterator[tuple[Libc, set[int]]]:
    """The C libraries that a graph records, each with the nodes that were built with it; a library may come again."""
    for number in providers(graph, "libc") if graph else ():
        node = graph.node(number)
        libc = Libc.exactly(node.name, node.version)
        if libc is not None:
            yield libc, graph.dependents_in_tag([number], lambda kind: "libc" in kind[1])

"""Which rows depend on what a query asks for, by the dependency graph.

As in Spack 1.1 `^` looks at link and run dependencies, near or far, and at direct build dependencies, but at nothing
behind these. `%` looks at direct dependencies; of a spec that has its compiler in a field, as before Spack 1.0, at the
compiler alone.
"""

from __future__ import annotations

from functools import partial

from pyroaring import BitMap

from cachetui.model.dependency import LANGUAGES, LINK_RUN, EdgeKind, Node
from cachetui.query.parts.dependencies import DependencyPart
from cachetui.query.parts.names import HashPart
from cachetui.query.parts.part import Part
from cachetui.search.hashes import prefixed
from cachetui.search.rows import RowIndex
from cachetui.store.graph import Graph, all_dependents, closure, compilers_of, providers, virtual_packages
from cachetui.store.tag_graph import profile_of

_LANGUAGES = frozenset(LANGUAGES)

LOOKED_AT = 300
"""Most rows whose dependencies are listed one by one."""


def dependency_names(index: RowIndex, rows: BitMap | None = None) -> list[str]:
    """Return the packages, virtual ones too, that these rows may depend on, sorted; for None or many rows all."""
    graph = index.graph
    if rows is None or len(rows) > LOOKED_AT:
        packages = {name for part in graph.parts for name in part.tables["name"]}
        return sorted(packages | virtual_packages(graph))
    below = _below(index, rows)
    virtuals = {virtual for number in below for edge in graph.edges(number) for virtual in edge.virtuals}
    return sorted({graph.name(number) for number in below} | virtuals)


def nodes_named(index: RowIndex, name: str) -> list[Node]:
    """Return the nodes of a package."""
    graph = index.graph
    return [graph.node(number) for number in graph.where("name", name.__eq__)]


def _below(index: RowIndex, rows: BitMap) -> set[int]:
    """Return the nodes that `^` looks at for the first of these rows."""
    graph, hashes, column = index.graph, index.columns.hashes, index.columns.hash
    numbers = graph.numbers([hashes[column[row]] for row in rows[:LOOKED_AT]])
    near = (needed for number in numbers for needed in graph.needs(number, LINK_RUN))
    own = (needed for number in numbers for needed in graph.needs(number, frozenset({"build"})))
    return {*closure(graph, near, LINK_RUN), *own}


def nodes_having(graph: Graph, part: DependencyPart) -> set[int]:
    """Return the nodes that have such a dependency."""
    if part.direct:
        return direct_dependents(graph, part) | _compiled(graph, part)
    nodes, virtual = _asked_for(graph, part)
    virtuals = {*part.virtuals, part.name} if virtual else set(part.virtuals)

    def fits(kind: EdgeKind) -> bool:
        # of several virtual packages an edge has to provide all behind `^`, as in Spack
        return virtuals.issubset(kind[1]) and set(part.types).issubset(kind[0])

    near = graph.dependents_in_tag(nodes, lambda kind: fits(kind) and not LINK_RUN.isdisjoint(kind[0]))
    own = graph.dependents_in_tag(nodes, lambda kind: fits(kind) and "build" in kind[0])
    return own.union(all_dependents(graph, near, LINK_RUN, in_tag=True))


def _asked_for(graph: Graph, part: DependencyPart) -> tuple[list[int], bool]:
    """Return the nodes that the part asks for, and whether its name is that of a virtual package.

    Of a virtual package these are all providers: which versions of it they provide, only their recipes say.
    """
    namespace, _, name = part.name.rpartition(".")
    found = list(graph.where("name", name.__eq__)) if name else _nodes_of_hash(graph, part)
    if not found:
        return providers(graph, name), True
    own = [each for each in part.parts if not isinstance(each, DependencyPart)]
    if own or namespace:
        nodes = (node for node in map(graph.node, found) if namespace in ("", node.namespace))
        found = [node.number for node in nodes if all(_is_matched(node, each) for each in own)]
    for each in part.parts:
        if isinstance(each, DependencyPart):
            found = sorted(nodes_having(graph, each).intersection(found))
    return found, False


def _nodes_of_hash(graph: Graph, part: DependencyPart) -> list[int]:
    """Return the nodes with the hash of a part, which has one where it has no name."""
    prefix = next(each.prefix for each in part.parts if isinstance(each, HashPart))
    parts = zip(graph.parts, graph.bases, strict=False)
    return [base + k for own, base in parts for k in prefixed(own.hashes, prefix)]


def _is_matched(node: Node, part: Part) -> bool:
    return part.matches(node.variants if part.key in ("variant", "flag") else getattr(node, part.key))


def direct_dependents(graph: Graph, part: DependencyPart) -> set[int]:
    """Return the nodes with such a direct dependency, without those that have their compiler in a field."""
    nodes, _ = _asked_for(graph, part)
    # a node with an edge that provides a language has its compiler as a dependency
    fits = partial(_edge_fits, part)
    by_edge = graph.dependents_in_tag(nodes, lambda kind: fits(kind) and not _LANGUAGES.isdisjoint(kind[1]))
    others = graph.dependents_in_tag(nodes, lambda kind: fits(kind) and _LANGUAGES.isdisjoint(kind[1]))
    return by_edge | {each for each in others - by_edge if not _has_compiler_field(graph, graph.node(each))}


def _compiled(graph: Graph, part: DependencyPart) -> set[int]:
    """Return the nodes that have such a compiler in a field."""
    wanted = part.as_compiler
    numbers = () if wanted is None else graph.where("profile", lambda text: wanted.matches(profile_of(text)[0]))
    return {number for number in numbers if _has_compiler_field(graph, graph.node(number))}


def _edge_fits(part: DependencyPart, kind: EdgeKind) -> bool:
    """Return whether an edge to a direct dependency has the types and provides the virtual packages asked for."""
    # of several virtual packages one is enough behind `%`, as in Spack
    types, virtuals = kind
    return set(part.types).issubset(types) and (not part.virtuals or not set(part.virtuals).isdisjoint(virtuals))


def _has_compiler_field(graph: Graph, node: Node) -> bool:
    """Return whether the node has its compiler in a field, as up to Spack 0.23, and not as a dependency."""
    return node.compiler is not None and not compilers_of(graph, node.number)

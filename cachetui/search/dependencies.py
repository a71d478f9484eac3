"""The rows whose dependencies match a term of a query, by the dependency graph.

As in Spack 1.1 `^` looks at link and run dependencies, near or far, and at direct build dependencies, but at nothing
after these. `%` looks at direct dependencies; of a spec that has its compiler in a field, as before Spack 1.0, at the
compiler only.
"""

from array import array
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.model.dependency import ALL_TYPES, LANGUAGES, LINK_RUN, EdgeKind, Node
from cachetui.model.spec import read_variant
from cachetui.query.parts import (
    CompilerPart,
    DependencyPart,
    HashPart,
    NamePart,
    Part,
    ValuePart,
    VariantPart,
)
from cachetui.search.hashes import prefixed
from cachetui.store.columns import Columns
from cachetui.store.graph import (
    Graph,
    closure,
    compilers_of,
    extra_of,
    needing,
    providers,
    reached,
    virtual_packages,
)
from cachetui.store.string_table import decode_variants
from cachetui.store.tag_graph import profile_of

_LANGUAGES = frozenset(LANGUAGES)

MAX_LISTED_ROWS = 300
"""Maximum number of rows whose dependencies are listed one by one."""


def dependency_names(columns: Columns, rows: BitMap | None = None) -> list[str]:
    """Return the packages, virtual ones too, that these rows may depend on, sorted; for None or many rows all."""
    graph = columns.graph
    if rows is None or len(rows) > MAX_LISTED_ROWS:
        packages = {name for part in graph.parts for name in part.tables["name"]}
        return sorted(packages | virtual_packages(graph))
    below = _below(columns, rows)
    virtuals = {virtual for number in below for edge in graph.edges(number) for virtual in edge.virtuals}
    return sorted({graph.name(number) for number in below} | virtuals)


def nodes_named(graph: Graph, name: str) -> list[Node]:
    """Return the nodes of a package."""
    return [graph.node(number) for number in graph.where("name", name.__eq__)]


def _below(columns: Columns, rows: BitMap) -> set[int]:
    """Return the nodes that `^` looks at for the first of these rows."""
    graph = columns.graph
    numbers = graph.numbers([columns.hashes[columns.hash[row]] for row in rows[:MAX_LISTED_ROWS]])
    near = (needed for number in numbers for needed in graph.needs(number, LINK_RUN))
    own = (needed for number in numbers for needed in graph.needs(number, frozenset({"build"})))
    return {*closure(graph, near, LINK_RUN), *own}


def nodes_of(graph: Graph, part: Part) -> BitMap:
    """Return the nodes that a part matches."""
    match part:
        case DependencyPart():
            free = _all_but(graph, nodes_matching(graph, part.when)) if part.when else BitMap()
            return free | nodes_having(graph, part)
        case CompilerPart():
            return nodes_having(graph, DependencyPart.of_compiler(part))
        case VariantPart(propagated=True):
            return _all_but(graph, nodes_breaking(graph, part))
        case HashPart():
            parts = zip(graph.parts, graph.bases, strict=False)
            return BitMap(base + k for own, base in parts for k in prefixed(own.hashes, part.prefix))
        case NamePart():
            found = _where(graph, "name", part.name.__eq__)
            return found & nodes_of(graph, ValuePart.of("namespace", [part.namespace])) if part.namespace else found
    column, read = _COLUMNS[part.key]
    return _where(graph, column, lambda text: part.matches(read(text)))


def _where(graph: Graph, column: str, takes: Callable[[str], bool]) -> BitMap:
    return BitMap(array("I", graph.where(column, takes)))


_COLUMNS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "version": ("version", str),
    "variant": ("variants", decode_variants),
    "flag": ("variants", decode_variants),
    "os": ("profile", lambda text: profile_of(text)[1]),
    "platform": ("profile", lambda text: profile_of(text)[2]),
    "target": ("profile", lambda text: profile_of(text)[3]),
    "namespace": ("extra", lambda text: extra_of(text)[0]),
}
"""For each key of a part the column of nodes that it is about, and what reads a text of that column."""


def nodes_matching(graph: Graph, parts: Iterable[Part]) -> set[int]:
    """Return the nodes that all of the parts match."""
    return set(range(len(graph))).intersection(*(nodes_of(graph, part) for part in parts))


def nodes_breaking(graph: Graph, part: VariantPart) -> BitMap:
    """Return the nodes that have, or need something that has, another value of a variant; to build them, too."""
    other = {*graph.where("variants", lambda text: _has_other(part, text))}
    return needing(graph, other, ALL_TYPES)


def _has_other(part: VariantPart, text: str) -> bool:
    own = [each for each in decode_variants(text) if read_variant(each)[0] == part.name] if part.name in text else ()
    return bool(own) and not part.matches(own)


def _all_but(graph: Graph, numbers: Iterable[int]) -> BitMap:
    return BitMap(range(len(graph))) - BitMap(numbers)


def nodes_having(graph: Graph, part: DependencyPart) -> BitMap:
    """Return the nodes that have such a dependency, whatever its condition is."""
    if part.direct:
        return direct_dependents(graph, part) | _compiled(graph, part)
    nodes, virtual = _asked_for(graph, part)
    virtuals = {*part.virtuals, part.name} if virtual else set(part.virtuals)

    def fits(kind: EdgeKind) -> bool:
        # of several virtual packages an edge has to provide all after `^`, like Spack
        return virtuals.issubset(kind[1]) and set(part.types).issubset(kind[0])

    near = graph.dependents_in_tag(nodes, lambda kind: fits(kind) and not LINK_RUN.isdisjoint(kind[0]))
    own = graph.dependents_in_tag(nodes, lambda kind: fits(kind) and "build" in kind[0])
    return own | reached(graph.backwards(graph.followed(LINK_RUN)), near)


def _asked_for(graph: Graph, part: DependencyPart) -> tuple[BitMap, bool]:
    """Return the nodes that the part asks for, and whether its name is that of a virtual package.

    Of a virtual package these are its providers; up to specfile 5 only their recipes say which versions they provide.
    """
    namespace, _, name = part.name.rpartition(".")
    found = nodes_of(graph, NamePart(name, namespace)) if name else BitMap(range(len(graph)))
    if name and not graph.has_package(name):
        others = (nodes_of(graph, each) for each in part.parts if each.key != "version")
        return BitMap.intersection(BitMap(providers(graph, name, part.versions)), *others), True
    return BitMap.intersection(found, *(nodes_of(graph, each) for each in part.parts)), False


def direct_dependents(graph: Graph, part: DependencyPart) -> BitMap:
    """Return the nodes with such a direct dependency, without those that have their compiler in a field."""
    nodes, virtual = _asked_for(graph, part)
    asked = replace(part, virtuals=(*part.virtuals, part.name)) if virtual else part
    # a node with an edge that provides a language has its compiler as a dependency
    fits = partial(_edge_fits, asked)
    by_edge = graph.dependents_in_tag(nodes, lambda kind: fits(kind) and not _LANGUAGES.isdisjoint(kind[1]))
    others = graph.dependents_in_tag(nodes, lambda kind: fits(kind) and _LANGUAGES.isdisjoint(kind[1]))
    return by_edge | BitMap(each for each in others - by_edge if not _has_compiler_field(graph, graph.node(each)))


def _compiled(graph: Graph, part: DependencyPart) -> BitMap:
    """Return the nodes that have such a compiler in a field."""
    wanted = part.as_compiler
    numbers = () if wanted is None else graph.where("profile", lambda text: wanted.matches(profile_of(text)[0]))
    return BitMap(number for number in numbers if _has_compiler_field(graph, graph.node(number)))


def _edge_fits(part: DependencyPart, kind: EdgeKind) -> bool:
    """Return whether an edge to a direct dependency has the types and provides the virtual packages asked for."""
    # of several virtual packages one is enough after `%`, like Spack
    types, virtuals = kind
    return set(part.types).issubset(types) and (not part.virtuals or not set(part.virtuals).isdisjoint(virtuals))


def _has_compiler_field(graph: Graph, node: Node) -> bool:
    """Return whether the node has its compiler in a field, as up to Spack 0.23, and not as a dependency."""
    return node.compiler is not None and not compilers_of(graph, node.number)

"""Find the specs whose dependencies match a term of a query, such as `^mpi` or `%gcc`.

As in Spack 1.1, `^` tests all link and run dependencies, direct or indirect, and the direct build dependencies. `%`
tests only direct dependencies. Before Spack 1.0, the compiler of a spec was a field, not a dependency. For these specs,
`%` tests only this field.
"""

from array import array
from collections.abc import Callable, Iterable
from typing import Any

from pyroaring import BitMap

from cachetui.model.dependency import ALL_TYPES, LANGUAGES, LINK_RUN, EdgeKind, Node
from cachetui.model.spec import read_variant
from cachetui.query.terms import (
    CompilerTerm,
    DependencyTerm,
    HashTerm,
    NameTerm,
    Term,
    ValueTerm,
    VariantTerm,
)
from cachetui.search.hashes import prefixed
from cachetui.store.arrays import decode_variants
from cachetui.store.columns import Columns
from cachetui.store.graph import (
    Graph,
    closure,
    compilers_of,
    extra_of,
    needing,
    profile_of,
    providers,
    reached,
    virtual_packages,
)

_LANGUAGES = frozenset(LANGUAGES)

MAX_LISTED_ROWS = 300
"""Maximum number of rows whose dependencies are listed one by one."""


def dependency_names(columns: Columns, rows: BitMap | None = None) -> list[str]:
    """Return the sorted names of the packages and virtual packages on which these rows depend.

    If `rows` is None or has more than `MAX_LISTED_ROWS` rows, return the names of all packages and virtual packages.
    """
    graph = columns.graph
    if rows is None or len(rows) > MAX_LISTED_ROWS:
        return sorted({name for part in graph.parts for name in part.tables["name"]} | virtual_packages(graph))
    below = _below(columns, rows)
    virtuals = {virtual for number in below for edge in graph.edges(number) for virtual in edge.virtuals}
    return sorted({graph.name(number) for number in below} | virtuals)


def nodes_named(graph: Graph, name: str) -> list[Node]:
    """Return the nodes of a package."""
    return [graph.node(number) for number in graph.where("name", name.__eq__)]


def _below(columns: Columns, rows: BitMap) -> set[int]:
    """Return the dependencies that a `^` term tests. Examine only the first `MAX_LISTED_ROWS` of these rows."""
    graph = columns.graph
    numbers = graph.numbers([columns.hashes[columns.hash[row]] for row in rows[:MAX_LISTED_ROWS]])
    near = (needed for number in numbers for needed in graph.direct_dependencies(number, LINK_RUN))
    own = (needed for number in numbers for needed in graph.direct_dependencies(number, frozenset({"build"})))
    return {*closure(graph, near, LINK_RUN), *own}


def nodes_of(graph: Graph, term: Term) -> BitMap:
    """Return the nodes that match a term."""
    match term:
        case DependencyTerm():
            free = _all_but(graph, nodes_matching(graph, term.when)) if term.when else BitMap()
            return free | nodes_having(graph, term)
        case CompilerTerm():
            return nodes_having(graph, DependencyTerm.of_compiler(term))
        case VariantTerm(propagated=True):
            return _all_but(graph, nodes_breaking(graph, term))
        case HashTerm():
            return BitMap(
                base + k
                for own, base in zip(graph.parts, graph.bases, strict=False)
                for k in prefixed(own.hashes, term.prefix)
            )
        case NameTerm():
            found = _where(graph, "name", term.name.__eq__)
            return found & nodes_of(graph, ValueTerm.of("namespace", [term.namespace])) if term.namespace else found
    column, read = _COLUMNS[term.key]
    return _where(graph, column, lambda text: term.matches(read(text)))


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
"""For each key of a term: the node column to test, and the function that decodes a string of this column."""


def nodes_matching(graph: Graph, terms: Iterable[Term]) -> set[int]:
    """Return the nodes that match all terms."""
    return set(range(len(graph))).intersection(*(nodes_of(graph, term) for term in terms))


def nodes_breaking(graph: Graph, term: VariantTerm) -> BitMap:
    """Return the nodes whose variant contradicts the term, and all their direct and indirect dependents."""
    return needing(graph, {*graph.where("variants", lambda text: _has_other(term, text))}, ALL_TYPES)


def _has_other(term: VariantTerm, text: str) -> bool:
    own = [each for each in decode_variants(text) if read_variant(each)[0] == term.name] if term.name in text else ()
    return bool(own) and not term.matches(own)


def _all_but(graph: Graph, numbers: Iterable[int]) -> BitMap:
    return BitMap(range(len(graph))) - BitMap(numbers)


def nodes_having(graph: Graph, term: DependencyTerm) -> BitMap:
    """Return the nodes with a dependency that matches the term. Ignore the condition (`when=`) of the term."""
    if term.direct:
        return direct_dependents(graph, term) | _compiled(graph, term)
    nodes, virtuals = _asked_for(graph, term)

    def fits(kind: EdgeKind) -> bool:
        # as in Spack, after `^` an edge must provide all of the virtual packages
        return virtuals.issubset(kind[1]) and set(term.types).issubset(kind[0])

    near = graph.dependents_in_tag(nodes, lambda kind: fits(kind) and not LINK_RUN.isdisjoint(kind[0]))
    own = graph.dependents_in_tag(nodes, lambda kind: fits(kind) and "build" in kind[0])
    return own | reached(graph.backwards(graph.followed(LINK_RUN)), near)


def _asked_for(graph: Graph, term: DependencyTerm) -> tuple[BitMap, set[str]]:
    """Return the nodes that match a requested dependency, and the virtual packages that the dependency must provide.

    If the term names a virtual package, return the nodes of its providers. A provider without recorded versions matches
    every version, because specfiles up to version 5 do not contain the provided versions.
    """
    namespace, _, name = term.name.rpartition(".")
    found = nodes_of(graph, NameTerm(name, namespace)) if name else BitMap(range(len(graph)))
    if name and not graph.has_package(name):
        others = (nodes_of(graph, each) for each in term.terms if each.key != "version")
        return BitMap.intersection(BitMap(providers(graph, name, term.versions)), *others), {*term.virtuals, term.name}
    return BitMap.intersection(found, *(nodes_of(graph, each) for each in term.terms)), set(term.virtuals)


def direct_dependents(graph: Graph, term: DependencyTerm) -> BitMap:
    """Return the nodes with a direct dependency that matches the term.

    Omit nodes that record their compiler in a field.
    """
    nodes, virtuals = _asked_for(graph, term)

    def fits(kind: EdgeKind) -> bool:
        # as in Spack, after `%` an edge must provide only one of the virtual packages
        return set(term.types).issubset(kind[0]) and (not virtuals or not virtuals.isdisjoint(kind[1]))

    # if an edge of a node provides a language, the compiler of the node is a dependency
    by_edge = graph.dependents_in_tag(nodes, lambda kind: fits(kind) and not _LANGUAGES.isdisjoint(kind[1]))
    others = graph.dependents_in_tag(nodes, lambda kind: fits(kind) and _LANGUAGES.isdisjoint(kind[1]))
    return by_edge | BitMap(each for each in others - by_edge if not _has_compiler_field(graph, graph.node(each)))


def _compiled(graph: Graph, term: DependencyTerm) -> BitMap:
    """Return the nodes that record a matching compiler in a field."""
    wanted = term.as_compiler
    numbers = () if wanted is None else graph.where("profile", lambda text: wanted.matches(profile_of(text)[0]))
    return BitMap(number for number in numbers if _has_compiler_field(graph, graph.node(number)))


def _has_compiler_field(graph: Graph, node: Node) -> bool:
    """Return whether a node records its compiler in a field instead of a dependency, like Spack 0.23 and older."""
    return node.compiler is not None and not compilers_of(graph, node.number)

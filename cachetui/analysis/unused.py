"""The specs of each installation that `spack gc` calls unused, and the dependents of these specs in other open trees.

Spack sees only one tree. A second tree can use the first tree as an upstream. Then a spec that is unused in the first
tree may be needed by a spec in the second tree.
Input: an index with installations.
"""

from collections.abc import Callable, Collection, Iterable, Mapping

from msgspec.structs import asdict

from cachetui.model.spec import Spec
from cachetui.query.query import Query
from cachetui.search.computed import own_rows, unused_rows
from cachetui.search.index import Index
from cachetui.store.graph import Graph, all_dependents, closure


class UnusedSpec(Spec, frozen=True, kw_only=True):
    """A spec that no other spec of its own tree needs."""

    needed_by: tuple[str, ...]
    """The link and run dependents in other trees, as `NAME@VERSION/HASH`. These trees have no copy of the spec."""


def unused(
    index: Index,
    query: Query,
    tags: Iterable[str],
    environments: Collection[str] | None = None,
    roots: Collection[str] = (),
    *,
    size: Callable[[Spec], int | None],
    with_build: bool = False,
) -> list[UnusedSpec]:
    """Return the unused specs that match the query in the installations of these tags.

    With `environments`, only the roots of these environments, the specs in `roots` (hashes), and the
    dependencies of all of them count as used. `with_build`: also count build dependencies as used. `size`: returns the
    size of a spec in bytes. The result is sorted by tree, then by package. The externals of a tree are last.
    """
    rows = (
        unused_rows(index.columns, environments, roots, with_build=with_build)["yes"]
        & index.columns.rows_of_tags(tags)
        & index.rows(query)
    )
    users = _users(index, set(map(index.hash_of, rows)))
    found = (
        UnusedSpec(**{**asdict(spec), "bytes": size(spec)}, needed_by=tuple(users.get(spec.hash or "", ())))
        for spec in map(index.spec, rows)
    )
    return sorted(found, key=lambda each: (each.tag, each.state == "external"))


def _users(index: Index, hashes: Collection[str]) -> Mapping[str, list[str]]:
    """For each hash, return the dependents in other trees.

    Skip trees that have their own copy of the spec with this hash.
    """
    graph = Graph([each for each in index.graph.of_tags if each.tag in index.graph.trees])
    found: dict[str, list[str]] = {}
    for tag in index.graph.trees if hashes else ():
        own = set(map(index.hash_of, own_rows(index.columns, tag)))
        for number in closure(graph, graph.numbers(list(own))):
            needed = graph.hash(number)
            if needed in hashes and needed not in own:
                users = (each for each in map(graph.node, all_dependents(graph, [number])) if each.hash in own)
                found.setdefault(needed, []).extend(f"{each.name}@{each.version}/{each.hash}" for each in users)
    return found


def open_in_full(index: Index) -> list[str]:
    """Return the tags of the installations that were opened completely, not only for one environment."""
    return [
        each.tag
        for each in index.graph.of_tags
        if each.tag in index.graph.trees
        and len(index.columns.rows_of_tags([each.tag])) == sum(map(bool, each.nodes.state))
    ]

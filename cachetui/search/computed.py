"""Compute the rows for terms such as `unused=yes`. Pages do not contain the values of these query keys.

A hash that is both in a cache and in an installation is one spec, so its installation state applies to both rows.
Input: the columns of an index.
"""

from array import array
from collections.abc import Callable, Collection, Mapping
from itertools import chain, compress, count

from pyroaring import BitMap

from cachetui.mappings import grouped
from cachetui.model.dependency import ALL_TYPES, LINK_RUN, WITH_BUILD
from cachetui.model.installed import ABSENT, LOCAL, PRESENT, STATES, recorded
from cachetui.model.spec import BUILTIN
from cachetui.store.arrays import marks
from cachetui.store.columns import COMPLETE, NO, YES, Columns
from cachetui.store.graph import Graph, closure, extra_of, reached


def namespace_rows(columns: Columns) -> Mapping[str, BitMap]:
    """Return the rows of each namespace. The namespace is `builtin` if none is recorded."""
    graph = columns.graph
    texts = grouped((extra_of(text)[0], text) for part in graph.parts for text in part.tables["extra"])
    texts.pop(BUILTIN, None)
    found = {name: columns.rows_of_nodes(graph.where("extra", set(own).__contains__)) for name, own in texts.items()}
    return {BUILTIN: _all_rows(columns) - BitMap.union(BitMap(), *found.values()), **found}


def complete_rows(columns: Columns) -> Mapping[str, BitMap]:
    """Return the rows whose dependencies are all available (`yes`), and the rows with a missing dependency (`no`).

    Omit rows whose dependencies are not recorded. Return an empty mapping if the content has no dependency graph.
    """
    if not columns.graph:
        return {}
    complete = columns.complete
    return {
        name: BitMap(array("I", compress(count(), marks(complete, [each == mark for each in COMPLETE]))))
        for name, mark in (("no", NO), ("yes", YES))
    }


def installed_rows(columns: Columns) -> Mapping[str, BitMap]:
    """Return the rows of each installation state. Omit states without rows."""
    if not columns.graph.trees:
        return {}
    elsewhere = _all_rows(columns) - columns.rows_of_states(STATES)
    found: dict[str, BitMap] = {}
    for state in STATES:
        own = columns.rows_of_states([state])
        there = elsewhere & columns.rows_of_hashes(columns.hash_numbers(own))
        elsewhere -= there
        found[state] = own | there
    found[ABSENT] = elsewhere
    return {state: rows for state, rows in found.items() if rows}


def in_cache_rows(columns: Columns) -> Mapping[str, BitMap]:
    """Return the rows of specs that a build cache has (`yes`), and of specs that are only installed (`no`).

    If the content has only build caches or only installations, return an empty mapping.
    """
    trees = columns.rows_of_states(STATES)
    caches = _all_rows(columns) - trees
    if not trees or not caches:
        return {}
    found = caches | trees & columns.rows_of_hashes(columns.hash_numbers(trees) & columns.hash_numbers(caches))
    return {"no": trees - found, "yes": found}


def unused_rows(
    columns: Columns,
    environments: Collection[str] | None = None,
    roots: Collection[str] = (),
    *,
    with_build: bool = False,
) -> Mapping[str, BitMap]:
    """Return the rows of specs that `spack gc` would remove (`yes`) or keep (`no`).

    By default, `spack gc` keeps explicit specs and their dependencies. With `environments`, it keeps only the roots of
    these environments, the specs in `roots`, and the dependencies of all of them. If `with_build` is true, it also
    keeps build dependencies.

    The result has only specs in an installation's own tree, and no specs of upstreams. Only dependencies that this tree
    records are followed. If only a part of the tree is open, such as an environment, the specs outside this part and
    their dependencies are also kept.
    """
    graph, types = columns.graph, WITH_BUILD if with_build else LINK_RUN
    found = {"no": BitMap(), "yes": BitMap()}
    for each, base in zip(graph.of_tags, graph.bases, strict=False) if graph.trees else ():
        if each.tag in graph.trees:
            part, tree, own = each.nodes, Graph([each]), own_rows(columns, each.tag)
            records = {
                columns.hashes[columns.hash[row]]: columns.extra(row).record for row in columns.rows_of_tags([each.tag])
            }
            kept = (
                (own_hash for own_hash, record in records.items() if record and record.own)
                if environments is None
                else chain(roots, *(graph.trees[each.tag].get(name, ()) for name in environments))
            )
            others = [
                other for other, state in zip(part.hashes, part.state, strict=True) if state and other not in records
            ]
            own_hashes = (own_hash for own_hash, record in records.items() if record and record.own is not None)
            inside = BitMap(tree.numbers([*own_hashes, *others]))
            nodes = reached(tree.to_dependencies(types), inside & BitMap(tree.numbers([*kept, *others])), inside)
            needed = columns.rows_of_nodes(base + k for k in nodes)
            found["no"] |= own & needed
            found["yes"] |= own - needed
    return found if graph.trees else {}


def own_rows(columns: Columns, tag: str) -> BitMap:
    """Return the rows of the specs in an installation's own tree, without its upstreams."""
    own = (k for k, each in enumerate(columns.profiles) if LOCAL in each.stacks and each.state in PRESENT)
    return columns.rows_of_tags([tag]) & columns.rows_of_profiles(own)


def environment_rows(columns: Columns) -> Mapping[str, BitMap]:
    """Return the rows of each environment: its roots and their dependencies."""
    graph, found = columns.graph, dict[str, BitMap]()
    for name, roots in sorted(chain.from_iterable(each.items() for each in graph.trees.values())):
        found[name] = found.get(name, BitMap()) | columns.rows_of_nodes(closure(graph, graph.numbers(roots), ALL_TYPES))
    return found


def day_rows(columns: Columns) -> Mapping[str, BitMap]:
    """Return the rows of the specs that were installed on each day (in UTC), newest day first."""
    records = ((columns.extra(row).record, row) for row in columns.rows_of_states(STATES))
    found = grouped(((recorded(record).get("installed") or "")[:10], row) for record, row in records)
    return {day: BitMap(found[day]) for day in sorted(found, reverse=True) if day}


ROWS_BY_VALUE: Mapping[str, Callable[[Columns], Mapping[str, BitMap]]] = {
    "namespace": namespace_rows,
    "complete": complete_rows,
    "installed": installed_rows,
    "incache": in_cache_rows,
    "unused": unused_rows,
    "env": environment_rows,
    "since": day_rows,
}
"""For each computed query key, such as `unused`: the function that returns the rows of each value."""


def _all_rows(columns: Columns) -> BitMap:
    return BitMap(range(len(columns)))

"""Compare two specs: find the fields that differ, and the dependencies that make the hashes differ.

A dependency differs by itself if its version, a variant or another field differs. If only its hash differs, the
difference follows from its own dependencies. Input: an index and two of its rows.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from msgspec import Struct, field

from cachetui.mappings import grouped
from cachetui.model.dependency import ALL_TYPES, Node
from cachetui.model.signature import Differences, differences
from cachetui.model.spec import Spec
from cachetui.model.version import sort_key
from cachetui.search.index import Index
from cachetui.store.graph import closure

_OF_SPEC = [field for field in Spec.__struct_fields__ if field not in ("hash", "tag", "signed", "tarball")]
_RECIPE = ("namespace", "package_hash")
"""The fields of a node that come from the recipe of its package."""

_OF_NODE = ("version", "compiler", "os", "platform", "target", "external", *_RECIPE, "variants")
_NAME = re.compile(r"[A-Za-z0-9_.-]+")


class DependencyDifference(Struct, frozen=True):
    """A dependency that differs.

    Either only one spec needs it, or the two specs need different builds of the dependency.
    """

    name: str = field(name="package")
    old: str | None
    """The hash in the old spec, or the spec string if a page records no hash; None if only the new spec needs it."""
    new: str | None
    by_itself: bool
    """Whether a field of the dependency itself differs; False if only its own dependencies differ."""
    differs: Differences = {}
    """The fields that differ; empty if one spec does not need the dependency."""


class Comparison(Struct, frozen=True):
    """The differences of two specs."""

    old: Spec
    new: Spec
    differs: Differences
    """Both values of each field that differs, except the hash, in the order of the fields."""
    dependencies: tuple[DependencyDifference, ...] | None
    """The dependencies that differ by themselves, then those that differ only in the hash, each sorted by name.

    None if the dependencies of a spec are unknown.
    """


def compare(index: Index, old_row: int, new_row: int) -> Comparison:
    """Return the differences of two rows of an index; the rows may have different packages."""
    old, new = index.spec(old_row), index.spec(new_row)
    fields, numbers = differences(old, new, _OF_SPEC), [_number(index, spec) for spec in (old, new)]
    if None in numbers:
        return Comparison(
            old, new, fields, _written(*(index.columns.extra(row).dependencies for row in (old_row, new_row)))
        )
    first, second = (number for number in numbers if number is not None)
    recipes = differences(index.graph.node(first), index.graph.node(second), _RECIPE)
    return Comparison(
        old, new, fields | recipes, _in_order(_node_differences(_needed(index, first), _needed(index, second)))
    )


def _number(index: Index, spec: Spec) -> int | None:
    return index.graph.number(spec.hash) if index.graph and spec.hash else None


def _in_order(found: Iterable[DependencyDifference]) -> tuple[DependencyDifference, ...]:
    return tuple(sorted(found, key=lambda each: (not each.by_itself, each.name)))


def _needed(index: Index, number: int) -> dict[str, Node]:
    """Return the direct and indirect dependencies of a spec, by hash. The nearest come first.

    Follow all dependency types.
    """
    graph = index.graph
    return {graph.hash(each): graph.node(each) for each in closure(graph, [number], ALL_TYPES)[1:]}


def _node_differences(old: dict[str, Node], new: dict[str, Node]) -> list[DependencyDifference]:
    gone = _by_name(node for key, node in old.items() if key not in new)
    come = _by_name(node for key, node in new.items() if key not in old)
    nearest_old, nearest_new = ({node.name: node for node in reversed(each.values())} for each in (old, new))
    found = []
    for name in {**gone, **come}:
        for lone_old, lone_new in zip_longest(gone.get(name, ()), come.get(name, ())):
            # If the specs share a build and one of them has another build too, compare the two builds.
            one, two = lone_old or nearest_old.get(name), lone_new or nearest_new.get(name)
            differs = differences(one, two, _OF_NODE) if one is not None and two is not None else {}
            by_itself = one is None or two is None or bool(differs)
            old_hash, new_hash = (None if node is None else node.hash for node in (one, two))
            found.append(DependencyDifference(name, old_hash, new_hash, by_itself, differs))
    return found


def _by_name(nodes: Iterable[Node]) -> dict[str, list[Node]]:
    """Return the nodes of each package, sorted by version. A build tool may occur in several versions."""
    return grouped((node.name, node) for node in sorted(nodes, key=lambda node: sort_key(node.version)))


def _written(old: Sequence[str], new: Sequence[str]) -> tuple[DependencyDifference, ...] | None:
    """Compare dependencies that pages list as spec strings. Return None if a page lacks this list."""
    if not (old and new):
        return None
    mine, other = _by_text(old), _by_text(new)
    names = (name for name in {**mine, **other} if mine.get(name) != other.get(name))
    return _in_order(DependencyDifference(name, mine.get(name), other.get(name), True) for name in names)


def _by_text(texts: Iterable[str]) -> dict[str, str]:
    return {match.group(): text for text in texts if (match := _NAME.match(text))}

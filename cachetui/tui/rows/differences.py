"""What tells specs apart that look alike in a list: the variants that not all of them have, else their dependencies,
where these are recorded.

Input: an index and rows of one package. All text of a page goes through `visible`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from cachetui.model.facets import FACETS
from cachetui.model.spec import normal_variant
from cachetui.search.index import Index
from cachetui.text import visible

DEPENDENCIES = "dependencies"
"""What differs where nothing that is recorded of the spec itself does, but what it depends on is recorded."""

FEWER = "fewer variants"
"""What differs where all variants of a spec are those that the others have too."""

ALIKE = "hash"
"""What is said of specs that look alike where nothing that is recorded tells any of them apart."""

ALONE = "only build"
"""What is said of a spec that no other looks like."""

NOT_OWN = frozenset({FEWER, ALIKE, ALONE})
"""What is said of specs that have nothing of their own."""

BETWEEN = ", "
"""Stands between the variants and the dependencies."""

SHORT = 12
"""Letters up to which a variant stands before those that are longer."""

SHOWN = tuple(facet for facet in FACETS if facet != "stack")
"""The facets in which specs that look alike are equal."""

_decode = msgspec.json.Decoder(tuple[str, ...]).decode


def alike(index: Index, row: int) -> tuple[object, ...]:
    """What the list shows of a spec but its hash and its stacks: equal for specs that look alike."""
    columns = index.columns.rows
    values = index.profiles[columns["profile"][row]].values
    return (columns["version"][row], *map(values, SHOWN))


def what_differs(index: Index, rows: Iterable[int]) -> Mapping[int, str]:
    """For each of these rows what it has of its own beside those that it looks like in its tag.

    Nothing at all if none has anything of its own.
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    for row in rows:
        groups.setdefault((index.tag_of(row), *alike(index, row)), []).append(row)
    found: dict[int, str] = {}
    for group in groups.values():
        found |= _told_apart(index, group) if len(group) > 1 else dict.fromkeys(group, ALONE)
    return {} if NOT_OWN.issuperset(found.values()) else found


def without(text: str, shared: frozenset[str]) -> str:
    """What differs, but for the variants that all have."""
    own, _, dependencies = text.partition(BETWEEN)
    return BETWEEN.join(filter(None, (" ".join(each for each in own.split(" ") if each not in shared), dependencies)))


def _told_apart(index: Index, rows: Sequence[int]) -> dict[int, str]:
    column, table = index.columns.rows["variants"], index.columns.tables["variants"]
    numbers = Counter(column[row] for row in rows)
    variants = {number: {normal_variant(each): each for each in _decode(table[number])} for number in numbers}
    common = frozenset.intersection(*map(frozenset, variants.values()))
    times = Counter[frozenset[str]]()
    for number, count in numbers.items():
        times[frozenset(variants[number])] += count
    texts = {}
    for number, each in variants.items():
        own = (visible(text) for normal, text in each.items() if normal not in common)
        texts[number] = " ".join(sorted(own, key=lambda text: len(text) > SHORT))  # the last ones may be cut
    twins = {number for number, each in variants.items() if times[frozenset(each)] > 1}
    found = {}
    for row in rows:
        number = column[row]
        is_recorded = number in twins and (index.graph or index.dependencies(row))
        found[row] = BETWEEN.join(filter(None, (texts[number], DEPENDENCIES if is_recorded else "")))
    nothing = FEWER if any(found.values()) else ALIKE
    return {row: text or nothing for row, text in found.items()}

"""What tells specs apart that look alike in a list: the variants in which they differ, and their dependencies where
these are recorded.

Input: an index and rows of one package. All text of a page goes through `visible`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from cachetui.model.facets import FACETS
from cachetui.model.spec import normal_variant
from cachetui.query.values import read_variant
from cachetui.search.index import Index
from cachetui.store.arrays import Once
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
    """What is said of each of these rows: its variants where any rows differ that look alike, and its dependencies.

    All rows say the same variants, so that any two can be compared; dependencies, only where rows are alike in these.
    Rows of two tags do not look alike. Nothing at all if no row has anything of its own.
    """
    column, variants = index.columns.rows["variants"], Once(partial(_variants, index))
    groups: dict[tuple[object, ...], list[int]] = {}
    for row in rows:
        groups.setdefault((index.tag_of(row), *alike(index, row)), []).append(row)
    names = {name for group in groups.values() for name in _not_common(variants.of({column[row] for row in group}))}
    texts = Once[int, str](lambda number: _text(variants[number], names))
    found: dict[int, str] = {}
    for group in groups.values():
        sets = [frozenset(variants[column[row]]) for row in group]
        found |= _told_apart(index, group, sets, texts.of(column[row] for row in group))
    return {} if NOT_OWN.issuperset(found.values()) else found


def without(text: str, shared: frozenset[str]) -> str:
    """What differs, but for the variants that all have."""
    own, _, dependencies = text.partition(BETWEEN)
    return BETWEEN.join(filter(None, (" ".join(each for each in own.split(" ") if each not in shared), dependencies)))


def _variants(index: Index, number: int) -> Mapping[str, str]:
    """The variants of an entry of the table as they are written, by what is the same for those that are the same."""
    return {normal_variant(each): each for each in _decode(index.columns.tables["variants"][number])}


def _not_common(of_rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """The names of the variants that not all rows have alike."""
    common = frozenset.intersection(*map(frozenset, of_rows))
    return (read_variant(each)[0] for variants in of_rows for each in variants if each not in common)


def _text(variants: Mapping[str, str], names: Container[str]) -> str:
    """The variants of these names, the long ones last: these may be cut."""
    named = (visible(text) for normal, text in variants.items() if read_variant(normal)[0] in names)
    return " ".join(sorted(named, key=lambda text: len(text) > SHORT))


def _told_apart(
    index: Index, rows: Sequence[int], variants: Sequence[frozenset[str]], texts: Sequence[str]
) -> dict[int, str]:
    """What is said of rows that look alike; of each its variants, and the text of those in which any differ."""
    times = Counter(variants)
    found = {}
    for row, own, text in zip(rows, variants, texts, strict=True):
        is_recorded = times[own] > 1 and (index.graph or index.dependencies(row))
        found[row] = BETWEEN.join(filter(None, (text, DEPENDENCIES if is_recorded else "")))
    nothing = ALONE if len(rows) == 1 else FEWER if any(found.values()) else ALIKE
    return {row: text or nothing for row, text in found.items()}

"""What tells specs apart that look alike in a list: the variants in which they differ; where these are alike too,
the newest tag that has them, or their stacks, and else their dependencies where these are recorded.

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

WEEKLY = "develop-"
"""What the tag of a weekly snapshot begins with; its day alone is said."""

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
    """What is said of each of these rows: its variants where any rows differ that look alike, and what else does.

    All rows say the same variants, so that any two can be compared. Where rows are alike in these, the newest other tag
    that has each stands before them, or the stacks that only one has follow; dependencies last, only where that does
    not do.
    Rows of two tags do not look alike. Nothing at all if no row has anything of its own.
    """
    column, variants = index.columns.rows["variants"], Once(partial(_variants, index))
    groups: dict[tuple[object, ...], list[int]] = {}
    for row in rows:
        groups.setdefault((index.tag_of(row), *alike(index, row)), []).append(row)
    names = {name for group in groups.values() for name in _not_common(variants.of({column[row] for row in group}))}
    texts = Once[int, tuple[str, str]](lambda number: _texts(variants[number], names))
    found: dict[int, str] = {}
    for group in groups.values():
        sets = [frozenset(variants[column[row]]) for row in group]
        found |= _told_apart(index, group, sets, texts.of(column[row] for row in group))
    return {} if NOT_OWN.issuperset(found.values()) else found


def without(text: str, shared: Container[str]) -> str:
    """What differs, but for the variants that all have."""
    return " ".join(each for each in text.split(" ") if each not in shared)


def common_variants(index: Index, rows: Iterable[int]) -> frozenset[str]:
    """The variants that all of some rows have, as they are said; none of one row alone."""
    column, table = index.columns.rows["variants"], index.columns.tables["variants"]
    numbers = [column[row] for row in rows]
    if len(numbers) < 2:
        return frozenset()
    return frozenset.intersection(*(frozenset(map(visible, _decode(table[number]))) for number in set(numbers)))


def _variants(index: Index, number: int) -> Mapping[str, str]:
    """The variants of an entry of the table as they are written, by what is the same for those that are the same."""
    return {normal_variant(each): each for each in _decode(index.columns.tables["variants"][number])}


def _not_common(of_rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """The names of the variants that not all rows have alike."""
    common = frozenset.intersection(*map(frozenset, of_rows))
    return (read_variant(each)[0] for variants in of_rows for each in variants if each not in common)


def _texts(variants: Mapping[str, str], names: Container[str]) -> tuple[str, str]:
    """The short variants of these names, and the long ones, which stand last as they may be cut."""
    named = [visible(text) for normal, text in variants.items() if read_variant(normal)[0] in names]
    return " ".join(text for text in named if len(text) <= SHORT), " ".join(text for text in named if len(text) > SHORT)


def _told_apart(
    index: Index, rows: Sequence[int], variants: Sequence[frozenset[str]], texts: Sequence[tuple[str, str]]
) -> dict[int, str]:
    """What is said of rows that look alike; of each its variants, and the text of those in which any differ."""
    alike_too: dict[frozenset[str], list[int]] = {}
    for row, own in zip(rows, variants, strict=True):
        alike_too.setdefault(own, []).append(row)
    places = {row: place for group in alike_too.values() for row, place in _places(index, group).items()}
    times = Counter(zip(variants, map(places.__getitem__, rows), strict=True))
    found = {}
    for row, own, (short, long) in zip(rows, variants, texts, strict=True):
        tag, stacks = places[row]
        is_recorded = times[own, places[row]] > 1 and (index.graph or index.dependencies(row))
        found[row] = " ".join(filter(None, (tag, short, stacks, long, DEPENDENCIES if is_recorded else "")))
    nothing = ALONE if len(rows) == 1 else FEWER if any(found.values()) else ALIKE
    return {row: text or nothing for row, text in found.items()}


def _places(index: Index, rows: Sequence[int]) -> Mapping[int, tuple[str, str]]:
    """What tells rows with the same variants apart by where they are, a tag and stacks: the stacks of each alone, where
    all but one have any, else the newest other tag with the stacks that only one in that tag has; empty where nothing
    does."""
    if len(rows) == 1:
        return {rows[0]: ("", "")}
    stacks = _own_stacks(index, rows)
    if len(set(stacks.values())) == len(rows):
        return {row: ("" if text else _newest_tag(index, row), text) for row, text in stacks.items()}
    by_tag: dict[str, list[int]] = {}
    for row in rows:
        by_tag.setdefault(_newest_tag(index, row), []).append(row)
    if len(by_tag) == 1:
        return {row: ("", text) for row, text in stacks.items()}
    return {row: (tag, text) for tag, group in by_tag.items() for row, text in _own_stacks(index, group).items()}


def _own_stacks(index: Index, rows: Sequence[int]) -> dict[int, str]:
    """The stacks that only one of these rows has; none for one row alone."""
    profile = index.columns.rows["profile"]
    stacks = {row: index.profiles[profile[row]].stacks for row in rows}
    if len(set(stacks.values())) == 1:
        return dict.fromkeys(rows, "")
    times = Counter(each for own in stacks.values() for each in own)
    return {row: ",".join(visible(each) for each in own if times[each] == 1) for row, own in stacks.items()}


def _newest_tag(index: Index, row: int) -> str:
    """The newest other tag that has a spec, a weekly snapshot if there is one, by its day; else that there is none."""
    here = index.tag_of(row)
    others = [tag for tag in index.tags_of(index.columns.hash[row]) if tag != here]
    newest = next((tag for tag in others if tag.startswith(WEEKLY)), others[0] if others else f"only {here}")
    return visible(newest.removeprefix(WEEKLY))

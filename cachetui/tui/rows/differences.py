"""What tells specs apart that look alike in a list: the variants in which they differ; where these are alike too,
the newest tag that has them, or their stacks, and else their dependencies where these are recorded.

What tells any of them apart, a variant or a stack, is said of every row that has it: so that none looks as if it had
it alone.

Input: an index and rows of one package. All text of a page goes through `visible`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from cachetui.model.facets import FACETS
from cachetui.model.spec import normal_variant
from cachetui.query.values import read_variant
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.search.row_values import in_order
from cachetui.store.arrays import Numbering, Once, values_at
from cachetui.store.strings import decode_variants
from cachetui.tui.rows.days import Days

DEPENDENCIES = "dependencies"
"""What differs where nothing that is recorded of the spec itself does, but what it depends on is recorded."""

FEWER = "fewer variants"
"""What differs where all variants of a spec are those that the others have too."""

ALIKE = "hash"
"""What is said of specs that look alike where nothing that is recorded tells any of them apart."""

ALONE = "-"
"""What is said of a spec that no other looks like."""

NOT_OWN = frozenset({FEWER, ALIKE, ALONE})
"""What is said of specs that have nothing of their own."""

SHORT = 12
"""Letters up to which a variant stands before those that are longer."""

CHOSEN_BY = ("mpi", "cuda", "rocm", "openmp")
"""The variants by which builds are mostly chosen: they stand before all others, as there may be room for few."""

SHOWN = tuple(facet for facet in FACETS if facet != "stack")
"""The facets in which specs that look alike are equal."""


def alike(index: Index, row: int) -> tuple[object, ...]:
    """What the list shows of a spec but its hash and its stacks: equal for specs that look alike."""
    columns = index.columns.rows
    values = index.profiles[columns["profile"][row]].values
    return (columns["version"][row], *map(values, SHOWN))


class Distinction(NamedTuple):
    """What tells some rows apart."""

    texts: Mapping[int, str]
    """What each row has of its own, but for a tag; nothing at all if no row has anything of its own."""
    by_tag: Collection[int]
    """Those that only the newest other tag that has each tells from some of the others."""
    days: Days
    """The tags of all rows."""
    stacks: Sequence[str]
    """The stacks that tell any row apart, first those that few rows have."""


def what_differs(index: Index, rows: Iterable[int]) -> Distinction:
    """What each of these rows has of its own: its variants where any rows differ that look alike, and what else does.

    The same variants are said of all rows, so that any two can be compared. Where rows are alike in these, the newest
    other tag that has each tells them apart, or a stack that only one of them has: such stacks too are said of every
    row that has them. Dependencies follow last, only where that does not do. Rows of two tags do not look alike.
    """
    column, variants = index.columns.rows["variants"], Once(partial(variants_of, index))
    groups = groups_alike(index, in_order(rows))
    sets = {frozenset(map(column.__getitem__, group)) for group in groups if len(group) > 1}
    names = {name for numbers in sets for name in _not_common(variants.of(numbers))}
    said = _Said(index, variants, names, groups)
    found: dict[int, str] = {}
    for group in groups:
        found |= said.of(group)
    nothing = not said.by_tag and NOT_OWN.issuperset(found.values())
    return Distinction({} if nothing else found, said.by_tag, said.days, said.stacks)


def groups_alike(index: Index, rows: Sequence[int]) -> Collection[Sequence[int]]:
    """The rows that look alike, each group in the order of the index."""
    columns, page = index.columns, index.columns.page
    numbers = Numbering[tuple[object, ...]]()
    kinds = Once[int, int](lambda number: numbers[tuple(map(index.profiles[number].values, SHOWN))])
    take = values_at(rows)
    of_row = zip(take(columns.rows["version"]), kinds.of(take(columns.rows["profile"])), rows, strict=True)
    groups: dict[tuple[int, int, int], list[int]] = {}
    for version, kind, row in of_row:
        groups.setdefault((columns.page_tag[page(row)], version, kind), []).append(row)
    return groups.values()


def variants_of(index: Index, number: int) -> Mapping[str, str]:
    """The variants of an entry of the table as they are written, by what is the same for those that are the same."""
    return {normal_variant(each): each for each in decode_variants(index.columns.tables["variants"][number])}


def _not_common(of_rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """The names of the variants that not all rows have alike."""
    common = frozenset.intersection(*map(frozenset, of_rows))
    return (read_variant(each)[0] for variants in of_rows for each in variants if each not in common)


def _texts(variants: Mapping[str, str], names: Container[str]) -> tuple[str, str]:
    """The short variants of these names, and the long ones, which stand last as they may be cut."""
    found = ((read_variant(normal)[0], visible(text)) for normal, text in variants.items())
    named = [text for name, text in sorted(found, key=lambda each: standing(each[0])) if name in names]
    return " ".join(text for text in named if len(text) <= SHORT), " ".join(text for text in named if len(text) > SHORT)


def standing(name: str) -> int:
    """Where a variant stands among others."""
    return CHOSEN_BY.index(name) if name in CHOSEN_BY else len(CHOSEN_BY)


class _Said:
    """What is said of rows that look alike, beside the variants of some names; what tags tell apart is only noted."""

    def __init__(
        self,
        index: Index,
        variants: Mapping[int, Mapping[str, str]],
        names: Container[str],
        groups: Iterable[Sequence[int]],
    ) -> None:
        """`variants`: those of each entry of the table, as `variants_of` gives them; `groups`: rows that look alike."""
        self._index = index
        self._columns = index.columns.rows
        self.days = Days(index)
        sets = Numbering[frozenset[str]]()
        self._sets = Once[int, int](lambda number: sets[frozenset(variants[number])])
        """The number of a set of variants, the same however these are written."""
        self._texts = Once[int, tuple[str, str]](lambda number: _texts(variants[number], names))
        self._has_graph = bool(index.graph)
        self._recorded: dict[int, bool] = {}
        self._tags: dict[int, str] = {}
        """The tag that tells a row from others with the same variants, where one does."""
        self._telling: set[str] = set()
        """The stacks that tell any row apart."""
        for group in groups:
            if len(group) > 1:
                self._tell_apart(group)
        self.by_tag: Collection[int] = self._tags.keys()
        """The rows that a tag tells apart."""
        self.stacks: Sequence[str] = [*map(visible, self._by_rows(groups))]
        """The stacks that do, as they are said, first those that few rows have."""
        self._stacks = Once(self._said_stacks)

    def _tell_apart(self, rows: Sequence[int]) -> None:
        """Notes what tells those of some rows apart that look alike and have the same variants."""
        alike_too: dict[int, list[int]] = {}
        for row, own in zip(rows, self._sets.of(self._columns["variants"][row] for row in rows), strict=True):
            alike_too.setdefault(own, []).append(row)
        for group in alike_too.values():
            if len(group) > 1:
                self._place(group)

    def _by_rows(self, groups: Iterable[Sequence[int]]) -> Sequence[str]:
        """The stacks that tell any row apart, by how many rows have them."""
        times = dict.fromkeys(sorted(self._telling), 0)
        profiles = Counter(self._columns["profile"][row] for group in groups for row in group) if times else {}
        for number, count in profiles.items():
            for stack in self._index.profiles[number].stacks:
                if stack in times:
                    times[stack] += count
        return sorted(times, key=times.__getitem__)

    def _said_stacks(self, profile: int) -> str:
        """Those of the stacks of a profile that tell any row apart."""
        return " ".join(visible(each) for each in self._index.profiles[profile].stacks if each in self._telling)

    def of(self, rows: Sequence[int]) -> dict[int, str]:
        """What is said of each of the rows that look alike."""
        numbers = [self._columns["variants"][row] for row in rows]
        stacks = [self._stacks[self._columns["profile"][row]] for row in rows]
        keys = list(zip(self._sets.of(numbers), stacks, (self._tags.get(row, "") for row in rows), strict=True))
        times = Counter(keys)
        found = {}
        for row, number, key in zip(rows, numbers, keys, strict=True):
            short, long = self._texts[number]
            needs = DEPENDENCIES if times[key] > 1 and self._records_needs(row) else ""
            found[row] = " ".join(filter(None, (short, key[1], long, needs)))
        nothing = FEWER if any(any(self._texts[number]) for number in numbers) else ALIKE
        nothing = ALONE if len(rows) == 1 else nothing
        return {row: text or nothing for row, text in found.items()}

    def _records_needs(self, row: int) -> bool:
        """Whether it is recorded what a row depends on."""
        number = self._columns["extra"][row]
        if number not in self._recorded:
            self._recorded[number] = self._has_graph or bool(self._index.dependencies(row))
        return self._recorded[number]

    def _place(self, rows: Sequence[int]) -> None:
        """Notes what tells rows with the same variants apart by where they are: the stacks of each alone, where all
        but one have any, else the newest other tag with the stacks that only one in that tag has."""
        stacks, day = self._own_stacks(rows), self.days.of_other
        if len(set(stacks.values())) == len(rows):
            self._telling.update(*stacks.values())
            self._tags |= {row: day(row) for row, own in stacks.items() if not own}
            return
        by_tag: dict[str, list[int]] = {}
        for row in rows:
            by_tag.setdefault(day(row), []).append(row)
        if len(by_tag) == 1:
            self._telling.update(*stacks.values())
            return
        for tag, group in by_tag.items():
            self._tags |= dict.fromkeys(group, tag)
            self._telling.update(*self._own_stacks(group).values())

    def _own_stacks(self, rows: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """The stacks that only one of these rows has; none for one row alone."""
        profiles = [self._columns["profile"][row] for row in rows]
        if len(set(profiles)) == 1:
            return dict.fromkeys(rows, ())
        stacks = {row: self._index.profiles[number].stacks for row, number in zip(rows, profiles, strict=True)}
        times = Counter(each for own in stacks.values() for each in own)
        return {row: tuple(each for each in own if times[each] == 1) for row, own in stacks.items()}

"""The size of each stack compared with its usual size, and the packages removed or added since the previous tag.

The tags of one series are compared: weekly tags, releases, or the default tag and the snapshots. A stack is listed if
one of the two newest tags contains the stack.
Input: an index.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from statistics import median
from typing import Protocol

from msgspec import Struct
from pyroaring import BitMap

from cachetui.model.tags import first_of_tags, is_snapshot, label_of, line_of, tag_order, tags_to_compare
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.results import Results

ALARM_PERCENT = 90
"""A stack below this percentage of its usual size is reported."""

LOW_PERCENT = 80
"""A size below this percentage of the usual size is shown in red."""


class StackSizeRecord(Struct, frozen=True):
    """The size and the changes of one stack in one tag."""

    content: str
    """The content, as given on the command line."""
    tag: str
    stack: str
    """The name of the stack; empty if the content has no stacks."""
    specs: int
    usual: int
    """The median size of the stack, over the tags that have the stack."""
    percent: int
    """`specs` as percent of `usual`."""
    change: int
    """The number of specs minus the number of specs in the previous tag."""
    removed: int
    """The number of packages in the previous tag but not in this tag."""
    new: int
    """The number of packages in this tag but not in the previous tag."""
    packages_removed: tuple[str, ...]
    packages_new: tuple[str, ...]
    tags: Mapping[str, int]
    """The size of the stack in each tag of the series, oldest first."""

    @property
    def is_low(self) -> bool:
        """Whether the stack is more than a tenth below its usual size."""
        return 100 * self.specs < ALARM_PERCENT * self.usual

    def is_low_at(self, specs: int) -> bool:
        """Return whether this number of specs is so low for the stack that it is shown in red."""
        return 100 * specs < LOW_PERCENT * self.usual


class Past(Protocol):
    """Access to the snapshots of the content."""

    def past_sizes(self) -> Mapping[str, Mapping[str, int]]:
        """Return the size of each stack in each snapshot, by tag and stack. The stack `""` is the whole snapshot."""

    def with_snapshots(self, index: Index, tags: Iterable[str]) -> Index:
        """Return the index with these snapshots as tags."""


def stack_sizes(
    index: Index, tags: Sequence[str] = (), past: Past | None = None, query: Query | None = None
) -> tuple[StackSizeRecord, ...]:
    """Return the sizes of the stacks in these tags. The lowest percentage of the usual size comes first.

    `tags`: by default, one tag for each CONTENT, the newest tag of its main series. `past`: access to the snapshots,
    whose sizes are also compared. `query`: count only matching specs. With a query, a snapshot is compared only if its
    specs are loaded into the index.
    """
    sizes = past.past_sizes() if past else {}
    every = tag_order([*index.tags, *sizes])
    shown = [series_of(every, tag) for tag in tags] or list(lines(every))
    if past:
        index = past.with_snapshots(index, chain.from_iterable(line[:2] for line in shown))
    shown = [_states(index, line) for line in shown]
    if past:
        index = past.with_snapshots(index, chain.from_iterable(line[:2] for line in shown))
    if query:
        shown = [[tag for tag in line if tag in index.tags] for line in shown]
    return tuple(
        sorted(
            chain.from_iterable(_of(index, line, sizes, query or Query()) for line in shown),
            key=lambda size: (size.percent, size.tag, size.stack),
        )
    )


def lines(tags: Sequence[str]) -> Iterator[list[str]]:
    """For each CONTENT, yield the tags that are compared with each other. The newest tag is first."""
    for label in dict.fromkeys(map(label_of, tags)):
        own = [tag for tag in tags if label_of(tag) == label]
        yield series_of(own, first_of_tags(own) or own[0])


def series_of(tags: Sequence[str], tag: str) -> list[str]:
    """Return this tag and the older tags of the same series, newest first.

    For `develop`, return only the weekly tags, if there are any. `develop` has the builds of many weeks, so its size
    cannot be compared with the size of one week.
    """
    line = line_of(tags, tag)
    return line[line.index(tags_to_compare(tags, tag)[1]) :]


def _states(index: Index, line: list[str]) -> list[str]:
    """Return the tags in `line`. Omit the second tag if it is a snapshot with the same specs as the first tag.

    `record` saves such a snapshot just before the comparison. A comparison with this snapshot would show no changes.
    """
    if not is_snapshot("".join(line[1:2])):
        return line
    held = [index.value_rows("tag", tag) & index.shown_rows for tag in line[:2]]
    stacks = [index.all_rows, *(index.value_rows("stack", stack) for stack in index.values("stack"))]
    sides = ([index.columns.hash_numbers(rows & each) for each in stacks] for rows in held)
    is_copy = len(held[0]) == len(held[1]) and next(sides) == next(sides)
    return [line[0], *line[2:]] if is_copy else line


def stack_gaps(index: Index, tag: str, stacks: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Return the gaps of each stack. A gap is a package that the stack lacks and another of these stacks has."""
    inside = index.value_rows("tag", tag)
    held = {stack: _packages(index, index.value_rows("stack", stack) & inside) for stack in stacks}
    return {stack: frozenset().union(*held.values()) - own for stack, own in held.items()}


def _of(
    index: Index, line: Sequence[str], past: Mapping[str, Mapping[str, int]], query: Query
) -> Iterator[StackSizeRecord]:
    """Yield the size of each stack in a series of tags.

    Skip a stack if neither of the two newest tags contains the stack. Also skip a stack if the query matches none of
    its specs in any tag of the series. `past`: the sizes of the stacks in snapshots that are not loaded into the index.
    """
    inside = {tag: index.value_rows("tag", tag) & index.rows(query) for tag in line if tag in index.tags}
    newest = [index.value_rows("tag", tag) & index.shown_rows for tag in line[:2]]
    held = {stack: rows for stack, rows in index.stack_rows().items() if any(map(rows.intersect, newest))}
    for stack, rows in (held or {"": index.all_rows}).items():
        sizes = [
            rows.intersection_cardinality(inside[tag]) if tag in inside else past[tag].get(stack, 0) for tag in line
        ]
        if not any(sizes):
            continue
        now, before = (_packages(index, rows & inside[tag]) for tag in ([*line] * 2)[:2])
        usual = max(1, round(median(filter(None, sizes))))
        removed, new = sorted(before - now), sorted(now - before)
        yield StackSizeRecord(
            "",  # the report adds the content
            line[0],
            stack,
            sizes[0],
            usual,
            round(100 * sizes[0] / usual),
            sizes[0] - (sizes[1] if len(sizes) > 1 else sizes[0]),
            len(removed),
            len(new),
            tuple(removed),
            tuple(new),
            dict(zip(reversed(line), reversed(sizes), strict=True)),
        )


def _packages(index: Index, rows: BitMap) -> frozenset[str]:
    """Return the names of the packages of these rows."""
    return frozenset(index.packages[number] for number in Results(index, Query(), rows).packages)

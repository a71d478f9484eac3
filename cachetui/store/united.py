"""What several segments have, with tables of their own, in one table: columns of rows, and files.

The bulk of a catalogue goes through here, hashes and paths, so nothing is made of an entry that can be done for many.
Input: sorted tables, and columns that number their entries.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import pairwise

from cachetui.store.arrays import Ints
from cachetui.store.joining import Run, joined_ints, joined_strings
from cachetui.store.one_table import one_table
from cachetui.store.segment import Files
from cachetui.store.strings import Strings

PART_SIZE = 2
"""From so many files in each part, on average, it is faster to sort the parts than the files."""

REPEATED = 4
"""Where each value of a column stands in so many of its rows, on average, a list of their numbers pays."""


def united_column(columns: list[tuple[Strings, Ints]]) -> tuple[Strings, list[Ints]]:
    """The distinct values of all these sorted tables, sorted, and each column in their numbers.

    Empties the list: what nobody else holds of a table leaves memory once it is taken over.
    """
    some = [(table, column) for table, column in columns if len(table)]
    if all(table == some[0][0] for table, _ in some[1:]):
        return some[0][0] if some else Strings.of([]), [column for _, column in columns]
    del some
    numbered, tables = [column for _, column in columns], [table for table, _ in columns]
    columns.clear()
    united, places = one_table(tables)
    found: list[Ints] = []
    for column, own in zip(numbered, places, strict=True):
        # A list gives the same few numbers again and again faster than an array, which makes each anew.
        number = list(own) if len(own) * REPEATED < len(column) else own
        found.append(array("I", [number[k] for k in column]))
    return united, found


def united_files(files: Sequence[Files]) -> Files:
    """All of these; of a path that several have, the last stamp."""
    paths, parts = [each.paths for each in files], [each.parts for each in files]
    order = _runs(paths, parts) if sum(map(len, parts)) * PART_SIZE <= sum(map(len, paths)) else _single_files(paths)
    return Files(
        paths=joined_strings(paths, order),
        sizes=array("Q", joined_ints([each.sizes for each in files], order)),
        times=array("Q", joined_ints([each.times for each in files], order)),
        parts=array("I", [0][: len(order)]),
    )


def _runs(paths: Sequence[Strings], parts: Sequence[Ints]) -> list[Run]:
    """The parts, cut where they overlap, in the order of their files, without those that come again later."""
    waiting = [
        (paths[s].raw(first), s, first, last)
        for s, starts in enumerate(parts)
        for first, last in pairwise([*starts, len(paths[s])])
    ]
    waiting.sort()
    order = []
    while waiting:
        _, s, first, last = heappop(waiting)
        if waiting and paths[s].raw(last - 1) >= waiting[0][0]:
            end = bisect_left(range(last), waiting[0][0], first, key=paths[s].raw)
            rest = max(end, first + 1)
            if rest < last:
                heappush(waiting, (paths[s].raw(rest), s, rest, last))
            last = end
        if first < last:
            order.append((s, first, last))
    return order


def _single_files(paths: Sequence[Strings]) -> list[Run]:
    """The same, each file by itself."""
    last = {path: (s, k, k + 1) for s, some in enumerate(paths) for k, path in enumerate(some)}
    return [last[path] for path in sorted(last)]

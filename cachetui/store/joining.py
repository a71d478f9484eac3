"""Tables or columns become one: pieces of the one and of the other, in the order of the result.

Where there are few and long pieces, as where little changes, joining is copying.
Input: arrays that are not changed, and a list of runs.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias

from cachetui.store.arrays import Ints, mapped
from cachetui.store.strings import Strings

Run: TypeAlias = tuple[int, int, int]
"""Which of these tables, and the first and last (exclusive) of its entries."""


def runs(length: int, removed: Iterable[int], inserted: Iterable[tuple[int, int]]) -> list[Run]:
    """A table of this length without the entries removed, and with entries of another one.

    Both are in ascending order; an entry k of the other table is inserted as (place in the table, k).
    """
    found: list[Run] = []
    at = 0
    for place, k in sorted([*((place, -1) for place in removed), *inserted]):
        if at < place:
            found.append((0, at, place))
            at = place
        if k < 0:
            at = place + 1
        elif found and found[-1][0] and found[-1][2] == k:
            found[-1] = (1, found[-1][1], k + 1)
        else:
            found.append((1, k, k + 1))
    if at < length:
        found.append((0, at, length))
    return found


def joined_ints(columns: Sequence[Ints], order: Iterable[Run]) -> array[int]:
    """The pieces of these columns one after the other."""
    views = [memoryview(column) for column in columns]
    out = array("Q" if any(view.itemsize == 8 for view in views) else "I")
    out.frombytes(b"".join([views[source][first:last] for source, first, last in order]))
    return out


def joined_strings(tables: Sequence[Strings], order: Iterable[Run]) -> Strings:
    """The pieces of these tables one after the other."""
    pieces = []
    for source, first, last in order:
        table = tables[source]
        pieces.append(table.buffer[table.base + table.offsets[first] : table.base + table.offsets[last]])
    return Strings(b"".join(pieces), joined_offsets([table.offsets for table in tables], order))


def joined_offsets(columns: Sequence[Ints], order: Iterable[Run]) -> array[int]:
    """Where each entry begins, and at last where all end, of the entries of such columns one after the other."""
    views = [memoryview(column) for column in columns]
    out = array("I", [0])
    for source, first, last in order:
        ends = views[source][first + 1 : last + 1]
        moved = out[-1] - views[source][first]
        if moved:
            out.extend([end + moved for end in ends])
        else:
            out.frombytes(ends.tobytes())
    return out


def united(one: Strings, other: Strings) -> tuple[array[int], list[tuple[int, int]]]:
    """Two sorted tables in one numbering, in which the entries of the second that are not in the first come last.

    Returns the number of each entry of the second, and where in the first its new ones belong, as (place, number in
    the second).
    """
    numbers = array("I")
    new = []
    at, length = 0, len(one)
    for k in range(len(other)):
        at, there = one.place(other.raw(k), at)
        numbers.append(at if there else length + k)
        if not there:
            new.append((at, k))
    return numbers, new


def joined_column(
    tables: tuple[Strings, Strings], columns: tuple[Ints, Ints], order: Sequence[Run]
) -> tuple[Strings, array[int]]:
    """A column in the order of these runs, and the sorted table of the values that are in it."""
    one, other = tables
    numbers, new = united(one, other)
    added = mapped(numbers.__getitem__, columns[1])
    column = joined_ints((columns[0], added), order)
    length = len(one)
    came = set(chain.from_iterable(added[first:last] for source, first, last in order if source))
    went = set(_left_out(columns[0], order)) - came
    if went:
        went.difference_update(column)
    removed = sorted(went)
    kept = [(place, k) for place, k in new if length + k in came]
    if not removed and not kept:
        return one, column
    pieces = runs(length, removed, kept)
    renumbered = array("I", bytes(4 * (length + len(other))))
    at = 0
    for source, first, last in pieces:
        start = source * length
        renumbered[start + first : start + last] = array("I", range(at, at + last - first))
        at += last - first
    return joined_strings(tables, pieces), mapped(renumbered.__getitem__, column)


def _left_out(column: Ints, order: Iterable[Run]) -> Iterator[int]:
    """What of the first of two columns is in none of these runs."""
    at = 0
    for source, first, last in order:
        if source == 0:
            yield from column[at:first]
            at = last
    yield from column[at:]

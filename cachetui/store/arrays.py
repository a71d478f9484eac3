"""Columns of integers, postings, and helpers to number, group and sort values.

Columns and postings are arrays of integers, so that they can be mapped from a file as they are.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, compress, islice
from operator import itemgetter, ne
from typing import Any, TypeAlias, TypeVar

KeyT = TypeVar("KeyT")
Value = TypeVar("Value")

Ints: TypeAlias = "array[int] | memoryview[int]"
"""A column of unsigned 32-bit integers; 64-bit for sizes and times of files, bytes where `small` numbers do."""

NONE = 0xFFFF_FFFF
"""In a column of places: there is none."""


class Postings:
    """The rows of each value of a column, in ascending order; those of value v begin at `offsets[v]`."""

    __slots__ = ("offsets", "rows")

    def __init__(self, rows: Ints, offsets: Ints) -> None:
        self.rows, self.offsets = rows, offsets

    @classmethod
    def of(cls, column: Ints, values: int) -> Postings:
        counts = [0] * values
        for value in column:
            counts[value] += 1
        offsets = array("I", accumulate(counts, initial=0))
        free = offsets[:]  # where the next row of each value goes
        rows = array("I", bytes(4 * len(column)))
        for row, value in enumerate(column):
            place = free[value]
            rows[place] = row
            free[value] = place + 1
        return cls(rows, offsets)

    def __getitem__(self, value: int) -> Ints:
        return self.rows[self.offsets[value] : self.offsets[value + 1]]

    def count(self, value: int) -> int:
        return self.offsets[value + 1] - self.offsets[value]


def mapped(number: Callable[[int], int], column: Iterable[int]) -> array[int]:
    """Apply a function to each number of a column."""
    return array("I", map(number, column))


def small(column: array[int]) -> array[int]:
    """Return a column as bytes if its numbers are that small."""
    return array("B", column) if max(column, default=0) < 256 else column


def marks(column: Ints, wanted: Sequence[bool]) -> bytes:
    """Return for each number of a column a byte, true for the numbers that are wanted."""
    if column.itemsize == 1:
        return column.tobytes().translate(bytes(wanted[:256]).ljust(256, b"\0"))
    return bytes(map(wanted.__getitem__, column))


def values_at(places: Sequence[int]) -> Callable[[Sequence[Value]], Sequence[Value]]:
    """Return a function that takes the values at these places from a column; for several columns, as making it takes
    time, but each call half that of `mapped`."""
    if len(places) < 2:  # for which `itemgetter` returns no tuple
        return lambda column: [column[k] for k in places]
    return itemgetter(*places)


class Numbering(dict[KeyT, int]):
    """Numbers keys in the order in which they are first seen, from 0 on."""

    def __missing__(self, key: KeyT) -> int:
        number = self[key] = len(self)
        return number

    def of(self, keys: Iterable[KeyT]) -> array[int]:
        """Return the number of each of these keys."""
        return array("I", map(self.__getitem__, keys))


def numbered(values: Iterable[Any]) -> dict[Any, int]:
    """Return the place of each of these distinct values."""
    return {value: k for k, value in enumerate(values)}


def ranked(values: Sequence[Value], first: int = 0) -> tuple[list[Value], array[int]]:
    """Return the distinct values, sorted, and the place of each value among them, counted from `first`.

    It sorts; if values repeat often `numbered` is faster.
    """
    keys: Sequence[Any] = values
    order = sorted(range(len(values)), key=keys.__getitem__)
    ordered = values_at(order)(values)
    is_other = [True, *map(ne, ordered, islice(ordered, 1, None))]
    ranks = array("I", bytes(4 * len(order)))
    for k, rank in zip(order, accumulate(islice(is_other, 1, None), initial=first), strict=False):
        ranks[k] = rank
    return list(compress(ordered, is_other)), ranks

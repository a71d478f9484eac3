"""Columns of integers, and functions that number, group and sort values.

All columns are plain arrays of integers, so that they can be mapped into memory from a file.
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
"""A column of unsigned integers: 32 bits, 64 bits for sizes and times of files, or 8 bits after `small`."""

NONE = 0xFFFF_FFFF
"""The number in a column that means a missing value."""


class Postings:
    """The rows of a column, grouped by value. The rows in each group are ascending.

    The group of value v begins at `offsets[v]`.
    """

    __slots__ = ("offsets", "rows")

    def __init__(self, rows: Ints, offsets: Ints) -> None:
        self.rows, self.offsets = rows, offsets

    @classmethod
    def of(cls, column: Ints, values: int) -> Postings:
        counts = [0] * values
        for value in column:
            counts[value] += 1
        offsets = array("I", accumulate(counts, initial=0))
        free = offsets[:]  # for each value, the index at which to store its next row
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
    """Apply a function to each entry of a column, and return the results as a column."""
    return array("I", map(number, column))


def small(column: array[int]) -> array[int]:
    """Return the column with 8 bits for each number if all numbers are less than 256, else the same column."""
    return array("B", column) if max(column, default=0) < 256 else column


def marks(column: Ints, wanted: Sequence[bool]) -> bytes:
    """Return a byte for each entry of a column: 1 if `wanted[entry]` is true, else 0."""
    if column.itemsize == 1:
        return column.tobytes().translate(bytes(wanted[:256]).ljust(256, b"\0"))
    return bytes(map(wanted.__getitem__, column))


def values_at(places: Sequence[int]) -> Callable[[Sequence[Value]], Sequence[Value]]:
    """Return a function that returns the values of a column at these indexes.

    Use the function for several columns: its creation takes time, but each call takes half the time of `mapped`.
    """
    if len(places) < 2:  # `itemgetter` returns a tuple only for two or more indexes
        return lambda column: [column[k] for k in places]
    return itemgetter(*places)


class Numbering(dict[KeyT, int]):
    """A dictionary that assigns the numbers 0, 1, 2, … to new keys."""

    def __missing__(self, key: KeyT) -> int:
        number = self[key] = len(self)
        return number

    def of(self, keys: Iterable[KeyT]) -> array[int]:
        """Return the numbers of these keys."""
        return array("I", map(self.__getitem__, keys))


def numbered(values: Iterable[Any]) -> dict[Any, int]:
    """Return a dictionary that maps each value to its index. The values must be distinct."""
    return {value: k for k, value in enumerate(values)}


def ranked(values: Sequence[Value], first: int = 0) -> tuple[list[Value], array[int]]:
    """Return the sorted distinct values, and the number of each given value.

    The number is the index among the sorted values, plus `first`. If values repeat often, `numbered` is faster,
    because this function sorts all values.
    """
    keys: Sequence[Any] = values
    order = sorted(range(len(values)), key=keys.__getitem__)
    ordered = values_at(order)(values)
    is_other = [True, *map(ne, ordered, islice(ordered, 1, None))]
    ranks = array("I", bytes(4 * len(order)))
    for k, rank in zip(order, accumulate(islice(is_other, 1, None), initial=first), strict=False):
        ranks[k] = rank
    return list(compress(ordered, is_other)), ranks

"""Caches for functions and methods, and a function that groups pairs."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from math import inf
from typing import Any, TypeVar

KeyT = TypeVar("KeyT")
Value = TypeVar("Value")


class Once(dict[KeyT, Value]):
    """A cache for a function of one argument. It keeps the latest `most` values."""

    def __init__(self, make: Callable[[KeyT], Value], most: float = inf) -> None:
        super().__init__()
        self._make, self._most = make, most

    def __missing__(self, key: KeyT) -> Value:
        if len(self) >= self._most:
            del self[next(iter(self))]
        made = self[key] = self._make(key)
        return made

    def of(self, keys: Iterable[KeyT]) -> list[Value]:
        """Return the value for each of these keys."""
        return list(map(self.__getitem__, keys))


MAX_CACHED_VALUES = 50
"""Maximum number of cached values for each method. A new value replaces the oldest value."""


def latest(make: Callable[[Any, KeyT], Value]) -> cached_property[Once[KeyT, Value]]:
    """A decorator that caches the latest results of a method with one argument.

    Call the decorated method as `self.method[argument]`.
    """
    return cached_property(lambda self: Once(partial(make, self), MAX_CACHED_VALUES))


def grouped(pairs: Iterable[tuple[KeyT, Value]]) -> dict[KeyT, list[Value]]:
    """Group pairs (key, value): return the list of values for each key. Keys and values keep their order."""
    found: defaultdict[KeyT, list[Value]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return dict(found)

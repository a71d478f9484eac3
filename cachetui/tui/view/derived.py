"""What follows from a view, worked out once: results hang on the index, rows of lists on the results.

Nothing has to be thrown away by hand: all of it goes with the index.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.results import Results

MOST_KEPT = 50
"""Values that hang on one object at most: the one that was not used for longest goes."""

T = TypeVar("T")


def kept(on: object, key: Hashable, make: Callable[[], T]) -> T:
    """What `make` gave for a key of an object, made once."""
    found = _all_kept(on)
    found[key] = value = found.pop(key) if key in found else make()  # those used last stand last
    if len(found) > MOST_KEPT:
        del found[next(iter(found))]
    return value


def known(on: object, key: Hashable) -> Any:
    """What was given to `keep` for a key of an object; None where nothing was, or that was long ago."""
    return _all_kept(on).get(key)


def keep(on: object, key: Hashable, value: object) -> None:
    """Keep what a thread has worked out for a key of an object."""
    kept(on, key, lambda: value)


def _all_kept(on: object) -> dict[Hashable, Any]:
    found: dict[Hashable, Any] = vars(on).setdefault("_kept", {})
    return found


def results_of(index: Index, query: Query) -> Results:
    """The results of a query."""
    return kept(index, ("results", query), lambda: Results.of(index, query))

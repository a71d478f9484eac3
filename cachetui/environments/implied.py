"""Whether one spec says all that another says, as far as their texts tell.

A spec is given as the pieces that it is made of, in any order: `["hdf5", "@1.14", "%gcc"]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cachetui.query.errors import QueryError
from cachetui.query.query import Query


def joined(pieces: Iterable[str]) -> Query:
    """One query of the pieces of a spec, in any order and without its dependencies; raises QueryError."""
    parts = [part for piece in pieces for part in _read(piece.partition("^")[0]).parts]
    parts.sort(key=lambda part: part.key != "name")
    return _read(Query(tuple(parts)).line)


def with_dependencies(query: Query, pieces: Iterable[str]) -> Query:
    """The query of these pieces with the dependencies (`^`) that they name too; raises QueryError."""
    texts = (caret + behind for piece in pieces for _, caret, behind in [piece.partition("^")] if caret)
    parts = [part for text in texts for part in _read(text).parts]
    return _read(Query((*query.parts, *parts)).line) if parts else query


def satisfies(pieces: Sequence[str], other: Sequence[str]) -> bool:
    """Whether whatever meets the one spec meets the other."""
    try:
        parts, wanted = joined(pieces).parts, joined(other).parts
    except QueryError:
        return False
    if not wanted and not _dependencies(other):
        return False
    implied = all(any(part.within(each) for part in parts) for each in wanted)
    return implied and _dependencies(other) <= _dependencies(pieces)


def _dependencies(pieces: Iterable[str]) -> set[str]:
    return {dependency.strip() for piece in pieces for dependency in piece.split("^")[1:]}


def _read(text: str) -> Query:
    return Query.parse(text, has_graph=True)

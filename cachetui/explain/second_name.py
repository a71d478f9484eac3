"""The names that may be meant by one typed behind another: a query names one package, so each takes the other's place.

Input: an index and the text of a query that is typed, whose names are fuzzy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cachetui.model.likeness import nearest_names
from cachetui.query.errors import QueryError
from cachetui.query.keys import KEYS
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.names import WORDS

_NAME = re.compile(r"(?:^|(?<=\s))[A-Za-z0-9_][\w.-]*$")

_LEAST_LIKE_KEY = 3
"""Letters from which on a word that is spelled like a key is no name."""


def is_beginning_of_name(index: Index, typed: str) -> bool:
    """Whether a package has what was typed in its name."""
    return any(match.score >= WORDS for match in index.named_like(typed)[:1])


def names_instead(index: Index, before: str) -> Iterator[tuple[int, str]]:
    """For a text that ends in a second name: where the first one begins, and what may stand from there on, best first.

    `hdf5@1.14 +mpi opnmpi` gives 0 and `openmpi +mpi`: a version, and variants that the second package has not, are of
    the first. Nothing for any other text.
    """
    match = _NAME.search(before)
    if match is None or not before[: match.start()].strip():
        return
    try:
        query = Query.parse(before[: match.start()], fuzzy_name=True, has_graph=bool(index.graph))
    except QueryError:
        return
    typed, first = match[0], query.package
    is_like_key = len(typed) >= _LEAST_LIKE_KEY and nearest_names(typed, sorted(KEYS))
    if first is None or (is_like_key and not is_beginning_of_name(index, typed)):
        return
    behind = [part for part in query.parts if part.start >= first.end]
    for like in index.named_like(typed):
        rows, others = index.package_rows(like.number), before[: match.start()].rstrip()
        for part in reversed(behind):
            is_lacking = part.column == "variants" and rows.isdisjoint(index.part_rows(part))
            if part.column == "version" or is_lacking:
                others = others[: part.start].rstrip() + others[part.end :]
        yield first.start, f"{index.packages[like.number]}{others[first.end :]}"

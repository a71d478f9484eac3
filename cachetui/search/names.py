"""Fuzzy package names: which names a few typed letters may mean, best first.

A name matches when it contains what was typed, or has a word that begins with each typed word, or has the typed
letters in their order, or, where no name has it written in it, is spelled nearly so. The kinds never mix; within one
the similarity decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from cachetui.model.edit_distance import WORDS, shared_spans, typed_words, written_in

ANSWERS_KEPT = 16

LEAST_LETTERS = 25.0
"""Scattered letters count only where they make up this much of the name: similarity from 0 to 100."""

LEAST_SPELLING = 75.0
"""A misspelt name must be this similar, from 0 to 100."""


class NameMatch(Struct, frozen=True):
    number: int
    """The place of the name in the list that was searched."""
    is_written: bool
    """Whether what was typed is written in it; if not, it has the letters or is spelled alike."""


@lru_cache(ANSWERS_KEPT)
def matches(typed: str, names: tuple[str, ...]) -> Sequence[NameMatch]:
    """The names that match, best first, an exact one always before all others; ties in the order of the list.

    The last answers are kept: while a query is typed several ask the same.
    """
    wanted = typed.lower()
    if not wanted:
        return tuple(NameMatch(number, True) for number in range(len(names)))
    words = typed_words(wanted)
    letters = re.compile(".*?".join(map(re.escape, wanted)), re.DOTALL)
    from rapidfuzz import fuzz, process  # late, as most commands have exact names

    found = []
    lowered = [name.lower() for name in names]
    for name, similar, number in process.extract(wanted, lowered, scorer=fuzz.ratio, limit=None):
        rank = 0 if name == wanted else written_in(wanted, words, name)
        if rank is None and (similar >= LEAST_SPELLING or (similar >= LEAST_LETTERS and letters.search(name))):
            rank = WORDS + 1
        if rank is not None:
            found.append((rank, -similar, number))
    found.sort()
    if found and found[0][0] <= WORDS:  # what was typed is written in a name, so it is no slip
        found = [each for each in found if each[0] <= WORDS or letters.search(lowered[each[2]])]
    return tuple(NameMatch(number, rank <= WORDS) for rank, _, number in found)


def matched_spans(typed: str, name: str) -> Sequence[tuple[int, int]]:
    """Which parts of a name were typed, as (start, end), in order and apart."""
    wanted, lowered = typed.lower(), name.lower()
    if not wanted or len(lowered) != len(name):
        return ()
    at = lowered.find(wanted)
    return ((at, at + len(wanted)),) if at >= 0 else shared_spans(wanted, lowered)

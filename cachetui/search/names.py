"""Fuzzy package names: which names a few typed letters may mean, best first.

A name matches when it contains what was typed, or has a word that begins with each typed word, or has the typed
letters in their order, or, where no name has it written in it, is spelled nearly so; each kind has its own band of
scores, so the kinds never mix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from cachetui.model import edit_distance
from cachetui.model.edit_distance import typed_words, written_in

EXACT, PREFIX, WORD, INSIDE, WORDS, LETTERS = 600.0, 500.0, 400.0, 300.0, 200.0, 100.0
"""The bands: within one, the similarity (0 to 100) decides."""

_BANDS = {
    edit_distance.BEGINS: PREFIX,
    edit_distance.WORD: WORD,
    edit_distance.INSIDE: INSIDE,
    edit_distance.WORDS: WORDS,
}

ANSWERS_KEPT = 16

LEAST_LETTERS = 25.0
"""Scattered letters count only where they make up this much of the name: similarity from 0 to 100."""

LEAST_SPELLING = 75.0
"""A misspelt name must be this similar, from 0 to 100."""


class NameMatch(Struct, frozen=True):
    number: int
    """The place of the name in the list that was searched."""
    score: float


@lru_cache(ANSWERS_KEPT)
def matches(typed: str, names: tuple[str, ...]) -> Sequence[NameMatch]:
    """The names that match, best first, an exact one always before all others; ties in the order of the list.

    The last answers are kept: while a query is typed several ask the same.
    """
    wanted = typed.lower()
    if not wanted:
        return tuple(NameMatch(number, 0.0) for number in range(len(names)))
    words = typed_words(wanted)
    letters = re.compile(".*?".join(map(re.escape, wanted)), re.DOTALL)
    from rapidfuzz import fuzz, process  # late, as most commands have exact names

    found = []
    lowered = [name.lower() for name in names]
    for name, similar, number in process.extract(wanted, lowered, scorer=fuzz.ratio, limit=None):
        score = _score(wanted, words, letters, name, similar)
        if score:
            found.append(NameMatch(number, score))
    if any(match.score >= WORDS for match in found):  # what was typed is written in a name, so it is no slip
        found = [match for match in found if match.score >= WORDS or letters.search(lowered[match.number])]
    found.sort(key=lambda match: (-match.score, match.number))
    return tuple(found)


def _score(wanted: str, words: list[str], letters: re.Pattern[str], name: str, similar: float) -> float:
    kind = written_in(wanted, words, name)
    if kind is not None:
        return EXACT if name == wanted else _BANDS[kind] + similar
    if similar >= LEAST_SPELLING or (similar >= LEAST_LETTERS and letters.search(name)):
        return LETTERS + similar
    return 0.0


def matched_spans(typed: str, name: str) -> list[tuple[int, int]]:
    """Which parts of a name were typed, as (start, end), in order and apart; none in one that is only spelled alike."""
    wanted, lowered = typed.lower(), name.lower()
    if not wanted or len(lowered) != len(name):
        return []
    at = lowered.find(wanted)
    if at >= 0:
        return [(at, at + len(wanted))]
    words = typed_words(wanted)
    places = [found.start() for word in words if (found := re.search(rf"(?:^|[-_.]){re.escape(word)}", lowered))]
    if len(words) > 1 and len(places) == len(words):
        starts = (at + (lowered[at] in "-_.") for at in places)
        return _merged((at, at + len(word)) for at, word in zip(starts, words, strict=True))
    spans, at = [], 0
    for letter in wanted:
        at = lowered.find(letter, at) + 1
        if not at:
            return []
        spans.append((at - 1, at))
    return _merged(spans)


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, those that touch or overlap as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found

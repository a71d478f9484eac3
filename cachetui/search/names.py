"""Fuzzy package names: the names that a few typed characters may mean, best first.

A name matches if it contains the typed text, has a word for the beginning of each typed word, or has the typed
characters in their order; if no name contains the text, also if it is spelled nearly so. These kinds come in this
order, and within a kind the most similar names come first.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from cachetui.model.edit_distance import WORDS, shared_spans, typed_words, written_in

LEAST_LETTERS = 25.0
"""Minimum similarity, from 0 to 100, of a name that has the typed characters scattered."""

LEAST_SPELLING = 75.0
"""Minimum similarity of a misspelt name, from 0 to 100."""


class NameMatch(Struct, frozen=True):
    number: int
    """The place of the name in the list that was searched."""
    is_written: bool
    """Whether it contains the typed text or a word for each typed word; if not, it is only similar."""


def matches(typed: str, names: Sequence[str]) -> Sequence[NameMatch]:
    """Return the names that match, best first, an exact one before all others; ties in the order of the list."""
    wanted = typed.lower()
    if not wanted:
        return tuple(NameMatch(number, True) for number in range(len(names)))
    words = typed_words(wanted)
    letters = re.compile(".*?".join(map(re.escape, wanted)), re.DOTALL)
    from rapidfuzz import fuzz, process  # late, because most commands have exact names

    found = []
    lowered = [name.lower() for name in names]
    for name, similar, number in process.extract(wanted, lowered, scorer=fuzz.ratio, limit=None):
        rank = 0 if name == wanted else written_in(wanted, words, name)
        if rank is None and (similar >= LEAST_SPELLING or (similar >= LEAST_LETTERS and letters.search(name))):
            rank = WORDS + 1
        if rank is not None:
            found.append((rank, -similar, number))
    found.sort()
    if found and found[0][0] <= WORDS:  # a name contains the typed text, so that is not a typing error
        found = [each for each in found if each[0] <= WORDS or letters.search(lowered[each[2]])]
    return tuple(NameMatch(number, rank <= WORDS) for rank, _, number in found)


def matched_spans(typed: str, name: str) -> Sequence[tuple[int, int]]:
    """Return the half-open ranges of a name in which the typed characters appear in their order."""
    wanted, lowered = typed.lower(), name.lower()
    if not wanted or len(lowered) != len(name):
        return ()
    at = lowered.find(wanted)
    return ((at, at + len(wanted)),) if at >= 0 else shared_spans(wanted, lowered)

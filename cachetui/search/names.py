"""Find the package names that match a few typed characters, best first.

First come names that contain the typed text, then names in which each typed word begins a word, then names that
contain the typed characters in the same order. If no name contains the typed text or words, names with a similar
spelling match too. Within each kind, the most similar names come first.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from cachetui.model.edit_distance import WORDS, shared_spans, typed_words, written_in

MIN_LETTERS_SIMILARITY = 25.0
"""Minimum similarity, from 0 to 100, of a name that contains the typed characters in order, but with gaps."""

MIN_SPELLING_SIMILARITY = 75.0
"""Minimum similarity of a misspelt name, from 0 to 100."""


class NameMatch(Struct, frozen=True):
    number: int
    """The index of the name in the searched list."""
    is_written: bool
    """Whether the name contains the typed text, or a word for each typed word. If not, the name is only similar."""


def matches(typed: str, names: Sequence[str]) -> Sequence[NameMatch]:
    """Return the matching names, best first. An exact match is first. Equally good names keep their order."""
    wanted = typed.lower()
    if not wanted:
        return tuple(NameMatch(number, True) for number in range(len(names)))
    words = typed_words(wanted)
    letters = re.compile(".*?".join(map(re.escape, wanted)), re.DOTALL)
    from rapidfuzz import fuzz, process  # imported late, because most commands use exact names

    found = []
    lowered = [name.lower() for name in names]
    for name, similar, number in process.extract(wanted, lowered, scorer=fuzz.ratio, limit=None):
        rank = 0 if name == wanted else written_in(wanted, words, name)
        if rank is None and (
            similar >= MIN_SPELLING_SIMILARITY or (similar >= MIN_LETTERS_SIMILARITY and letters.search(name))
        ):
            rank = WORDS + 1
        if rank is not None:
            found.append((rank, -similar, number))
    found.sort()
    if found and found[0][0] <= WORDS:  # a name contains the typed text, so the text has no typing error
        found = [each for each in found if each[0] <= WORDS or letters.search(lowered[each[2]])]
    return tuple(NameMatch(number, rank <= WORDS) for rank, _, number in found)


def matched_spans(typed: str, name: str) -> Sequence[tuple[int, int]]:
    """Return the half-open ranges of a name that contain the typed characters in the same order."""
    wanted, lowered = typed.lower(), name.lower()
    if not wanted or len(lowered) != len(name):
        return ()
    at = lowered.find(wanted)
    return ((at, at + len(wanted)),) if at >= 0 else shared_spans(wanted, lowered)

"""Hash lookup: find the hashes that match a few typed or pasted characters, best first.

The lookup searches a sorted table of hashes. The number of a hash is its index in this table. The text can be the whole
hash, the beginning of the hash, or characters inside the hash. It can also be the beginning with one or two typing
errors. A typing error is a wrong, missing or extra character, or two swapped characters.
"""

from array import array
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.edit_distance import shared_spans
from cachetui.store.arrays import StringTable, encoded

LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
"""The alphabet of hashes."""

MIN_FOR_ONE_ERROR, MIN_FOR_TWO_ERRORS = 5, 7
"""Minimum numbers of typed characters for one and for two typing errors.

Too many hashes are similar to a shorter text.
"""

_HEAD = 4
"""Maximum length of the head of a typed text, in characters (see `_candidates`)."""

MIN_AHEAD_CHARACTERS = 2
"""Minimum number of characters of a text that is searched in advance. Too many hashes contain a shorter text."""

MAX_CACHED_TEXTS = 100
"""Maximum number of texts with cached offsets."""

MatchKind = Literal["exact", "prefix", "inside", "near"]


class HashMatch(Struct, frozen=True):
    number: int
    hash: str
    kind: MatchKind
    errors: int
    """The number of typing errors: 1 or 2 for `near`, else 0."""
    spans: tuple[tuple[int, int], ...]
    """The half-open ranges of the hash that match the typed text."""


class TypedTable(StringTable):
    """A table of hashes for searches while the user types. Each search reuses the results for the previous text."""

    def __init__(self, table: StringTable) -> None:
        super().__init__(table.buffer, table.offsets, table.base)
        self._places: dict[bytes, array[int]] = {}
        self._ranges: dict[bytes, range] = {}

    def places(self, text: bytes) -> Iterable[int]:
        if text not in self._places:
            before = self._places.get(text[:-1])
            if len(self._places) == MAX_CACHED_TEXTS:
                self._places.clear()
                self._ranges.clear()
            self._places[text] = array("I", super().places(text) if before is None else self._longer(text, before))
        return self._places[text]

    def _longer(self, text: bytes, places: Iterable[int]) -> Iterator[int]:
        """Yield the offsets at which `text` occurs. `places` contains the offsets of `text[:-1]`."""
        buffer, last, behind = self.buffer, text[-1], self.base + len(text) - 1
        end = self.offsets[-1] - len(text)
        return (place for place in places if place <= end and buffer[place + behind] == last)

    def beginning_with(self, text: bytes) -> range:
        if text not in self._ranges:
            self._ranges[text] = super().beginning_with(text)
        return self._ranges[text]

    def search_ahead(self, typed: str) -> None:
        """Search in advance for the results that the next typed character will need.

        `typed` is the text before this character. The lookup of the longer text is faster if the results for the
        shorter text are already cached.
        """
        typed = typed_hash(typed)
        letters = len(typed) + 1
        tail = typed[_head(letters) + 1 :] if letters >= MIN_FOR_TWO_ERRORS else ""
        for text in (typed, tail):
            if len(text) >= MIN_AHEAD_CHARACTERS:
                self.places(encoded(text))
        if letters >= MIN_FOR_ONE_ERROR:
            for beginning in _beginnings(typed[: _head(letters)]):
                prefixed(self, beginning)


def typed_hash(text: str) -> str:
    """Return the typed or pasted text in lower case. Remove surrounding spaces, and a `/` at the beginning."""
    return text.strip().removeprefix("/").lower()


def lookup(
    table: StringTable, typed: str, limit: int = 200, numbers: Collection[int] | None = None
) -> tuple[HashMatch, ...]:
    """Return at most `limit` matches, in this order: whole hash, prefix, inside, one typing error, two typing errors.

    Within each kind, the matches are sorted by hash. With `numbers`, search only the hashes with these numbers.
    """
    if numbers is not None:
        searched = sorted(numbers)
        found_there = lookup(StringTable.of([table[number] for number in searched]), typed, limit)
        return tuple(replace(match, number=searched[match.number]) for match in found_there)
    typed = typed_hash(typed)
    if not typed:
        return ()
    found: dict[int, HashMatch] = {}
    for match in chain.from_iterable(find(table, typed) for find in (_starting, _inside, near)):
        found.setdefault(match.number, match)
        if len(found) == limit:
            break
    return tuple(found.values())


def near(table: StringTable, typed: str) -> list[HashMatch]:
    """Return the hashes that match the typed text with one or two typing errors, nearest first."""
    allowed = (len(typed) >= MIN_FOR_ONE_ERROR) + (len(typed) >= MIN_FOR_TWO_ERRORS)
    if not allowed:
        return []
    close = sorted(_close(table, typed, allowed, _candidates(table, typed, allowed)))
    return [
        HashMatch(number, table[number], "near", errors, shared_spans(typed, table[number][:length]))
        for errors, number, length in close
        if errors
    ]


def _candidates(table: StringTable, typed: str, allowed: int) -> set[int]:
    """Return the numbers of all hashes that may match the typed text with up to `allowed` typing errors.

    The typed text is divided into two parts, called head and tail. If the head has at most one error, the hash begins
    with the corrected head. So the function searches for all corrections of the head. If the head has two errors, the
    tail has none. So the function also searches for hashes that contain the tail, shifted by at most two characters.
    The search ignores the first character of the tail, because the user may have swapped it with the last character of
    the head.
    """
    head = _head(len(typed))
    found = set(chain.from_iterable(prefixed(table, beginning) for beginning in _beginnings(typed[:head])))
    if allowed > 1:
        place = head + 1
        found.update(number for number, at in table.containing(encoded(typed[place:])) if abs(at - place) <= allowed)
    return found


def _head(characters: int) -> int:
    """Return the length of the first part (head) of a typed text with this number of characters.

    The lookup of hashes with typing errors divides the typed text into two parts (see `_candidates`).
    """
    return min(_HEAD, characters // 2 if characters >= MIN_FOR_TWO_ERRORS else characters)


def _beginnings(head: str) -> set[str]:
    """Return all texts that differ from the typed head (see `_candidates`) by at most one typing error."""
    return {misspelt[:_HEAD] for misspelt in _misspelt(head)}


def prefixed(table: StringTable, prefix: str) -> range:
    """Return the numbers of all hashes with this prefix. Omit the empty hash of rows without a hash."""
    return table.beginning_with(encoded(prefix)) if prefix else range(table.bisect(b"\0"), len(table))


def shortest_unique(table: StringTable, number: int) -> str:
    """Return the shortest prefix of a hash that no other hash of the table has."""
    own = table[number]
    neighbours = [table[k] for k in (number - 1, number + 1) if 0 <= k < len(table)]
    prefixes = (own[:length] for length in range(1, len(own)))
    return next((each for each in prefixes if not any(other.startswith(each) for other in neighbours)), own)


def _starting(table: StringTable, typed: str) -> Iterator[HashMatch]:
    for number in prefixed(table, typed):
        text = table[number]
        yield HashMatch(number, text, "exact" if text == typed else "prefix", 0, ((0, len(typed)),))


def _inside(table: StringTable, typed: str) -> Iterator[HashMatch]:
    starting, last = prefixed(table, typed), -1
    for number, at in table.containing(encoded(typed)):
        if number != last and number not in starting:
            yield HashMatch(number, table[number], "inside", 0, ((at, at + len(typed)),))
        last = number


def _misspelt(text: str) -> set[str]:
    """Return the text, and all texts that differ from it by one typing error."""
    cuts = [(text[:k], text[k:]) for k in range(len(text) + 1)]
    return {
        text,
        *(a + b[1:] for a, b in cuts if b),
        *(a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1),
        *(a + letter + b[1:] for a, b in cuts if b for letter in LETTERS),
        *(a + letter + b for a, b in cuts for letter in LETTERS),
    }


def _close(table: StringTable, typed: str, allowed: int, numbers: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the hashes in `numbers` that match the typed text with at most `allowed` typing errors.

    Each item contains the number of errors, the number of the hash, and the length of the part of the hash that
    matches. This part is always at the beginning.
    """
    from rapidfuzz.distance import OSA  # imported late, because most hashes have no typing errors

    distance, most = OSA.distance, 2 * allowed
    for number in numbers:
        text = table[number]
        # one character more or less changes the distance by at most one, so one comparison excludes most hashes
        if distance(typed, text[: len(typed)], score_cutoff=most) <= most:
            lengths = range(max(len(typed) - allowed, 0), min(len(typed) + allowed, len(text)) + 1)
            errors, length = min(
                ((distance(typed, text[:length], score_cutoff=allowed), length) for length in lengths),
                default=(allowed + 1, 0),
            )
            if errors <= allowed:
                yield errors, number, length

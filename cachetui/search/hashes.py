"""Hash lookup: the hashes that a few typed or pasted characters may mean, best first.

It searches the sorted table of all hashes of a catalogue; the number of a hash is its place there. A hash is found
whole, by its beginning, by characters inside, or by a beginning with one or two typing errors (a character wrong,
missing, extra or swapped with its neighbour).
"""

from array import array
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.edit_distance import shared_spans
from cachetui.store.string_table import StringTable, encoded

LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
"""The alphabet of hashes."""

LEAST_ONE, LEAST_TWO = 5, 7
"""Minimum lengths for one error and for two, in characters: a shorter text would be like too many hashes."""

_HEAD = 4
"""Maximum length of the beginning whose misspellings are searched, in characters: few hashes share a longer one."""

LEAST_AHEAD = 2
"""Minimum length of a text that is searched ahead, in characters: a shorter one is in too many hashes."""

MAX_CACHED_TEXTS = 100
"""Maximum number of texts whose offsets in the table are kept."""

MatchKind = Literal["exact", "prefix", "inside", "near"]


class HashMatch(Struct, frozen=True):
    number: int
    hash: str
    kind: MatchKind
    errors: int
    """Typing errors: 1 or 2 for `near`, else 0."""
    spans: tuple[tuple[int, int], ...]
    """The half-open ranges of the hash that match the typed text."""


class TypedTable(StringTable):
    """A table that is searched while a text is typed: each search narrows the result of the one before."""

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
        """Yield the offsets of a text, which are among those of the text without its last byte."""
        buffer, last, behind = self.buffer, text[-1], self.base + len(text) - 1
        end = self.offsets[-1] - len(text)
        return (place for place in places if place <= end and buffer[place + behind] == last)

    def beginning_with(self, text: bytes) -> range:
        if text not in self._ranges:
            self._ranges[text] = super().beginning_with(text)
        return self._ranges[text]

    def search_ahead(self, typed: str) -> None:
        """Find the beginnings of all that a lookup with one more letter searches for."""
        wanted = typed_hash(typed)
        letters = len(wanted) + 1
        tail = wanted[_head(letters) + 1 :] if letters >= LEAST_TWO else ""
        for text in (wanted, tail):
            if len(text) >= LEAST_AHEAD:
                self.places(encoded(text))
        if letters >= LEAST_ONE:
            for beginning in _beginnings(wanted[: _head(letters)]):
                prefixed(self, beginning)


def typed_hash(text: str) -> str:
    """Return the typed or pasted text without spaces around and a `/` in front, in lower case."""
    return text.strip().removeprefix("/").lower()


def lookup(
    table: StringTable, typed: str, limit: int = 200, among: Collection[int] | None = None
) -> tuple[HashMatch, ...]:
    """Return at most `limit` matches: whole, prefix, inside, one error, two errors, the hashes of each kind sorted.

    `among`: the numbers of the hashes to search; None for all.
    """
    if among is not None:
        numbers = sorted(among)
        found_there = lookup(StringTable.of([table[number] for number in numbers]), typed, limit)
        return tuple(replace(match, number=numbers[match.number]) for match in found_there)
    wanted = typed_hash(typed)
    if not wanted:
        return ()
    found: dict[int, HashMatch] = {}
    for match in chain.from_iterable(find(table, wanted) for find in (_starting, _inside, near)):
        found.setdefault(match.number, match)
        if len(found) == limit:
            break
    return tuple(found.values())


def near(table: StringTable, wanted: str) -> list[HashMatch]:
    """Return the hashes that begin as wanted but for one or two typing errors, the nearest first."""
    allowed = (len(wanted) >= LEAST_ONE) + (len(wanted) >= LEAST_TWO)
    if not allowed:
        return []
    close = sorted(_close(table, wanted, allowed, _candidates(table, wanted, allowed)))
    return [
        HashMatch(number, table[number], "near", errors, shared_spans(wanted, table[number][:length]))
        for errors, number, length in close
        if errors
    ]


def _candidates(table: StringTable, wanted: str, allowed: int) -> set[int]:
    """Return the numbers of a superset of the hashes that begin as wanted but for `allowed` errors.

    Cut the wanted text into head and tail. Either the head has at most one error: then the hash begins as one of its
    few hundred misspellings. Or the head has all the errors: then the tail is in the hash, shifted by at most two
    characters (without its first one, which may be swapped with the last one of the head).
    """
    head = _head(len(wanted))
    found = set(chain.from_iterable(prefixed(table, beginning) for beginning in _beginnings(wanted[:head])))
    if allowed > 1:
        place = head + 1
        found.update(number for number, at in table.containing(encoded(wanted[place:])) if abs(at - place) <= allowed)
    return found


def _head(letters: int) -> int:
    """Return the length of the head that `_candidates` takes from so many typed characters."""
    return min(_HEAD, letters // 2 if letters >= LEAST_TWO else letters)


def _beginnings(head: str) -> set[str]:
    """Return how a hash may begin whose head has at most one error."""
    return {misspelt[:_HEAD] for misspelt in _misspelt(head)}


def prefixed(table: StringTable, prefix: str) -> range:
    """Return the numbers of all hashes that begin so, but for the empty hash of rows that have none."""
    return table.beginning_with(encoded(prefix)) if prefix else range(table.bisect(b"\0"), len(table))


def shortest_unique(table: StringTable, number: int) -> str:
    """Return the shortest prefix that no other hash of the table has."""
    own = table[number]
    neighbours = [table[k] for k in (number - 1, number + 1) if 0 <= k < len(table)]
    prefixes = (own[:length] for length in range(1, len(own)))
    return next((each for each in prefixes if not any(other.startswith(each) for other in neighbours)), own)


def _starting(table: StringTable, wanted: str) -> Iterator[HashMatch]:
    for number in prefixed(table, wanted):
        text = table[number]
        yield HashMatch(number, text, "exact" if text == wanted else "prefix", 0, ((0, len(wanted)),))


def _inside(table: StringTable, wanted: str) -> Iterator[HashMatch]:
    starting, last = prefixed(table, wanted), -1
    for number, at in table.containing(encoded(wanted)):
        if number != last and number not in starting:
            yield HashMatch(number, table[number], "inside", 0, ((at, at + len(wanted)),))
        last = number


def _misspelt(text: str) -> set[str]:
    """Return the text itself and all texts that are one error away."""
    cuts = [(text[:k], text[k:]) for k in range(len(text) + 1)]
    return {
        text,
        *(a + b[1:] for a, b in cuts if b),
        *(a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1),
        *(a + letter + b[1:] for a, b in cuts if b for letter in LETTERS),
        *(a + letter + b for a, b in cuts for letter in LETTERS),
    }


def _close(table: StringTable, wanted: str, allowed: int, numbers: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the errors, the number and the length of the beginning for each of these hashes that begins nearly so."""
    from rapidfuzz.distance import OSA  # late, because most hashes are found as they are written

    distance, most = OSA.distance, 2 * allowed
    for number in numbers:
        text = table[number]
        # a letter more or less changes the distance by one at most, so comparing one beginning rules most hashes out
        if distance(wanted, text[: len(wanted)], score_cutoff=most) <= most:
            lengths = range(max(len(wanted) - allowed, 0), min(len(wanted) + allowed, len(text)) + 1)
            errors, length = min(
                ((distance(wanted, text[:length], score_cutoff=allowed), length) for length in lengths),
                default=(allowed + 1, 0),
            )
            if errors <= allowed:
                yield errors, number, length

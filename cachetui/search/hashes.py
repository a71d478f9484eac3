"""Hash lookup: the hashes that a few typed or pasted letters may mean, best first.

It searches the sorted table of all hashes of a catalogue; a hash's number is its place there. A hash is found
whole, by its beginning, by a part inside, or with one or two typing errors (a letter wrong, missing, extra or
swapped with its neighbour); a match with errors is never called anything else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from cachetui.search.substring_index import Places
from cachetui.store.strings import Strings, encoded

LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
"""The alphabet of hashes."""

LEAST_ONE, LEAST_TWO = 5, 7
"""Letters that must be typed before one error is allowed for, and before two are: fewer are like every hash."""

_HEAD = 4
"""Errors are first looked for in at most this many letters at the front, which few hashes share and which a table has
at hand."""

LEAST_AHEAD = 2
"""Letters from which on the places of one more are sought ahead: with fewer, hashes that begin so are enough."""

MOST_ANSWERS = 64
"""Texts of which is kept what was found: two hashes that are typed letter by letter."""

MatchKind = Literal["exact", "prefix", "inside", "near"]


class HashMatch(Struct, frozen=True):
    number: int
    hash: str
    kind: MatchKind
    errors: int
    """0, or for `near` 1 or 2."""
    spans: tuple[tuple[int, int], ...]
    """Which letters of the hash are those that were typed, as half-open ranges."""


def typed_hash(text: str) -> str:
    """What was typed or pasted as the letters of a hash: no blanks around, no `/` before, lower case."""
    return text.strip().removeprefix("/").lower()


def lookup(table: Strings, typed: str, limit: int = 200, among: Collection[int] | None = None) -> tuple[HashMatch, ...]:
    """The hashes that match, at most `limit`: whole, prefix, inside, one error, two errors, each kind sorted.

    With `among` only those of these numbers.
    """
    return HashSearch(table).lookup(typed, limit, among)


class HashSearch:
    """The lookups in one table while a hash is typed: what one more letter takes is sought in what was found before."""

    def __init__(self, table: Strings) -> None:
        self._table = table
        self._answers: dict[tuple[str, int], tuple[HashMatch, ...]] = {}
        """What was found, by what was wanted and the limit."""
        self._places: dict[bytes, Places] = {}
        """Where texts stand, as far as that was sought."""
        self._near: dict[tuple[str, int], list[int]] = {}
        """The numbers of all hashes that begin with a text, but for so many errors."""

    def lookup(self, typed: str, limit: int = 200, among: Collection[int] | None = None) -> tuple[HashMatch, ...]:
        """The same as `lookup` of the table."""
        if among is not None:
            numbers = sorted(among)
            found_there = lookup(Strings.of([self._table[number] for number in numbers]), typed, limit)
            return tuple(replace(match, number=numbers[match.number]) for match in found_there)
        wanted = typed_hash(typed)
        if not wanted:
            return ()
        if (wanted, limit) not in self._answers:
            if len(self._answers) >= MOST_ANSWERS:
                for kept in (self._answers, self._places, self._near):
                    kept.clear()
            self._answers[wanted, limit] = self._found(wanted, limit)
        return self._answers[wanted, limit]

    def _found(self, wanted: str, limit: int) -> tuple[HashMatch, ...]:
        found = list(islice(_starting(self._table, wanted), limit))
        if len(found) < limit:
            found += islice(_inside(self._table, wanted, self._places_of(wanted)), limit - len(found))
        if len(found) < limit:
            seen = {match.number for match in found}
            found += [match for match in self.near(wanted) if match.number not in seen][: limit - len(found)]
        return tuple(found)

    def _places_of(self, text: str) -> Places:
        """Where a text stands, among the places of what it begins with if these are known."""
        wanted = encoded(text)
        if wanted not in self._places:
            self._places[wanted] = Places(self._table, wanted, self._places.get(wanted[:-1]))
        return self._places[wanted]

    def prepare(self, typed: str) -> Iterator[None]:
        """Searches ahead for what one more letter than these needs, while nothing else is to be done.

        Each step takes a few milliseconds at most; a lookup uses as much as was done by then.
        """
        wanted = typed_hash(typed)
        if wanted:
            self._table.keep_beginnings()
            yield
        ahead = [wanted] if len(wanted) >= LEAST_AHEAD else []
        if len(wanted) == LEAST_TWO - 1:
            ahead.append(wanted[_head(LEAST_TWO, 2) + 1 :])
        for text in ahead:
            while self._places_of(text).seek():
                yield

    def near(self, wanted: str) -> list[HashMatch]:
        """The same as `near` of the table."""
        allowed = _allowed(wanted)
        if not allowed:
            return []
        # Whatever begins with a text but for some errors begins with less of it, too, and with no more errors.
        before = self._near.get((wanted[:-1], allowed))
        among = self._candidates(wanted, allowed) if before is None else before
        close = list(_close(self._table, wanted, allowed, among))
        self._near[wanted, allowed] = [number for _, number, _ in close]
        return _matches(self._table, wanted, close)

    def _candidates(self, wanted: str, allowed: int) -> set[int]:
        """A superset of the hashes that begin within `allowed` errors.

        Cut what is wanted in two: either its head holds at most one error, and then the hash begins as one of the
        few hundred misspellings of the head do; or all errors are in the head, and then the tail stands in the hash as
        it is, shifted by at most two (less its first letter, which a swap across the cut would change).
        """
        head = _head(len(wanted), allowed)
        found: set[int] = set()
        self._table.keep_beginnings()
        for beginning in {misspelt[:_HEAD] for misspelt in _misspelt(wanted[:head])}:
            found.update(prefixed(self._table, beginning))
        if allowed > 1:
            place = head + 1
            found.update(number for number, at in self._places_of(wanted[place:]) if abs(at - place) <= allowed)
        return found


def beginning(table: Strings, typed: str, among: Collection[int] | None = None) -> int:
    """How many hashes begin as typed, however many of them a lookup shows."""
    numbers = prefixed(table, typed_hash(typed))
    return len(numbers) if among is None else sum(number in numbers for number in among)


def prefixed(table: Strings, prefix: str) -> range:
    """The numbers of all hashes that begin so; the empty hash of rows without one is never among them."""
    return table.beginning_with(encoded(prefix)) if prefix else range(table.bisect(b"\0"), len(table))


def shortest_unique(table: Strings, number: int) -> str:
    """The shortest prefix that no other hash of the table has."""
    own = table[number]
    neighbours = [table[k] for k in (number - 1, number + 1) if 0 <= k < len(table)]
    shared = max((_shared(own, other) for other in neighbours), default=0)
    return own[: shared + 1]


def near(table: Strings, wanted: str) -> list[HashMatch]:
    """The hashes whose beginning is within one or two typing errors of what is wanted, the nearest first."""
    return HashSearch(table).near(wanted)


def _allowed(wanted: str) -> int:
    """How many errors are allowed for."""
    return (len(wanted) >= LEAST_ONE) + (len(wanted) >= LEAST_TWO)


def _head(letters: int, allowed: int) -> int:
    """How many of so many letters are the head, in which errors are first looked for."""
    return min(_HEAD, letters // 2 if allowed > 1 else letters)


def _matches(table: Strings, wanted: str, close: Iterable[tuple[int, int, int]]) -> list[HashMatch]:
    """The matches with errors among what is close, the nearest first."""
    from rapidfuzz.distance import Indel  # late, as most hashes are found as they are written

    found = []
    for errors, number, length in sorted(close):
        if errors:
            text = table[number]
            blocks = Indel.editops(wanted, text[:length]).as_matching_blocks()
            spans = tuple((block.b, block.b + block.size) for block in blocks if block.size)
            found.append(HashMatch(number, text, "near", errors, spans))
    return found


def _starting(table: Strings, wanted: str) -> Iterator[HashMatch]:
    for number in prefixed(table, wanted):
        text = table[number]
        yield HashMatch(number, text, "exact" if text == wanted else "prefix", 0, ((0, len(wanted)),))


def _inside(table: Strings, wanted: str, places: Iterable[tuple[int, int]]) -> Iterator[HashMatch]:
    last = -1
    for number, at in places:
        if at and number != last:
            text = table[number]
            if not text.startswith(wanted):
                yield HashMatch(number, text, "inside", 0, ((at, at + len(wanted)),))
        last = number


def _misspelt(text: str) -> set[str]:
    """The text itself and everything one error away."""
    cuts = [(text[:k], text[k:]) for k in range(len(text) + 1)]
    return {
        text,
        *(a + b[1:] for a, b in cuts if b),
        *(a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1),
        *(a + letter + b[1:] for a, b in cuts if b for letter in LETTERS),
        *(a + letter + b for a, b in cuts for letter in LETTERS),
    }


def _close(table: Strings, wanted: str, allowed: int, numbers: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Which of these hashes begin as wanted, but for so many errors: how many these are, which, and the length of that
    beginning."""
    from rapidfuzz.distance import OSA

    distance, most = OSA.distance, 2 * allowed
    for number in numbers:
        text = table[number]
        # Each letter more or less changes the distance by one at most: a glance at one beginning rules most out.
        if distance(wanted, text[: len(wanted)], score_cutoff=most) <= most:
            lengths = range(max(len(wanted) - allowed, 0), min(len(wanted) + allowed, len(text)) + 1)
            errors, length = min(
                ((distance(wanted, text[:length], score_cutoff=allowed), length) for length in lengths),
                default=(allowed + 1, 0),
            )
            if errors <= allowed:
                yield errors, number, length


def _shared(one: str, other: str) -> int:
    for k, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return k
    return min(len(one), len(other))

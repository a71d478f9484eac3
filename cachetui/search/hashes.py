"""Hash lookup: the hashes that a few typed or pasted letters may mean, best first.

It searches the sorted table of all hashes of a catalogue; a hash's number is its place there. A hash is found
whole, by its beginning, by a part inside, or with one or two typing errors (a letter wrong, missing, extra or
swapped with its neighbour); a match with errors is never called anything else.
"""

from __future__ import annotations

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
"""Letters that must be typed before one error is allowed for, and before two are: fewer are like every hash."""

_HEAD = 4
"""Letters at the front, at most, in which errors are first looked for: few hashes share so many."""

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


def lookup(
    table: StringTable, typed: str, limit: int = 200, among: Collection[int] | None = None
) -> tuple[HashMatch, ...]:
    """The hashes that match, at most `limit`: whole, prefix, inside, one error, two errors, each kind sorted.

    With `among` only those of these numbers.
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
    """Return the hashes whose beginning is within one or two typing errors of what is wanted, the nearest first."""
    allowed = (len(wanted) >= LEAST_ONE) + (len(wanted) >= LEAST_TWO)
    if not allowed:
        return []
    found = []
    for errors, number, length in sorted(_close(table, wanted, allowed, _candidates(table, wanted, allowed))):
        if errors:
            text = table[number]
            found.append(HashMatch(number, text, "near", errors, shared_spans(wanted, text[:length])))
    return found


def _candidates(table: StringTable, wanted: str, allowed: int) -> set[int]:
    """A superset of the hashes that begin within `allowed` errors.

    Cut what is wanted in two: either its head holds at most one error, and then the hash begins as one of the
    few hundred misspellings of the head do; or all errors are in the head, and then the tail stands in the hash as
    it is, shifted by at most two (less its first letter, which a swap across the cut would change).
    """
    head = min(_HEAD, len(wanted) // 2 if allowed > 1 else len(wanted))
    found: set[int] = set()
    for beginning in {misspelt[:_HEAD] for misspelt in _misspelt(wanted[:head])}:
        found.update(prefixed(table, beginning))
    if allowed > 1:
        place = head + 1
        found.update(number for number, at in table.containing(encoded(wanted[place:])) if abs(at - place) <= allowed)
    return found


def prefixed(table: StringTable, prefix: str) -> range:
    """The numbers of all hashes that begin so; the empty hash of rows without one is never among them."""
    return table.beginning_with(encoded(prefix)) if prefix else range(table.bisect(b"\0"), len(table))


def shortest_unique(table: StringTable, number: int) -> str:
    """The shortest prefix that no other hash of the table has."""
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
    """The text itself and everything one error away."""
    cuts = [(text[:k], text[k:]) for k in range(len(text) + 1)]
    return {
        text,
        *(a + b[1:] for a, b in cuts if b),
        *(a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1),
        *(a + letter + b[1:] for a, b in cuts if b for letter in LETTERS),
        *(a + letter + b for a, b in cuts for letter in LETTERS),
    }


def _close(table: StringTable, wanted: str, allowed: int, numbers: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Which of these hashes begin as wanted, but for so many errors: how many these are, which, and the length of that
    beginning."""
    from rapidfuzz.distance import OSA  # late, as most hashes are found as they are written

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

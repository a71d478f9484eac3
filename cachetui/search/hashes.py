"""Hash lookup: the hashes that a few typed or pasted letters may mean, best first.

It searches the sorted table of all hashes of a catalogue; a hash's number is its place there. A hash is found
whole, by its beginning, by a part inside, or with one or two typing errors (a letter wrong, missing, extra or
swapped with its neighbour); a match with errors is never called anything else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from cachetui.store.arrays import Strings

LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
"""The alphabet of hashes."""

LEAST_ONE, LEAST_TWO = 5, 7
"""Letters that must be typed before one error is allowed for, and before two are: fewer are like every hash."""

_HEAD = 6
"""Errors are first looked for in this many letters at the front, which few hashes share."""

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
    if among is not None:
        numbers = sorted(among)
        found_there = lookup(Strings.of([table[number] for number in numbers]), typed, limit)
        return tuple(replace(match, number=numbers[match.number]) for match in found_there)
    wanted = typed_hash(typed)
    if not wanted:
        return ()
    found = list(islice(_starting(table, wanted), limit))
    if len(found) < limit:
        found += islice(_inside(table, wanted), limit - len(found))
    if len(found) < limit:
        seen = {match.number for match in found}
        found += [match for match in near(table, wanted) if match.number not in seen][: limit - len(found)]
    return tuple(found)


def beginning(table: Strings, typed: str, among: Collection[int] | None = None) -> int:
    """How many hashes begin as typed, however many of them a lookup shows."""
    numbers = prefixed(table, typed_hash(typed))
    return len(numbers) if among is None else sum(number in numbers for number in among)


def prefixed(table: Strings, prefix: str) -> range:
    """The numbers of all hashes that begin so; the empty hash of rows without one is never among them."""
    text = prefix.encode("utf-8", "surrogatepass")
    first = table.bisect(text or b"\0")
    return range(first, table.bisect(text + b"\xff", first))


def shortest_unique(table: Strings, number: int) -> str:
    """The shortest prefix that no other hash of the table has."""
    own = table[number]
    neighbours = [table[k] for k in (number - 1, number + 1) if 0 <= k < len(table)]
    shared = max((_shared(own, other) for other in neighbours), default=0)
    return own[: shared + 1]


def near(table: Strings, wanted: str) -> list[HashMatch]:
    """The hashes whose beginning is within one or two typing errors of what is wanted, the nearest first."""
    allowed = (len(wanted) >= LEAST_ONE) + (len(wanted) >= LEAST_TWO)
    if not allowed:
        return []
    from rapidfuzz.distance import Indel  # late, as most hashes are found as they are written

    found = []
    for number in _candidates(table, wanted, allowed):
        text = table[number]
        errors, length = _distance(wanted, text, allowed)
        if 0 < errors <= allowed:
            blocks = Indel.editops(wanted, text[:length]).as_matching_blocks()
            spans = tuple((block.b, block.b + block.size) for block in blocks if block.size)
            found.append(HashMatch(number, text, "near", errors, spans))
    found.sort(key=lambda match: (match.errors, match.number))
    return found


def _starting(table: Strings, wanted: str) -> Iterator[HashMatch]:
    for number in prefixed(table, wanted):
        text = table[number]
        yield HashMatch(number, text, "exact" if text == wanted else "prefix", 0, ((0, len(wanted)),))


def _inside(table: Strings, wanted: str) -> Iterator[HashMatch]:
    last = -1
    for number, at in table.containing(wanted.encode("utf-8", "surrogatepass")):
        if at and number != last:
            text = table[number]
            if not text.startswith(wanted):
                yield HashMatch(number, text, "inside", 0, ((at, at + len(wanted)),))
        last = number


def _candidates(table: Strings, wanted: str, allowed: int) -> set[int]:
    """A superset of the hashes that begin within `allowed` errors.

    Cut what is wanted in two: either its head holds at most one error, and then the hash begins with one of the
    few hundred misspellings of the head; or all errors are in the head, and then the tail stands in the hash as
    it is, shifted by at most two (less its first letter, which a swap across the cut would change).
    """
    head = min(_HEAD, len(wanted) // 2 if allowed > 1 else len(wanted))
    found: set[int] = set()
    for misspelt in _misspelt(wanted[:head]):
        found.update(prefixed(table, misspelt))
    if allowed > 1:
        tail, place = wanted[head + 1 :], head + 1
        found.update(
            number
            for number, at in table.containing(tail.encode("utf-8", "surrogatepass"))
            if abs(at - place) <= allowed
        )
    return found


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


def _distance(wanted: str, text: str, allowed: int) -> tuple[int, int]:
    """The fewest errors between what is wanted and a beginning of the text, and the length of that beginning."""
    from rapidfuzz.distance import OSA

    lengths = range(max(len(wanted) - allowed, 0), min(len(wanted) + allowed, len(text)) + 1)
    if not lengths:
        return allowed + 1, 0
    return min((OSA.distance(wanted, text[:length], score_cutoff=allowed), length) for length in lengths)


def _shared(one: str, other: str) -> int:
    for k, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return k
    return min(len(one), len(other))

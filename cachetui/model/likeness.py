"""Which names are spelled most like one that is not there: what every "nearest" and "did you mean" offers.

Typing errors come first: a letter wrong, missing, extra or swapped with its neighbour. Then come names that contain
what was typed or begin nearly so, then those that are like it as a whole.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from cachetui.model.spec import split_compiler
from cachetui.model.version import sort_key

NEAREST = 3
"""Most names that are offered for one that is not there."""

_LEAST_SIMILAR = 60.0
"""From 0 to 100; below it two names have nothing to do with each other."""

_ROOM_FOR_TWO = 6
"""Letters from which on two typing errors leave enough of a name to know it by."""

_LEAST_SLIPPED = 3
"""Signs from which on one too few, too many or out of its place is taken for a slip."""

_LEAST_ALONE = 2
"""The same where no other name is as near."""

BEGINS, WORD, INSIDE, WORDS, _SIMILAR = range(10, 15)
"""The kinds of likeness behind those of a few typing errors, which are their number; the nearest first."""


def typed_words(typed: str) -> list[str]:
    """Return the words of what was typed."""
    return [word for word in re.split(r"[-_.\s]+", typed) if word]


def written_in(wanted: str, words: Sequence[str], name: str) -> int | None:
    """Return how a name contains what was typed, or has a word that begins with each of its words; None if neither."""
    if wanted in name:
        if name.startswith(wanted):
            return BEGINS
        return WORD if any(f"{sign}{wanted}" in name for sign in "-_.") else INSIDE
    parts = re.split(r"[-_.]", name) if len(words) > 1 and all(word in name for word in words) else ()
    return WORDS if parts and all(any(part.startswith(word) for part in parts) for word in words) else None


def nearest_names(
    typed: str, names: Sequence[str], most: int = NEAREST, *, only_errors: bool = False
) -> tuple[str, ...]:
    """The names that are most like what was typed, best first, ties in the order in which they are given.

    `only_errors`: none but those that a few typing errors set apart from it.
    """
    wanted = typed.lower()
    if not wanted:
        return ()
    from rapidfuzz import fuzz  # late, as most names are there

    lowered = [name.lower() for name in names]
    numbers = _numbers(wanted)

    def place(at: int) -> tuple[int, tuple[float, ...], float, int]:
        return kinds[at], _apart(numbers, _numbers(lowered[at])), -fuzz.ratio(wanted, lowered[at]), at

    kinds = _kinds(wanted, lowered)
    if only_errors:
        kinds = {at: kind for at, kind in kinds.items() if kind < BEGINS}
    return tuple(names[at] for at in sorted(kinds, key=place)[:most])


def nearest_versions(wanted: str, versions: Sequence[str]) -> tuple[str, ...]:
    """The versions that come nearest to the wanted one in their order, of two as near the newer one first."""
    ordered = sorted(versions, key=sort_key)
    place = bisect_left(ordered, sort_key(wanted), key=sort_key) - 0.4
    return tuple(ordered[at] for at in sorted(range(len(ordered)), key=lambda at: abs(at - place))[:NEAREST])


def nearest_compilers(wanted: str, compilers: Sequence[str]) -> tuple[str, ...]:
    """The nearest versions of the wanted compiler, or of those whose names are most like its name, best first."""
    name, version = split_compiler(wanted)
    names = list(dict.fromkeys(split_compiler(compiler)[0] or compiler for compiler in compilers))
    near = (name,) if name in names else nearest_names(name, names)
    if not version:
        return near
    found = []
    for like in near:
        versions = [other for each, other in map(split_compiler, compilers) if each == like and other]
        found += [f"{like}@{each}" for each in nearest_versions(version, versions)]
    return tuple(found[:NEAREST])


def slips(typed: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names that became what was typed by one slip: a sign left out, doubled or swapped with its neighbour."""
    found = [names[at] for at in _errors(typed, names, 1)] if len(typed) >= _LEAST_SLIPPED else []
    return tuple(name for name in found if _is_slip(typed, name))


def only_slip(typed: str, names: Sequence[str]) -> str:
    """The name that became what was typed by one slip, where no other is as near and no number differs; else empty.

    With another number in it, another version or os may be meant; but not where a digit of it is typed twice.
    """
    wanted = typed.lower()
    near = _errors(wanted, [name.lower() for name in names], 1) if len(wanted) >= _LEAST_ALONE else {}
    if len(near) != 1:
        return ""
    name = names[next(iter(near))]
    is_same_number = _numbers(name)[1] == _numbers(wanted)[1] or _is_doubled(wanted, name.lower())
    return name if _is_slip(wanted, name.lower()) and is_same_number else ""


def _is_doubled(typed: str, name: str) -> bool:
    """Whether a sign stands in what was typed once more than in the name, right behind itself: `zen33` for `zen3`."""
    places = (at for at in range(1, len(typed)) if typed[at] == typed[at - 1])
    return any(typed[:at] + typed[at + 1 :] == name for at in places)


def _is_slip(typed: str, name: str) -> bool:
    """Whether two names that one typing error sets apart have no other sign in place of one."""
    return len(name) != len(typed) or sorted(name) == sorted(typed)


def _kinds(wanted: str, names: Sequence[str]) -> dict[int, int]:
    """How the names are like what was typed, by their places; without those that are not."""
    from rapidfuzz import fuzz, process

    similar = process.extract(wanted, names, scorer=fuzz.ratio, score_cutoff=_LEAST_SIMILAR, limit=None)
    found = dict.fromkeys((at for _, _, at in similar), _SIMILAR)
    most = 2 if len(wanted) >= _ROOM_FOR_TWO else 1
    # two short names that differ in a letter have nothing to do with each other unless they are similar too
    errors = {at: each for at, each in _errors(wanted, names, most).items() if at in found}
    words = typed_words(wanted)
    written = {at: kind for at, name in enumerate(names) if (kind := written_in(wanted, words, name)) is not None}
    return found | written | errors


def _errors(wanted: str, names: Sequence[str], most: int) -> dict[int, int]:
    """The names with at most so many typing errors, and how many each has."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    found = process.extract(wanted, names, scorer=OSA.distance, score_cutoff=most, limit=None)
    return {at: int(errors) for _, errors, at in found}


def _numbers(name: str) -> tuple[str, tuple[int, ...]]:
    """The name with a `#` for each of its numbers, and these."""
    return re.sub("[0-9]+", "#", name), tuple(int(digits[:18]) for digits in re.findall("[0-9]+", name))


def _apart(one: tuple[str, tuple[int, ...]], other: tuple[str, tuple[int, ...]]) -> tuple[float, ...]:
    """How far the numbers of two names are apart, from the first on; the farthest for names that differ otherwise.

    April 20 is nearer to May 4 than April 13 is: behind the first number that differs, the others count that way round.
    """
    if one[0] != other[0]:
        return (float("inf"),)
    apart = [float(b - a) for a, b in zip(one[1], other[1], strict=True)]
    is_less = next((each < 0 for each in apart if each), False)
    return tuple(-each if is_less else each for each in apart)

"""Find the names, versions and compilers that are most similar to an unknown value, for suggestions.

First come names with one or two typing errors: a wrong, missing or extra character, or two swapped characters. Names
that contain the typed text follow, then other similar names.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence

from cachetui.model.spec import split_compiler
from cachetui.model.version import sort_key

MAX_NEAREST_NAMES = 3
"""Maximum number of suggestions."""

_MIN_SIMILARITY_PERCENT = 60.0
"""Minimum similarity of a suggested name, in percent."""

_MIN_CHARACTERS_FOR_TWO = 6
"""Minimum number of characters of a typed name that may have two typing errors. A shorter name may have one error."""

BEGINS, WORD, INSIDE, WORDS, _SIMILAR = range(10, 15)
"""Ranks of similar names, best first. Names with typing errors come first: their rank is the number of errors."""


def typed_words(typed: str) -> list[str]:
    """Return the distinct words of a string. `-`, `_`, `.` and spaces separate words."""
    return list(dict.fromkeys(word for word in re.split(r"[-_.\s]+", typed) if word))


def written_in(typed: str, words: Sequence[str], name: str) -> int | None:
    """Return how well a name matches the typed text: `BEGINS`, `WORD`, `INSIDE` or `WORDS`; None if it does not match.

    `BEGINS`, `WORD` and `INSIDE`: the name contains the typed text at its start, at the start of a word, or elsewhere.
    `WORDS`: each of the typed `words` is the beginning of a word of the name. All arguments are in lower case.
    """
    if typed in name:
        if name.startswith(typed):
            return BEGINS
        return WORD if any(f"{sign}{typed}" in name for sign in "-_.") else INSIDE
    parts = re.split(r"[-_.]", name) if len(words) > 1 and all(word in name for word in words) else ()
    return WORDS if parts and all(any(part.startswith(word) for part in parts) for word in words) else None


def nearest_names(typed: str, names: Sequence[str], most: int = MAX_NEAREST_NAMES) -> tuple[str, ...]:
    """Return the names that are most similar to the typed text, best first. Equally similar names keep their order."""
    wanted = typed.lower()
    if not wanted:
        return ()
    from rapidfuzz import fuzz, process  # late, because most typed names exist
    from rapidfuzz.distance import OSA

    lowered, words = [name.lower() for name in names], typed_words(wanted)
    ratios = {at: ratio for _, ratio, at in process.extract(wanted, lowered, scorer=fuzz.ratio, limit=None)}
    similar = {at for at, ratio in ratios.items() if ratio >= _MIN_SIMILARITY_PERCENT}
    ranks = dict.fromkeys(similar, _SIMILAR)
    ranks |= {at: rank for at, name in enumerate(lowered) if (rank := written_in(wanted, words, name)) is not None}
    most_errors = 2 if len(wanted) >= _MIN_CHARACTERS_FOR_TWO else 1
    for _, errors, at in process.extract(wanted, lowered, scorer=OSA.distance, score_cutoff=most_errors, limit=None):
        if at in similar:  # excludes unrelated short names that differ in one character
            ranks[at] = int(errors)
    return tuple(names[at] for at in sorted(ranks, key=lambda at: (ranks[at], -ratios[at], at))[:most])


def shared_spans(typed: str, text: str) -> tuple[tuple[int, int], ...]:
    """Return the ranges (start, end) of `text` to highlight: the characters that `typed` has in the same order."""
    from rapidfuzz.distance import Indel

    blocks = Indel.editops(typed, text).as_matching_blocks()
    return tuple((block.b, block.b + block.size) for block in blocks if block.size)


def nearest_versions(wanted: str, versions: Sequence[str]) -> tuple[str, ...]:
    """Return the versions that are nearest in Spack's order, nearest first. The newer of two equally near is first."""
    ordered = sorted(versions, key=sort_key)
    place = bisect_left(ordered, sort_key(wanted), key=sort_key) - 0.4
    return tuple(ordered[at] for at in sorted(range(len(ordered)), key=lambda at: abs(at - place))[:MAX_NEAREST_NAMES])


def nearest_compilers(wanted: str, compilers: Sequence[str]) -> tuple[str, ...]:
    """Return suggestions for an unknown compiler: the nearest versions of a compiler with the same name.

    If no compiler has this name, suggest compilers with similar names.
    """
    name, version = split_compiler(wanted)
    names = list(dict.fromkeys(split_compiler(compiler)[0] or compiler for compiler in compilers))
    near = (name,) if name in names else nearest_names(name, names)
    if not version:
        return near
    found = []
    for like in near:
        versions = [other for each, other in map(split_compiler, compilers) if each == like and other]
        found += [f"{like}@{each}" for each in nearest_versions(version, versions)]
    return tuple(found[:MAX_NEAREST_NAMES])

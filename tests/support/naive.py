"""A second, slow implementation of queries: naive loops over rows, one rule after the other.

It shares with the program only the parsed terms and the ancestors of targets. The program finds the end of a version
range by the next higher version; this module compares prefixes instead.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cachetui.model.targets import ancestors
from cachetui.model.version import Between, Exactly
from cachetui.query.query import Query
from cachetui.query.terms import (
    CompilerTerm,
    FitsTerm,
    HashTerm,
    NameTerm,
    TargetRange,
    Term,
    ValueTerm,
    VariantTerm,
    VersionTerm,
)

LATE = ["stable", "nightly", "trunk", "head", "master", "main", "develop"]
EARLY = ["alpha", "beta", "rc"]
NEW_NAMES = {
    "clang": "llvm",
    "oneapi": "intel-oneapi-compilers",
    "rocmcc": "llvm-amdgpu",
    "arm": "acfl",
    "intel": "intel-oneapi-compilers-classic",
}


GLIBC = {"amzn2": 26, "rhel8": 28, "ubuntu20.04": 31, "rhel9": 34, "ubuntu22.04": 35, "ubuntu24.04": 39}
"""The minor version of the glibc of some systems."""


def satisfies(query: Query, row: Mapping[str, Any]) -> bool:
    """Return whether every term of the query matches the row. The row is a dictionary with the values of a page."""
    return all(_satisfies_term(term, row) for term in query.terms)


def compare(one: str, other: str) -> int:
    """Return a negative number, zero or a positive number if the first version is older, equal or newer."""
    (release, early), (other_release, other_early) = _read(one), _read(other)
    for mine, theirs in zip(release, other_release, strict=False):
        if _kind(mine) != _kind(theirs):
            return _kind(mine) - _kind(theirs)
        if mine != theirs:
            if mine in LATE:
                return LATE.index(mine) - LATE.index(theirs)
            if mine[0].isdigit():
                if int(mine) != int(theirs):
                    return int(mine) - int(theirs)
            else:
                return -1 if mine < theirs else 1
    if len(release) != len(other_release):
        return len(release) - len(other_release)
    return -1 if early < other_early else int(early > other_early)


def begins(version: str, prefix: str) -> bool:
    """Return whether `@prefix` matches a version."""
    (release, early), (searched, searched_early) = _read(version), _read(prefix)
    if searched_early[0] < len(EARLY):
        return compare(version, prefix) == 0
    if len(release) < len(searched) or (len(release) == len(searched) and early[0] < len(EARLY)):
        return False
    for place, (mine, theirs) in enumerate(zip(release, searched, strict=False)):
        last_word = place == len(searched) - 1 and _kind(theirs) == 0
        if _kind(mine) != _kind(theirs):
            return False
        if last_word and mine.startswith(theirs):
            return True
        if mine != theirs and not (mine[0].isdigit() and int(mine) == int(theirs)):
            return False
    return True


def _read(version: str) -> tuple[list[str], tuple[int, int]]:
    runs = re.findall(r"[0-9]+|[A-Za-z]+", version)
    for place, early in enumerate(EARLY):
        if len(runs) > 2 and runs[-2] == early and runs[-1][0].isdigit():
            return runs[:-2], (place, int(runs[-1]))
        if len(runs) > 1 and runs[-1] == early:
            return runs[:-1], (place, -1)
    return runs, (len(EARLY), 0)


def _kind(run: str) -> int:
    return 2 if run in LATE else 1 if run[0].isdigit() else 0


def _satisfies_term(term: Term, row: Mapping[str, Any]) -> bool:
    match term:
        case NameTerm():
            return term.namespace in ("", "builtin") and row["package"] == term.name
        case HashTerm():
            return str(row["hash"])[: len(term.prefix)] == term.prefix
        case VersionTerm():
            return any(_satisfies_item(item, text) for item in term.versions.items for text in row["versions"])
        case CompilerTerm():
            name, version = _compiler(row["compiler"])
            if term.versions is None or name != term.name:
                return name == term.name
            return any(_satisfies_item(item, version) for item in term.versions.items)
        case VariantTerm():
            return any(_satisfies_variant(term, text) for text in row["variants"])
        case FitsTerm():
            runs = ancestors(term.host.target) or frozenset()
            newer = GLIBC.get(row["os"], 0) > GLIBC.get(str(term.host.os), 99)
            return row["platform"] == term.host.platform and row["target"] in runs and not newer
        case ValueTerm():
            values = row["stacks"] if term.key == "stack" else [row[term.key]]
            return any(_names(term, value) for value in values) is not term.excluded
        case _:
            raise AssertionError(term)


def _satisfies_item(item: Exactly | Between, text: str) -> bool:
    ref, equals, version = text.removeprefix("git.").partition("=")
    is_git = bool(equals) or text.startswith("git.") or re.fullmatch(r"[0-9a-fA-F]{40}", text) is not None
    plain = (version or "develop") if is_git else text
    match item:
        case Exactly(ref=None):
            return not is_git and compare(text, item.version) == 0
        case Exactly():
            return is_git and ref == item.ref and item.version == (version and plain)
        case Between():
            from_low = not item.low or compare(plain, item.low) >= 0
            to_high = not item.high or compare(plain, item.high) < 0 or begins(plain, item.high)
            return from_low and to_high


def _compiler(text: str) -> tuple[str, str]:
    name, _, version = text.partition("@")
    return NEW_NAMES.get(name, name), version.lstrip("=")


def _satisfies_variant(term: VariantTerm, text: str) -> bool:
    if isinstance(term.value, bool):
        return text == ("+" if term.value else "~") + term.name
    found = re.fullmatch(r"([^=:]+):?=['\"]?(.*?)['\"]?", text)
    if not found:
        return term.value == {"*"} and text[1:] == term.name
    name, words = found[1], found[2].split(",")
    if name != term.name or term.value == {"*"}:
        return name == term.name
    if term.exact:
        return sorted(words) == sorted(term.value)
    if name == "patches":
        return all(_any_starts(words, searched) for searched in term.value)
    return all(searched in words for searched in term.value)


def _any_starts(words: Sequence[str], searched: str) -> bool:
    return any(word.startswith(searched) for word in words)


def _names(term: ValueTerm, value: str) -> bool:
    for word in term.words:
        if isinstance(word, TargetRange):
            mine, low, high = (ancestors(name) or frozenset() for name in (value, word.low, word.high))
            if low <= mine and (not high or mine <= high):
                return True
        elif term.key == "compiler":
            if word in ("@".join(filter(None, _compiler(value))), _compiler(value)[0]):
                return True
        elif word == value:
            return True
    return False

"""Spack's order of versions, lists of version ranges, and the natural order of other text.

Any text is a valid version, and the order of versions is total. Only an invalid list raises an error.
"""

import re
from functools import lru_cache

from msgspec import Struct

BRANCHES = ("stable", "nightly", "trunk", "head", "master", "main", "develop")
"""Names of branches, in ascending order. They sort after all numbers."""

PRERELEASES = ("alpha", "beta", "rc")
"""Words of pre-releases, in ascending order. They are at the end of a version or before its last number."""

Component = tuple[int, int, str]
"""A part of a version that consists of digits or of other characters: its kind, its number or rank, and its text."""

Point = tuple[tuple[Component, ...], tuple[int, int]]
"""The sort key of a version: the components of its release, then the rank and the number of its pre-release."""

_WORD, _NUMBER, _BRANCH = range(3)
_FINAL = (len(PRERELEASES), 0)
_BEFORE_PRERELEASES = (-1, 0)
_UNNUMBERED = -1

_CACHED_VERSIONS = 1 << 16
_RUN = re.compile(r"[0-9]{1,4000}|[A-Za-z]+")  # int() refuses longer numbers
_COMMIT = r"[0-9A-Fa-f]{40}"


class VersionError(ValueError):
    """An invalid list of versions. `offset`: the position of the error in the text, from 0."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@lru_cache(maxsize=_CACHED_VERSIONS)
def point(version: str) -> Point:
    """Return the sort key of a version. `4-6`, `4.6` and `4.06` have the same key."""
    runs = _RUN.findall(version)
    release = tuple(map(_component, runs))
    if len(runs) >= 3 and runs[-2] in PRERELEASES and runs[-1].isdecimal():
        return release[:-2], (PRERELEASES.index(runs[-2]), int(runs[-1]))
    if len(runs) >= 2 and runs[-1] in PRERELEASES:
        return release[:-1], (PRERELEASES.index(runs[-1]), _UNNUMBERED)
    return release, _FINAL


@lru_cache(maxsize=_CACHED_VERSIONS)
def split_git(version: str) -> tuple[str | None, str]:
    """Split a git version such as `git.main=1.14` into its ref and the version to sort by.

    The ref is None for other versions.
    """
    version = version.removeprefix("=")
    ref, equals, ordered_as = version.partition("=")
    if equals or ref.startswith("git.") or re.fullmatch(_COMMIT, ref):
        return ref.removeprefix("git."), ordered_as or BRANCHES[-1]
    return None, version


def sort_key(version: str | None) -> tuple[Point, str]:
    """Return a sort key: a missing version is first, then the oldest version. Different texts have different keys."""
    return point(split_git(version or "")[1]), version or ""


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that compares numbers in a string by value: `gcc@9` is before `gcc@11`. Words are last."""
    return tuple(
        (0, int(piece), piece) if piece.isdecimal() else (1, 0, piece)
        for piece in re.findall(r"[0-9]{1,18}|[^0-9]+", text)
    )


def next_point(key: Point) -> Point:
    """Return the smallest sort key after all versions with a prefix V. `key` is the sort key of V.

    For example, the prefix 1.2 includes 1.2 and 1.2.5.
    """
    release, prerelease = key
    kind, number = prerelease
    if prerelease != _FINAL:
        return release, (kind, number + 1)
    if not release:
        return ((_WORD, 0, "A"),), _FINAL
    return (*release[:-1], _next_component(release[-1])), _FINAL


class Between(Struct, frozen=True):
    """A range of versions. `1.10:1.12` includes all versions that begin with 1.12. `1.14` means `1.14:1.14`.

    If `low` or `high` is empty, the range has no limit at this end.
    """

    low: str
    high: str

    def __str__(self) -> str:
        return self.low if self.low and self.low == self.high else f"{self.low}:{self.high}"

    def matches(self, version: str) -> bool:
        place = point(split_git(version)[1])
        return (not self.low or point(self.low) <= place) and (not self.high or place < _end(self.high))


class Exactly(Struct, frozen=True):
    """One version: `=1.14` without a git ref; `git.main=1.14` or `COMMIT=1.14` with a git ref.

    `git.main` without a version matches every version with this ref.
    """

    ref: str | None
    version: str
    """The version; empty for all versions of the ref."""

    def __str__(self) -> str:
        prefix = "git." if self.ref and not re.fullmatch(_COMMIT, self.ref) else ""
        return f"{prefix}{self.ref or ''}={self.version}".removesuffix("=")

    def matches(self, version: str) -> bool:
        ref, ordered_as = split_git(version)
        return ref == self.ref and (not self.version or point(ordered_as) == point(self.version))


VersionItem = Exactly | Between


class VersionList(Struct, frozen=True):
    """The list of versions after an `@`. The list matches a version if one of its items matches."""

    items: tuple[VersionItem, ...]

    @classmethod
    def parse(cls, text: str) -> "VersionList":
        """Parse `1.10:1.12, =1.14` or `git.REF=V`; raises VersionError."""
        items = set()
        offset = 0
        for item in text.split(","):
            items.add(_item(item.strip(), offset + len(item) - len(item.lstrip())))
            offset += len(item) + 1
        return cls(tuple(sorted(items, key=_item_key)))

    def __str__(self) -> str:
        return ",".join(map(str, self.items))

    def matches(self, version: str) -> bool:
        """Return whether one of the items matches this version. An empty string never matches."""
        return bool(version) and any(item.matches(version) for item in self.items)

    def meets(self, other: "VersionList") -> bool:
        """Return whether a version can match both lists."""
        return any(_meet(one, two) for one in self.items for two in other.items)

    def within(self, other: "VersionList") -> bool:
        """Return whether the other list certainly matches every version that this list matches."""
        return all(any(_covers(wider, item) for wider in other.items) for item in self.items)


def _covers(wider: VersionItem, item: VersionItem) -> bool:
    """Return whether `wider` certainly matches every version that `item` matches."""
    if isinstance(item, Exactly) and item.version:
        return wider.matches(str(item))
    if not isinstance(wider, Between) or not isinstance(item, Between):
        return wider == item
    from_low = not wider.low or (bool(item.low) and point(wider.low) <= point(item.low))
    return from_low and (not wider.high or (bool(item.high) and _end(item.high) <= _end(wider.high)))


def _meet(one: VersionItem, two: VersionItem) -> bool:
    """Return whether a version can match both items."""
    if isinstance(one, Between) and isinstance(two, Between):
        low = max(one.low, two.low, key=point)
        return all(not each.high or point(low) < _end(each.high) for each in (one, two))
    kinds = {type(one), type(two)}
    unordered = any(isinstance(each, Exactly) and not each.version for each in (one, two))
    return (unordered and Between in kinds) or _covers(one, two) or _covers(two, one)


def _item(text: str, offset: int) -> VersionItem:
    low, colon, high = text.partition(":")
    if colon:
        for end, at in (low, offset), (high, offset + len(low) + 1):
            if end.startswith("="):
                raise VersionError(f"{end} is one exact version and cannot be the end of a range", at)
        if low and high and next_point(point(high)) < point(low):
            raise VersionError(f"the range {low}:{high} ends before it begins", offset)
        return Between(low, high)
    if not text.strip("="):
        raise VersionError("the version is missing", offset)
    if text.startswith("="):
        return Exactly(None, text[1:])
    ref, _ = split_git(text)
    if ref is None:
        return Between(text, text)
    return Exactly(ref, text.partition("=")[2])


def _item_key(item: VersionItem) -> tuple[bool, Point, str]:
    ref, low = (None, item.low) if isinstance(item, Between) else (item.ref, item.version)
    return ref is not None, point(low), str(item)  # the parser cannot read a list that begins with a ref


@lru_cache(maxsize=_CACHED_VERSIONS)
def _end(high: str) -> Point:
    """Return the smallest sort key after a range that ends with the version `high`.

    The range does not include pre-releases of the next version.
    """
    release, prerelease = next_point(point(high))
    return release, _BEFORE_PRERELEASES if prerelease == _FINAL else prerelease


def _component(run: str) -> Component:
    if run.isdecimal():
        return _NUMBER, int(run), ""
    if run in BRANCHES:
        return _BRANCH, BRANCHES.index(run), ""
    return _WORD, 0, run


def _next_component(component: Component) -> Component:
    kind, rank, text = component
    if kind != _WORD:
        return kind, rank + 1, ""
    word = _next_word(text)
    return _WORD, 0, _next_word(word) if word in BRANCHES else word


def _next_word(word: str) -> str:
    if word.endswith("z"):
        return f"{word}A"
    return word[:-1] + ("a" if word.endswith("Z") else chr(ord(word[-1]) + 1))

"""The fast way to the rows of a newer page without any fault, as nearly all are.

Rows repeat from tag to tag in all but their hash, which the address of their tarball may hold too, beside the tag. So a
row is looked up by its text without these; it is decoded and checked the first time that it is met. The rows are the
same as those of `newer_rows`.
Input: the text behind `meta:`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count
from typing import TypeAlias

import msgspec
from msgspec import Struct

from cachetui.model.spec import Row, address, address_parts
from cachetui.sources.pages.newer_rows import Meta, summary
from cachetui.sources.pages.problems import is_size
from cachetui.sources.yaml_data import MAX_DEPTH

MOST_REMEMBERED = 1 << 14
"""Most rows that are remembered; each takes a kilobyte or two."""

MOST_AGREED = 1 << 16
"""Most texts of a `meta` that are remembered."""

_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567"
"""The letters of a hash."""

_ROWS_KEY, _HASH_KEY, _TARBALL_KEY = "\nspec_details: ", '"hash": "', '"tarball": "'
_KEY_LENGTH = len(_HASH_KEY)
_CUT = "\0"
"""Around what stands for a tag or a hash that was cut out; no page without a fault has this character."""
_HASH, _TAG = "\0hash\0", "\0tag\0"


class _Written(Struct, gc=False):
    """A row as it is written; one that lacks a field is refused."""

    hash: str
    compiler: str
    os: str
    platform: str
    target: str
    versions: tuple[str, ...]
    variants: tuple[str, ...]
    stacks: tuple[str, ...]
    size: str | int | None = None
    dependencies: tuple[str, ...] | None = None
    tarball: str | None = None


class _Plain(_Written, forbid_unknown_fields=True, gc=False):
    """A row with the known fields alone, so that nothing in it is nested deeper than their lists."""


_Kind: TypeAlias = tuple[str, str, str, str, tuple[str, ...], tuple[str, ...]]
"""Compiler, os, platform, target, versions and stacks: what `meta` tells of, and many rows share."""

_Build: TypeAlias = tuple[int, Row]
"""A row without its hash, its tarball in parts (see `model.spec.Page`), and the number of its kind."""

_PLAIN_ROW = msgspec.json.Decoder(_Plain)
_ROW = msgspec.json.Decoder(_Written)
_META = msgspec.json.Decoder(Meta)


class SoundRows(Struct, frozen=True, gc=False):
    """The rows of a page without any fault; see `model.spec.Page`."""

    hashes: tuple[str, ...]
    builds: tuple[Row, ...]


class Memory:
    """What was worked out of the rows read before, and the `meta` that agreed with them.

    Whatever is in it was checked. It forgets everything when it has grown large. Threads may share it.
    """

    def __init__(self) -> None:
        self.builds: dict[str, _Build] = {}
        """By the text of a row without its hash and tag, what it says whatever these are."""
        self._kinds: dict[_Kind, tuple[int, _Kind]] = {}
        """A number that no other kind has at any time, and the kind as it was first met."""
        self._numbers = count()
        self._agreed: set[tuple[object, ...]] = set()
        """Each text of a `meta` with the numbers of the kinds of row that it agreed with."""

    def add_build(self, around: str, build: _Build) -> None:
        """Remember a row that was found to be sound."""
        if len(self.builds) >= MOST_REMEMBERED:
            self.builds = {}
        self.builds[around] = build

    def kind(self, kind: _Kind) -> tuple[int, _Kind]:
        """Return the number of a kind, and the same kind as it was first met."""
        found = self._kinds.get(kind)
        if found is None:
            if len(self._kinds) >= MOST_REMEMBERED:
                self._kinds = {}
            found = self._kinds[kind] = next(self._numbers), kind
        return found

    def agrees(self, meta: str, numbers: Sequence[int], builds: Sequence[Row]) -> bool:
        """Whether this `meta` says what is true of rows of these kinds; raises ValueError if it cannot be decoded."""
        key = (meta, *sorted(numbers))
        if key in self._agreed:
            return True
        if meta.count("[") + meta.count("{") > MAX_DEPTH:
            return False
        if _META.decode(meta) != summary(builds):
            return False
        if len(self._agreed) >= MOST_AGREED:
            self._agreed = set()
        self._agreed.add(key)
        return True


def sound_page_rows(text: str, tag: str, memory: Memory) -> SoundRows | None:
    """Return the rows of a page of this tag without any fault, of all that follows its `meta:`; None for any other."""
    meta_end, rows_end = text.find("\n"), text.rfind("\n---")
    if not text.startswith(_ROWS_KEY, meta_end) or text[rows_end:].rstrip(" \t\r\n") != "\n---":
        return None
    meta, rows = text[:meta_end], text[meta_end + len(_ROWS_KEY) : rows_end]
    return _sound_rows(meta, rows, tag, memory) or _sound_rows(meta, _respelled(rows), tag, memory)


def _sound_rows(meta: str, rows: str, tag: str, memory: Memory) -> SoundRows | None:
    """Return the rows of a page without any fault, if they are spelled as nearly all are."""
    if not (rows.startswith("[{") and rows.endswith("}]")) or _CUT in rows:
        return None
    if _TARBALL_KEY in rows:
        rows = rows.replace(f"/{tag}/", f"/{_TAG}/")
    known = memory.builds.get
    hashes: list[str] = []
    numbers: list[int] = []
    builds: list[Row] = []
    try:
        for text in rows[2:-2].split("}, {"):
            start = text.find(_HASH_KEY) + _KEY_LENGTH
            spec_hash = text[start : start + 32]
            around = text.replace(spec_hash, _HASH)
            found = known(around)
            if found is None:
                found = _new_build(around, text, spec_hash, tag, memory)
            number, build = found
            hashes.append(spec_hash)
            numbers.append(number)
            builds.append(build)
        return _checked(meta, hashes, numbers, builds, memory)
    except (ValueError, RecursionError):
        return None


def _checked(
    meta: str, hashes: Sequence[str], numbers: Sequence[int], builds: Sequence[Row], memory: Memory
) -> SoundRows | None:
    """These rows if their hashes are some, and `meta` says what is true; raises ValueError where it cannot be read."""
    if set(map(len, hashes)) != {32} or "".join(hashes).encode().translate(None, _LETTERS):
        return None
    return SoundRows(tuple(hashes), tuple(builds)) if memory.agrees(meta, numbers, builds) else None


def _respelled(rows: str) -> str:
    """Return these rows as nearly all pages spell them; nothing where they cannot be decoded."""
    try:
        return json.dumps(json.loads(rows), ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def _new_build(around: str, text: str, spec_hash: str, tag: str, memory: Memory) -> _Build:
    """Return a row that is met for the first time, of its text without the hash and tag, and without the tag alone.

    Raises ValueError for any fault.
    """
    row = _decoded(f"{{{text.replace(_TAG, tag)}}}")
    if row.hash != spec_hash:
        raise ValueError("another hash counts")
    found = _build(row, tag, memory)
    if _is_cut_out(around, found[1].tarball):
        memory.add_build(around, found)
    return found


def _build(row: _Written, tag: str, memory: Memory) -> _Build:
    """Return a row without its hash, and the number of its kind; raises ValueError for a fault."""
    if not row.versions or not (row.size == "-" or is_size(row.size)):
        raise ValueError("no version, or not a size")
    number, kind = memory.kind((row.compiler, row.os, row.platform, row.target, row.versions, row.stacks))
    compiler, os, platform, target, versions, stacks = kind
    return number, Row(
        compiler=compiler,
        versions=versions,
        os=os,
        platform=platform,
        target=target,
        variants=row.variants,
        stacks=stacks,
        size=row.size,
        tarball=row.tarball and address_parts(row.tarball, row.hash, tag),
        dependencies=row.dependencies or (),
    )


def _decoded(text: str) -> _Written:
    """Return a row as it is written; raises ValueError for any fault that can be told from its fields alone."""
    try:
        return _PLAIN_ROW.decode(text)
    except msgspec.ValidationError:
        if text.count("[") + text.count("{") > MAX_DEPTH:
            raise
        return _ROW.decode(text)


def _is_cut_out(around: str, tarball: str | tuple[str, ...] | None) -> bool:
    """Return whether a row says the same whatever the hash and the tag are that were cut out of it.

    So it does where nothing was cut out but its own hash, spelled plainly, and hash and tag in its tarball.
    """
    if "\\u" in around:
        return False
    if not isinstance(tarball, tuple):
        return around.count(_CUT) == 2
    written = address(tarball, _HASH, _TAG) or ""
    return written in around and around.count(_CUT) == 2 * len(tarball)

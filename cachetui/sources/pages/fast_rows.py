"""The fast way to the rows of a newer page without any fault, as nearly all are.

Rows repeat from tag to tag in all but their hash, which the address of their tarball may hold too. So a short page is
looked up whole, by its text without the hashes. Any other is decoded in one go, its lists as the text that they are;
what these hold is worked out the first time that such a row is met. The rows are the same as those of `newer_rows`.
Input: the text behind `meta:`, or behind it and `spec_details:`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec import Raw, Struct

from cachetui.model.spec import Row, address, address_parts
from cachetui.sources.pages.findings import is_size
from cachetui.sources.pages.frontmatter import MAX_DEPTH
from cachetui.sources.pages.meta import Meta, summary

MOST_REMEMBERED = 1 << 14
"""Most rows that are remembered; each takes a kilobyte or two."""

MOST_AGREED = 1 << 16
"""Most texts of a `meta` that are remembered."""

MOST_PAGES = 1 << 10
"""Most pages that are remembered whole."""

SHORT = 2048
"""Bytes of a page that is looked up whole; longer ones are hardly ever the same, if only in the order of their rows."""

_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567"
"""The letters of a hash."""

_NULL = b"null"
_HASH_KEY, _TARBALL_KEY = b'"hash": "', b'"tarball": "'
_CUT = b"\0"
"""Around what stands for a tag or a hash that was cut out; no page without a fault has this byte."""
_TAG = "\0tag\0"
_NUMBERS = [b"%b%d%b" % (_CUT, number, _CUT) for number in range(SHORT // len(_HASH_KEY) + 1)]
_ROWS_KEY = b"\nspec_details: "


class _Written(Struct, gc=False):
    """A row as it is written; one that lacks a field is refused."""

    hash: str
    compiler: str
    os: str
    platform: str
    target: str
    versions: Raw
    variants: Raw
    stacks: Raw
    size: str | int | None = None
    dependencies: Raw = Raw(_NULL)
    tarball: str | None = None


_Size: TypeAlias = str | int | None
_Tarball: TypeAlias = str | tuple[str, ...] | None


class _Plain(_Written, forbid_unknown_fields=True, gc=False):
    """A row with the known fields alone, so that nothing in it is nested deeper than their lists."""


_KindKey: TypeAlias = tuple[str, str, str, str, bytes, bytes]
"""Compiler, os, platform, target, and the texts of versions and stacks: what `meta` tells of, and many rows share."""

_BuildKey: TypeAlias = tuple[str, str, str, str, bytes, bytes, bytes, _Size, bytes, _Tarball]
"""The same, the text of the variants, the size, the text of the dependencies, and the tarball (see `Row.tarball`)."""

_PLAIN_ROWS = msgspec.json.Decoder(list[_Plain])
_ROWS = msgspec.json.Decoder(list[_Written])
_META = msgspec.json.Decoder(Meta)
_TEXTS = msgspec.json.Decoder(tuple[str, ...])


class SoundRows(NamedTuple):
    """The rows of a page without any fault; see `model.spec.Page`."""

    hashes: tuple[str, ...]
    builds: tuple[Row, ...]


class Memory:
    """What was worked out of the rows read before, and the `meta` that agreed with them.

    Whatever is in it was checked. It forgets everything when it has grown large. Threads may share it.
    """

    def __init__(self) -> None:
        self.builds: dict[_BuildKey, tuple[int, Row]] = {}
        """Rows without their hashes, each with the number of its kind."""
        self._kinds: dict[_KindKey, tuple[int, Row]] = {}
        """A number that no other kind has at any time, and a row of the kind with nothing else."""
        self._numbers = count()
        self.pages: dict[bytes, tuple[Row, ...]] = {}
        """By the text behind the `meta:` of a short page, without its hashes, what its rows are beside them."""
        self._agreed: set[tuple[object, ...]] = set()
        """Each text of a `meta` with the numbers of the kinds of row that it agreed with."""

    def add_page(self, around: bytes, builds: tuple[Row, ...]) -> None:
        """Remembers a page that was found to be sound."""
        if len(self.pages) >= MOST_PAGES:
            self.pages = {}
        self.pages[around] = builds

    def new_build(self, key: _BuildKey) -> tuple[int, Row]:
        """A row that is met for the first time; raises ValueError for any fault."""
        variants, size, dependencies, tarball = key[6:]
        number, build = self._kind(key[:6])
        row = Row(
            compiler=build.compiler,
            versions=build.versions,
            os=build.os,
            platform=build.platform,
            target=build.target,
            variants=_TEXTS.decode(variants),
            stacks=build.stacks,
            size=size,
            tarball=tarball,
            dependencies=() if dependencies == _NULL else _TEXTS.decode(dependencies),
        )
        if size != "-" and not is_size(size):
            raise ValueError("not a size")
        if len(self.builds) >= MOST_REMEMBERED:
            self.builds = {}
        found = self.builds[key] = number, row
        return found

    def _kind(self, key: _KindKey) -> tuple[int, Row]:
        found = self._kinds.get(key)
        if found is None:
            compiler, os, platform, target, versions, stacks = key
            row = Row(
                compiler=compiler,
                versions=_TEXTS.decode(versions),
                os=os,
                platform=platform,
                target=target,
                stacks=_TEXTS.decode(stacks),
            )
            if not row.versions:
                raise ValueError("no version")
            if len(self._kinds) >= MOST_REMEMBERED:
                self._kinds = {}
            found = self._kinds[key] = next(self._numbers), row
        return found

    def agrees(self, meta: bytes, found: list[tuple[int, Row]]) -> bool:
        """Whether this `meta` says what is true of these rows; raises ValueError if it cannot be decoded."""
        key = (meta, *sorted([number for number, _ in found]))
        if key in self._agreed:
            return True
        if meta.count(b"[") + meta.count(b"{") > MAX_DEPTH:
            return False
        if _META.decode(meta) != summary([build for _, build in found]):
            return False
        if len(self._agreed) >= MOST_AGREED:
            self._agreed = set()
        self._agreed.add(key)
        return True


def sound_page_rows(text: bytes, tag: str, memory: Memory) -> SoundRows | None:
    """The rows of a page of this tag without any fault, of all that follows its `meta:`; None for any other."""
    if len(text) > SHORT:
        return _read_rows(text, tag, memory)
    written = [piece[:32] for piece in text.split(_HASH_KEY)[1:]]
    if _CUT in text or not _are_hashes(written):
        return None
    around = text.replace(f"/{tag}/".encode(), f"/{_TAG}/".encode()) if _TARBALL_KEY in text else text
    for number, spec_hash in zip(_NUMBERS, written, strict=False):
        around = around.replace(spec_hash, number)
    builds = memory.pages.get(around)
    if builds is not None:
        return SoundRows(tuple([spec_hash.decode() for spec_hash in written]), builds)
    found = _read_rows(text, tag, memory)
    if found is not None and _is_cut_out(text, around, found):
        memory.add_page(around, found.builds)
    return found


def _is_cut_out(text: bytes, around: bytes, found: SoundRows) -> bool:
    """Whether a page says the same of its rows whatever the hashes and the tag are that were cut out of it.

    So it does where each row spells the key of its hash plainly and once, and where nothing else was cut out but the
    row's own hash and the tag in its tarball.
    """
    if b"\\" in text or not text.count(b'"hash"') == text.count(_HASH_KEY) == len(found.hashes):
        return False
    cuts = len(found.hashes)
    for number, build in zip(_NUMBERS, found.builds, strict=False):
        if isinstance(build.tarball, tuple):
            cuts += len(build.tarball) - 1
            if (address(build.tarball, number.decode(), _TAG) or "").encode() not in around:
                return False
    return around.count(_CUT) == 2 * cuts


def _read_rows(text: bytes, tag: str, memory: Memory) -> SoundRows | None:
    meta_end, rows_end = text.find(_ROWS_KEY), text.rfind(b"\n---")
    if meta_end < 0 or rows_end < meta_end or text[rows_end:].rstrip() != b"\n---":
        return None
    return sound_rows(text[meta_end + len(_ROWS_KEY) : rows_end], text[:meta_end], tag, memory)


def sound_rows(rows_text: bytes, meta_text: bytes, tag: str, memory: Memory) -> SoundRows | None:
    """The rows of a page without any fault; None if only `careful_rows` can say what it holds."""
    try:
        for text in (rows_text, meta_text):
            if not text.isascii():
                text.decode()  # fields that nobody knows are passed over below, whatever their bytes are
        rows = _decoded(rows_text)
        hashes = tuple([row.hash for row in rows])
        if not rows or not _are_hashes([spec_hash.encode() for spec_hash in hashes]):
            return None
        found = _builds(rows, tag, memory)
        if not memory.agrees(meta_text, found):
            return None
    except (ValueError, RecursionError):
        return None
    return SoundRows(hashes, tuple([build for _, build in found]))


def _decoded(text: bytes) -> Sequence[_Written]:
    """The rows as they are written; raises ValueError for any fault that can be told from one row."""
    try:
        return _PLAIN_ROWS.decode(text)
    except msgspec.ValidationError:
        rows = _ROWS.decode(text)
    if _is_deep(text, rows):
        raise ValueError("nested too deep")
    return rows


def _builds(rows: Sequence[_Written], tag: str, memory: Memory) -> list[tuple[int, Row]]:
    """Each row without its hash, with the number of its kind; raises ValueError for any fault."""
    keys: list[_BuildKey] = [
        (
            row.compiler,
            row.os,
            row.platform,
            row.target,
            bytes(row.versions),
            bytes(row.stacks),
            bytes(row.variants),
            row.size,
            bytes(row.dependencies),
            row.tarball and address_parts(row.tarball, row.hash, tag),
        )
        for row in rows
    ]
    known = memory.builds.get
    return [known(key) or memory.new_build(key) for key in keys]


def _are_hashes(written: Sequence[bytes]) -> bool:
    """Whether all of these are whole hashes."""
    together = b" ".join(written)
    return len(together) == 33 * len(written) - 1 and len(together.translate(None, _LETTERS)) == len(written) - 1


def _is_deep(text: bytes, rows: Sequence[_Written]) -> bool:
    """Whether something in these rows may be nested deeper than may be: so many brackets are no row's or list's."""
    brackets = text.count(b"[") + text.count(b"{") - 4 * len(rows)
    return brackets > MAX_DEPTH and brackets - sum([bytes(row.dependencies) != _NULL for row in rows]) > MAX_DEPTH

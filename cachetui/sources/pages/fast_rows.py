"""The fast way to the rows of a newer page without any fault, as nearly all are.

Rows repeat from tag to tag in all but their hash and the address of their tarball. So these are cut out of the text
of each row, and the text around them is decoded only the first time that it is met, all such of a page in one go.
The rows are the same as those of `rows`.
Input: the text after `spec_details:` and `meta:`.
"""

from __future__ import annotations

import os
import string
from collections.abc import Iterable, Sequence
from itertools import count
from typing import NamedTuple

import msgspec
from msgspec.structs import force_setattr

from cachetui.model.spec import Row
from cachetui.sources.pages.findings import is_size
from cachetui.sources.pages.frontmatter import MAX_DEPTH
from cachetui.sources.pages.meta import Meta, summary

MOST_REMEMBERED = 1 << 14
"""Most rows that are remembered; each takes a kilobyte or two."""

MOST_AGREED = 1 << 16
"""Most texts of a `meta` that are remembered."""

MOST_PAGES = 1 << 13
"""Most pages that are remembered whole."""

SHORT = 2000
"""Bytes of the rows of a page that is remembered whole; longer ones are hardly ever the same."""

_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567"
"""The letters of a hash."""

_PLAIN = string.printable.strip().replace("\\", "").encode()
"""What stands in the address of a tarball: nothing that JSON spells in another way."""

_HASH_KEY = b'"hash": "'
_TARBALL_KEY = b'"tarball": "'
_BETWEEN = b"}, "

# These stand for a hash and for a tarball. They are random, so that no page can hold them.
_HASH_PROBE = os.urandom(16).hex()
_TARBALL_PROBE = os.urandom(16).hex()
_HASH_HOLE = _HASH_KEY + _HASH_PROBE.encode()
_TARBALL_HOLE = _TARBALL_KEY + _TARBALL_PROBE.encode()

_ROWS = msgspec.json.Decoder(list[Row])
_META = msgspec.json.Decoder(Meta)


class SoundRows(NamedTuple):
    """The rows of a page without any fault; see `model.spec.Page`."""

    hashes: tuple[str, ...]
    builds: tuple[Row, ...]
    tarballs: tuple[str | None, ...]


class Memory:
    """The rows that were decoded before, by their text without hash and tarball, and the `meta` that agreed with them.

    Whatever is in it was checked. It forgets everything when it has grown large. Threads may share it.
    """

    def __init__(self) -> None:
        self._builds: dict[bytes, tuple[int, Row]] = {}
        """By the text of a row without its hash and tarball: a number that no other row has, and the row."""
        self._numbers = count()
        self._agreed: set[tuple[object, ...]] = set()
        """Each text of a `meta` with the numbers of the rows that it agreed with."""
        self._pages: dict[tuple[bytes, bytes], tuple[Row, ...]] = {}
        """By the texts of `meta` and of all rows, without their hashes, what short pages without tarballs hold."""

    def page(self, meta: bytes, rows: bytes) -> tuple[Row, ...] | None:
        """The rows of a page of these texts that was read before."""
        return self._pages.get((meta, rows))

    def add_page(self, meta: bytes, rows: bytes, builds: tuple[Row, ...]) -> None:
        """Remembers a page that was found to be sound."""
        if len(self._pages) >= MOST_PAGES:
            self._pages = {}
        self._pages[meta, rows] = builds

    def builds(self, texts: Sequence[bytes]) -> list[tuple[int, Row]]:
        """The numbered rows of these texts without hash and tarball; raises ValueError for any fault."""
        found = list(map(self._builds.get, texts))
        if None in found:
            new = {text: (next(self._numbers), build) for text, build in _sound_builds(_unknown(texts, found))}
            if len(self._builds) + len(new) > MOST_REMEMBERED:
                self._builds = {}
            self._builds.update(new)
            return [known or new[text] for known, text in zip(found, texts, strict=True)]
        return [known for known in found if known]

    def agrees(self, meta: bytes, found: Sequence[tuple[int, Row]]) -> bool:
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


def sound_rows(rows_text: bytes, meta_text: bytes, memory: Memory) -> SoundRows | None:
    """The rows of a page without any fault; None if only `careful_rows` can say what it holds.

    The text is cut at each `{`. Where one does not begin a row, a piece is no JSON object, and None is returned.
    """
    if len(rows_text) <= SHORT and _TARBALL_KEY not in rows_text:
        return _short(rows_text, meta_text, memory)
    return _long(rows_text, meta_text, memory)


def _short(rows_text: bytes, meta_text: bytes, memory: Memory) -> SoundRows | None:
    """The rows of a short page without tarballs, which are mostly those of another page but for the hashes.

    Behind each key of a hash 32 letters are cut out. In a page that was read before these were the hashes of its rows;
    so they are here, where the text around them is the same and they are letters of a hash.
    """
    pieces = rows_text.split(_HASH_KEY)
    hashes = [piece[:32] for piece in pieces[1:]]
    around = _HASH_KEY.join([pieces[0], *[piece[32:] for piece in pieces[1:]]])
    builds = memory.page(meta_text, around)
    if builds is not None and not b"".join(hashes).translate(None, _LETTERS):
        return SoundRows(tuple(b" ".join(hashes).decode().split()), builds, ())
    found = _long(rows_text, meta_text, memory)
    if found is not None and len(found.hashes) == len(hashes):
        memory.add_page(meta_text, around, found.builds)
    return found


def _long(rows_text: bytes, meta_text: bytes, memory: Memory) -> SoundRows | None:
    """The rows of a page, each by itself."""
    before, *texts = rows_text.strip().split(b"{")
    if before != b"[" or not texts or texts[-1][-2:] != b"}]":
        return None
    texts[-1] = texts[-1][:-1] + b", "
    try:
        hashes, tarballs, around = _cut(texts)
        found = memory.builds(around)
        if not memory.agrees(meta_text, found):
            return None
    except (ValueError, RecursionError):
        return None
    if b"".join(hashes).translate(None, _LETTERS) or b"".join(filter(None, tarballs)).translate(None, _PLAIN):
        return None
    return SoundRows(
        tuple(b" ".join(hashes).decode().split()),
        tuple([build for _, build in found]),
        _decoded(tarballs),
    )


def _decoded(tarballs: Sequence[bytes | None]) -> tuple[str | None, ...]:
    if tarballs.count(None) == len(tarballs):
        return ()
    return tuple([None if each is None else each.decode() for each in tarballs])


def _cut(texts: Iterable[bytes]) -> tuple[list[bytes], list[bytes | None], list[bytes]]:
    """The hash of each row, its tarball where one stands after that, and the text without them; none is checked.

    A text reaches from after `{` to the next. Where the hash and the tarball stood can be told from what is left.
    Raises ValueError where there is no hash.
    """
    hashes: list[bytes] = []
    tarballs: list[bytes | None] = []
    around: list[bytes] = []
    for text in texts:
        start = text.index(_HASH_KEY) + len(_HASH_KEY)
        end = start + 32
        hashes.append(text[start:end])
        at = text.find(_TARBALL_KEY, end)
        if at < 0:
            tarballs.append(None)
            around.append(text[:start] + text[end:])
        else:
            at += len(_TARBALL_KEY)
            stop = text.index(b'"', at)
            tarballs.append(text[at:stop])
            around.append(text[:start] + text[end:at] + text[stop:])
    return hashes, tarballs, around


def _unknown(texts: Iterable[bytes], found: Iterable[object]) -> list[bytes]:
    """Those of the texts for which nothing was found, each once."""
    return list(dict.fromkeys(text for text, known in zip(texts, found, strict=True) if known is None))


def _sound_builds(texts: Sequence[bytes]) -> Iterable[tuple[bytes, Row]]:
    """Each of these texts of rows without hash and tarball with its row; raises ValueError for any fault.

    What was cut out must be the row's hash and its tarball, and not the end of a variant, or a first hash that a second
    one replaces. So the texts are decoded with random ones in their place: a row that then has these would have any.
    As many rows as texts show that each text is a row by itself.
    """
    whole = b"[{" + b"{".join(texts)
    if not whole.endswith(_BETWEEN):
        raise ValueError("not the end of a row")
    if any(text.count(b"[") > MAX_DEPTH for text in texts):
        raise ValueError("perhaps nested too deep")
    # The places where something was cut out are after these keys; a key that stands twice gives a row that is refused.
    probed = whole.replace(_HASH_KEY, _HASH_HOLE).replace(_TARBALL_KEY, _TARBALL_HOLE)
    rows = _ROWS.decode(probed[:-2] + b"]")
    for text, row in zip(texts, rows, strict=True):
        _check(text, row)
        force_setattr(row, "hash", None)
        force_setattr(row, "tarball", None)
    return zip(texts, rows, strict=True)


def _check(around: bytes, row: Row) -> None:
    """Raises ValueError where a row that was decoded with probes is not sound."""
    if row.hash != _HASH_PROBE:
        raise ValueError("not the hash of a row")
    was_cut = _TARBALL_KEY in around and around.find(_TARBALL_KEY, around.index(_HASH_KEY)) >= 0
    if row.tarball != (_TARBALL_PROBE if was_cut else None):
        raise ValueError("not the tarball of a row")
    if row.compiler is None or row.os is None or row.platform is None or row.target is None or not row.versions:
        raise ValueError("a field is missing")
    # A decoded row does not show whether an empty list was written or is missing.
    if not (row.variants or b'"variants":' in around) or not (row.stacks or b'"stacks":' in around):
        raise ValueError("a list is missing")
    if row.size != "-" and not is_size(row.size):
        raise ValueError("not a size")

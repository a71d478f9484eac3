"""The short way to the rows of a newer page that is right in every respect, as nearly all are.

Rows repeat from tag to tag in all but their hash, so most are looked up by their text and never decoded. Both ways
give the same rows for a sound page.
Input: the text behind `spec_details:` and `meta:`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

import msgspec

from cachetui.model.spec import Row
from cachetui.sources.pages.rows import Meta, is_size, summary

MOST_REMEMBERED = 1 << 16
"""So many builds, with under a kilobyte each, are remembered of the pages that were read before."""

_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567"
"""Those of a hash."""

_HASH_KEY = b'"hash": "'
_BETWEEN = b", "

_ANY_HASH = os.urandom(16).hex().encode()
"""A text that no page can hold, as long as a hash."""

_ROW = msgspec.json.Decoder(Row)
_META = msgspec.json.Decoder(Meta)


class Memory:
    """What was decoded before: rows repeat from tag to tag in all but their hash, and so does what `meta` says of them.

    Whatever is in it was checked; it forgets everything when it has grown large. Threads may share it.
    """

    def __init__(self) -> None:
        self._builds: dict[bytes, tuple[int, Row]] = {}
        """By the text of a row around its hash; each with a number that no other one ever has."""
        self._numbers = count()
        self._agreed: set[tuple[object, ...]] = set()
        """The text of `meta`, and the numbers of the rows that it agrees with."""
        self._values: dict[Any, Any] = {}
        """One object for equal values."""

    def rows(self, texts: Iterable[bytes]) -> tuple[list[bytes], list[tuple[int, Row]]]:
        """The hashes of rows, and what they say beside them; each text is a row from behind its brace up to the next.

        Raises ValueError for any fault but one in a hash.
        """
        hashes, found = [], []
        known = self._builds.get
        for text in texts:
            start = text.index(_HASH_KEY) + len(_HASH_KEY)
            end = start + 32
            head, tail = text[:start], text[end:]
            around = head + tail
            hashes.append(text[start:end])
            found.append(known(around) or self._added(around, _sound_build(head, tail)))
        return hashes, found

    def _added(self, text: bytes, row: Row) -> tuple[int, Row]:
        if len(self._builds) >= MOST_REMEMBERED:
            self._builds, self._values = {}, {}
        one = self._values.setdefault
        fields = {name: one(value, value) for name, value in msgspec.structs.asdict(row).items()}
        self._builds[text] = found = next(self._numbers), Row(**fields)
        return found

    def agrees(self, meta: bytes, found: Sequence[tuple[int, Row]]) -> bool:
        """Whether this `meta` says what is true of these rows; raises ValueError if it cannot be decoded."""
        key = (meta, *sorted([number for number, _ in found]))
        if key in self._agreed:
            return True
        if _META.decode(meta) != summary([build for _, build in found]):
            return False
        if len(self._agreed) >= MOST_REMEMBERED:
            self._agreed = set()
        self._agreed.add(key)
        return True


def sound_rows(rows_text: bytes, meta_text: bytes, memory: Memory) -> tuple[tuple[str, ...], tuple[Row, ...]] | None:
    """The hashes and the builds of a page without any fault; None if only `careful_rows` can say what it holds.

    The text is cut where rows are likely to end. That they do is certain as soon as each piece is a JSON object.
    """
    before, *texts = rows_text.strip().split(b"{")
    if before != b"[" or not texts or texts[-1][-2:] != b"}]":
        return None
    texts[-1] = texts[-1][:-1] + _BETWEEN
    try:
        hashes, found = memory.rows(texts)
        if not memory.agrees(meta_text, found):
            return None
    except (ValueError, RecursionError):
        return None
    if b"".join(hashes).translate(None, _LETTERS):
        return None
    return tuple(b" ".join(hashes).decode().split()), tuple([build for _, build in found])


def _sound_build(head: bytes, tail: bytes) -> Row:
    """What a row says whose text stands around its hash like this, without a hash; raises ValueError for any fault.

    A hash that nobody can foresee is put in: where it comes out as the hash, any other one would.
    """
    if not tail.endswith(_BETWEEN):
        raise ValueError("not the end of a row")
    row = _ROW.decode(b"{%b%b%b" % (head, _ANY_HASH, tail.removesuffix(_BETWEEN)))
    fields = (row.compiler, row.os, row.platform, row.target, row.versions)
    # An empty list is no missing one, and a decoded row does not show the difference.
    lists = (row.variants or b'"variants":' in tail + head, row.stacks or b'"stacks":' in tail + head)
    if row.hash != _ANY_HASH.decode() or None in fields or () in fields or not all(lists) or not is_size(row.size):
        raise ValueError("not a sound row")
    return msgspec.structs.replace(row, hash=None)

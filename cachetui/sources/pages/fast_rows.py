"""The fast way to the rows of a newer page without any fault, as nearly all are.

Rows repeat from tag to tag in all but their hash. So the hash is cut out of the text of each row, and the text around
it is decoded only the first time that it is met. The rows are the same as those of `rows`.
Input: the text behind `spec_details:` and `meta:`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

import msgspec

from cachetui.model.spec import Row
from cachetui.sources.pages.frontmatter import MAX_DEPTH
from cachetui.sources.pages.rows import Meta, is_size, summary

MOST_REMEMBERED = 1 << 16
"""Most rows that are remembered; each takes under a kilobyte."""

_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567"
"""The letters of a hash."""

_HASH_KEY = b'"hash": "'
_BETWEEN = b", "

_PROBE = os.urandom(16).hex().encode()
"""Stands for a hash, and is as long as one. It is random, so that no page can hold it."""

_ROW = msgspec.json.Decoder(Row)
_META = msgspec.json.Decoder(Meta)


class Memory:
    """The rows that were decoded before, by their text without the hash, and the `meta` that agreed with them.

    Whatever is in it was checked. It forgets everything when it has grown large. Threads may share it.
    """

    def __init__(self) -> None:
        self._builds: dict[bytes, tuple[int, Row]] = {}
        """By the text of a row without its hash: a number that no other row has, and the row."""
        self._numbers = count()
        self._agreed: set[tuple[object, ...]] = set()
        """Each text of a `meta` with the numbers of the rows that it agreed with."""
        self._values: dict[Any, Any] = {}
        """One object for equal values."""

    def rows(self, texts: Iterable[bytes]) -> tuple[list[bytes], list[tuple[int, Row]]]:
        """The hashes of these rows, and the numbered rows without them; a text reaches from behind `{` to the next.

        The hashes are not checked. Raises ValueError for any other fault.
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
        if meta.count(b"[") + meta.count(b"{") > MAX_DEPTH:
            return False
        if _META.decode(meta) != summary([build for _, build in found]):
            return False
        if len(self._agreed) >= MOST_REMEMBERED:
            self._agreed = set()
        self._agreed.add(key)
        return True


def sound_rows(rows_text: bytes, meta_text: bytes, memory: Memory) -> tuple[tuple[str, ...], tuple[Row, ...]] | None:
    """The hashes and the builds of a page without any fault; None if only `careful_rows` can say what it holds.

    The text is cut at each `{`. Where one does not begin a row, a piece is no JSON object, and None is returned.
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
    """The row, without its hash, whose text has this before and behind its hash; raises ValueError for any fault.

    What was cut out must be the row's hash, and not the end of a variant, or a first hash that a second one replaces.
    So the text is decoded with a random hash in its place: if the row then has that one, it would have any other.
    """
    if not tail.endswith(_BETWEEN):
        raise ValueError("not the end of a row")
    if head.count(b"[") + tail.count(b"[") > MAX_DEPTH:
        raise ValueError("perhaps nested too deep")
    row = _ROW.decode(b"{%b%b%b" % (head, _PROBE, tail.removesuffix(_BETWEEN)))
    fields = (row.compiler, row.os, row.platform, row.target, row.versions)
    # A decoded row does not show whether an empty list was written or is missing.
    lists = (row.variants or b'"variants":' in tail + head, row.stacks or b'"stacks":' in tail + head)
    if row.hash != _PROBE.decode() or None in fields or () in fields or not all(lists) or not is_size(row.size):
        raise ValueError("not a sound row")
    return msgspec.structs.replace(row, hash=None)

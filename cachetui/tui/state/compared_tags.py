"""The two tags that are compared: those to begin with, and those that a user chose. No widget in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cachetui.model.tags import line_of, tag_before, tags_to_compare
from cachetui.search.index import Index

Side = Literal["old", "new"]


class ComparedTags:
    """An older and a newer tag; the older one is empty where there is none to compare with."""

    def __init__(self, index: Index, tag: str | None, old: str, new: str) -> None:
        """`tag`: the one that is looked at, None for the one to look at first; `old`, `new`: chosen before."""
        self._settle_on(tag, index)
        self._first = self.pair
        """The tags that are compared where nobody chose others."""
        if old in index.tags and new in index.tags:
            self.old, self.new = old, new
        self.lost = [tag for tag in (old, new) if tag and tag not in index.tags]
        """Those that were chosen before and are not there any more."""

    def _settle_on(self, tag: str | None, index: Index) -> None:
        """Compares this tag, or else the one to look at first, with the one before it; for `develop` two weeks."""
        looked_at = tag if tag in index.tags else index.default_tag or next(iter(index.tags), "")
        self.old, self.new = tags_to_compare(index.tags, looked_at)
        self._looked_at = looked_at

    @property
    def pair(self) -> tuple[str, str]:
        """The older and the newer one."""
        return self.old, self.new

    @property
    def chosen(self) -> tuple[str, str]:
        """The pair that a user chose; two empty ones as long as that is the first one."""
        return ("", "") if self.pair == self._first else self.pair

    def instead_of(self, pair: tuple[str, str]) -> str:
        """The tag that is looked at, where this pair is of two weeks that are compared in its place; else empty."""
        return self._looked_at if pair == self._first and self._looked_at != pair[1] else ""

    def follow(self, index: Index) -> list[str]:
        """Compares others where a newer index does not have these; returns those that it does not have."""
        gone = [tag for tag in self.pair if tag and tag not in index.tags]
        if gone or not self.old:
            self._settle_on(self.new, index)
        return gone

    def step(self, tags: Sequence[str], delta: int) -> bool:
        """Compares the newer tag's neighbour with the tag before that; False where there is none."""
        line = line_of(tags, self.new)
        at = line.index(self.new) + delta
        if not 0 <= at < len(line) or not tag_before(tags, line[at]):
            return False
        self.new, self.old = line[at], tag_before(tags, line[at])
        return True

    def other(self, side: Side) -> tuple[str, str]:
        """The tag of the other side, and what it is called."""
        return (self.new, "newer") if side == "old" else (self.old, "older")

    def take(self, side: Side, tag: str) -> None:
        """Compares another tag on this side."""
        self.old, self.new = (tag, self.new) if side == "old" else (self.old, tag)

"""What the lookup found, as rows of a table.

Input: an index and the matches in it. All text of a page goes through `visible`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from msgspec import Struct

from cachetui.model.spec import Spec, normal_compiler
from cachetui.report.find import spec_name
from cachetui.safe_text import plural, visible
from cachetui.search.hashes import HashMatch
from cachetui.search.index import Index
from cachetui.search.names import WORDS, NameMatch
from cachetui.tui.rows.layout import Cell, Column, Line
from cachetui.tui.rows.tones import Tone

HASHES_OF = {"exact": "whole", "prefix": "prefix", "inside": "inside"}


class HashRows(Struct, frozen=True):
    """What a lookup found: hashes, each once whatever the number of its tags, then packages of such a name."""

    index: Index
    hashes: Sequence[HashMatch]
    names: Sequence[NameMatch]

    def __len__(self) -> int:
        return len(self.hashes) + len(self.names)

    def columns(self, width: int) -> Sequence[Column]:
        """The columns for a table so wide: package and tags stay, and a hash is whole from 80 cells on."""
        return (
            Column("hash", max(12, min(32, width - 48))),
            Column("found", 8, drop=1),
            Column("package", 21, share=2, ends=True),
            Column("compiler", 11, share=1, drop=2, ends=True),
            Column("os", 11, drop=4, ends=True),
            Column("target", 11, drop=3, ends=True),
            Column("tags", 14, share=1, ends=True),
        )

    def row(self, k: int) -> Line:
        if k >= len(self.hashes):
            named = self.names[k - len(self.hashes)]
            found = "package" if named.score >= WORDS else Cell("similar", "warn")
            return Line(("", found, Cell(visible(self.index.packages[named.number]), "title"), "", "", "", ""))
        match = self.hashes[k]
        spec = self._spec(match)
        spans: list[tuple[int, int, Tone]] = [(start, end, "match") for start, end in match.spans]
        tags = " ".join((*spec.tags[:1], *([f"+{len(spec.tags) - 1}"] if len(spec.tags) > 1 else [])))
        compiler = normal_compiler(spec.compiler) if spec.compiler else None
        texts = (spec_name(spec), compiler, spec.os, spec.target, tags)
        return Line(
            (
                Cell(visible(match.hash), "", spans),
                _kind_cell(match),
                *(visible(text or "-") for text in texts),
            )
        )

    def in_words(self, k: int) -> list[Cell | str]:
        """The k-th row in words, with the whole of what its columns may cut: the hash and the tags."""
        if k >= len(self.hashes):
            return []
        match = self.hashes[k]
        tags = ", ".join(self._spec(match).tags)
        return [_kind_cell(match), f" {visible(match.hash)} ", visible(tags)]

    def _spec(self, match: HashMatch) -> Spec:
        return self.index.spec(self.index.hash_rows(match.number)[0])

    def key(self, k: int) -> Hashable:
        if k < len(self.hashes):
            return self.hashes[k].hash
        return "package", self.index.packages[self.names[k - len(self.hashes)].number]

    def find(self, key: Hashable) -> int | None:
        return next((k for k in range(len(self)) if self.key(k) == key), None)


def _kind_cell(match: HashMatch) -> Cell:
    """How the hash was found; typing errors are never passed over."""
    return Cell(HASHES_OF.get(match.kind) or plural(match.errors, "typo"), "warn" if match.errors else "")

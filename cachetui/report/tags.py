"""The tags of a catalogue, each with what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cachetui.analysis.tags import TagContent
from cachetui.report.formats import Block, TableBlock

FIELDS = TagContent.__struct_fields__


class TagList:
    def __init__(self, tags: Sequence[TagContent]) -> None:
        self._tags = tags

    def document(self) -> object:
        return list(self._tags)

    def records(self) -> TableBlock:
        rows = ([str(getattr(tag, field)) for field in FIELDS] for tag in self._tags)
        return TableBlock(FIELDS, rows, right=(1, 2, 3))

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield self.records()

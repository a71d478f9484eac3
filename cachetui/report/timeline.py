"""A package over the tags: what each tag holds of it, and what came and went with the tag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from cachetui.analysis.timeline import Moment, Timeline
from cachetui.report.formats import Block, ListDocument, ReportBlock, TableBlock, TitleBlock


class TimelineDocument(Struct, frozen=True):
    """What each tag holds of a package."""

    package: str
    tags: Sequence[Moment]


class TimelineReport(Struct, frozen=True):
    """A line for each tag."""

    timeline: Timeline

    def document(self) -> TimelineDocument:
        return TimelineDocument(self.timeline.package, self.timeline.moments)

    def records(self) -> TableBlock:
        return ListDocument(self.timeline.moments, Moment.__struct_fields__, right=(1,)).records()

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield ReportBlock([TitleBlock(f"{self.timeline.package} over the tags")])
        yield self.records()

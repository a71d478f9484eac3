"""The history of a package: its versions and stacks in each tag, and the changes since the previous tag."""

from msgspec import Struct

from cachetui.analysis.timeline import Moment, Timeline
from cachetui.report.formats import Block, ListDocument, ReportBlock, TableBlock, TitleBlock


class TimelineReport(Struct, frozen=True):
    """The history of a package in all formats, with a line for each tag."""

    timeline: Timeline

    def document(self) -> Timeline:
        return self.timeline

    def records(self) -> TableBlock:
        return ListDocument(self.timeline.tags, Moment.__struct_fields__, right=(1,)).records()

    def blocks(self, width: int | None) -> list[Block]:
        return [ReportBlock([TitleBlock(f"{self.timeline.package} across the tags")]), self.records()]

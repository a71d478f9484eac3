"""A package over the tags: what each tag holds of it, and what came and went with the tag."""

from __future__ import annotations

from collections.abc import Iterator

from cachetui.analysis.timeline import Moment, Timeline
from cachetui.report.formats import Block, TableBlock

FIELDS = ("tag", "specs", "versions", "stacks", "appeared", "vanished")


class TimelineReport:
    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline

    def document(self) -> object:
        moments = [{field: getattr(moment, field) for field in FIELDS} for moment in self._timeline.moments]
        return {"package": self._timeline.package, "tags": moments}

    def records(self) -> TableBlock:
        return TableBlock(FIELDS, map(_cells, self._timeline.moments), right=(1,))

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield self.records()


def _cells(moment: Moment) -> list[str]:
    values = (getattr(moment, field) for field in FIELDS)
    return [",".join(value) if isinstance(value, tuple) else str(value) for value in values]

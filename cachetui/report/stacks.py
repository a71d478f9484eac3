"""The output of `stacks`: the size of each stack compared with its usual size, the smallest percentage first."""

import time
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cachetui.analysis.stacks import ALARM_PERCENT, StackSizeRecord
from cachetui.report.formats import (
    Bars,
    Block,
    FactsBlock,
    Figures,
    ReportBlock,
    TableBlock,
    TitleBlock,
    cell_text,
    figures_of,
)
from cachetui.report.specs import Places
from cachetui.safe_text import local_time, plural

BARS_SHOWN = 40
"""Maximum number of bars for a stack in a table. Only the newest tags have bars."""

RELOAD_SECONDS = 300
"""Number of seconds after which the HTML page reloads itself."""

FIELDS = ("content", "tag", "stack", "specs", "usual", "percent", "change", "removed", "new")

_FIGURES = {
    "specs": "Specs of a stack.",
    "usual": "Median of the sizes of a stack across the tags or snapshots.",
    "percent": "Size of a stack as percent of its usual size.",
    "removed": "Packages that a stack lost since the previous tag.",
    "new": "Packages that a stack gained since the previous tag.",
}


class StacksReport(Struct, frozen=True):
    """The sizes of the stacks in all formats."""

    found: Sequence[StackSizeRecord]
    places: Places = Places()

    def document(self) -> list[StackSizeRecord]:
        places = ((size, *self.places.apart(size.tag)) for size in self.found)
        return [replace(size, content=content, tag=tag) for size, content, tag in places]

    def records(self) -> TableBlock:
        return TableBlock(
            FIELDS,
            [[cell_text(getattr(each, name)) for name in FIELDS] for each in self.document()],
            right=range(3, len(FIELDS)),
        )

    def figures(self) -> list[Figures]:
        return figures_of("stack", self.document(), ("content", "stack"), _FIGURES)

    def blocks(self, width: int | None) -> Iterator[Block]:
        places = dict.fromkeys(self.places.apart(size.tag) for size in self.found)
        subject = ", ".join(f"{content} {tag}".strip() for content, tag in places) or "Stacks"
        now = f"{verdict(self.found)}; {local_time(time.time())}"
        yield ReportBlock([TitleBlock(subject, reload_seconds=RELOAD_SECONDS), FactsBlock([("stacks", now)])])
        columns = ("stack", "percent", "specs", "usual", "change", "removed", "new", "tags")
        yield TableBlock(columns, list(map(_cells, self.found)), right=range(1, 7))


def _cells(size: StackSizeRecord) -> Sequence[str]:
    figures = (f"{size.specs:,}", f"{size.usual:,}", f"{size.change:+,}", str(size.removed), str(size.new))
    return [size.stack or size.tag, f"{size.percent} %", *figures, bars(size)]


def bars(size: StackSizeRecord, shown: int = BARS_SHOWN) -> Bars:
    """Return a bar for each of the newest tags of a stack, oldest first. `shown`: the maximum number of bars."""
    sizes = list(size.tags.values())[-shown:]
    return Bars.of(sizes, max(sizes), list(map(size.is_low_at, sizes)))


def verdict(found: Sequence[StackSizeRecord]) -> str:
    """Return text with the number of stacks that are below `ALARM_PERCENT` of their usual size."""
    low = sum(size.is_low for size in found)
    return f"{low or 'none'} of {plural(len(found), 'stack')} below {ALARM_PERCENT} % of the usual size"

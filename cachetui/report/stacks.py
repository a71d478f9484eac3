"""The document of `stacks`: each stack against its usual size, the worst first."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from cachetui.analysis.stacks import ALARM_PERCENT, StackSize
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
from cachetui.report.places import Places
from cachetui.safe_text import plural

BARS_SHOWN = 40
"""Maximum number of tags in the bars of a table; the newest ones."""

RELOAD_SECONDS = 300
"""Seconds after which the HTML page loads itself again."""

FIELDS = ("content", "tag", "stack", "specs", "usual", "percent", "change", "removed", "new")

_FIGURES = {
    "specs": "Specs of a stack.",
    "usual": "Median of the sizes of a stack over the tags or snapshots.",
    "percent": "Size of a stack as percent of its usual size.",
    "removed": "Packages that a stack lost since the tag before.",
    "new": "Packages that a stack gained since the tag before.",
}


class StackSizeRecord(Struct, frozen=True):
    """One stack in the newest tag of its series."""

    content: str
    """As the user named it."""
    tag: str
    stack: str
    """Empty for a content without stacks."""
    specs: int
    usual: int
    """The median of its sizes in the tags that have it."""
    percent: int
    """`specs` as percent of `usual`."""
    change: int
    """Specs more than in the tag before; below 0 for less."""
    removed: int
    """Packages that only the tag before has."""
    new: int
    """Packages that the tag before lacks."""
    packages_removed: tuple[str, ...]
    packages_new: tuple[str, ...]
    tags: Mapping[str, int]
    """The size in each tag of the series, from the oldest."""


class StacksReport(Struct, frozen=True):
    """A line for each stack."""

    found: Sequence[StackSize]
    places: Places = Places()

    def document(self) -> list[StackSizeRecord]:
        return list(map(self._record, self.found))

    def _record(self, size: StackSize) -> StackSizeRecord:
        content, tag = self.places.apart(size.tag)
        figures = (size.specs, size.usual, size.percent, size.change, len(size.removed), len(size.new))
        return StackSizeRecord(content, tag, size.stack, *figures, size.removed, size.new, dict(size.tags))

    def records(self) -> TableBlock:
        rows = [[cell_text(getattr(each, name)) for name in FIELDS] for each in self.document()]
        return TableBlock(FIELDS, rows, right=range(3, len(FIELDS)))

    def figures(self) -> list[Figures]:
        return figures_of("stack", self.document(), ("content", "stack"), _FIGURES)

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield ReportBlock(
            [TitleBlock("Stacks", reload_seconds=RELOAD_SECONDS), FactsBlock([("found", verdict(self.found))])]
        )
        columns = ("stack", "percent", "specs", "usual", "change", "removed", "new", "tags")
        yield TableBlock(columns, list(map(_cells, self.found)), right=range(1, 7))


def _cells(size: StackSize) -> Sequence[str]:
    figures = (f"{size.specs:,}", f"{size.usual:,}", f"{size.change:+,}", str(len(size.removed)), str(len(size.new)))
    return [size.stack or size.tag, f"{size.percent} %", *figures, bars(size)]


def bars(size: StackSize, shown: int = BARS_SHOWN) -> Bars:
    """Return a bar for each of the newest tags of a stack, from the oldest."""
    sizes = [specs for _, specs in size.tags[-shown:]]
    return Bars.of(sizes, max(sizes), list(map(size.is_low_at, sizes)))


def verdict(found: Sequence[StackSize]) -> str:
    """Return how many stacks fell a tenth or more below their usual size."""
    low = sum(size.is_low for size in found)
    return f"{low or 'none'} of {plural(len(found), 'stack')} below {ALARM_PERCENT} % of the usual size"

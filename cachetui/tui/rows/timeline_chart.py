"""The chart above the timeline: a column for each tag, the oldest at the left, and a line between two series of tags.

Input: the moments of a `Timeline`, the newest first. Invariant: the tag under the cursor has a column, and all lines of
the chart have the same columns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from cachetui.analysis.timeline import Moment
from cachetui.model.spec import snapshot_day
from cachetui.model.tags import Series, series
from cachetui.safe_text import visible
from cachetui.tui.rows.layout import Cell, Column, Line, measure
from cachetui.tui.rows.pictures import Blocks, column_of, top_of
from cachetui.tui.rows.tones import Tone

LABEL, NUMBER = 9, 7
"""Cells for what a line of the chart is of, and for the number of the tag under the cursor."""

CHART_COLUMNS = (Column("", LABEL, right=True), Column("", 1, share=1, flows=True), Column("", NUMBER, right=True))

WIDEST = 3
"""Cells for a tag in the chart at most, unless the names of their series need more and have the room."""

SPARED = 8
"""Of so many cells one at most is spent on lines between series."""

SERIES_NAMES: dict[Series, str] = {"develop": "develop", "snapshot": "weeks", "release": "releases", "other": "other"}

Sign = tuple[str, Tone]


class Axis(NamedTuple):
    """The tags that the chart has room for, from the oldest, and where their columns stand."""

    shown: Sequence[Moment]
    step: int
    """Cells for a tag."""
    at: int | None
    """The place of the tag under the cursor among those that are shown."""
    lines: frozenset[int]
    """The places of tags that have a line before them, since they begin a series."""

    @classmethod
    def of(cls, moments: Sequence[Moment], here: int | None, width: int) -> Axis:
        """The part of the tags that has room in such a width; `here`: the number of the one under the cursor."""
        order = list(reversed(moments))
        at = None if here is None else len(order) - 1 - here
        room = room_for_tags(moments, width)
        first = max(0, min(len(order) - room, len(order) if at is None else at))
        shown = order[first : first + room]
        begins = _beginnings(shown) if _has_lines(moments, width) else ()
        most = max(1, (_cells(width) - len(begins)) // max(1, len(shown)))
        named = _named_width(shown, begins)
        step = named if WIDEST < named <= most else min(WIDEST, most)
        return cls(shown, step, None if at is None else at - first, frozenset(begins))

    def cell(self, signs: Sequence[Sign], between: str, looks_here: Tone) -> Cell:
        """A line of the chart: a sign for each tag, in another tone for the one under the cursor."""
        text, spans = "", list[tuple[int, int, Tone]]()
        for k, (sign, tone) in enumerate(signs):
            if k in self.lines:
                spans.append((len(text), len(text) + 1, "dim"))
                text += between
            if tone or k == self.at:
                spans.append((len(text), len(text) + self.step, looks_here if k == self.at else tone))
            text += sign * self.step
        return Cell(text, "", spans)

    def names(self, between: str, width: int) -> Cell:
        """The series below their columns, with the first and the last tag of each where these have room."""
        text, spans = "", list[tuple[int, int, Tone]]()
        starts = [0, *sorted(self.lines), len(self.shown)]
        for start, end in pairwise(starts):
            if start:
                spans.append((len(text), len(text) + 1, "dim"))
                text += between
            is_last = end == len(self.shown)
            room = _cells(width) + NUMBER + 2 - measure(text) if is_last else (end - start) * self.step
            name = next((name for name in _names_of(self.shown[start:end]) if measure(name) <= room), "")
            text += name if is_last else name + " " * (room - measure(name))
        return Cell(text, "label", spans)


def chart(
    moments: Sequence[Moment],
    here: int | None,
    seen: Collection[str] | None,
    width: int,
    lines: int,
    blocks: Blocks,
) -> Iterator[Line]:
    """The chart: specs in so many lines, versions and stacks in one each, then what came and went.

    `here`: the number of the tag under the cursor, which the chart shows in any case where it has no room for all.
    `seen`: instead of what came and went the tags that have something. Where there are several series of tags, a last
    line names them.
    """
    axis = Axis.of(moments, here, width)

    def drawn(label: str, signs: Sequence[Sign], number: int | None = None, looks_here: Tone = "here") -> Line:
        cell = axis.cell(signs, blocks.middle, looks_here)
        return Line((Cell(label, "label"), cell, "" if number is None else f"{number:,}"))

    counts: tuple[tuple[str, int, Callable[[Moment], int]], ...] = (
        ("specs", lines, lambda moment: moment.specs),
        ("versions", 1, lambda moment: len(moment.versions)),
        ("stacks", 1, lambda moment: len(moment.stacks)),
    )
    for label, height, number_of in counts:
        most = top_of(map(number_of, moments))
        for line in reversed(range(height)):
            signs: list[Sign] = [
                (column_of(number_of(moment), most, blocks, line, height), "bar") for moment in axis.shown
            ]
            number = number_of(axis.shown[axis.at]) if axis.at is not None and not line else None
            yield drawn("" if line else label, signs, number, "label")
    if seen is None:
        yield drawn("came/went", [_change_sign(moment) for moment in axis.shown])
    else:
        yield drawn("seen in", [(blocks.across[-1] if moment.tag in seen else " ", "tick") for moment in axis.shown])
    if _has_lines(moments, width):
        yield Line(("", axis.names(blocks.middle, width), ""))


def chart_note(moments: Sequence[Moment], width: int, blocks: Blocks) -> str:
    """What has to be known of a chart so wide: how many of the tags it shows, what its sign for too many means."""
    numbers, room = [moment.specs for moment in moments], room_for_tags(moments, width)
    notes = [f"chart: {room} of {len(moments)}"] if len(moments) > room else []
    if max(numbers, default=0) > top_of(numbers):
        notes.append(f"{blocks.beyond} off scale")
    return ", ".join(notes)


def room_for_tags(moments: Sequence[Moment], width: int) -> int:
    """Tags that the chart has room for at most, wherever the cursor stands."""
    return _cells(width) - (len(_beginnings(moments)) if _has_lines(moments, width) else 0)


def _cells(width: int) -> int:
    return max(1, width - LABEL - NUMBER - 4)


def _has_lines(moments: Sequence[Moment], width: int) -> bool:
    """Whether the tags are of several series, and few enough of these for a line between each two of them."""
    return 0 < len(_beginnings(moments)) * SPARED <= _cells(width)


def _beginnings(moments: Sequence[Moment]) -> Sequence[int]:
    """The places of the tags that are of another series than the one before them."""
    kinds = [series(moment.tag) for moment in moments]
    return [k for k, (before, kind) in enumerate(pairwise(kinds), 1) if before != kind]


def _named_width(shown: Sequence[Moment], begins: Sequence[int]) -> int:
    """The cells of a tag with which each series has room for its name; the last one has room beside the chart."""
    runs = [(start, end - start) for start, end in pairwise([0, *begins])]
    return max((-(-measure(SERIES_NAMES[series(shown[start].tag)]) // count) for start, count in runs), default=0)


def _names_of(moments: Sequence[Moment]) -> Iterator[str]:
    """What a run of one series can be called, the longest first."""
    name = SERIES_NAMES[series(moments[0].tag)]
    first, last = (visible(str(snapshot_day(moment.tag) or moment.tag)) for moment in (moments[0], moments[-1]))
    if first != last:
        yield f"{name} {first} to {last}"
    yield name


def _change_sign(moment: Moment) -> Sign:
    """Whether something came, went, or both."""
    if moment.appeared and moment.vanished:
        return "*", "changed"
    return ("+", "gain") if moment.appeared else ("-", "loss") if moment.vanished else (" ", "")

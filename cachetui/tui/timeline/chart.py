"""The chart of a timeline: a column for each tag, the oldest at the left, a line between two series of tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from cachetui.analysis.timeline import Moment
from cachetui.model.tags import Series, series
from cachetui.tui.glyphs import COLUMNS, EDGE, RISING
from cachetui.tui.lines import Cell, Line
from cachetui.tui.styles import Style

LABEL, SCALE = 9, 9
"""Cells before the columns and behind them."""

WIDEST, LINES = 3, 2
"""Cells of a tag at most, and lines of the highest column."""

SERIES_NAMES: dict[Series, str] = {"develop": "develop", "snapshot": "weeks", "release": "releases", "other": "other"}


class Axis(NamedTuple):
    """The tags that there is room for, from the oldest, and how many cells each has."""

    shown: Sequence[Moment]
    step: int

    @classmethod
    def of(cls, moments: Sequence[Moment], at: int, width: int) -> Axis:
        """The part of the tags that has room, with the one that has the number `at`; from the newest, as they stand."""
        room = max(1, width - LABEL - SCALE - len(_beginnings(moments)))
        step = max(1, min(WIDEST, room // max(1, len(moments))))
        fits = room // step
        first = max(0, min(at - fits // 2, len(moments) - fits))
        return cls(moments[first : first + fits][::-1], step)

    def line(self, label: str, signs: Iterable[tuple[str, Style]], scale: str = "") -> Line:
        """A line of the chart: a label, a sign for each tag as wide as that is, the scale."""
        pieces: list[tuple[str, Style]] = [(f"{label:>{LABEL - 2}}  ", "muted")]
        begins = _beginnings(self.shown)
        for k, (sign, style) in enumerate(signs):
            pieces += [(EDGE, "line")] if k in begins else []
            pieces.append((sign, style))
        return Line((joined([*pieces, (f" {scale}", "muted")]),))

    @property
    def names(self) -> Iterator[tuple[str, Style]]:
        """The names of the series below their columns, where these have room; the last has some beside them."""
        runs = [(SERIES_NAMES[kind], len(list(run)) * self.step) for kind, run in groupby(self.shown, _series_of)]
        text = "".join(f"{name if len(name) <= room else '':<{room}}" for name, room in runs[:-1])
        text += "".join(name for name, _ in runs[-1:])
        starts = [k * self.step for k in range(len(self.shown))]
        return ((text[start:end], "muted") for start, end in pairwise([*starts, None]))


def chart(moments: Sequence[Moment], at: int | None, width: int) -> Iterator[Line]:
    """The specs of each tag with their scale, then what came and went, then the series.

    `at`: the number of the tag under the cursor.
    """
    axis = Axis.of(moments, at or 0, width)
    here, most = None if at is None else moments[at], max((moment.specs for moment in moments), default=0)
    for line in reversed(range(LINES)):
        signs = (column_of(moment.specs, most, line) * axis.step for moment in axis.shown)
        styles: list[Style] = ["accent" if moment is here else "bar" for moment in axis.shown]
        label, scale = ("", f"{most:,}") if line else ("specs", "")
        yield axis.line(label, zip(signs, styles, strict=True), scale)
    changes = map(_change, axis.shown)
    yield axis.line("changes", ((sign.center(axis.step), style) for sign, style in changes))
    yield axis.line("", (((RISING if each is here else " ").center(axis.step), "accent") for each in axis.shown))
    yield axis.line("", axis.names)


def column_of(number: int, most: int, line: int) -> str:
    """One line, from below, of a column that is as high as the chart for the most."""
    eighths = max(1, round(number / most * 8 * LINES)) - 8 * line if number else 0
    return COLUMNS[max(0, min(eighths, 8))]


def joined(pieces: Iterable[tuple[str, Style]]) -> Cell:
    """Pieces of text, each with its style, as one cell."""
    text, spans = "", list[tuple[int, int, Style]]()
    for piece, style in pieces:
        spans += [(len(text), len(text) + len(piece), style)] if style else []
        text += piece
    return Cell(text, "", spans)


def _beginnings(moments: Sequence[Moment]) -> Sequence[int]:
    """The places of the tags that are of another series than the one before them."""
    return [k for k, (one, other) in enumerate(pairwise(map(_series_of, moments)), 1) if one != other]


def _series_of(moment: Moment) -> Series:
    return series(moment.tag)


def _change(moment: Moment) -> tuple[str, Style]:
    """Whether something came, went, or both."""
    if moment.appeared and moment.vanished:
        return "*", "warn"
    return ("+", "good") if moment.appeared else ("-", "bad") if moment.vanished else (" ", "")

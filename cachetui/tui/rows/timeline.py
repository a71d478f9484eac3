"""What the timeline shows: a line for each tag, version or stack, and above them a chart with a column for each tag.

Input: a `Timeline`, frozen like everything here. In the chart time goes from left to right, in the list the newest
tag stands first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from cachetui.analysis.timeline import Moment, Sighting
from cachetui.text import visible
from cachetui.tui.rows.layout import Cell, Column, Line, measure
from cachetui.tui.rows.pictures import Blocks, column_of, top_of
from cachetui.tui.rows.tones import Tone

VERSIONS = 8
"""The least cells for the versions of a tag."""


def tag_columns(moments: Sequence[Moment]) -> Sequence[Column]:
    """The columns for these tags: the versions take no more room than they need."""
    longest = max((measure(_versions(moment)) for moment in moments), default=0)
    return (
        Column("tag", 18, ends=True),
        Column("specs", 5, right=True),
        Column("versions", VERSIONS, share=1, most=max(VERSIONS, longest)),
        Column("stacks", 6, right=True, drop=1),
        Column("since the tag before", 16, share=2),
    )


def _versions(moment: Moment) -> str:
    return visible(", ".join(moment.versions))


SIGHTING_COLUMNS = (
    Column("version", 14, share=1, most=30, ends=True),
    Column("tags", 5, right=True),
    Column("first seen", 18, ends=True),
    Column("last seen", 18, ends=True),
)

LABEL, NUMBER = 9, 7
"""Cells for what a line of the chart is of, and for the number of the tag under the cursor."""

CHART_COLUMNS = (Column("", LABEL, right=True), Column("", 1, share=1), Column("", NUMBER, right=True))

WIDEST = 3
"""Cells for a tag in the chart at most."""


def moment_line(moment: Moment) -> Line:
    """A tag, what it holds, and what came and went with it."""
    tone: Tone = "" if moment.specs else "dim"
    texts = (visible(moment.tag), f"{moment.specs or '-'}", _versions(moment), str(len(moment.stacks) or ""))
    return Line([*(Cell(text, tone) for text in texts), _changes_cell(moment)])


def _changes_cell(moment: Moment) -> Cell:
    names: list[tuple[str, Tone]] = [(f"+{visible(name)}", "gain") for name in moment.appeared]
    names += [(f"-{visible(name)}", "loss") for name in moment.vanished]
    spans: list[tuple[int, int, Tone]] = []
    at = 0
    for name, tone in names:
        spans.append((at, at + len(name), tone))
        at += len(name) + 1
    return Cell(" ".join(name for name, _ in names), "", spans)


def sighting_line(sighting: Sighting) -> Line:
    """A version or a stack: in how many tags it is, since when and until when."""
    texts = (sighting.name, str(len(sighting.tags)), sighting.first_seen, sighting.last_seen)
    return Line([visible(text) for text in texts])


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
    `seen`: instead of what came and went the tags that have something.
    """
    order = list(reversed(moments))
    at = None if here is None else len(order) - 1 - here
    room = _room(width)
    first = max(0, min(len(order) - room, len(order) if at is None else at))
    shown, at = order[first : first + room], None if at is None else at - first
    step = max(1, min(WIDEST, room // max(1, len(shown))))

    def drawn(
        label: str, signs: Sequence[tuple[str, Tone]], number: int | None = None, looks_here: Tone = "here"
    ) -> Line:
        spans: list[tuple[int, int, Tone]] = [
            (k * step, (k + 1) * step, looks_here if k == at else tone)
            for k, (_, tone) in enumerate(signs)
            if tone or k == at
        ]
        text = "".join(sign * step for sign, _ in signs)
        return Line((Cell(label, "label"), Cell(text, "", spans), "" if number is None else f"{number:,}"))

    counts: tuple[tuple[str, int, Callable[[Moment], int]], ...] = (
        ("specs", lines, lambda moment: moment.specs),
        ("versions", 1, lambda moment: len(moment.versions)),
        ("stacks", 1, lambda moment: len(moment.stacks)),
    )
    for label, height, number_of in counts:
        most = top_of(map(number_of, order))
        for line in reversed(range(height)):
            signs: list[tuple[str, Tone]] = [
                (column_of(number_of(moment), most, blocks, line, height), "bar") for moment in shown
            ]
            number = number_of(shown[at]) if at is not None and not line else None
            yield drawn("" if line else label, signs, number, "label")
    if seen is None:
        yield drawn("came/went", [_change_sign(moment) for moment in shown])
    else:
        yield drawn("seen in", [(blocks.across[-1] if moment.tag in seen else " ", "tick") for moment in shown])


def _room(width: int) -> int:
    """Tags that the chart has room for at most."""
    return max(1, width - LABEL - NUMBER - 4)


def chart_note(moments: Sequence[Moment], width: int, blocks: Blocks) -> str:
    """What has to be known of a chart so wide: how many of the tags it shows, what its sign for too many means."""
    numbers = [moment.specs for moment in moments]
    notes = [f"chart: {_room(width)} of {len(moments)}"] if len(moments) > _room(width) else []
    if max(numbers, default=0) > top_of(numbers):
        notes.append(f"{blocks.beyond} off scale")
    return ", ".join(notes)


def _change_sign(moment: Moment) -> tuple[str, Tone]:
    """Whether something came, went, or both."""
    if moment.appeared and moment.vanished:
        return "*", "changed"
    return ("+", "gain") if moment.appeared else ("-", "loss") if moment.vanished else (" ", "")

"""What the timeline lists: a line for each tag, version or stack. Input: a `Timeline`, frozen like everything here."""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.analysis.timeline import Moment, Sighting
from cachetui.safe_text import visible
from cachetui.tui.rows.layout import Cell, Column, Line, measure
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

"""One package over all tags, as one frozen value: its rows by tag, by version or by stack."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from cachetui.analysis.timeline import Moment, Sighting, Timeline
from cachetui.model.tags import spans_of
from cachetui.query.parts.facets import ValuePart
from cachetui.query.parts.names import NamePart
from cachetui.query.query import Query
from cachetui.report.detail import Field
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.lines import Cell, FixedRows, Line, measure
from cachetui.tui.styles import Style
from cachetui.tui.timeline.chart import joined
from cachetui.tui.view.derived import kept
from cachetui.tui.view.list_state import ListState
from cachetui.tui.view.view import Cursor, View

KINDS = {"tag": "moments", "version": "versions", "stack": "stacks"}
"""What there can be a row for, and the field of `Timeline` that has them."""

Question = tuple[Index, str, Query]
"""What `timeline` is asked."""


class TimelineState(ListState, frozen=True, kw_only=True):
    """The package, how its rows are made, and the one under the cursor."""

    package: str
    """Empty for none."""
    found: Timeline | None = None
    """None until the screen has had it worked out."""
    kind: str = "tag"

    @classmethod
    def of(cls, view: View) -> TimelineState:
        """The package under the cursor of a view, the cursor on the tag that is looked at."""
        return cls(view=view, package=view.package_here or "", cursor=Cursor(view.shown_tag))

    # What follows from it

    @property
    def query(self) -> Query:
        """The filters without the name and the tag."""
        return self.view.query.without_key("name").without_key("tag")

    @property
    def question(self) -> Question | None:
        """What there is to work out; None where all is there."""
        return None if self.found is not None else (self.view.index, self.package, self.query)

    def answered(self, question: Question, answer: Timeline) -> TimelineState:
        """With the answer, if it is still asked for."""
        return replace(self, found=answer) if question == self.question else self

    @property
    def listed(self) -> Sequence[Moment | Sighting]:
        """What has a row: what has the word in its name, of a tag in one of its versions too."""
        if self.found is None:
            return ()
        all_rows: Sequence[Moment | Sighting] = getattr(self.found, KINDS[self.kind])
        return [each for each in all_rows if any(self.word.lower() in name.lower() for name in names_of(each))]

    @property
    def rows(self) -> FixedRows:
        """The rows of the list."""
        found = self.found
        if found is None:
            return FixedRows(())
        return kept(found, (self.kind, self.word), self._rows)

    def _rows(self) -> FixedRows:
        listed = self.listed
        lines = [moment_line(each) if isinstance(each, Moment) else sighting_line(each) for each in listed]
        return FixedRows(lines, [names_of(each)[0] for each in listed])

    @property
    def columns(self) -> Sequence[Column]:
        """The columns of the list, as wide as its longest names."""
        names = [measure(visible(names_of(each)[0])) for each in self.listed]
        first = as_wide_as(Column(self.kind, 14, weight=2, middle=True), names)
        if self.kind != "tag":
            seen = Column("first seen", 18, middle=True), Column("last seen", 18, middle=True)
            return first, Column("tags", 5, right=True), *seen
        versions = [measure(_versions(each)) for each in self.listed if isinstance(each, Moment)]
        return (
            first,
            Column("specs", 5, right=True),
            as_wide_as(Column("versions", 8, weight=2), versions),
            Column("stacks", 6, right=True, rank=1),
            Column("since the tag before", 16, weight=3),
        )

    @property
    def here(self) -> Moment | Sighting | None:
        """What is under the cursor."""
        listed = self.listed
        return listed[self.cursor.on(self.rows)] if listed else None

    def opened(self) -> View | None:
        """A view of its own on the package in the tag under the cursor, else in the tag where it was last seen."""
        here = self.here
        if here is None or (isinstance(here, Moment) and not here.specs):
            return None
        tag = here.tag if isinstance(here, Moment) else here.last_seen
        query = self.query.with_part(NamePart(self.package)).with_part(ValuePart.of("tag", [tag]))
        return self.view.opened(query)

    @property
    def fields(self) -> Sequence[Field]:
        """The detail of what is under the cursor."""
        here, found = self.here, self.found
        if here is None or found is None:
            return ()
        if isinstance(here, Sighting):
            spans = spans_of(here.tags, [moment.tag for moment in found.moments])
            tags = (visible(newest if newest == oldest else f"{oldest} to {newest}") for newest, oldest in spans)
            return [Field("tags", tuple(tags), is_list=True)]
        last = {each.name: each.last_seen for each in (*found.versions, *found.stacks)}
        gone = [f"{visible(name)} (last in {visible(last[name])})" for name in here.vanished if name in last]
        return [
            *([Field("new", tuple(map(visible, here.appeared)), is_list=True, means="gain")] if here.appeared else []),
            *([Field("gone", tuple(gone), is_list=True, means="loss")] if gone else []),
            Field("versions", tuple(map(visible, here.versions)) or ("none",), is_list=True),
            Field("stacks", tuple(map(visible, here.stacks)) or ("none",), is_list=True),
        ]

    # Steps

    def on_view(self, view: View) -> TimelineState:
        """The same of other filters or a newer index; another tag takes the cursor along."""
        cursor = self.cursor if view.shown_tag == self.view.shown_tag else Cursor(view.shown_tag)
        is_same = view.index is self.view.index and view.query == self.view.query
        return replace(self, view=view, cursor=cursor, found=self.found if is_same else None)

    def next_rows(self) -> TimelineState:
        """By the next of tag, version and stack."""
        kind = [*KINDS][([*KINDS].index(self.kind) + 1) % len(KINDS)]
        return replace(self, kind=kind, cursor=Cursor(self.view.shown_tag if kind == "tag" else None))


def moment_line(moment: Moment) -> Line:
    """A tag, what it holds, and what came and went with it."""
    style: Style = "" if moment.specs else "muted"
    texts = (visible(moment.tag), f"{moment.specs:,}" if moment.specs else "-", _versions(moment))
    changes: list[tuple[str, Style]] = [(f"+{visible(name)} ", "good") for name in moment.appeared]
    changes += [(f"-{visible(name)} ", "bad") for name in moment.vanished]
    stacks = str(len(moment.stacks) or "")
    return Line([*(Cell(text, style) for text in texts), stacks, joined(changes)])


def sighting_line(sighting: Sighting) -> Line:
    """A version or a stack: in how many tags it is, since when and until when."""
    return Line(
        [visible(sighting.name), f"{len(sighting.tags)}", visible(sighting.first_seen), visible(sighting.last_seen)]
    )


def _versions(moment: Moment) -> str:
    return visible(", ".join(moment.versions))


def names_of(each: Moment | Sighting) -> Sequence[str]:
    """What a row is found by, its key first."""
    return (each.tag, *each.versions) if isinstance(each, Moment) else (each.name,)

"""The timeline: one package over all tags, and where versions and stacks of it appear or vanish.

Three things are done here: see since when and until when there is something, read what a tag changed, go to a tag.
Input: an index and the query of the browse screen without its name and tag.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from cachetui.analysis.timeline import Moment, Sighting, Timeline, timeline
from cachetui.model.tags import spans_of
from cachetui.query.errors import QueryError
from cachetui.query.parts.facets import ValuePart
from cachetui.query.parts.names import NamePart
from cachetui.query.query import Query
from cachetui.report.detail import Field
from cachetui.report.paste import command
from cachetui.report.timeline import TimelineReport
from cachetui.safe_text import plural, visible
from cachetui.search.index import Index
from cachetui.settings.views import ScreenLook
from cachetui.tui.rows.layout import Cell, Column, FixedRows, measure
from cachetui.tui.rows.timeline import SIGHTING_COLUMNS, moment_line, sighting_line, tag_columns
from cachetui.tui.rows.timeline_chart import CHART_COLUMNS, chart, chart_note
from cachetui.tui.screens.export import Writer
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import HelpSection
from cachetui.tui.screens.survey_base import COMMON_HELP, COPY, EXPORT, SurveyScreen
from cachetui.tui.widgets.detail import DetailPane
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Table
from cachetui.tui.widgets.text_pane import TextPane

RowKind = Literal["tag", "version", "stack"]

ROW_KINDS: tuple[RowKind, ...] = ("tag", "version", "stack")

ROOMY = 30
"""From this many lines on, the specs of the chart are three lines high."""

OTHER_ROWS: Mapping[RowKind, str] = {"tag": "versions, stacks", "version": "stacks, tags", "stack": "tags, versions"}
"""What the rows go on to from each kind of them."""


class TimelineScreen(SurveyScreen[Timeline]):
    """The tags from the newest, or since when and until when there is each version or stack."""

    AUTO_FOCUS = "Table"

    SAVED_AS = "timeline"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "next_rows", "Rows", id="timeline.rows", tooltip="Tags, versions, stacks"),
    ]

    KEYS: ClassVar[Sequence[HelpSection]] = (
        (
            "Timeline",
            (
                ("", "a package over the tags"),
                ("Enter", "look at this tag; at a version or stack: where it was last seen; Esc there comes back"),
                ("m", "a row for each tag, each version, each stack"),
            ),
        ),
        (
            "What stands where",
            (
                ("+", "the tag before in the same series lacks it"),
                ("-", "only the tag before has it"),
                (
                    "the chart",
                    "a column a tag, as many as have room, the newest right; + something came, - went, * both",
                ),
            ),
        ),
        ("Everywhere", COMMON_HELP),
    )

    def __init__(
        self,
        index: Index,
        query: Query,
        content: str | None,
        package: str,
        tag: str | None,
        look: ScreenLook | None = None,
    ) -> None:
        """`tag`: the one that the cursor starts on; `look`: how it was looked at before."""
        super().__init__(index, content, Table(tag_columns(())), ())
        self._query = query.without_key("name").without_key("tag")
        self._package = package
        self._tag = tag
        self._rows: RowKind = next((kind for kind in ROW_KINDS if look and kind == look.rows), "tag")
        self._found: Timeline | None = None
        self._chart = TextPane(CHART_COLUMNS, header=False, id="chart")
        self._moment = DetailPane(id="moment")
        self._chart.can_focus = self._moment.can_focus = False

    def body(self) -> ComposeResult:
        yield self._status
        yield self._chart
        yield self._table
        yield self._moment

    def on_mount(self) -> None:
        self._show_heading("")
        self._show()
        self.ask()

    @property
    def look(self) -> ScreenLook:
        return ScreenLook(rows="" if self._rows == "tag" else self._rows)

    def question(self) -> Callable[[Index], Timeline]:
        package, asked = self._package, self._query
        return lambda index: timeline(index, package, asked)

    def _show_heading(self, about: str) -> None:
        query = f" {signs_of(self).dot} {visible(str(self._query))}" if self._query else ""
        self._heading.show([Cell("Timeline", "title"), f"  {visible(self._package)}{query}"], [about])

    def show_answer(self, found: Timeline) -> None:
        self._found = found
        seen = found.sighting
        self._show_heading(f"in {len(seen.tags) if seen else 0} of {plural(len(found.moments), 'tag')}")
        self._show_status()
        self._show()

    def _show_status(self) -> None:
        """Since when and until when there is the package, and beside it how the chart is to be read."""
        if self._found is None:
            return
        seen, width = self._found.sighting, self.app.size.width
        said = f"last seen in {visible(seen.last_seen)}, first in {visible(seen.first_seen)}" if seen else "in no tag"
        if measure(said) > width:
            self._status.show_message(said, width)
        else:
            self._status.show([said], [chart_note(self._found.moments, width, signs_of(self).blocks)])

    def _show(self) -> None:
        look = Hint("table.choose", "Enter", "look at this tag" if self._rows == "tag" else "where last seen")
        self._wanted_hints = (look, Hint("timeline.rows", "m", OTHER_ROWS[self._rows]), COPY, EXPORT)
        self._show_hints()
        if self._found is None:
            return
        if self._rows == "tag":
            moments = self._found.moments
            rows = FixedRows(map(moment_line, moments), [moment.tag for moment in moments])
            self._table.show(rows, tag_columns(moments), key=self._tag)
        else:
            columns = (Column(self._rows, 14, share=1, most=40, ends=True), *SIGHTING_COLUMNS[1:])
            names = [sighting.name for sighting in self._sightings]
            self._table.show(FixedRows(map(sighting_line, self._sightings), names), columns)
        self.show_moment()

    @property
    def _sightings(self) -> tuple[Sighting, ...]:
        assert self._found is not None  # nothing is shown before
        return self._found.versions if self._rows == "version" else self._found.stacks

    @on(Table.Moved)
    def show_moment(self) -> None:
        at = self._table.cursor_row
        if self._found is None or at is None:
            self._moment.show_fields(())
        elif self._rows == "tag":
            self._tag = self._found.moments[at].tag
            self._moment.show_fields(_moment_fields(self._found, self._found.moments[at]))
        else:
            sighting = self._sightings[at]
            spans = spans_of(sighting.tags, [moment.tag for moment in self._found.moments])
            tags = tuple(visible(newest if newest == oldest else f"{oldest} to {newest}") for newest, oldest in spans)
            self._moment.show_fields([Field(self._rows, (visible(sighting.name),)), Field("tags", tags, is_list=True)])
        self._show_chart(at)

    def on_resize(self) -> None:
        self._show_status()
        self._show_chart(self._table.cursor_row)

    def _show_chart(self, at: int | None) -> None:
        if self._found is None:
            return
        size, is_tag = self.app.size, self._rows == "tag"
        seen = None if is_tag else () if at is None else self._sightings[at].tags
        here, lines = at if is_tag else None, 3 if size.height >= ROOMY else 1
        blocks, before = signs_of(self).blocks, len(self._chart.rows)
        self._chart.show(FixedRows(chart(self._found.moments, here, seen, size.width, lines, blocks)))
        if len(self._chart.rows) != before:
            self._chart.refresh(layout=True)

    def choose(self, event: Table.Chosen) -> None:
        """Ends with the tag that is to be looked at."""
        if event.row is not None and self._found is not None:
            tag = self._found.moments[event.row].tag if self._rows == "tag" else self._sightings[event.row].last_seen
            self.dismiss(tag)

    def action_next_rows(self) -> None:
        self._rows = ROW_KINDS[(ROW_KINDS.index(self._rows) + 1) % len(ROW_KINDS)]
        self._show()

    # What leaves the screen

    def copies(self) -> Sequence[tuple[str, str]]:
        try:
            query = self._query.with_part(NamePart(self._package))
        except QueryError:  # the name of a page may be one that no query can spell
            query = self._query
        columns = [] if self._rows == "tag" else [f"--rows={self._rows}"]
        last = self._found.sighting.last_seen if self._found and self._found.sighting else None
        within = query if last is None else query.with_part(ValuePart.of("tag", [last]))
        return (
            ("specs by tag", command("coverage", self._content, [*columns, "--cols=tag"], self._index.exact(query))),
            ("last seen", command("find", self._content, (), self._index.exact(within))),
        )

    def exports(self) -> tuple[str, str, Mapping[str, Writer]]:
        found = self._found
        if found is None:
            return super().exports()
        writers = self.writers(lambda: TimelineReport(found))
        return f"timeline-{found.package}", f"the timeline, {plural(len(found.moments), 'tag')}", writers


def _moment_fields(found: Timeline, moment: Moment) -> list[Field]:
    last_seen = {each.name: each.last_seen for each in (*found.versions, *found.stacks)}
    vanished = [f"{name} (last seen in {last_seen[name]})" for name in moment.vanished if name in last_seen]
    return [
        Field("tag", (visible(moment.tag),)),
        Field("specs", (str(moment.specs),)),
        Field("versions", (_listed(moment.versions),)),
        Field("stacks", (_listed(moment.stacks),)),
        *([Field("new", (_listed(moment.appeared),), means="gain")] if moment.appeared else []),
        *([Field("gone", (_listed(vanished),), means="loss")] if vanished else []),
    ]


def _listed(names: Iterable[str]) -> str:
    return visible(", ".join(names)) or "none"

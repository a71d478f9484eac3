"""The facets: which values there are, how many specs each has, and which are ticked or left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.worker import Worker, WorkerState

from cachetui.model.facets import COMPLETE
from cachetui.model.likeness import nearest_names
from cachetui.search.results import FacetValue, Results
from cachetui.tui.rows.facets import BAR, LONGEST_BAR, FacetKey, FacetRows, facet_columns
from cachetui.tui.rows.layout import Slot, lay_out
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Table

IDLE = 1.0
"""Seconds after which what only costs time is worked out."""


class FacetPlace(NamedTuple):
    """What is under the cursor of the facets."""

    facet: str
    value: FacetValue | None
    """None on a heading, and on the line that says how many values there are besides."""
    has_ticks: bool
    """Whether a value of the facet is ticked, so that others can be ticked beside it."""
    folds: str
    """What folding would show; empty where there is nothing to fold."""


class FacetSidebar(Table):
    """The five facets as one list; a heading folds, a value is ticked or left out."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "tick", "Tick", id="facets.tick", tooltip="This value too, or no longer; fold a facet"),
        Binding("minus", "exclude", "Without", id="facets.exclude", tooltip="Without this value"),
        Binding("slash", "find", "Find", id="facets.find", tooltip="Find a value by a part of its name"),
    ]

    @dataclass
    class ValueToggled(Message):
        """A value was ticked, or its tick was taken away."""

        facet: str
        value: str

    @dataclass
    class ValueExcluded(Message):
        """A value was left out, or is no longer."""

        facet: str
        value: str

    class FindStarted(Message):
        """The user wants to type a part of a value's name."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__((), placeholder="no value has this in its name", id=id)
        self._results: Results | None = None
        self._unfolded: frozenset[str] = frozenset()
        self._found_in: str | None = None
        """The facet that is unfolded for as long as the user is at the value that he looked for in it."""
        self._wanted = ""
        self._near: tuple[str, ...] = ()
        """The values that are shown where none has what is looked for."""
        self._found_from: tuple[FacetKey, int] | None = None
        """Where the cursor was when a value began to be looked for, and in which line."""
        self._found: FacetKey | None = None
        """The value that was found last."""
        self._line: tuple[FacetKey | None, int, int] | None = None
        """The row under the cursor when it was shown last, the line that it was to be in, and the one that it got."""

    def enter(self) -> None:
        """Takes the keys; the cursor begins at the first facet if only a search led it away and nothing was ticked."""
        if self._found is not None and self._found == self._facet_key:
            values = () if self._results is None else self._results.facet(self._found[0])
            if not any(each.value == self._found[1] and (each.ticked or each.excluded) for each in values):
                self.go(0)
        self._found = None
        self.focus()
        self.count_complete()

    def show_results(self, results: Results) -> None:
        """Shows the counts of other results; the cursor stays on its value."""
        if self._results is None or self._results.index is not results.index:
            self.use_columns(facet_columns(results.index))
            self.set_timer(IDLE, self._count_complete_if_shown)
        self._results = results
        self._show()

    # Which binaries are complete: a facet that is worked out once all else stands

    def _count_complete_if_shown(self) -> None:
        if self.is_on_screen:
            self.count_complete()

    def count_complete(self) -> None:
        """Works out in a thread which binaries have all that they need, if dependencies are recorded; then shows it."""
        index = self._results.index if self._results else None
        if index is not None and index.graph and not index.knows_incomplete:
            # a graph that is damaged is said where somebody asks for dependencies
            self.run_worker(lambda: index.incomplete_rows, thread=True, exclusive=True, exit_on_error=False)

    @on(Worker.StateChanged)
    def show_complete(self, event: Worker.StateChanged) -> None:
        event.stop()
        if event.state is WorkerState.SUCCESS:
            self._show()

    # Showing and finding

    def lay_out(self, width: int) -> list[Slot]:
        """Places the columns; the bars stand where names need no more room and grow into what these leave."""
        if not self.columns:
            return []
        names, specs, bars = self.columns
        least = min(names.width, width - specs.width - names.gap)
        left = width - names.most - names.gap - specs.width - specs.gap
        bars = bars._replace(width=max(bars.width, min(left, LONGEST_BAR)))
        return lay_out([names._replace(width=max(1, least)), specs, bars], width)

    @property
    def shows_nearest(self) -> bool:
        """Whether the values that are shown are only spelled like what is looked for."""
        return bool(self._near)

    def find_value(self, wanted: str) -> None:
        """Shows only the values that contain this text, the cursor on the one that is most like it.

        First the one that is the text, in the facet that the cursor was in before others; then, of those that any spec
        has, the ones that begin with it in that facet, that contain it there, and so on in the other facets. Where none
        contains it, those are shown that are spelled most like it.
        """
        if self._found_from is None and self._facet_key is not None:
            self._found_from = self._facet_key, self.place[1]
        self._wanted = wanted.strip().lower()
        self._near = self._nearest()
        self._show()

        begun_in = self._found_from[0][0] if self._found_from else None
        of_facets = {} if self._results is None else {each: self._results.facet(each) for each in self._results.facets}
        had = {(facet, each.value) for facet, values in of_facets.items() for each in values if each.specs}

        def unlike(k: int) -> tuple[bool, ...]:
            facet, value = key = self._row_key(k)
            text = (value or "").lower()
            if self._near:
                return (value != self._near[0],)
            return text != self._wanted, key not in had, facet != begun_in, not text.startswith(self._wanted)

        self.go(min((k for k in range(len(self.rows)) if self._row_key(k)[1]), key=unlike, default=0))
        self.stay()

    def _nearest(self) -> tuple[str, ...]:
        """The values that are spelled most like what is looked for, where none contains it."""
        if self._results is None or not self._wanted:
            return ()
        names = list(dict.fromkeys(each.value for facet in self._results.facets for each in self._results.facet(facet)))
        return () if any(self._wanted in name.lower() for name in names) else nearest_names(self._wanted, names)

    def step_found(self, delta: int) -> None:
        """Goes on to the next value that was found, or with -1 back to the one before."""
        values = [k for k in range(len(self.rows)) if self._row_key(k)[1]]
        if self.cursor_row in values:
            self.go(values[max(0, min(len(values) - 1, values.index(self.cursor_row) + delta))])

    def end_finding(self, *, stay: bool) -> bool:
        """Shows all values again, with `stay` the cursor on the value that was found; says whether one was.

        Else the cursor goes back to where it came from.
        """
        key, before, looked_for = self._facet_key, self._found_from, self._wanted
        self._wanted, self._near, self._found_from = "", (), None
        if stay and key is not None and looked_for:
            self._found_in, self._found = key[0], key
        self._show(None if stay or before is None else before[0])
        if before is not None and not (stay and key):
            self.want(before)
        return key is not None

    def resized(self) -> None:
        super().resized()
        self._show()

    def _show(self, wanted_key: FacetKey | None = None) -> None:
        """Shows the rows as they are now; the cursor stays in its line, whatever comes or goes above it.

        `wanted_key`: what the cursor goes to after this, if it is not to stay; folding does not hide it.
        """
        if self._results is not None:
            key, line = self._facet_key, self.place[1]
            wanted = self._line[1] if self._line is not None and (key, line) == self._line[::2] else line
            signs = signs_of(self)
            widths = {self.columns[slot.column].title: slot.width for slot in self.slots()}
            rows = FacetRows(
                self._results,
                self.page,
                self._unfolded | {self._found_in} if self._found_in else self._unfolded,
                self._wanted,
                self._near,
                wanted_key or self._facet_key,
                signs.blocks,
                bar_width=widths.get(BAR.title, 0),
                name_width=widths.get("facets", 0),
                cut=signs.cut,
                width=self.body_width,
            )
            self.show(rows)
            if self.page and self.is_placed and key is not None and self.cursor_key == key:
                self.show_from((self.cursor_row or 0) - wanted)
                self._line = key, wanted, self.place[1]

    def _row_key(self, row: int) -> FacetKey:
        assert isinstance(self.rows, FacetRows)  # it shows nothing else
        return self.rows.key(row)

    @property
    def _facet_key(self) -> FacetKey | None:
        return None if self.cursor_row is None else self._row_key(self.cursor_row)

    @property
    def here(self) -> FacetPlace | None:
        """What is under the cursor."""
        key = self._facet_key
        if key is None or self._results is None or self.cursor_row is None:
            return None
        assert isinstance(self.rows, FacetRows)  # it shows nothing else
        values = self._results.facet(key[0])
        value = next((each for each in values if each.value == key[1]), None)
        has_ticks = key[0] != COMPLETE and any(each.ticked for each in values)
        return FacetPlace(key[0], value, has_ticks, self.rows.folds(self.cursor_row))

    def _keep_unfolded(self, facet: str) -> None:
        """Lets the facet in which a value was found stay unfolded, as one of its values is picked."""
        if facet == self._found_in:
            self._unfolded, self._found_in = self._unfolded | {facet}, None

    def on_blur(self) -> None:
        """Folds the facet again that a search unfolded, once the user leaves the facets."""
        if self._found_in is not None and not self._wanted:
            self._found_in = None
            self._show()

    def action_tick(self) -> None:
        if self._facet_key is None:
            return
        facet, value = self._facet_key
        self.stay()
        self._keep_unfolded(facet)
        if value:
            self.post_message(self.ValueToggled(facet, value))
        else:
            self._unfolded ^= {facet}
            self._show()
            self.report_move()  # its key does the opposite now

    def action_exclude(self) -> None:
        if self._facet_key is not None and self._facet_key[1]:
            self.stay()
            self._keep_unfolded(self._facet_key[0])
            self.post_message(self.ValueExcluded(self._facet_key[0], self._facet_key[1]))

    def action_find(self) -> None:
        self.post_message(self.FindStarted())

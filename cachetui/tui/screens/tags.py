"""The tags of a catalogue, to choose one from: what is typed after `/` leaves those that it is a part of."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from cachetui.query.query import Query
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line, measure
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import BACK, BoxScreen, list_help
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.table import Table

HINTS = (Hint("table.choose", "Enter", "choose"), Hint("tags.find", "/", "find"), BACK)

NEAREST = "no such tag; nearest:"

MATCHING = "matching"
"""The title of the specs that the filters take."""

ALL = "all tags"
"""What stands for the empty tag."""


class TagScreen(BoxScreen):
    """Tags and how many specs each has, in all and of those that filters take; it ends with the one that is chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "find", "Find", id="tags.find", tooltip="Find a tag by a part of it"),
        Binding("up", "move(-1)", "Up", id="tags.up", tooltip="One tag up", priority=True),
        Binding("down", "move(1)", "Down", id="tags.down", tooltip="One tag down", priority=True),
    ]

    KEYS = list_help(
        "Tags",
        "the tag to look at; with all tags, the specs of each",
        ("/", "find a tag by a part of it, such as 2025-04"),
        ("matching", "the specs of the tag that the filters take"),
        ("not read", "on the server: it is fetched when it is chosen"),
        enter="choose this tag",
    )

    def __init__(
        self,
        title: str,
        index: Index,
        tags: Sequence[str],
        chosen: str,
        unread: Sequence[str] = (),
        *,
        query: Query | None = None,
        other: tuple[str, str] = ("", ""),
    ) -> None:
        """`tags`: those to choose from, an empty one for all of them; `chosen`: the one that it is now.

        `unread`: those that have to be read first, which can be chosen too; `query`: the filters, whatever they say
        of tags; `other`: the tag that this one is compared with, and what is said beside it.
        """
        longest = max((measure(visible(tag)) for tag in (*tags, *unread)), default=0) + len(f" {other[1]}")
        filters = (query or Query()).without_key("tag")
        columns = [Column("tag", 20, share=1, most=max(20, longest), ends=True)]
        columns += [Column(title, 8, right=True) for title in (*([MATCHING] if filters else []), "specs")]
        self._table = Table(columns, placeholder="no such tag")
        super().__init__(title, self._table, HINTS)
        self._tags, self._chosen = (*tags, *unread), chosen
        said = {other[0]: f" {other[1]}"} if other[0] else {}
        counts = [_counts(index, tags, each) for each in ([filters, Query()] if filters else [Query()])]
        self._lines = [
            Line(
                (
                    Cell(f"{visible(tag) or ALL}{said.get(tag, '')}", "tick" if tag == chosen else ""),
                    *(f"{number:,}" for number in numbers),
                ),
                "" if numbers[0] else "dim",
            )
            for tag, *numbers in zip(tags, *counts, strict=True)
        ]
        self._lines += [Line((visible(tag), *[""] * len(counts[1:]), Cell("not read", "dim"))) for tag in unread]
        self._find = Prompt("/", "a part of the tag", id="find")
        self._before = self._table.standing
        """How the list stood when a tag began to be looked for."""
        self._show("", chosen)

    def body(self) -> ComposeResult:
        yield self._table
        yield self._find

    def _show(self, part: str, wanted: Hashable) -> None:
        """Lists the tags that this is a part of; the cursor goes to the wanted one, else to the first."""
        shown = [k for k, tag in enumerate(self._tags) if part.strip().lower() in (tag or ALL).lower()]
        near = [] if shown else self._nearest(part)
        self.hint(NEAREST if near else "")
        shown = shown or near
        rows = FixedRows([self._lines[k] for k in shown], [self._tags[k] for k in shown])
        self._table.show(rows, key=wanted if not shown or rows.find(wanted) is not None else rows.key(0))

    def _nearest(self, part: str) -> list[int]:
        """The places of the tags that are spelled like this, best first."""
        from cachetui.model.likeness import nearest_names  # late, as most tags are spelled well

        return [self._tags.index(tag) for tag in nearest_names(part.strip(), [tag for tag in self._tags if tag])]

    def action_move(self, delta: int) -> None:
        self._table.move(delta)

    def action_find(self) -> None:
        self._before = self._table.standing
        self._find.open()

    @on(Prompt.Edited)
    def follow_typing(self, event: Prompt.Edited) -> None:
        self._show(event.text, self._chosen)

    @on(Prompt.Left)
    def stop_typing(self, event: Prompt.Left) -> None:
        """Chooses the tag under the cursor; where no tag is as typed it lists all again and says so, and so it does,
        as they stood before, where the line is left."""
        found = self._table.cursor_key
        typed = event.text.strip().lower()
        is_there = found is not None and typed in (str(found) or ALL).lower()
        if event.chosen and is_there:
            self.dismiss(found)
        else:
            self._show("", self._chosen if found is None else found)
            if not event.chosen:
                self._table.stand_again(self._before)
            else:
                self.hint("no such tag; here is the nearest" if found is not None else "no such tag; all of them")
            self._table.focus()


def _counts(index: Index, tags: Sequence[str], query: Query) -> Iterator[int]:
    """How many specs a query takes of each tag, and of all: there a hash that several tags hold is one spec."""
    rows, count = index.rows(query), index.counter(query)
    return (rows.intersection_cardinality(index.value_rows("tag", tag)) if tag else count(rows) for tag in tags)

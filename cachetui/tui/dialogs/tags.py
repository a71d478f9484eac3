"""The dialog to choose a tag, with the number of specs of each."""

from collections.abc import Sequence
from typing import Any

from cachetui.safe_text import containing, visible
from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import ALL_TAGS, Answer, StateScreen, TagAsked
from cachetui.tui.lines import Cell, FixedRows, Line, measure

UNREAD = "not read yet"
"""Shown next to a tag of a server, or a snapshot, that is read when it is chosen."""

ALL = ""
"""The key of all tags."""


class TagDialog(ListDialog):
    """The tags newest first, below all of them together; those that are not read yet come last."""

    def __init__(self, below: StateScreen[Any], title: str = "Tag", chosen: str | None = None) -> None:
        """With `chosen` the answer is a replacement for that tag; else the tag to show, or all."""
        view = below.state.view
        self._looks = chosen is None
        self._unread: Sequence[str] = below.browser.unread_tags
        self.first = (view.shown_tag or ALL) if chosen is None else chosen
        self._filters = view.query.without_key("tag")
        names = (measure(visible(tag)) for tag in (*view.index.tags, *self._unread, ALL_TAGS))
        counts = ("matching", "specs") if self._filters else ("specs",)
        columns = [as_wide_as(Column("tag", 20, weight=1), names), *(Column(each, 12, right=True) for each in counts)]
        super().__init__(below, title, columns, placeholder="a part of a tag")

    def rows(self, text: str) -> FixedRows:
        index, none = self.view.index, [""] * bool(self._filters)
        tags = [*[ALL] * self._looks, *index.tags]
        lines = {
            tag: Line(
                (
                    visible(tag) or ALL_TAGS,
                    *(
                        f"{count:,}" if count else Cell("0", "muted")
                        for count in self.view.views.tag_counts[tag, self._filters]
                    ),
                )
            )
            for tag in tags
        }
        unread = [tag for tag in self._unread if tag not in lines]
        lines |= {tag: Line((Cell(visible(tag), "muted"), *none, Cell(UNREAD, "muted"))) for tag in unread}
        found = {tag: line for tag, line in lines.items() if containing(text, tag or ALL_TAGS)}
        return FixedRows(found)

    def answer(self, key: str) -> Answer:
        if not self._looks:
            return key
        if key in self._unread and key not in self.view.index.tags:
            return TagAsked([key])
        return lambda view: view.choose_tag(key or None)

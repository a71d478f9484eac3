"""Text to read: rows without a cursor, which the keys scroll."""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.tui.rows.layout import Column, Rows
from cachetui.tui.widgets.scrolled import ScrolledRows


class TextPane(ScrolledRows):
    """Rows to read."""

    def show(self, rows: Rows, columns: Sequence[Column] | None = None) -> None:
        """Shows other rows, in other columns if any are given; the view stays where it is as far as they reach."""
        self._rows = rows
        self.use_columns(columns)
        self.keep_in_view()
        self.refresh_changed()

    def go(self, row: int) -> None:
        """Scrolls so that this row is the first in view, as far as that leaves no line free."""
        top = self.clamp_top(row)
        if top != self._top:
            self._top = top
            self.refresh_changed()

    def move(self, delta: int) -> None:
        self.scroll_rows(delta)

    def scroll_rows(self, delta: int) -> None:
        self.go(self._top + delta)

    def keep_in_view(self) -> None:
        if self.page:
            self._top = self.clamp_top(self._top)

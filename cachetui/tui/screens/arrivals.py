"""Indexes of one catalogue as they arrive, while it is read and when its files change: what of a view stays with each.

Filters, marks and the cursor stay where the index has what they are of; what is gone is said. The place that a view
begins with is gone to as soon as there is all to show.
"""

from __future__ import annotations

from collections.abc import Callable

from cachetui.safe_text import plural, visible
from cachetui.search.index import Index
from cachetui.settings.views import SavedView
from cachetui.tui.screens.browse_parts import BrowseParts
from cachetui.tui.screens.views import SavedViews
from cachetui.tui.state.saved_view import orders_of


class Arrivals:
    """Shows each index on the browse screen."""

    def __init__(
        self, parts: BrowseParts, views: SavedViews, show: Callable[[], None], opens: SavedView | None
    ) -> None:
        """`show` shows the view again; `opens`: the view that the browser begins with."""
        self._view, self._panes, self._bars = parts.view, parts.panes, parts.bars
        self._views = views
        self._show = show
        self._opens = opens
        """The view whose place the cursor has still to go to."""

    def begin(self) -> None:
        """Shows the first index, in the orders of the view that the browser begins with."""
        if self._opens is not None:
            lists = self._view.lists
            lists.package_order, lists.spec_order = orders_of(self._opens)
        self._show()
        if len(self._view.index) and not self.is_reading:
            self._go_to_place()

    def _go_to_place(self) -> None:
        """Goes to where the view stands that the browser begins with."""
        if self._opens is not None:
            self._views.go_to_place(self._opens)
            self._opens = None

    def show_index(self, index: Index, activity: str = "", message: str = "") -> None:
        """Shows another index; says what is no more there, and this.

        While a catalogue is read for the first time, a cursor that was not moved stays on the first package.
        """
        untouched = self.is_reading and not self._panes.packages.cursor_row
        self._bars.activity = activity
        tag = self._view.plain_tag
        gone = [plural(marks, "marked spec")] if (marks := self._view.use(index, untouched=untouched)) else []
        if tag is not None and tag not in index.tags:
            gone.append(f"the tag {visible(tag)}, {self._bars.key_of('browse.clear', 'x')} looks at another")
        self._show()
        if said := "; ".join(filter(None, (message, f"no more there: {' and '.join(gone)}" if gone else ""))):
            self._bars.say(said)
        if untouched:
            self._panes.go_to_first()
            if not activity:
                self._go_to_place()

    @property
    def is_reading(self) -> bool:
        """Whether something is being read in the background."""
        return bool(self._bars.activity)

    def show_activity(self, activity: str) -> None:
        """Says what goes on in the background; empty for nothing."""
        self._bars.activity = activity
        if activity or len(self._view.index):
            self._bars.show_header()
        else:
            self._show()

"""The tags that a server lists and that nobody has looked at yet: fetched when one is chosen, and then looked at.

Input: the catalogue, and the browse screen that shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cachetui.catalogue import Catalogue
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.tui.screens.browse import BrowseScreen

EVERY = 0.3
"""Seconds between two words on how far a tag is."""


class UnreadTags:
    """The unread tags of one catalogue."""

    def __init__(self, catalogue: Catalogue, browse: BrowseScreen, read_again: Callable[[], None]) -> None:
        """`read_again` compares everything with the server again."""
        self._catalogue = catalogue
        self._browse = browse
        self._read_again = read_again
        self._asked = ""
        """The tag that is being read as somebody wants to look at it; empty for none."""

    def of(self, index: Index) -> Sequence[str]:
        """Those beside the tags of an index."""
        more = self._catalogue.more
        return () if more is None else more.unread_tags(index.tags)

    @property
    def known(self) -> Sequence[str]:
        """Those that the browse screen offers."""
        return self._browse.view.unread_tags

    def start(self) -> None:
        """Begins to say how far a tag is, where there can be unread ones."""
        if self._catalogue.more is not None:
            self._browse.set_interval(EVERY, self._say_how_far)

    def ask_for(self, tag: str) -> None:
        """Has a tag fetched."""
        more = self._catalogue.more
        if more is not None:
            more.ask_for(tag)
            self._asked = tag
            self._read_again()

    def _say_how_far(self) -> None:
        more = self._catalogue.more
        if self._asked and more is not None and self._browse.arrivals.is_reading:
            self._browse.arrivals.show_activity(f"fetching {visible(self._asked)} {more.transfer}".rstrip())

    def settle(self, unread: Sequence[str]) -> bool:
        """Takes up which tags are unread now, and looks at the one that was asked for; False if that has not come."""
        self._browse.view.unread_tags = unread
        tag, self._asked = self._asked, ""
        if tag in self._browse.view.index.tags:
            self._browse.filters.look_at_tag(tag)
            return True
        return not tag

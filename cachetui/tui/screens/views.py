"""The saved views of one content: saved under a name, opened, listed, and where the browser was left.

What a view is of is in `state.saved_view`, where it is kept in `settings.views`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from cachetui.query.errors import QueryError
from cachetui.safe_text import visible
from cachetui.settings.views import SavedView, ScreenLook, checked_name, read_views, save_last, save_view, views_path
from cachetui.settings.views_file import ViewsError
from cachetui.tui.screens.browse_parts import BrowseParts
from cachetui.tui.screens.survey_opening import Surveys
from cachetui.tui.state.saved_view import orders_of, query_of, saved_view


class SavedViews:
    """Saves and opens the views of one content, for the browse screen."""

    def __init__(self, parts: BrowseParts, surveys: Surveys, identity: str) -> None:
        """`identity`: of the content."""
        self._owner, self._view, self._panes, self._bars, self._filters = parts
        self._surveys = surveys
        self._identity = identity
        self._path = views_path(os.environ, identity)

    def names(self) -> Sequence[str]:
        """The names of the views that there are; none where they cannot be read."""
        try:
            return sorted(read_views(self._path).named)
        except ViewsError:
            return ()

    def current(self) -> SavedView:
        """What is looked at now."""
        if others := self._owner.app.screen_stack[1:]:
            from cachetui.tui.screens.survey_base import SurveyScreen  # late: mostly no other screen was opened yet

            surveys = (each for each in reversed(others) if isinstance(each, SurveyScreen))
            if screen := next((each for each in surveys if each.SAVED_AS), None):
                return saved_view(self._view, screen.SAVED_AS, self._panes.package, screen.look)
        return saved_view(self._view, self._panes.level, self._panes.package, ScreenLook())

    def save_last(self, left: SavedView) -> None:
        """Saves where the browser was left, if that can be done."""
        try:
            save_last(self._path, self._identity, left)
        except ViewsError:
            return  # nobody waits for it: the folder may be read-only

    # A name for what is looked at

    def ask_for_name(self) -> None:
        """Asks for a name, and saves what is looked at under it."""
        saved = self.current()
        try:
            views = read_views(self._path)
        except ViewsError as error:
            self._say(str(error))
            return
        from cachetui.tui.screens.view_list import NameScreen

        self._owner.app.push_screen(NameScreen(views, saved), lambda name: self._save(name, saved))

    def _save(self, name: object, saved: SavedView) -> None:
        if not isinstance(name, str):
            return
        try:
            name = checked_name(name)
            save_view(self._path, self._identity, name, saved)
        except ViewsError as error:
            self._say(str(error))
        else:
            self._say(f"saved as {name}: cachetui --view, V here and the palette open it")

    # Going to one

    def open_list(self) -> None:
        """Lists the views, to open one, to remove one, to begin with one."""
        from cachetui.tui.screens.view_list import ViewsScreen

        try:
            screen = ViewsScreen(read_views(self._path), self._identity)
        except ViewsError as error:
            self._say(str(error))
        else:
            self._owner.app.push_screen(screen, self._open_chosen)

    def _open_chosen(self, name: object) -> None:
        if isinstance(name, str):
            self.open(name)

    def open(self, name: str) -> None:
        """Looks at a view, as one step of the filters."""
        while self._owner.app.screen is not self._owner and len(self._owner.app.screen_stack) > 1:
            self._owner.app.pop_screen()
        try:
            saved = read_views(self._path).named.get(name)
            if saved is None:
                self._say(f"no view {visible(name)} any more")
                return
            query = query_of(saved)
        except (ViewsError, QueryError) as error:
            self._say(f"the view {visible(name)} cannot be opened: {error}")
            return
        lists = self._view.lists
        lists.package_order, lists.spec_order = orders_of(saved)
        self._filters.look_at(query)
        self.go_to_place(saved)

    def go_to_place(self, saved: SavedView) -> None:
        """Goes to the package of a view that is looked at, and opens its screen."""
        if saved.package and self._view.shows(saved.package):
            self._panes.go_to(saved.package)
        if saved.screen == "specs" and self._panes.package == saved.package:
            self._panes.go_to_level("specs")
        elif saved.screen not in ("packages", "specs"):
            self._surveys.open(saved.screen, saved.look)

    def _say(self, message: str) -> None:
        from cachetui.tui.screens.survey_base import SurveyScreen

        top = self._owner.app.screen
        if isinstance(top, SurveyScreen):
            top.hint(message)
        else:
            self._bars.say(visible(message))

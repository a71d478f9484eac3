"""The browser as an app: it has the catalogue read in the background and hands each index to the screens."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.settings.config import Config
from cachetui.settings.views import SavedView
from cachetui.sources.source import Asking
from cachetui.tui.reading import CatalogueReading
from cachetui.tui.screens.base import SizedScreen
from cachetui.tui.screens.browse import BrowseScreen
from cachetui.tui.screens.filters import TagAsked
from cachetui.tui.screens.unread import UnreadTags
from cachetui.tui.terminal.lifecycle import TerminalApp, run_in_terminal
from cachetui.tui.terminal.theme import checked_theme, no_theme
from cachetui.tui.terminal.typeahead import Typed
from cachetui.workers.cancelling import Cancelled

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cachetui.sources.buildcache.remote_binaries import RemoteBinaries
    from cachetui.sources.buildcache.sizes import Sizes
    from cachetui.tui.screens.spec import SpecScreen
    from cachetui.tui.screens.survey_base import SurveyScreen

AFTER_START = 0.1
"""Seconds from the first screen until what is needed later is imported, and between one of these and the next."""

LATER = (
    *("cachetui.explain.completion", "cachetui.explain.unknown_values", "rapidfuzz.process"),
    *(f"cachetui.tui.screens.{name}" for name in ("lookup", "spec", "tags", "why", "help")),
)
"""What the first letter of a query waits for, and what single keys open."""


def _commands() -> type[Provider]:
    """What finds commands in the palette; imported when that is opened."""
    from cachetui.tui.screens.palette import Commands

    return Commands


def _empty_index() -> Index:
    """The index of content of which nothing is read yet."""
    from cachetui.store.merge import merge

    return Index(merge(None, []))


class BrowserApp(TerminalApp[list[str]]):
    """One catalogue, one browse screen."""

    TITLE = "cachetui"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_commands}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+p", "command_palette", "Palette", id="app.palette", show=False),
    ]

    def __init__(
        self,
        catalogue: Catalogue,
        query: Query,
        host: Host,
        *,
        content: str | None = None,
        picks: bool = False,
        watches: bool = False,
        config: Config | None = None,
        opens: SavedView | None = None,
        asking: Asking | None = None,
    ) -> None:
        """`content` as the user named it, None for the sample; `picks`: it ends with the specs that are chosen;
        `watches`: what changes on disk is read again by itself; `config`: the settings of the user;
        `opens`: the view that it begins with, whose query is `query`; `asking`: how servers are asked."""
        super().__init__()
        self._asking = asking or Asking()
        self._watches = watches
        self._asked_next: bool | None = None
        """Whether the user asked for what is to be read once more, after what is read now; None for nothing."""
        # The sample is read at once: keys typed before the first screen find it there.
        self._saved = catalogue.load() if content is None else catalogue.saved()
        index = self._saved or _empty_index()
        self.browse = BrowseScreen(
            index,
            query,
            host,
            label=None if content is None else catalogue.content,
            content=catalogue.content_words,
            identity=catalogue.identity,
            picks=picks,
            opens=opens,
        )
        if self._saved is None:
            self.progress = self.browse.bars.activity = "reading"
        self._picks = picks
        self._left: SavedView | None = None
        """Where the browser was left; None before that, and where specs are picked."""
        self._unread = UnreadTags(catalogue, self.browse, partial(self._read_again, asked=True))
        self.reading = CatalogueReading(self, catalogue, self._unread, len(index.columns.page_path))
        self._mistakes = () if config is None else self._follow_settings(config)
        """What is wrong in the config file."""

    def _follow_settings(self, config: Config) -> Sequence[str]:
        """Takes columns, theme and keys as the user wants them; returns a line for each that cannot be followed."""
        lists = self.browse.view.lists
        lists.columns = config.columns or lists.columns
        theme, no_theme = checked_theme(config)
        if theme is not None:
            self.theme, self.follows_background = theme, False
        mistakes = [*no_theme]
        if config.keys:
            from cachetui.tui.key_settings import all_keys, changed_keys, key_sign  # imports every screen

            keymap, no_keys = changed_keys(config)
            self.set_keymap(keymap)
            signs = {name: " ".join(map(key_sign, keys.split(","))) for name, keys in keymap.items()}
            self.changed_keys = {name: (sign, all_keys()[name].what) for name, sign in signs.items()}
            mistakes += no_keys
        # the folder of the file would fill the line
        return [each.replace(visible(config.path), os.path.basename(config.path), 1) for each in mistakes]

    def get_default_screen(self) -> BrowseScreen:
        return self.browse

    @property
    def answering(self) -> Iterable[Widget]:
        return self.screen.answering if isinstance(self.screen, SizedScreen) else super().answering

    def first_answer(self) -> Worker[Any] | None:
        return self.screen.first_answer if isinstance(self.screen, SizedScreen) else None

    def sizes_of(self, index: Index, cancelled: Cancelled) -> Sizes:
        """What tells how large the binaries of an index are, until it is cancelled; see `screens.size_reading`."""
        from cachetui.sources.buildcache.sizes import Sizes, has_urls

        return Sizes(index, self._remote if has_urls(index.graph) else None, cancelled)

    @cached_property
    def _remote(self) -> RemoteBinaries:
        from cachetui.sources.buildcache.remote_binaries import RemoteBinaries  # late: few have content on a server

        return RemoteBinaries(os.environ, self._asking)

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, lambda _: self.refresh(layout=True))
        if self._mistakes:
            more = f"{len(self._mistakes)} mistakes, cachetui config lists them: " if self._mistakes[1:] else ""
            self.browse.bars.say(f"{more}{self._mistakes[0]}")
        # A thread that works would hold up the first screen, which has all it needs or says that it is being read.
        if self._saved is None:
            self.browse.call_after_refresh(self.reading.is_drawn.set)
            self.reading.start(None)
        else:
            self.browse.call_after_refresh(self.reading.start, self._saved)
        if self._watches:
            self.reading.watch_files()
        self._unread.start()
        # Not in a thread, where another import could see half of it; one by one, so that no key waits for all of them.
        for number, name in enumerate(LATER, 1):
            self.browse.call_after_refresh(self.set_timer, number * AFTER_START, partial(import_module, name))

    async def take_key(self, event: Typed) -> None:
        if isinstance(self.screen, BrowseScreen):
            self.screen.bars.forget_message()
        else:
            from cachetui.tui.screens.list_screens import ListScreen

            if isinstance(self.screen, ListScreen):
                self.screen.forget_message()
        await super().take_key(event)

    @on(BrowseScreen.ReloadAsked)
    def reload(self) -> None:
        """Reads again what changed on disk, and says so if nothing has."""
        self._read_again(asked=True)

    @on(TagAsked)
    def fetch_tag(self, event: TagAsked) -> None:
        self._unread.ask_for(event.tag)

    def on_spec_screen_asked(self, event: SpecScreen.Asked) -> None:
        self.browse.selection.act_on_spec(event)

    def on_survey_screen_step_asked(self, event: SurveyScreen.StepAsked) -> None:
        from cachetui.tui.screens.filter_steps import take_over_lists

        said = take_over_lists(self.browse, event.step)
        self._show_above("")
        event.screen.say_done(said)

    @on(CatalogueReading.FilesChanged)
    def follow_files(self) -> None:
        self._read_again(asked=False)

    def _read_again(self, *, asked: bool) -> None:
        if self.browse.arrivals.is_reading:
            self._asked_next = asked or bool(self._asked_next)
        else:
            self._asked_next = None
            self.reading.start(self.browse.view.index, asked=asked)

    def exit(
        self, result: list[str] | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Ends the browser; it is remembered where it was left."""
        if self._left is None and self.browse.is_mounted and not self._picks:
            self._left = self.browse.views.current()
        super().exit(result, return_code, message)

    def save_place(self) -> None:
        """Saves where the browser was left, for the next time."""
        if self._left is not None:
            self.browse.views.save_last(self._left)

    def action_command_palette(self) -> None:
        """Opens the palette."""
        from cachetui.tui.screens.palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers on the screen that is open."""
        from cachetui.tui.screens.palette import palette_commands

        return palette_commands(self, self.browse, screen)

    @on(CatalogueReading.IndexArrived)
    def show_index(self, event: CatalogueReading.IndexArrived) -> None:
        was_partial = bool(self.progress)
        if was_partial:  # a first reading that failed leaves its reason there
            self.progress = event.activity or ("" if event.index is not None else visible(event.message))
        self.browse.bars.stale = self.reading.stale
        if event.index is not None:
            self.browse.arrivals.show_index(event.index, event.activity, visible(event.message))
            self.browse.call_after_refresh(self.reading.is_drawn.set)
            if self.screen_stack[1:]:
                self._show_above(visible(event.message))
        else:
            if was_partial:
                self._show_above("")
            self.browse.arrivals.show_activity(event.activity)
            if event.message:
                self.browse.bars.say(visible(event.message))
        if self._asked_next is not None and not event.activity:
            self._read_again(asked=self._asked_next)
        elif event.unread is not None and not self._unread.settle(event.unread) and not event.message:
            self.browse.bars.say("the tag that was chosen could not be read")

    def _show_above(self, message: str) -> None:
        """Has the screens over the lists follow a newer index, of which this is said."""
        from cachetui.tui.screens.lookup import LookupScreen
        from cachetui.tui.screens.spec import SpecScreen
        from cachetui.tui.screens.survey_base import SurveyScreen

        if isinstance(self.screen, SpecScreen) and message:
            back = self.screen.key_of("screen.close", "Esc")
            self.screen.hint(f"{message}; this is what was read before   {back} back")
        for screen in self.screen_stack:
            if isinstance(screen, LookupScreen | SurveyScreen):
                screen.call_later(screen.follow_view, self.browse.view)  # as soon as it is mounted


def run(app: BrowserApp, *, theme: str | None = None, full_repaint: bool = False, mouse: bool = False) -> int:
    """Opens the browser and returns the exit status of the program; raises ValueError for a theme that is not there."""
    if theme is not None:
        if theme not in app.available_themes:
            raise ValueError(no_theme(theme))
        app.theme, app.follows_background = theme, False
    app.full_repaint = full_repaint
    status = run_in_terminal(app, mouse=mouse)
    app.save_place()
    for word in app.return_value or ():
        print(word)
    return status

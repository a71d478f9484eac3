"""The app. It opens screens and dialogs. When a newer index arrives, it updates every open screen."""

import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from threading import Event
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace
from rich.console import RenderableType
from textual import events, on
from textual.message import Message

from cachetui.catalogue import Catalogue
from cachetui.model.problem import UserError
from cachetui.safe_text import plural, visible
from cachetui.search.index import Index
from cachetui.settings.saved_views import SavedView
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.remote_binaries import RemoteBinaries, Sizes, has_urls
from cachetui.sources.kinds import SAMPLES
from cachetui.sources.source import Asking, ContentError, Progress
from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.frame import (
    AllChanged,
    AnyScreen,
    Browser,
    DialogAsked,
    DialogName,
    KeysScreen,
    ScreenAsked,
    StateScreen,
    Status,
    TagAsked,
    cancelled_here,
)
from cachetui.tui.keymap import changed_keys, first_key_text, key_text
from cachetui.tui.lines import Cell, Text
from cachetui.tui.terminal.lifecycle import EXIT_STATUS, TerminalApp, Typed, run_in_terminal
from cachetui.tui.theme import checked_theme
from cachetui.tui.view.saved import saved_list
from cachetui.tui.view.view import ScreenName, ShownState, View
from cachetui.workers.cancelling import Cancelled, Interrupted

IMPORT_SECONDS = 0.1
"""Seconds to wait before each late import, after the first screen has appeared or the previous import has ended."""

SHORT = 1.0
"""The header reports work that takes longer than this number of seconds."""

SCREENS: Mapping[ScreenName, str] = {
    "browse": "browse.screen.BrowseScreen",
    "coverage": "coverage.screen.CoverageScreen",
    "diff": "diff.screen.DiffScreen",
    "timeline": "timeline.screen.TimelineScreen",
    "stacks": "stacks.screen.StacksScreen",
    "check": "check.screen.CheckScreen",
    "deps": "spec.deps.DepsScreen",
    "comparison": "spec.comparison.ComparisonScreen",
}
"""The classes of the screens."""

DIALOGS: Mapping[DialogName, str] = {
    "lookup": "dialogs.lookup.LookupDialog",
    "tags": "dialogs.choices.TagDialog",
    "hosts": "dialogs.choices.HostDialog",
    "axes": "dialogs.choices.AxesDialog",
    "without_each_filter": "dialogs.choices.WithoutEachFilterDialog",
    "saved_views": "dialogs.choices.SavedViewDialog",
    "copy": "dialogs.choices.CopyDialog",
    "export": "dialogs.export.ExportDialog",
    "problems": "dialogs.choices.ProblemDialog",
    "help": "dialogs.help.HelpDialog",
    "palette": "dialogs.help.Palette",
    "reference": "dialogs.help.ReferenceDialog",
}
"""The classes of the dialogs."""

LATER = (*("cachetui.suggest.completion", "rapidfuzz.process", "cachetui.tui.dialogs.lookup", "rapidfuzz.distance"),)
"""Modules to import after the first screen has appeared, so that no key waits for these imports."""

DRAWING_SECONDS = 0.3
"""Maximum number of seconds that the reading thread waits until the app has drawn a partial index."""


class ContentReading(Struct, frozen=True):
    """The progress of reading the content, and the work to do afterwards."""

    doing: str = ""
    """The current work, for the header; empty when the reading is complete."""
    is_first: bool = False
    """Whether the content is being read without an index cache."""
    was_whole: bool = False
    """Whether the whole content was read, or compared with an index cache, at least once."""
    again: bool | None = None
    """Whether the user requested the next reading. None if this is the last reading."""
    tag: TagAsked | None = None
    """The tags to show after reading."""

    @property
    def progress(self) -> str:
        """The progress of the first reading. The text is empty when the first reading is complete."""
        return self.doing if self.is_first else ""

    def asked(self, asked: bool) -> "ContentReading":
        """Request a second reading after the current one. `asked` tells whether the user requested it."""
        return replace(self, again=asked or bool(self.again))

    def arrived(self, activity: str) -> "ContentReading":
        """Return the state with the current work, `activity`, which the reading thread has reported.

        If `activity` is empty, the reading is complete.
        """
        return replace(self, doing=activity, is_first=self.is_first and bool(activity))

    def ended(self) -> "ContentReading":
        """Return the state after a reading. If this was the last reading, the state has no tags to show."""
        return replace(self, was_whole=True, again=None, tag=None if self.again is None else self.tag)


@dataclass
class IndexArrived(Message):
    """Sent when a newer index is available. If `index` is None, the message only reports the progress of reading."""

    index: Index | None
    activity: str = ""
    """The current work; empty when the reading is complete."""
    message: str = ""
    error: bool = False


@dataclass
class FilesChanged(Message):
    """Sent when files of the content have changed. If the app cannot watch the files, `error` is the reason."""

    error: str = ""


def progress_text(progress: Progress) -> str:
    """Return the progress as text: the state of a download, or how much of the content was read (in percent).

    The percentage is a multiple of five, so that the text changes rarely.
    """
    if progress.transfer:
        return f"fetching {progress.transfer}"
    return f"reading {5 * (20 * progress.done // progress.total)} %"


class BrowserApp(TerminalApp[list[str]]):
    """The app, which shows a catalogue (the content) on a stack of screens."""

    TITLE = "cachetui"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        catalogue: Catalogue,
        view: View,
        *,
        content: str | None = None,
        picks: bool = False,
        watches: bool = False,
        first_screen: ScreenName = "browse",
        first_words: Sequence[str] = (),
        asking: Asking | None = None,
        check: Callable[[Index], object] | None = None,
    ) -> None:
        """Create the app. `view` shows the index cache, or an empty index.

        `content` is the content as the user typed it; None for the sample. With `picks`, Enter on a spec ends the app.
        With `watches`, the app reads files again when they change on disk. The app opens `first_screen` over the main
        screen, with the options `first_words`. `check` raises UserError if the index cannot be used, for example if it
        lacks a tag of the command line.
        """
        super().__init__(view.settings)
        self.catalogue = catalogue
        self.picks, self._watches = picks, watches
        self._asking = asking or Asking()
        self._content = "the sample" if content is None else content if content in SAMPLES else catalogue.source.content
        self._reading = ContentReading() if view.index.columns.page_path else ContentReading("reading", is_first=True)
        self._check = check
        self.refusal: UserError | None = None
        """The error that ended the browser. None if the user ended the browser."""
        self._first = BrowseScreen(view)
        self._first_screen, self._first_words = first_screen, first_words
        self._names: dict[AnyScreen, ScreenName] = {}
        """The name of each screen ever opened over the first screen. Closed screens are kept for reuse."""
        self._is_drawn = Event()
        """An event that is set when the latest index is drawn."""
        self.left: SavedView | None = None
        """The last view, for `--resume`. None until the app ends, or with `picks`."""
        theme, mistakes = checked_theme(self.settings.config)
        if theme is not None:
            self.theme, self.follows_background = theme, False
        keys, no_keys = changed_keys(self.settings.config)
        self.changed_keys: Mapping[str, str] = keys
        self.set_keymap(keys)
        self._mistakes = [f"config.toml: {visible(each)}" for each in (*mistakes, *no_keys)]
        """A message for each error in the config file."""

    def get_default_screen(self) -> BrowseScreen:
        return self._first

    @property
    def screen(self) -> KeysScreen[Any]:
        """The screen or dialog on top."""
        return cast(KeysScreen[Any], super().screen)

    def has_first_answer(self) -> bool:
        return self.screen.has_first_answer

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, lambda _: self.refresh(layout=True))
        if self._mistakes:
            more = f"{len(self._mistakes)} errors; to list them, run cachetui config: " if self._mistakes[1:] else ""
            self._first.say(f"{more}{self._mistakes[0]}")
        # Wait for the first screen, because a busy thread would delay it.
        self._first.call_after_refresh(
            self._start_reading, None if self._reading.progress else self._first.state.view.index
        )
        if self._watches:
            self.run_worker(self._watch, thread=True, group="watch")
        if self._first_screen != "browse":
            self.post_message(ScreenAsked(self._first_screen, self._first.state.view, self._first_words))
        # Import in the main thread, because another thread could see a half-imported module. Import one module at a
        # time, so that a key waits for at most one import.
        for number, name in enumerate(LATER, 1):
            self._first.call_after_refresh(self.set_timer, number * IMPORT_SECONDS, partial(import_module, name))

    async def take_key(self, event: Typed) -> None:
        self.screen.forget_message()
        await super().take_key(event)

    def on_key(self, event: events.Key) -> None:
        """Report that the pressed key does nothing on this screen."""
        if event.key not in self.screen.active_bindings:
            help_key = first_key_text("browse.help", self.changed_keys)
            self.say(f"{key_text(event.key)} does nothing here; {help_key} lists the keys")

    def on_paste(self, event: events.Paste) -> None:
        """Report that pasted text is ignored, because no text field is open."""
        lookup_key = first_key_text("browse.lookup", self.changed_keys)
        self.say(f"no text field is open: to paste a hash or a log, press {lookup_key} first")

    def rest(self) -> None:
        super().rest()
        self.screen.rest()

    # Screens and dialogs

    @on(ScreenAsked)
    def open_screen(self, event: ScreenAsked) -> None:
        """Open a screen. Reuse a closed screen with the same name, because creating a screen takes longer."""
        closed = (each for each, name in self._names.items() if name == event.name and each not in self.screen_stack)
        screen: StateScreen[ShownState] | None = next(closed, None)
        if screen is None:
            screen = class_of(SCREENS[event.name])(event.view)
            self._names[screen] = event.name
            self.install_screen(screen, str(len(self._names)))
        else:
            screen.open(event.view)
        if event.words:
            screen.do(lambda state: state.with_words(event.words))
        self.push_screen(screen)

    @on(DialogAsked)
    def open_dialog(self, event: DialogAsked) -> None:
        """Open a dialog over the screen that requested it, and pass the dialog's result to that screen."""
        if self.screen is event.screen:
            self.push_screen(class_of(DIALOGS[event.name])(event.screen), event.screen.apply_answer)

    def name_of(self, screen: AnyScreen) -> ScreenName:
        """Return the name of a screen."""
        return self._names.get(screen, "browse")

    @on(AllChanged)
    def change_all(self, event: AllChanged) -> None:
        """Change the views of all open screens with the function in the message."""
        for screen in self.screen_stack:
            if isinstance(screen, KeysScreen):
                screen.follow(event.step)

    def exit(
        self, result: list[str] | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """End the browser, and store the current view.

        If the user had to select a spec (`picks`) but selected none, the exit status is 130.
        """
        if self.picks and not result:
            return_code = return_code or EXIT_STATUS[signal.SIGINT]
        screen = next((each for each in reversed(self.screen_stack) if isinstance(each, StateScreen)), None)
        if self.left is None and screen is not None and not self.picks:
            self.left = screen.state.saved or saved_list(replace(screen.state.view, only=None))
        super().exit(result, return_code, message)

    # The catalogue

    @property
    def status(self) -> Status:
        """The status of the content, for the header of every screen."""
        index = self._first.state.view.index
        stale = dict.fromkeys(each.sign for each in self.catalogue.stale)
        errors, doing = sum(problem.level == "fault" for problem in index.problems), self._reading.doing
        warning = " · ".join(stale) or ("" if doing or not errors else plural(errors, "error"))
        state: Text = [visible(doing)] * bool(doing)
        if warning:
            state = [Cell("! ", "warn"), Cell(visible(warning), "", (), "browse.problems")]
        return Status(self._content, state, self._reading.progress)

    @property
    def unread_tags(self) -> Sequence[str]:
        """The existing tags and snapshots that the browser has not read yet."""
        read = self._first.state.view.index.tags
        return [*self.catalogue.source.unread_tags(read), *(tag for tag in self.catalogue.snapshots if tag not in read)]

    @on(TagAsked)
    def read_tag(self, event: TagAsked) -> None:
        for tag in event.tags:
            self.catalogue.ask_for(tag)
        self._reading = replace(self._reading, tag=event)
        self._read_again(asked=True)

    def toggle_snapshots(self) -> None:
        """Show the snapshots as tags, or hide them if they are shown."""
        self.catalogue.shows_snapshots = not self.catalogue.shows_snapshots
        self.catalogue.ask_newest()
        self._read_again(asked=False)
        self.say(f"snapshots shown as tags: {len(self.catalogue.snapshots):,}")

    def sizes_of(self, index: Index, cancelled: Cancelled) -> Sizes:
        """Return an object that finds the sizes of binaries. It may query a server until `cancelled` returns true."""
        return Sizes(index, self._remote if has_urls(index.graph) else None, cancelled)

    @cached_property
    def _remote(self) -> RemoteBinaries:
        def changed() -> None:
            self.post_message(FilesChanged())

        return RemoteBinaries(self.settings, self._asking, self.catalogue.credentials, changed)

    def reload(self) -> None:
        """Read changed files again; report if nothing has changed."""
        self.catalogue.source.ask_servers()
        self._read_again(asked=True)

    @on(FilesChanged)
    def follow_files(self, event: FilesChanged) -> None:
        if event.error:
            self.say(event.error)
        else:
            self._read_again(asked=False)

    def _read_again(self, *, asked: bool) -> None:
        if self._reading.doing:
            self._reading = self._reading.asked(asked)
        else:
            self._start_reading(self._first.state.view.index, asked=asked)

    @on(IndexArrived)
    def show_index(self, event: IndexArrived) -> None:
        """Show the progress of reading, and the newer index (if any) on every open screen."""
        index, before = event.index, self._reading
        if event.error and not before.was_whole:
            self._refuse(ContentError(event.message))
            return
        self._reading = before.arrived(event.activity)
        if index is not None:
            self.change_all(AllChanged(lambda view: view.on_index(index)))
            self._first.call_after_refresh(self._is_drawn.set)
        screen = self.screen
        if isinstance(screen, StateScreen):
            if event.activity:
                self.set_timer(SHORT, screen.show_heading)
            else:
                screen.show_heading()
            if before.progress and not self._reading.progress:
                screen.redraw()  # only a completely read index may report missing specs
        if event.message:
            self.say(event.message)
        if not event.activity:
            self._end_reading(error=event.error)

    def _end_reading(self, *, error: bool) -> None:
        """Finish a reading. If files changed meanwhile, read again. Otherwise, show the requested tag, if any.

        After the first reading, run the check that `__init__` received. If it raises UserError, end the browser.
        """
        reading, self._reading = self._reading, self._reading.ended()
        if not reading.was_whole and self._check is not None:
            try:
                self._check(self._first.state.view.index)
            except UserError as refusal:
                self._refuse(refusal)
                return
        if reading.again is not None:
            self._read_again(asked=reading.again)
            return
        asked = reading.tag
        if asked is None:
            return
        tag, screen = asked.tags[0], self.screen
        if set(asked.tags) <= set(self._first.state.view.index.tags) and isinstance(screen, StateScreen):
            screen.follow(lambda view: view.choose_tag(tag))
            if asked.opens is not None:
                screen.open_for_current(asked.opens)
        elif not error:
            self.say(f"the tag {visible(tag)} could not be read")

    def _refuse(self, refusal: UserError) -> None:
        """End the browser with an error."""
        self.refusal = refusal
        self.exit()

    def say(self, message: str) -> None:
        """Show a message on the screen on top."""
        self.screen.say(message)

    def _start_reading(self, index: Index | None, *, asked: bool = False) -> None:
        """Start a thread that compares an index with the files, or reads all files if `index` is None.

        `asked` tells whether the user requested this. Then the app shows a message even if all files are unchanged.
        """
        self.run_worker(partial(self._read, index, asked=asked), thread=True, exclusive=True, group="read")

    # In threads: one reads the content, the other watches its files

    def _read(self, index: Index | None, *, asked: bool) -> None:
        self._tell(None, "comparing with the files" if index else "reading")
        try:
            if index is None:
                self._read_all()
            else:
                self._compare(index, asked=asked)
        except UserError as error:
            self._tell(None, message=str(error), error=True)
        except Interrupted:
            return

    def _read_all(self) -> None:
        shown = ""

        def progressed(progress: Progress) -> None:
            nonlocal shown
            if (activity := progress_text(progress)) != shown:
                shown = activity
                self._tell(None, activity)

        def grown(so_far: Index, progress: Progress) -> None:
            self._is_drawn.clear()
            self._tell(so_far, progress_text(progress))
            self._is_drawn.wait(DRAWING_SECONDS)

        self._tell(self.catalogue.load(grown, cancelled_here(), progressed), message="; ".join(self.catalogue.notes))

    def _compare(self, index: Index, *, asked: bool) -> None:
        def refreshed(newer: Index) -> None:
            message = "nothing has changed" if asked and newer is index else ""
            self._tell(None if newer is index else newer, "comparing with the files", message)

        whole = self.catalogue.own(self.catalogue.refresh(index, refreshed, cancelled_here()))
        self._tell(None, message="; ".join(self.catalogue.notes))
        if whole.graph:
            whole.columns.complete  # noqa: B018  # compute the completions now, so that no key waits for them

    def _watch(self) -> None:
        """Watch the files of the content, and report changed files."""
        try:
            for _ in self.catalogue.source.watch(cancelled_here()):
                self.post_message(FilesChanged())
        except ContentError as error:
            self.post_message(FilesChanged(str(error)))

    def _tell(self, index: Index | None, activity: str = "", message: str = "", *, error: bool = False) -> None:
        for screen in self.screen_stack:
            if index is not None and isinstance(screen, StateScreen):
                view = replace(screen.state.view.on_index(index), shown=None)
                view.results.find_all(view.host)  # compute in this thread, so that the main thread can handle keys
        self.post_message(IndexArrived(index, activity, message, error))


_: type[Browser] = BrowserApp
"""Makes mypy check that the app has all attributes of `Browser`."""


def class_of(path: str) -> Any:
    """Import the class of a screen or dialog. `path` names a module and a class, as in `browse.screen.BrowseScreen`."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"cachetui.tui.{module}"), name)


def first_view(catalogue: Catalogue, settings: Settings, *, is_sample: bool = False) -> View:
    """Return the first view. For the sample, it shows the whole sample.

    For other contents, it shows the index cache or, if there is none, an empty index.
    """
    index = catalogue.load() if is_sample else catalogue.saved()
    if index is None:
        from cachetui.store.merge import built

        index = Index(built([]))
    return View(index=index, host=settings.host(), settings=settings)


def run_app(app: BrowserApp, *, theme: str | None = None, full_repaint: bool = False, mouse: bool = False) -> int:
    """Run the browser, print the selected specs, and return the exit status.

    Raises UserError if the content cannot be read, or if it lacks a tag of the command line.
    """
    if theme is not None:
        app.theme, app.follows_background = theme, False
    app.full_repaint = full_repaint
    status = run_in_terminal(app, mouse=mouse)
    if app.refusal is not None:
        raise app.refusal
    for word in app.return_value or ():
        print(word)
    return status

"""Threads that read the content, or compare an index with its files, and send messages to the app."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from threading import Event

from msgspec import Struct
from msgspec.structs import replace
from textual.app import App
from textual.message import Message

from cachetui.catalogue import Catalogue
from cachetui.model.problem import UserError
from cachetui.search.index import Index
from cachetui.sources.source import ContentError, Progress
from cachetui.tui.frame import TagAsked, cancelled_here
from cachetui.tui.view.view import View
from cachetui.workers.cancelling import Interrupted

DRAWING_SECONDS = 0.3
"""Maximum number of seconds that reading waits until the app has drawn a partial index."""


class ContentReading(Struct, frozen=True):
    """The progress of reading the content, and the work that follows."""

    doing: str = ""
    """The current work, for the header; empty when the reading is complete."""
    is_first: bool = False
    """Whether the content is being read without an index cache."""
    was_whole: bool = False
    """Whether the whole content has been read, or compared with an index cache, at least once."""
    again: bool | None = None
    """Whether the user requested the reading that follows the current one. None if the current one is the last."""
    tag: TagAsked | None = None
    """The requested tags, to be shown after reading."""

    @property
    def progress(self) -> str:
        """The progress of the first reading; empty at its end."""
        return self.doing if self.is_first else ""

    def asked(self, asked: bool) -> ContentReading:
        """Return the state with a reading that follows the current one. `asked`: the user requested it."""
        return replace(self, again=asked or bool(self.again))

    def arrived(self, activity: str) -> ContentReading:
        """Return the state after a thread reported its activity."""
        return replace(self, doing=activity, is_first=self.is_first and bool(activity))

    def ended(self) -> ContentReading:
        """Return the state after a reading. The requested tag stays only if another reading follows."""
        return replace(self, was_whole=True, again=None, tag=None if self.again is None else self.tag)


class IndexUpdate:
    """Reads the catalogue for one app, in one thread at a time. A second thread watches the files."""

    @dataclass
    class Arrived(Message):
        """A newer index, or only the progress of reading."""

        index: Index | None
        activity: str = ""
        """The current work; empty at the end."""
        message: str = ""
        error: bool = False

    @dataclass
    class FilesChanged(Message):
        """Files of the content have changed, or can no longer be watched."""

        error: str = ""

    def __init__(self, app: App[list[str]], catalogue: Catalogue, views: Callable[[Index], Iterable[View]]) -> None:
        """Prepare threads that send messages to `app`; `views` returns the views of its screens on an index."""
        self._app, self._catalogue, self._views = app, catalogue, views
        self.is_drawn = Event()
        """The app sets this event when it has drawn the latest index."""

    def start(self, index: Index | None, *, asked: bool = False) -> None:
        """Compare an index with the files, or read all files if `index` is None.

        With `asked`, the app also reports that all files are unchanged.
        """
        self._app.run_worker(partial(self._read, index, asked=asked), thread=True, exclusive=True, group="read")

    def watch_files(self) -> None:
        """Start a thread that informs the app of changed files."""
        self._app.run_worker(self._watch, thread=True, group="watch")

    # In threads

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
            self.is_drawn.clear()
            self._tell(so_far, progress_text(progress))
            self.is_drawn.wait(DRAWING_SECONDS)

        whole = self._catalogue.load(grown, cancelled_here(), progressed)
        self._tell(whole, message="; ".join(self._catalogue.notes))

    def _compare(self, index: Index, *, asked: bool) -> None:
        def refreshed(newer: Index) -> None:
            message = "nothing has changed" if asked and newer is index else ""
            self._tell(None if newer is index else newer, "comparing with the files", message)

        whole = self._catalogue.own(self._catalogue.refresh(index, refreshed, cancelled_here()))
        self._tell(None, message="; ".join(self._catalogue.notes))
        if whole.graph:
            whole.columns.complete  # noqa: B018  # now, so that no key waits for it

    def _watch(self) -> None:
        try:
            for _ in self._catalogue.source.watch(cancelled_here()):
                self._app.post_message(self.FilesChanged())
        except ContentError as error:
            self._app.post_message(self.FilesChanged(str(error)))

    def _tell(self, index: Index | None, activity: str = "", message: str = "", *, error: bool = False) -> None:
        for view in () if index is None else self._views(index):
            view.results.find_all(view.host)  # in this thread, so that the main thread can handle keys
        self._app.post_message(self.Arrived(index, activity, message, error))


def progress_text(progress: Progress) -> str:
    """Return the progress of reading: the transfer from a server, else the percentage in steps of five."""
    if progress.transfer:
        return f"fetching {progress.transfer}"
    return f"reading {5 * (20 * progress.done // progress.total)} %"

"""The threads that read the content, or compare an index with its files. They send messages to the app."""

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
    """Whether the user requested another reading. None if this reading is the last."""
    tag: TagAsked | None = None
    """The tags to show after reading."""

    @property
    def progress(self) -> str:
        """The progress of the first reading; empty when it is complete."""
        return self.doing if self.is_first else ""

    def asked(self, asked: bool) -> "ContentReading":
        """Request another reading after the current one. `asked` is true if the user requested it."""
        return replace(self, again=asked or bool(self.again))

    def arrived(self, activity: str) -> "ContentReading":
        """Store the activity that a thread has reported."""
        return replace(self, doing=activity, is_first=self.is_first and bool(activity))

    def ended(self) -> "ContentReading":
        """Return the state after a reading. Forget the tags to show, unless another reading follows."""
        return replace(self, was_whole=True, again=None, tag=None if self.again is None else self.tag)


class IndexUpdate:
    """Reads the catalogue for the app in one thread, and watches the files in a second thread."""

    @dataclass
    class Arrived(Message):
        """Sent when a newer index is available, or (if `index` is None) to report the progress of reading."""

        index: Index | None
        activity: str = ""
        """The current work; empty when the reading is complete."""
        message: str = ""
        error: bool = False

    @dataclass
    class FilesChanged(Message):
        """Sent when files of the content have changed. `error` is the reason if the files cannot be watched."""

        error: str = ""

    def __init__(self, app: App[list[str]], catalogue: Catalogue, views: Callable[[Index], Iterable[View]]) -> None:
        """Prepare threads that send messages to `app`. `views` returns the view of each open screen for a new index."""
        self._app, self._catalogue, self._views = app, catalogue, views
        self.is_drawn = Event()
        """An event that the app sets when it has drawn the latest index."""

    def start(self, index: Index | None, *, asked: bool = False) -> None:
        """Compare an index with the files, or read all files if `index` is None.

        If `asked` is true, the app also reports that no file has changed.
        """
        self._app.run_worker(partial(self._read, index, asked=asked), thread=True, exclusive=True, group="read")

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
            whole.columns.complete  # noqa: B018  # compute the completions now, so that no key waits for them

    def watch(self) -> None:
        """Tell the app about changed files."""
        try:
            for _ in self._catalogue.source.watch(cancelled_here()):
                self._app.post_message(self.FilesChanged())
        except ContentError as error:
            self._app.post_message(self.FilesChanged(str(error)))

    def _tell(self, index: Index | None, activity: str = "", message: str = "", *, error: bool = False) -> None:
        for view in () if index is None else self._views(index):
            view.results.find_all(view.host)  # compute in this thread, so that the main thread can handle keys
        self._app.post_message(self.Arrived(index, activity, message, error))


def progress_text(progress: Progress) -> str:
    """Return the progress as text: the state of a download, or the percentage of the reading in steps of five."""
    if progress.transfer:
        return f"fetching {progress.transfer}"
    return f"reading {5 * (20 * progress.done // progress.total)} %"

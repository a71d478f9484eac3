"""The catalogue is read and compared with its files in threads; what comes of it is told to the app in messages.

Input: the catalogue of the app, and the index that was shown last. One thread reads at a time; another one watches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event

from textual.app import App
from textual.message import Message
from textual.worker import get_current_worker

from cachetui.catalogue import Catalogue, Refresh
from cachetui.search.index import Index
from cachetui.sources.source import ContentError, Progress, Stale
from cachetui.tui.screens.lines import changes_text, faults_text, progress_text
from cachetui.tui.screens.unread import UnreadTags
from cachetui.workers.cancelling import Interrupted

PATIENCE = 1.0
"""Seconds to wait for the first screen: nothing may ever be drawn."""

BETWEEN = 0.3
"""Seconds to wait until what was read so far is drawn: to read on meanwhile would hold up the screen."""


class CatalogueReading:
    """What reads the catalogue of one app."""

    @dataclass
    class IndexArrived(Message):
        """There is an index to show, or none and only a reason."""

        index: Index | None
        activity: str = ""
        message: str = ""
        unread: Sequence[str] | None = None
        """The tags that are not read yet; None where nobody looked for them."""

    class FilesChanged(Message):
        """Something in the folder of the content is not as it was."""

    def __init__(self, app: App[list[str]], catalogue: Catalogue, unread: UnreadTags, pages: int) -> None:
        """`app` takes the messages, and shows so many pages by now."""
        self._app = app
        self._catalogue = catalogue
        self._unread = unread
        self._pages = pages
        self.is_drawn = Event()
        """Set as soon as the first screen is drawn, and then what was read last."""

    def start(self, index: Index | None, *, asked: bool = False) -> None:
        """Compares an index with the files, or reads all of them where there is none.

        `asked`: the user waits for the outcome, even if that is that nothing has changed.
        """
        self._app.run_worker(partial(self._read, index, asked=asked), thread=True, exclusive=True)

    def watch_files(self) -> None:
        """Tells from now on each time that something has changed."""
        self._app.run_worker(self._watch, thread=True, group="watch")

    # In threads

    def _read(self, index: Index | None, *, asked: bool) -> None:
        if index is None:
            self.is_drawn.wait(PATIENCE)
        self._tell(None, "comparing with the files" if index else "reading")
        try:
            if index is None:
                self._read_all()
            else:
                self._compare(index, asked=asked)
        except ContentError as error:
            self._tell(None, message=str(error), unread=self._unread.known)
        except Interrupted:
            return

    def _read_all(self) -> None:
        worker = get_current_worker()
        shown = ""

        def progressed(progress: Progress) -> None:
            nonlocal shown
            if (activity := progress_text(progress)) != shown:
                shown = activity
                self._tell(None, activity)

        def grown(so_far: Index, progress: Progress) -> None:
            if len(so_far.columns.page_path) <= self._pages and progress.done < progress.total:
                self._tell(None, progress_text(progress))
                return
            self.is_drawn.clear()
            self._tell(so_far, progress_text(progress))
            self.is_drawn.wait(BETWEEN)

        whole = self._catalogue.load(grown, lambda: worker.is_cancelled, progressed)
        said = "; ".join(filter(None, (self._notes(), faults_text(whole))))
        self._tell(whole, message=said, unread=self._unread.of(whole))

    def _compare(self, index: Index, *, asked: bool) -> None:
        worker = get_current_worker()

        def refreshed(refresh: Refresh) -> None:
            message = changes_text(refresh) or ("no page has changed" if asked else "")
            if (faults := faults_text(refresh.index)) != faults_text(index):
                message = "; ".join(filter(None, (message, faults or "no fault is left in the pages")))
            self._tell(None if refresh.index is index else refresh.index, message=message)

        refresh = self._catalogue.refresh(index, refreshed, lambda: worker.is_cancelled)
        self._tell(None, "", "" if refresh.changed else self._notes(), self._unread.of(refresh.index))

    def _watch(self) -> None:
        worker = get_current_worker()
        try:
            for _ in self._catalogue.watch(lambda: worker.is_cancelled):
                self._app.post_message(self.FilesChanged())
        except ContentError as error:
            self._tell(None, message=str(error))

    # What is told

    @property
    def stale(self) -> Sequence[Stale]:
        """What of the content is a copy that may not be the newest."""
        return self._catalogue.stale

    def _tell(
        self, index: Index | None, activity: str = "", message: str = "", unread: Sequence[str] | None = None
    ) -> None:
        self._app.post_message(self.IndexArrived(index, activity, message, unread))

    def _notes(self) -> str:
        return "; ".join(self._catalogue.notes)

"""The saved index of one content as time goes on: how old it is, and what the user should be told of it.

Whatever is wrong with it costs time, never an answer: a note says so.
Input: the file that it is in, if any (see `files`), and what the content is known by.
"""

from __future__ import annotations

import os

from cachetui.store.columns import Columns
from cachetui.store.snapshot import Saved, SnapshotError, load, save, touch


class SavedIndex:
    """Loads and saves the index of a content, together with when that was last compared."""

    def __init__(self, file: str | None, identity: str, *, writes: bool = True) -> None:
        """Without a file nothing is loaded or saved; `identity` is what the content is known by."""
        self._file = file
        self._writes = writes
        self._identity = identity
        self.notes: list[str] = []
        """What the user should be told, each thing once."""
        self.compared: float | None = None
        """When everything was last compared, in seconds since the epoch."""
        self.revision = ""
        """The revision of the content when everything was last compared."""
        self._unused = ""
        """The note on a saved index that was not used."""

    @property
    def is_there(self) -> bool:
        """Whether there is a file, whatever is in it."""
        return self._file is not None and os.path.lexists(self._file)

    def load(self) -> Columns | None:
        """The columns as they were saved; None where there are none to use."""
        if self._file is None:
            return None
        try:
            saved = load(self._file, self._identity)
        except SnapshotError as error:
            self._unused = str(error)
            self.note_once(self._unused)
            return None
        if saved is None:
            return None
        self.compared, self.revision = saved.compared, saved.revision
        return saved.columns

    def save(self, columns: Columns) -> None:
        """Saves the columns; where that fails a note says so, and nothing else is lost."""
        if self._file is None or not self._writes:
            return
        try:
            save(self._file, self._identity, Saved(columns, self.compared or 0.0, self.revision))
        except OSError as error:
            reason = error.strerror or str(error)
            if self._unused:
                self.note_once(f"{self._unused}, and not saved again: {reason}", instead=self._unused)
            else:
                self.note_once(f"the index was not saved: {reason} ({self._file})")

    def touch(self) -> None:
        """Saves alone when everything was last compared, where nothing else has changed."""
        if self._file is not None and self._writes and self.compared is not None:
            touch(self._file, self.compared)

    def note_once(self, text: str, instead: str = "") -> None:
        """Adds a note that is not there yet, in the place of another one."""
        if instead in self.notes:
            self.notes.remove(instead)
        if text not in self.notes:
            self.notes.append(text)

"""A file with saved views, read and changed as a whole, whatever stands in it.

Writers take turns, and a reader sees the old file or the new one. A file that cannot be read is left as it is.
Input: a file that the user and other versions may have written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from cachetui.model.problem import UserError
from cachetui.safe_text import visible
from cachetui.settings.folders import open_at_once

LARGEST = 1_000_000
"""Bytes that such a file has at most."""

PATIENCE = 2.0
"""Seconds that a writer waits for another one: nobody should wait long for the browser to end."""

PAUSE = 0.01
"""Seconds between two looks whether the other one is done."""

Document = dict[str, Any]
"""What stands in a file: `content`, `start`, `last`, `left_at`, `views`, and what other versions put there."""


class ViewsError(UserError):
    """Saved views that cannot be read or written; the message is one line that says why."""


def change(path: Path, identity: str, edit: Callable[[Document], None], *, safely: bool = False) -> None:
    """Change what a file holds; `safely`: it is on the disk when this returns."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone(path):
            document = {"content": visible(identity), **document_of(path)}
            edit(document)
            _write(path, document, safely=safely)
    except OSError as error:
        raise ViewsError(f"the views cannot be saved: {error.strerror or error}: {visible(str(path))}") from None
    except (ValueError, ArithmeticError) as error:  # text that is no Unicode, a number that is too large
        raise ViewsError(f"the views cannot be saved: {visible(str(error))}: {visible(str(path))}") from None


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let one process at a time change a file; the lock is on a file beside it, as it is replaced itself.

    Raises BlockingIOError where another one does not come to an end.
    """
    import fcntl  # late: mostly nothing is saved

    descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(PAUSE)
                continue
            except OSError:
                pass  # a file system without locks is no reason not to save
            break
        yield
    finally:
        os.close(descriptor)


def document_of(path: Path) -> Document:
    """What stands in a file, nothing where there is none; raises ViewsError where it cannot be read."""
    try:
        with open(path, "rb", opener=open_at_once) as file:
            raw = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ViewsError(f"the saved views cannot be read: {error.strerror or error}: {visible(str(path))}") from None
    try:
        if len(raw) > LARGEST:
            raise ValueError("it is too large")
        document = msgspec.json.decode(raw)
        if not isinstance(document, dict):
            raise ValueError("it holds no object")
        return document
    except (ValueError, RecursionError) as error:
        unread = f"the saved views cannot be read, and are left as they are: {visible(str(path))}: {error}"
        raise ViewsError(unread) from None  # what happened first: a line of the browser is cut at its end


def _write(path: Path, document: Document, *, safely: bool) -> None:
    """Put another document in the place of the one in a file."""
    import tempfile  # late: mostly nothing is saved

    text = msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
    path = path.resolve()  # a link to the file stays one
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
            if safely:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise

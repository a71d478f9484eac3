"""The saved views of one content: a small JSON file for each content, in the folder of the settings.

A view is a query and how its results are looked at, under a name. Writers take turns, and a reader sees the old file or
the new one. What stands in the file and this version does not know is kept; a file that cannot be read is left as it
is. Input: files that the user and other versions may have written.
"""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from cachetui.model.problem import UserError
from cachetui.safe_text import visible
from cachetui.settings.folders import is_locked, read_bounded, replacing, settings_folder

try:
    from _blake2 import blake2b  # `hashlib` loads OpenSSL first, which takes as long as ten modules
except ImportError:
    from hashlib import blake2b

LONGEST = 60
"""Characters of a name."""

LARGEST = 1_000_000
"""Bytes that a file of views has at most."""

PATIENCE = 2.0
"""Seconds that a writer waits for another one: nobody should wait long for the browser to end."""

PAUSE = 0.01
"""Seconds between two looks whether the other one is done."""

SCREENS = ("packages", "specs", "coverage", "diff", "timeline")
"""What a view opens: a list of the browser, or a screen over it."""

Document = dict[str, Any]
"""What stands in a file: `content`, `start`, `last`, `left_at`, `views`, and what other versions put there."""


class ViewsError(UserError):
    """Saved views that cannot be read or written; the message is one line that says why."""


class SavedView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is looked at, and how."""

    query: str = ""
    """The whole query, with its tag; the name in it is fuzzy where no package has it."""
    packages_by: str = ""
    """The column that the packages are sorted by, with a `-` where it is the other way round."""
    specs_by: str = ""
    """The same of the specs; a `-` alone turns the order round that they have by themselves."""
    screen: str = "packages"
    """One of `SCREENS`."""
    package: str = ""
    """The package under the cursor, or the one that the screen is of."""
    host: str = ""
    """The host that is assumed; empty for the one that is meant by itself, wherever the view is opened."""


class Views(Struct, frozen=True, kw_only=True):
    """The saved views of one content."""

    content: str = ""
    """The identity of the content."""
    start: str | None = None
    """The name of the view that the browser opens on."""
    last: SavedView | None = None
    """Where the browser was left."""
    left_at: float = 0.0
    """When that was, in seconds since the epoch; 0 where it is not known."""
    named: Mapping[str, SavedView] = {}
    """The views by their names; what this version cannot read stays in the file."""

    @property
    def contents(self) -> tuple[str, ...]:
        """The content as one names it on a command line: one or several that are looked at together."""
        return tuple(self.content.split(visible("\n")))


def views_folder(environ: Mapping[str, str]) -> Path:
    """Where the files are."""
    return Path(settings_folder(environ), "views")


def views_path(environ: Mapping[str, str], identity: str) -> Path:
    """The file of the content of this identity: named after it, so that people find it."""
    digest = blake2b(os.fsencode(identity), digest_size=5).hexdigest()
    words = re.findall(r"[A-Za-z0-9.]+", identity)
    return views_folder(environ) / f"{'-'.join(words)[-40:].strip('-.')}-{digest}.json"


def read_views(path: Path) -> Views:
    """What a file holds, nothing where there is none; raises ViewsError where it cannot be read."""
    document = _document(path)
    found = {name: _view(value) for name, value in _views_of(document).items()}
    start, left_at = document.get("start"), document.get("left_at")
    return Views(
        content=str(document.get("content", "")),
        start=start if isinstance(start, str) else None,
        last=_view(document.get("last")),
        left_at=left_at if isinstance(left_at, int | float) else 0.0,
        named={name: view for name, view in found.items() if view is not None},
    )


def stored_views(environ: Mapping[str, str]) -> Iterator[Path]:
    """Every file with saved views, of whatever content."""
    yield from sorted(views_folder(environ).glob("*.json"))


def checked_name(name: str) -> str:
    """The name of a view without blanks around it; raises ViewsError where it is no name."""
    name = name.strip()
    if not name or len(name) > LONGEST or visible(name) != name:
        raise ViewsError(f"a view needs a name of up to {LONGEST} visible characters")
    return name


# Changes: each reads the file, changes its own part of it, and writes it again; raises ViewsError


def save_view(path: Path, identity: str, name: str, view: SavedView) -> None:
    """Save a view under a name, in the place of another one if need be."""

    def edit(document: Document) -> None:
        document["views"] = {**_views_of(document), name: view}

    _change(path, identity, edit)


def save_last(path: Path, identity: str, view: SavedView) -> None:
    """Save where the browser was left."""
    _change(path, identity, lambda document: document.update(last=view, left_at=time.time()))


def remove_view(path: Path, identity: str, name: str) -> None:
    """Remove a view, which somebody else may have done."""

    def edit(document: Document) -> None:
        _views_of(document).pop(name, None)
        if document.get("start") == name:
            del document["start"]

    _change(path, identity, edit)


def choose_start(path: Path, identity: str, name: str | None) -> None:
    """Make a view the one that the browser opens on, or none of them."""
    _change(path, identity, lambda document: document.update(start=name))


def _change(path: Path, identity: str, edit: Callable[[Document], object]) -> None:
    """Change what a file holds."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone(path):
            document = {"content": visible(identity), **_document(path)}
            edit(document)
            _write(path, document)
    except (OSError, ValueError, ArithmeticError) as error:  # or text that is no Unicode, a number that is too large
        reason = getattr(error, "strerror", None) or error
        raise ViewsError(f"the views cannot be saved: {visible(str(reason))}: {visible(str(path))}") from None


def _views_of(document: Document) -> Document:
    """The views of a file by their names, of which there may be none yet."""
    views = document.get("views")
    return views if isinstance(views, dict) else {}


def _view(value: object) -> SavedView | None:
    """A view as it stands in a file; None where this version cannot read it."""
    try:
        view = msgspec.convert(value, SavedView)
    except msgspec.ValidationError:
        return None
    return view if view.screen in SCREENS else None


# The file as a whole


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let one process at a time change a file; the lock is on a file beside it, as it is replaced itself.

    Raises BlockingIOError where another one does not come to an end.
    """
    descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        deadline = time.monotonic() + PATIENCE
        while not is_locked(descriptor):
            if time.monotonic() > deadline:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            time.sleep(PAUSE)
        yield
    finally:
        os.close(descriptor)


def _document(path: Path) -> Document:
    """What stands in a file, nothing where there is none; raises ViewsError where it cannot be read."""
    try:
        raw = read_bounded(path, LARGEST)
        return {} if raw is None else msgspec.json.decode(raw, type=Document)
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        unread = f"the saved views cannot be read, and are left as they are: {visible(str(path))}: {reason}"
        raise ViewsError(unread) from None


def _write(path: Path, document: Document) -> None:
    """Put another document in the place of the one in a file, on the disk when this returns."""
    text = msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
    with replacing(path.resolve()) as file:  # a link to the file stays one
        file.write(text)
        file.flush()
        os.fsync(file.fileno())

"""Saved views: a small JSON file for each CONTENT, in the user's config folder.

A view has a name, a query and the way to show its results. Only one writer at a time can replace the file, because of a
lock. Writers keep entries from other versions of cachetui, and never change an unreadable file.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from cachetui.model.problem import UserError
from cachetui.safe_text import visible
from cachetui.settings.folders import own_folder, read_bounded

MAX_NAME_CHARACTERS = 60
"""Maximum number of characters of a name."""

MAX_VIEWS_BYTES = 1_000_000
"""Maximum number of bytes of a file of views."""

LOCK_SECONDS = 2.0
"""Number of seconds that a writer waits for another writer. A user who closes the browser must wait, too."""

SCREENS = ("packages", "specs", "coverage", "diff", "timeline", "check", "deps", "comparison", "stacks")
"""The screens that a view can open."""

ViewsFile = dict[str, Any]
"""The JSON of a file, with the keys `content`, `last` and `views`, and keys of other versions."""


class ViewsError(UserError):
    """Saved views cannot be read or written. The message is one line with the reason."""


class SavedView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A query, and the way to show its results."""

    query: str = ""
    """The whole query, including the tag. If no package has a name in the query, the view shows similar names."""
    words: tuple[str, ...] = ()
    """The options of the command that prints the same results, such as `--gaps`. A diff also has `OLD..NEW`."""
    screen: str = "packages"
    """The screen to open, one of `SCREENS`."""
    package: str = ""
    """The package under the cursor, or the package of the screen."""
    host: str = ""
    """The host on which binaries should run; empty means the default host of the user who opens the view."""


class Views(Struct, frozen=True, kw_only=True):
    """The saved views of one CONTENT."""

    content: str = ""
    """The identity of the content."""
    last: SavedView | None = None
    """The view when the browser was last closed; None if missing."""
    named: Mapping[str, SavedView] = {}
    """The views that this version can read, by name."""

    @property
    def contents(self) -> tuple[str, ...]:
        """Each CONTENT that these views were saved for, written like on the command line."""
        return tuple(self.content.split(visible("\n")))


def read_views(path: Path) -> Views:
    """Read the views in a file. A missing file has none. Raises ViewsError if the file cannot be read."""
    document = _document(path)
    found = {name: _view(value) for name, value in _views_of(document).items()}
    return Views(
        content=str(document.get("content", "")),
        last=_view(document.get("last")),
        named={name: view for name, view in found.items() if view is not None},
    )


def stored_views(folder: Path) -> Iterator[Path]:
    """Yield the paths of the saved views of every CONTENT."""
    with suppress(OSError):  # the folder is missing or unreadable
        yield from (folder / name for name in sorted(os.listdir(folder)) if name.endswith(".json"))


def checked_name(name: str) -> str:
    """Return the name of a view without spaces around it; raises ViewsError if it is empty, too long or invisible."""
    name = name.strip()
    if not name or len(name) > MAX_NAME_CHARACTERS or visible(name) != name:
        raise ViewsError(f"a view needs a name of up to {MAX_NAME_CHARACTERS} visible characters")
    return name


# Changes. Each function reads the file, changes an entry and writes the file again. It may raise ViewsError


def save_view(path: Path, identity: str, name: str, view: SavedView) -> None:
    """Save a view under a name, and replace an older view with this name."""
    _change(path, identity, lambda document: document.update(views={**_views_of(document), name: view}))


def save_last(path: Path, identity: str, view: SavedView) -> None:
    """Save the last view of the browser."""
    _change(path, identity, lambda document: document.update(last=view))


def remove_view(path: Path, identity: str, name: str) -> None:
    """Remove a view, if it still exists."""
    _change(path, identity, lambda document: _views_of(document).pop(name, None))


def _change(path: Path, identity: str, edit: Callable[[ViewsFile], object]) -> None:
    """Read a file, change its document with `edit`, write the document back, and wait until it is on the disk."""
    try:
        lock = path.with_suffix(".lock").name  # a separate file, because the file of the views is replaced
        with own_folder(path.parent, make=True) as folder, folder.alone(lock, LOCK_SECONDS):
            document = {"content": visible(identity), **_document(path)}
            edit(document)
            text = msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
            place = path.resolve()  # keep a link to the file
            with own_folder(place.parent) as target, target.replacing(place.name, settled=True) as file:
                file.write(text)
    except (OSError, ValueError, ArithmeticError) as error:  # such as invalid Unicode or a number that is too large
        reason = getattr(error, "strerror", None) or error
        raise ViewsError(f"the views cannot be saved in {visible(str(path))}: {visible(str(reason))}") from None


def _views_of(document: ViewsFile) -> ViewsFile:
    """Return the views in a document by name; empty if the document has no valid entry `views`."""
    views = document.get("views")
    return views if isinstance(views, dict) else {}


def _view(value: object) -> SavedView | None:
    """Convert a JSON value to a view; None if this version of cachetui cannot read the value."""
    try:
        view = msgspec.convert(value, SavedView)
    except msgspec.ValidationError:
        return None
    return view if view.screen in SCREENS else None


def _document(path: Path) -> ViewsFile:
    """Read a file; empty if it does not exist. Raises ViewsError if it cannot be read."""
    try:
        raw = read_bounded(path, MAX_VIEWS_BYTES)
        return {} if raw is None else msgspec.json.decode(raw, type=ViewsFile)
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        unread = f"the saved views in {visible(str(path))} cannot be read, and stay unchanged: {reason}"
        raise ViewsError(unread) from None

"""Saved views: a small JSON file for each content, in the user's config folder.

A view is a query and how its results are shown, under a name. Writers take turns, and a reader sees the old file or the
new one. Entries of other versions of cachetui are kept; a file that cannot be read stays as it is.
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
"""Seconds that a writer waits for another one: the browser saves where it was left when it ends."""

SCREENS = ("packages", "specs", "coverage", "diff", "timeline", "check", "deps", "comparison", "stacks")
"""The screens that a view can open."""

ViewsFile = dict[str, Any]
"""A file as JSON: `content`, `last`, `views`, and entries of other versions."""


class ViewsError(UserError):
    """Saved views that cannot be read or written; the message is one line that says why."""


class SavedView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A saved view: a query, and how its results are shown."""

    query: str = ""
    """The whole query, with its tag; a name that no package has is fuzzy."""
    words: tuple[str, ...] = ()
    """The options of the command with the same results, such as `--gaps`; for a diff also `OLD..NEW`."""
    screen: str = "packages"
    """One of `SCREENS`."""
    package: str = ""
    """The package under the cursor, or the package of the screen."""
    host: str = ""
    """The host of the verdicts; empty for the default host of the user who opens the view."""


class Views(Struct, frozen=True, kw_only=True):
    """The saved views of one content."""

    content: str = ""
    """The identity of the content."""
    last: SavedView | None = None
    """The view when the browser was last closed."""
    named: Mapping[str, SavedView] = {}
    """The views by name, without those that this version cannot read."""

    @property
    def contents(self) -> tuple[str, ...]:
        """The contents, as words of a command line; several if they are open together."""
        return tuple(self.content.split(visible("\n")))


def read_views(path: Path) -> Views:
    """Read the views in a file, an empty list for an absent file; raises ViewsError for an unreadable one."""
    document = _document(path)
    found = {name: _view(value) for name, value in _views_of(document).items()}
    return Views(
        content=str(document.get("content", "")),
        last=_view(document.get("last")),
        named={name: view for name, view in found.items() if view is not None},
    )


def stored_views(folder: Path) -> Iterator[Path]:
    """Yield the files of all contents."""
    with suppress(OSError):  # there are none that can be read
        yield from (folder / name for name in sorted(os.listdir(folder)) if name.endswith(".json"))


def checked_name(name: str) -> str:
    """Return the name of a view without spaces around it; raises ViewsError for an empty, long or invisible one."""
    name = name.strip()
    if not name or len(name) > MAX_NAME_CHARACTERS or visible(name) != name:
        raise ViewsError(f"a view needs a name of up to {MAX_NAME_CHARACTERS} visible characters")
    return name


# Changes: each reads the file, changes a part of it and writes it again, or raises ViewsError


def save_view(path: Path, identity: str, name: str, view: SavedView) -> None:
    """Save a view under a name; a view of the same name is replaced."""
    _change(path, identity, lambda document: document.update(views={**_views_of(document), name: view}))


def save_last(path: Path, identity: str, view: SavedView) -> None:
    """Save the view at the end of the browser."""
    _change(path, identity, lambda document: document.update(last=view))


def remove_view(path: Path, identity: str, name: str) -> None:
    """Remove a view, if it still exists."""
    _change(path, identity, lambda document: _views_of(document).pop(name, None))


def _change(path: Path, identity: str, edit: Callable[[ViewsFile], object]) -> None:
    """Read a file, let `edit` change the document, and write it."""
    try:
        lock = path.with_suffix(".lock").name  # as the file itself is replaced
        with own_folder(path.parent, make=True) as folder, folder.alone(lock, LOCK_SECONDS):
            document = {"content": visible(identity), **_document(path)}
            edit(document)
            _write(path, document)
    except (OSError, ValueError, ArithmeticError) as error:  # or text outside Unicode, a number that is too large
        reason = getattr(error, "strerror", None) or error
        raise ViewsError(f"the views cannot be saved: {visible(str(reason))}: {visible(str(path))}") from None


def _views_of(document: ViewsFile) -> ViewsFile:
    """Return the views of a file by name; there may be none yet."""
    views = document.get("views")
    return views if isinstance(views, dict) else {}


def _view(value: object) -> SavedView | None:
    """Read a view of a file; None if this version cannot read it."""
    try:
        view = msgspec.convert(value, SavedView)
    except msgspec.ValidationError:
        return None
    return view if view.screen in SCREENS else None


# The file as a whole


def _document(path: Path) -> ViewsFile:
    """Read a file, an empty document where there is none; raises ViewsError where it cannot be read."""
    try:
        raw = read_bounded(path, MAX_VIEWS_BYTES)
        return {} if raw is None else msgspec.json.decode(raw, type=ViewsFile)
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        unread = f"the saved views cannot be read, and are not changed: {visible(str(path))}: {reason}"
        raise ViewsError(unread) from None


def _write(path: Path, document: ViewsFile) -> None:
    """Replace the document in a file; it is on the disk when this returns."""
    text = msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
    place = path.resolve()  # a link to the file stays one
    with own_folder(place.parent) as folder, folder.replacing(place.name, settled=True) as file:
        file.write(text)

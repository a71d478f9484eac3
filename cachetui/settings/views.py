"""The saved views of one content: a small JSON file for each content, in the folder of the settings.

A view is a query and how its results are looked at, under a name. What other versions wrote into the file and this one
does not know is kept. Input: the file, which `views_file` reads and writes.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from cachetui.settings.folders import settings_folder
from cachetui.settings.views_file import Document, ViewsError, change, document_of

try:
    from _blake2 import blake2b  # `hashlib` loads OpenSSL first, which takes as long as ten modules
except ImportError:
    from hashlib import blake2b
from cachetui.safe_text import visible

LONGEST = 60
"""Characters of a name."""

SCREENS = ("packages", "specs", "coverage", "diff", "timeline")
"""What a view opens: a list of the browser, or a screen over it."""


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

    path: Path
    content: str = ""
    """The identity of the content."""
    start: str | None = None
    """The name of the view that the browser opens on."""
    last: SavedView | None = None
    """Where the browser was left."""
    left_at: float = 0.0
    """When that was, in seconds since the epoch; 0 where it is not known."""
    named: Mapping[str, SavedView] = {}
    """The views by their names."""
    unusable: tuple[str, ...] = ()
    """Names of views that this version cannot read; they stay in the file."""

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
    document = document_of(path)
    views = document.get("views")
    found = {name: _view(value) for name, value in views.items()} if isinstance(views, dict) else {}
    named = {name: view for name, view in found.items() if view is not None}
    start, left_at = document.get("start"), document.get("left_at")
    return Views(
        path=path,
        content=str(document.get("content", "")),
        start=start if isinstance(start, str) else None,
        last=_view(document.get("last")),
        left_at=left_at if isinstance(left_at, int | float) else 0.0,
        named=named,
        unusable=tuple(sorted(found.keys() - named.keys())),
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


# Changes: each reads the file, changes its own part of it, and writes it again


def save_view(path: Path, identity: str, name: str, view: SavedView) -> None:
    """Save a view under a name, in the place of another one if need be; raises ViewsError."""

    def edit(document: Document) -> None:
        views = _views_of(document)
        views[name] = _changed(views.get(name), view)

    change(path, identity, edit, safely=True)


def save_last(path: Path, identity: str, view: SavedView) -> None:
    """Save where the browser was left; raises ViewsError."""

    def edit(document: Document) -> None:
        document["last"] = _changed(document.get("last"), view)
        document["left_at"] = time.time()

    change(path, identity, edit)


def remove_view(path: Path, identity: str, name: str) -> None:
    """Remove a view, whether this version can read it or not; raises ViewsError where there is none."""

    def edit(document: Document) -> None:
        views = _views_of(document)
        if name not in views:
            raise ViewsError(f"no view {visible(name)}")
        del views[name]
        if document.get("start") == name:
            del document["start"]

    change(path, identity, edit, safely=True)


def choose_start(path: Path, identity: str, name: str | None) -> None:
    """Make a view the one that the browser opens on, or none of them; raises ViewsError where it is not there."""

    def edit(document: Document) -> None:
        if name is None:
            document.pop("start", None)
        elif name not in _views_of(document):
            raise ViewsError(f"no view {visible(name)}")
        else:
            document["start"] = name

    change(path, identity, edit, safely=True)


def _views_of(document: Document) -> Document:
    """The views of a file by their names, of which there may be none yet."""
    views = document.get("views")
    document["views"] = views if isinstance(views, dict) else {}
    found: Document = document["views"]
    return found


def _view(value: object) -> SavedView | None:
    """A view as it stands in a file; None where this version cannot read it."""
    if isinstance(value, dict) and value.get("screen") == "drift":  # as it was called once
        value = {**value, "screen": "diff"}
    try:
        view = msgspec.convert(value, SavedView)
    except msgspec.ValidationError:
        return None
    return view if view.screen in SCREENS else None


def _changed(before: object, view: SavedView) -> Document:
    """A view as it is written: in the place of another one, with what that one has and this version does not know."""
    document: Document = msgspec.to_builtins(view)
    known = SavedView.__struct_fields__
    unknown = {key: each for key, each in before.items() if key not in known} if isinstance(before, dict) else {}
    return {**document, **unknown}

"""`views`: the views that were saved in the browser; removes one, makes one the view to begin with.

Messages quote names from the files of saved views, so escape them before they are shown.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

from cachetui.cli.options import FormatName, Option, Options, UsageError
from cachetui.cli.output import FOUND, NOTHING, note, print_document
from cachetui.model.edit_distance import nearest_names
from cachetui.report.views import ViewList, ViewRow
from cachetui.safe_text import listed, shell_word
from cachetui.settings.views import Views, choose_start, read_views, remove_view, stored_views, views_path
from cachetui.settings.views_file import ViewsError
from cachetui.sources.kinds import open_source
from cachetui.sources.source import Asking, ContentError


class ViewsOptions(Options, frozen=True, kw_only=True):
    format: FormatName = "table"
    remove: Annotated[tuple[str, ...], Option("remove this view; may be given again", "NAME", completed_by="view")] = ()
    start: Annotated[
        str | None, Option("begin with this view, with none where NAME is empty", "NAME", completed_by="view")
    ] = None


OPTIONS = ViewsOptions

HELP = """\
  cachetui views                         the saved views of all contents
  cachetui views CONTENT                 those of this one; cachetui --view NAME CONTENT opens one
  cachetui views CONTENT --remove NAME   removes one
  cachetui views CONTENT --start NAME    the browser begins with it where it is asked for nothing else
"""


def run(options: ViewsOptions) -> int:
    """List the saved views after the changes that are asked for; status 1 where there is none."""
    changes = bool(options.remove) or options.start is not None
    if changes and not options.words:
        raise UsageError("say of which content: cachetui views CONTENT --remove NAME")
    paths = [_path(options.words)] if options.words else list(stored_views(os.environ))
    if changes:
        views = read_views(paths[0])
        for name in (*options.remove, *filter(None, [options.start])):  # before anything is changed
            if name not in views.named and name not in views.unusable:
                raise no_view(views, name)
        for name in options.remove:
            remove_view(paths[0], "", name)
        if options.start is not None:
            choose_start(paths[0], "", options.start or None)
    rows = list(_rows(paths))
    print_document(ViewList(rows), options)
    if not rows:
        note("no view is saved: V in the browser saves one")
    return FOUND if rows else NOTHING


def _path(words: Sequence[str]) -> Path:
    """The file of a content, named as in other commands or, where it is gone, as the list names it."""
    try:
        return views_path(os.environ, open_source(words, os.environ, Asking()).identity)
    except ContentError:
        for views in _all_views():
            if views.contents == tuple(words):
                return views.path
        raise


def _rows(paths: Iterable[Path]) -> Iterable[ViewRow]:
    for path in paths:
        try:
            views = read_views(path)
        except ViewsError as error:
            note(str(error))
            continue
        for name, view in sorted(views.named.items()):
            yield ViewRow(
                name, views.content, views.contents, name == views.start, view.screen, view.query, view.package
            )
        if views.unusable:
            note(f"{path}: views of another version, kept as they are: {', '.join(views.unusable)}")


# The view that a command line names


def no_view(views: Views, name: str) -> UsageError:
    """That there is no view of this name, with the nearest ones, here or of another content."""
    return UsageError(f"no view {shell_word(name)}: {_instead(views, name)}")


def contents_with(name: str) -> list[Views]:
    """The saved views of each content that has one of this name."""
    return [views for views in _all_views() if name in views.named]


def left_last() -> Views | None:
    """The saved views of the content that the browser was left on last; None where it never was."""
    left = (views for views in _all_views() if views.last is not None)
    return max(left, key=lambda views: views.left_at, default=None)


def _instead(views: Views, name: str) -> str:
    names = sorted(views.named)
    near = nearest_names(name, names)
    there = f"nearest: {_quoted(near)}" if near else ""
    if others := contents_with(name):
        return f"{there or 'none is saved of this content'}; give the content that it is saved of: {_contents(others)}"
    elsewhere = sorted({each for other in _all_views() for each in other.named})
    for other in () if near else nearest_names(name, elsewhere, 1):
        return f"nearest: {shell_word(other)} of {_contents(contents_with(other))}"
    if near or not names:
        return there or "none is saved of this content, and cachetui views lists those of all"
    return f"there {'is' if len(names) == 1 else 'are'} {_quoted(names)}"


def _contents(found: Sequence[Views]) -> str:
    """The contents as one writes them on a command line."""
    return ", ".join(" ".join(map(shell_word, views.contents)) for views in found)


def _all_views() -> Iterator[Views]:
    """The views of every content whose file can be read."""
    for path in stored_views(os.environ):
        try:
            yield read_views(path)
        except ViewsError:
            continue


def _quoted(names: Sequence[str]) -> str:
    return listed([shell_word(name) for name in names])

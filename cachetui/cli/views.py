"""`views`: the views that were saved in the browser; removes one, makes one the view to begin with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from cachetui.cli.named_view import no_view
from cachetui.cli.notes import FOUND, NOTHING, note, terminal_width
from cachetui.cli.options import FormatName, Option, Options, UsageError
from cachetui.cli.streams import print_lines
from cachetui.report.formats import written
from cachetui.report.settings import ViewList, ViewRow
from cachetui.settings.views import choose_start, read_views, remove_view, stored_views, views_path
from cachetui.settings.views_file import ViewsError
from cachetui.sources.opening import open_source
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
    """Lists the saved views after the changes that are asked for; status 1 where there is none."""
    changes = bool(options.remove) or options.start is not None
    if changes and not options.words:
        raise UsageError("say of which content: cachetui views CONTENT --remove NAME")
    paths = [_path(options.words)] if options.words else list(stored_views(os.environ))
    if changes:
        try:
            _check_names(paths[0], [*options.remove, *filter(None, [options.start])])
            for name in options.remove:
                remove_view(paths[0], "", name)
            if options.start is not None:
                choose_start(paths[0], "", options.start or None)
        except ViewsError as error:
            raise UsageError(str(error)) from None
    rows = list(_rows(paths))
    print_lines(written(ViewList(rows), options.format, terminal_width()))
    if not rows:
        note("no view is saved: Ctrl+P in the browser saves one")
    return FOUND if rows else NOTHING


def _check_names(path: Path, names: Iterable[str]) -> None:
    """Raises UsageError for a name that no view of the file has, before anything is changed."""
    views = read_views(path)
    for name in names:
        if name not in views.named and name not in views.unusable:
            raise no_view(views, name)


def _path(words: Sequence[str]) -> Path:
    """The file of a content, named as in other commands or, where it is gone, as the list names it."""
    try:
        return views_path(os.environ, open_source(words, os.environ, Asking()).identity)
    except ContentError:
        for path in stored_views(os.environ):
            try:
                if read_views(path).contents == tuple(words):
                    return path
            except ViewsError:
                continue
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

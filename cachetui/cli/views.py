"""`views`: list or remove the views that were saved in the browser.

Messages quote names from the files of saved views, so these names must be escaped.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from msgspec import Struct

from cachetui.cli.options import FormatName, Option, Options, UsageError
from cachetui.cli.output import FOUND, NOTHING, note, print_document
from cachetui.cli.session import no_such
from cachetui.report.formats import ListDocument, TableBlock
from cachetui.safe_text import shell_word
from cachetui.settings.saved_views import (
    SavedView,
    Views,
    ViewsError,
    read_views,
    remove_view,
    stored_views,
)
from cachetui.sources.kinds import open_source
from cachetui.sources.source import Asking, ContentError


class ViewsOptions(Options, frozen=True, kw_only=True):
    format: FormatName = "table"
    remove: Annotated[tuple[str, ...], Option("remove this view; repeatable", "NAME", completed_by="view")] = ()


HELP = """\
  cachetui views                         list all saved views
  cachetui views CONTENT                 list the saved views of CONTENT
  cachetui views CONTENT --remove NAME   remove the view NAME
  cachetui --view NAME CONTENT           open the view NAME
"""


class ViewRow(Struct, frozen=True):
    """A saved view."""

    view: str
    content: str
    contents: tuple[str, ...]
    """The words that name the content on a command line."""
    screen: str
    query: str
    package: str


DOCUMENT = (list[ViewRow],)


def run(options: ViewsOptions) -> int:
    """Remove the views that `--remove` names, then list the saved views.

    The status is 1 if no view is saved and none was removed.
    """
    if options.remove and not options.words:
        raise UsageError("--remove needs CONTENT: cachetui views CONTENT --remove NAME")
    paths = [_path(options)] if options.words else list(stored_views(options.settings.views_folder))
    if options.remove:
        views = read_views(paths[0])
        for name in options.remove:  # check all names before a view is removed
            view_of(views, name)
        for name in options.remove:
            remove_view(paths[0], "", name)
    rows = list(_rows(paths))
    print_document(view_list(rows), options)
    if not rows:
        note("no saved views: to save one, press V in the browser")
    return FOUND if rows or options.remove else NOTHING


def _path(options: Options) -> Path:
    """Return the path of the saved views of the content, even if the content itself was removed."""
    try:
        return options.settings.views_path(open_source(options.words, options.settings, Asking()).identity)
    except ContentError:
        path = options.settings.views_path("\n".join(options.words))
        if not path.exists():
            raise
        return path


def view_list(views: Sequence[ViewRow]) -> ListDocument:
    """Return the list of views for output. In the table, names are quoted for a shell."""

    rows = [
        [
            shell_word(each.view),
            " ".join(map(shell_word, each.contents)),
            each.screen,
            each.query,
            each.package,
        ]
        for each in views
    ]
    table = TableBlock(("view", "content", "screen", "query", "package"), rows, shrinking=(0, 1, 3))
    return ListDocument(views, ViewRow.__struct_fields__, shown=lambda width: [table] if rows else [])


def _rows(paths: Iterable[Path]) -> Iterable[ViewRow]:
    for path in paths:
        try:
            views = read_views(path)
        except ViewsError as error:
            note(str(error))
            continue
        for name, view in sorted(views.named.items()):
            yield ViewRow(name, views.content, views.contents, view.screen, view.query, view.package)


# For the browser


def view_of(views: Views, name: str) -> SavedView:
    """Return the view with this name. If there is none, raise UsageError, which suggests similar names."""
    if name not in views.named:
        raise no_such("view", shell_word(name), list(map(shell_word, sorted(views.named))))
    return views.named[name]

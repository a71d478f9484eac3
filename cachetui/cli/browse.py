"""The command line without a command name: open the browser."""

import os
from contextlib import suppress
from typing import Annotated

from msgspec.structs import replace

from cachetui.catalogue import Catalogue
from cachetui.cli.options import Option, QueryOptions, Tags, UsageError
from cachetui.cli.output import note
from cachetui.cli.session import asking_of, check_content, open_catalogue, query_of, settled
from cachetui.cli.views import view_of
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.settings.saved_views import SavedView, ViewsError, read_views, save_last


class BrowseOptions(QueryOptions, frozen=True, kw_only=True):
    tag: Tags = ()
    watch: Annotated[bool, Option("read files again when they change")] = False
    mouse: Annotated[bool, Option("use the mouse in the browser, instead of the terminal's own text selection")] = False
    pick: Annotated[
        bool, Option("on Enter, close the browser and print the selected specs as /hash", group="output")
    ] = False
    theme: Annotated[
        str | None,
        Option(
            "use this theme: cachetui-dark, cachetui-light, cachetui-256, cachetui-16 or plain",
            "NAME",
            "output",
            completed_by="theme",
        ),
    ] = None
    view: Annotated[str | None, Option("open this saved view of the content", "NAME", completed_by="view")] = None
    resume: Annotated[bool, Option("open the last view of the content")] = False
    full_repaint: Annotated[
        bool, Option("write whole regions of the screen, not only changed cells", group="output")
    ] = False


def run(options: BrowseOptions) -> int:
    """Open the browser."""
    from cachetui.tui.terminal.preflight import check_terminal, prepare_environment

    refusal = check_terminal(options.settings.environ)
    if refusal:
        raise UsageError(refusal)
    query = query_of(replace(options, fuzzy=True), tag=options.tag)
    catalogue, saved = _opened(options, query)
    prepare_environment(os.environ)
    from cachetui.tui.app import BrowserApp, first_view, run_app

    def check(index: Index) -> None:
        check_content(catalogue, index)
        settled(index, query, options.tag)

    is_sample = not options.content
    view = first_view(catalogue, options.settings, is_sample=is_sample)
    if is_sample:
        check(view.index)
    from cachetui.tui.theme import NAMES, no_theme
    from cachetui.tui.view.saved import screen_of, view_of

    view = view.asked_for(query) if saved is None else view_of(saved, view)
    app = BrowserApp(
        catalogue,
        view,
        content=options.content[0] if options.content else None,
        picks=options.pick,
        watches=options.watch,
        first_screen=screen_of(saved) if saved is not None else "browse",
        first_words=saved.words if saved is not None else (),
        asking=asking_of(options),
        check=check,
    )
    if options.theme is not None and options.theme not in NAMES:
        raise UsageError(no_theme(options.theme))
    status = run_app(app, theme=options.theme, full_repaint=options.full_repaint, mouse=options.mouse)
    if app.left is not None:
        with suppress(ViewsError):  # the folder may be read-only
            save_last(
                options.settings.views_path(catalogue.source.identity),
                catalogue.source.identity,
                app.left,
            )
    return status


def _opened(options: BrowseOptions, query: Query) -> tuple[Catalogue, SavedView | None]:
    """Open the content. Return the content and the saved view to show first. `query`: the query on the command line."""
    if bool(query) + (options.view is not None) + options.resume > 1:
        raise UsageError("--view, --resume and a query cannot be combined: give one of them")
    catalogue = open_catalogue(options, query.named_tags, previews=True)
    catalogue.ask_newest()
    if options.fresh:
        catalogue.source.ask_servers()
    saved = _saved_view(options, catalogue) if options.view is not None or options.resume else None
    if saved is not None:
        for tag in Query.parse(saved.query, fuzzy_name=True, has_graph=True).named_tags:
            catalogue.ask_for(tag)
    return catalogue, saved


def _saved_view(options: BrowseOptions, catalogue: Catalogue) -> SavedView | None:
    """Return the saved view that `--view` names, or for `--resume` the last view; None if the last view is missing."""
    views = read_views(options.settings.views_path(catalogue.source.identity))
    if options.view is not None:
        return view_of(views, options.view)
    if views.last is None:
        note("no last view is saved for this content: the browser opens its first screen")
    return views.last

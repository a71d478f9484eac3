"""The browser."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Annotated

from msgspec.structs import replace

from cachetui.catalogue import Catalogue
from cachetui.cli.options import Option, QueryOptions, Tags, UsageError
from cachetui.cli.output import note
from cachetui.cli.session import asking_of, open_catalogue, query_of
from cachetui.cli.views import contents_with, left_last, no_view
from cachetui.model.host import Host
from cachetui.model.problem import UserError
from cachetui.query.query import Query
from cachetui.settings.views import SavedView, Views, read_views, save_last, views_path
from cachetui.settings.views_file import ViewsError
from cachetui.sources.source import ContentError


class BrowseOptions(QueryOptions, frozen=True, kw_only=True):
    tag: Tags = ()
    watch: Annotated[bool, Option("read again by itself what changes on disk")] = False
    mouse: Annotated[bool, Option("use the mouse; off otherwise, so that the terminal's own selection works")] = False
    pick: Annotated[bool, Option("end with Enter on a spec and print the chosen or marked ones as /hash")] = False
    theme: Annotated[
        str | None,
        Option("colours: cachetui-dark or cachetui-light, plain, or a theme of Textual's", "NAME"),
    ] = None
    view: Annotated[
        str | None, Option("open this saved view, with its content where none is given", "NAME", completed_by="view")
    ] = None
    resume: Annotated[bool, Option("open where it was left last; without CONTENT, on the content of then")] = False
    full_repaint: Annotated[bool, Option("write whole regions of the screen, not only the cells that changed")] = False


OPTIONS = BrowseOptions


def run(options: BrowseOptions) -> int:
    """Open the browser."""
    from cachetui.tui.terminal.preflight import check_terminal, prepare_environment

    refusal = check_terminal()
    if refusal:
        raise UsageError(refusal)
    query, host = query_of(options, tag=options.tag), Host.parse("here")
    options, catalogue = _opened(options)
    saved = _view(options, catalogue.identity, asked=bool(query))
    prepare_environment()
    from cachetui.tui.app import BrowserApp, first_view
    from cachetui.tui.app import run as run_app

    view = first_view(
        catalogue, host, options.config.columns if options.config else None, is_sample=not options.content
    )
    from cachetui.tui.view.saved import saved_view, screen_of, view_of

    view = view.asked_for(query.spelled_for(fuzzy_name=True)) if saved is None else view_of(saved, view)
    app = BrowserApp(
        catalogue,
        view,
        content=options.content[0] if options.content else None,
        picks=options.pick,
        watches=options.watch,
        config=options.config,
        first_screen=screen_of(saved) if saved is not None else "browse",
        asking=asking_of(options),
    )
    try:
        status = run_app(app, theme=options.theme, full_repaint=options.full_repaint, mouse=options.mouse)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if app.left is not None:
        with suppress(ViewsError):  # nobody waits for it: the folder may be read-only
            save_last(views_path(os.environ, catalogue.identity), catalogue.identity, saved_view(*app.left))
    return status


def _opened(options: BrowseOptions) -> tuple[BrowseOptions, Catalogue]:
    """Open the content of the command line; where that names a view alone, or what was left, the content of these."""
    meant = _saved_of(options)
    try:
        catalogue = open_catalogue(options, previews=True)
        if meant is None or meant.path == views_path(os.environ, catalogue.identity):
            return options, catalogue
    except ContentError:
        if meant is None:
            raise
    options = replace(options, content=meant.contents)
    try:
        return options, open_catalogue(options, previews=True)
    except ContentError as error:
        what = "the browser was left there the last time" if options.resume else "the view is saved of it"
        raise UsageError(f"{error}; {what}, give another CONTENT") from None


def _saved_of(options: BrowseOptions) -> Views | None:
    """The saved views of the content that the view is of, where the command line names a view and no content."""
    if options.content and not options.is_default:
        return None
    if options.view is not None:
        found = contents_with(options.view.strip())
        return found[0] if len(found) == 1 else None
    return left_last() if options.resume else None


def _view(options: BrowseOptions, identity: str, *, asked: bool) -> SavedView | None:
    """The saved view to begin with, None for none; `asked`: the command line has a query."""
    chosen = options.view is not None or options.resume
    if chosen and (asked or (options.view is not None and options.resume)):
        raise UsageError("--view, --resume and a query each say what to look at: give one of them")
    if not chosen and (asked or options.pick):
        return None
    try:
        views = read_views(views_path(os.environ, identity))
        found = _chosen(options, views)
        if found is not None:
            Query.parse(found.query, fuzzy_name=True, has_graph=True)
    except UserError as error:
        if chosen:
            raise
        note(f"the view to begin with cannot be opened: {error}")
        return None
    return found


def _chosen(options: BrowseOptions, views: Views) -> SavedView | None:
    if options.view is not None:
        name = options.view.strip()
        if name not in views.named:
            raise no_view(views, name)
        return views.named[name]
    if not options.resume:
        return views.named.get(views.start or "")
    if views.last is None:
        where = " on this content" if options.content and not options.is_default else ""
        note(f"the browser has not been left{where} yet: it opens as always")
    return views.last

"""The browser."""

from __future__ import annotations

import os
from typing import Annotated

from cachetui.cli.options import Option, QueryOptions, Tags, UsageError
from cachetui.cli.session import host_of, open_catalogue, query_of
from cachetui.settings.config import read_config


class BrowseOptions(QueryOptions, frozen=True, kw_only=True):
    tag: Tags = ()
    watch: Annotated[bool, Option("read again by itself what changes on disk")] = False
    mouse: Annotated[bool, Option("use the mouse; off otherwise, so that the terminal's own selection works")] = False
    pick: Annotated[bool, Option("end with Enter on a spec and print the chosen or marked ones as /hash")] = False
    theme: Annotated[
        str | None,
        Option("colours: cachetui-dark or cachetui-light, plain, or a theme of Textual's", "NAME"),
    ] = None
    full_repaint: Annotated[bool, Option("write whole regions of the screen, not only the cells that changed")] = False


OPTIONS = BrowseOptions


def run(options: BrowseOptions) -> int:
    """Opens the browser."""
    from cachetui.tui.terminal.check import check_terminal, prepare_environment

    refusal = check_terminal()
    if refusal:
        raise UsageError(refusal)
    query, host = query_of(options, options.tag), host_of("here")
    catalogue = open_catalogue(options, previews=True)
    prepare_environment()
    from cachetui.tui.app import BrowserApp
    from cachetui.tui.app import run as run_app

    app = BrowserApp(
        catalogue,
        query.spelled_for(fuzzy_name=True),
        host,
        content=options.content[0] if options.content else None,
        picks=options.pick,
        watches=options.watch,
        config=read_config(os.environ),
    )
    try:
        return run_app(app, theme=options.theme, full_repaint=options.full_repaint, mouse=options.mouse)
    except ValueError as error:
        raise UsageError(str(error)) from None

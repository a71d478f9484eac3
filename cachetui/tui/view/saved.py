"""Convert views into saved views, and restore saved views. A saved view has an equivalent cachetui command.

A saved view contains only the choices of the user.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import get_args

from msgspec.structs import replace

from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.query.terms import NameTerm, ValueTerm
from cachetui.report.specs import command
from cachetui.search.index import Index
from cachetui.settings.saved_views import SavedView
from cachetui.tui.view.rows import (
    PACKAGE_ORDERS,
    SPEC_COLUMNS,
    VERSION,
    Order,
)
from cachetui.tui.view.view import ScreenName, View

VIEW = "this view"
"""The name of the equivalent command in the dialog to copy texts."""

COMMANDS = {"packages": "find", "specs": "find", "timeline": "coverage", "comparison": "diff"}
"""The equivalent commands of screens. If a screen is missing here, its command has the name of the screen."""

WITHOUT_QUERY = ("check", "deps", "comparison", "stacks")
"""The screens whose commands have the option `--tag` instead of a query."""


class GivenOptions:
    """The options of a saved view.

    For example, `given["--sort"]` is the last value of `--sort`, or "" if it is missing.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.all: defaultdict[str, list[str]] = defaultdict(list)
        for word in words:
            name, _, value = word.partition("=") if word.startswith("--") else ("", "", word)
            self.all[name].append(value)

    def __getitem__(self, name: str) -> str:
        return next(reversed(self.all[name]), "")


def saved_view(view: View, screen: str, words: Sequence[str] = ()) -> SavedView | None:
    """Convert the view of a screen into a saved view. `words` are the options of the equivalent command.

    If the view shows only certain specs, such as the marked specs, return None, because a query cannot describe them.
    """
    if view.only is not None and screen not in WITHOUT_QUERY:
        return None
    return SavedView(
        query=str(view.asked),
        host="" if view.host == view.settings.host() else str(view.host),
        screen=screen,
        package=(view.package or "") if screen == "specs" else "",
        words=tuple(words),
    )


def saved_list(view: View) -> SavedView | None:
    """Return the saved view of the main screen. If the view shows only certain specs, return None."""
    if view.package is None:
        by = view.package_order.text("package").replace("newest", "versions")  # the name in `--sort`
        return saved_view(view, "packages", [] if view.package_order == Order() else [f"--sort={by}"])
    # if the query has a host, the command lists the specs that run on the host first
    is_usual = view.spec_order == Order() and not view.query.host
    return saved_view(view, "specs", [] if is_usual else [f"--sort={view.spec_order.text(VERSION)}"])


def command_of(saved: SavedView, content: str, index: Index) -> str:
    """Return the cachetui command that is equivalent to a saved view.

    `content` is the content as the user typed it, already quoted for a shell.
    """
    query = Query.parse(saved.query, fuzzy_name=True, has_graph=bool(index.graph))
    given, words = GivenOptions(saved.words), list(saved.words)
    if saved.screen == "packages":
        words = ["--packages", *words]
    elif saved.package and saved.screen in COMMANDS:
        query = query.with_term(NameTerm(saved.package))
    if saved.screen == "timeline":
        words, query = ["--cols=tag", *words], query.without_key("tag")
    elif saved.screen == "diff":
        query = query.without_key("tag")
    elif saved.screen in WITHOUT_QUERY:
        query = Query()
    elif saved.screen == "coverage" and "tag" not in (given["--rows"], given["--cols"]) and not query.terms_of("tag"):
        query = query.with_term(ValueTerm.of("tag", index.tags))  # otherwise the command would use only one tag
    return command(COMMANDS.get(saved.screen, saved.screen), content, words, index.exact(query))


def view_of(saved: SavedView, view: View) -> View:
    """Restore a saved view. Use the index, the settings and the marks of `view`.

    Raises QueryError if the query cannot be parsed.
    """
    query, by = view.parsed(saved.query), GivenOptions(saved.words)["--sort"].replace("versions", "newest")
    try:
        host = Host.parse(saved.host) if saved.host else view.settings.host()
    except ValueError:  # an invalid host
        host = view.settings.host()
    found = View(index=view.index, shared=view.shared, host=host, settings=view.settings, marks=view.marks)
    found = replace(found.asked_for(query), tag=query.tag)
    is_there = not view.index.packages or view.index.package_number(saved.package) is not None
    if saved.screen == "packages":
        return replace(found, package_order=Order.of(by, PACKAGE_ORDERS, "package"))
    if saved.screen == "timeline" and saved.package and is_there:
        return found.move("packages", saved.package, found.packages.find(saved.package) or 0)
    if saved.screen == "specs" and saved.package and is_there:
        return replace(found.enter(saved.package), spec_order=Order.of(by, tuple(SPEC_COLUMNS), VERSION))
    return found


def screen_of(saved: SavedView) -> ScreenName:
    """Return the name of the screen that a saved view opens."""
    return next((name for name in get_args(ScreenName) if name == saved.screen), "browse")

"""A saved view made of what is looked at, and what it says of the orders. No widget in it."""

from __future__ import annotations

from collections.abc import Collection

from cachetui.query.query import Query
from cachetui.settings.views import SavedView, ScreenLook
from cachetui.tui.rows.packages import PACKAGE_COLUMNS
from cachetui.tui.rows.spec_columns import DIFFERS, SPEC_COLUMNS
from cachetui.tui.state.order import NAME, SortOrder
from cachetui.tui.state.view import View

OWN = ""
"""Stands for the order that specs have by themselves: by version, or by how near they come to the host asked for."""


def saved_view(view: View, screen: str, package: str | None, look: ScreenLook) -> SavedView:
    """What is looked at; `screen` and `package`: where the user is, `look`: how that screen is looked at."""
    return SavedView(
        query=str(view.query),
        packages_by=_order_text(view.lists.package_order, NAME),
        specs_by=_order_text(view.lists.spec_order, OWN),
        screen=screen,
        package=package or "",
        look=look,
    )


def query_of(saved: SavedView) -> Query:
    """The query of a saved view; raises QueryError where this version cannot read it."""
    return Query.parse(saved.query, fuzzy_name=True, has_graph=True)


def orders_of(saved: SavedView) -> tuple[SortOrder, SortOrder]:
    """The orders of the packages and of the specs."""
    packages = [column.title for column in PACKAGE_COLUMNS]
    specs = [title for title in SPEC_COLUMNS if title != DIFFERS]
    return _order_of(saved.packages_by, packages, NAME), _order_of(saved.specs_by, specs, OWN)


def _order_text(order: SortOrder, by_itself: str) -> str:
    """The column, after a `-` where the order is turned round; empty for the order that a list has by itself."""
    return f"-{order.column or by_itself}" if order.reverse else order.column or ""


def _order_of(text: str, columns: Collection[str], by_itself: str) -> SortOrder:
    """The order that a text names; the one that a list has by itself where this version has no such column."""
    column = text.removeprefix("-")
    if column == by_itself:
        return SortOrder(None, text.startswith("-"))
    return SortOrder(column, text.startswith("-")) if column in columns else SortOrder()

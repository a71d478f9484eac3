"""Turns a view into a saved one and back. What is saved is what the user chose, nothing that follows from it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import get_args

from msgspec.structs import replace

from cachetui.model.host import Host, this_host
from cachetui.query.query import Query
from cachetui.settings.saved_views import SCREENS, SavedView
from cachetui.tui.view.rows import PACKAGE_ORDERS, SPEC_COLUMNS
from cachetui.tui.view.view import Order, ScreenName, View

LISTS = ("packages", "specs")
"""The screens of saved views that the browse screen shows itself."""


def saved_view(view: View, screen: str = "browse") -> SavedView:
    """Return a view as it is saved; `screen` is the name of the screen, saved as a list where it cannot be reopened."""
    lists = "packages" if view.package is None else "specs"
    return SavedView(
        query=str(view.asked),
        host="" if view.host == this_host(os.environ) else str(view.host),
        packages_by=_text_of(view.package_order),
        specs_by=_text_of(view.spec_order),
        screen=screen if screen in SCREENS else lists,
        package=view.package or "",
        axes=view.axes,
    )


def view_of(saved: SavedView, view: View) -> View:
    """Return the saved view with the catalogue of `view`; raises QueryError where the query cannot be read."""
    query = Query.parse(saved.query, fuzzy_name=True, has_graph=bool(view.index.graph))
    host = _host_of(saved.host)
    found = View(index=view.index, host=host, marks=view.marks, columns=view.columns).asked_for(query)
    found = replace(
        found,
        tag=query.tag,
        package_order=_order_of(saved.packages_by, PACKAGE_ORDERS),
        spec_order=_order_of(saved.specs_by, tuple(SPEC_COLUMNS)),
        axes=saved.axes,
    )
    is_there = not view.index.packages or view.index.package_number(saved.package) is not None
    return found.enter(saved.package) if saved.screen == "specs" and saved.package and is_there else found


def screen_of(saved: SavedView) -> ScreenName:
    """Return the screen that a saved view opens."""
    return next((name for name in get_args(ScreenName) if name == saved.screen), "browse")


def _host_of(text: str) -> Host:
    """Return the host of a text; the default one where it is empty or not known."""
    try:
        return Host.parse(text or "here")
    except ValueError:
        return this_host(os.environ)


def _text_of(order: Order) -> str:
    """Return the column, after a `-` where the order is reversed; empty for the default order."""
    return f"{'-' * order.reverse}{order.column or ''}"


def _order_of(text: str, columns: Sequence[str]) -> Order:
    """Return the order that a text names; the default one where there is no such column."""
    column = text.removeprefix("-")
    return Order(column or None, text.startswith("-")) if column in ("", *columns) else Order()

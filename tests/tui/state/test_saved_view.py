"""Orders as a saved view has them."""

from __future__ import annotations

import pytest

from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.settings.views import SavedView, ScreenLook
from cachetui.tui.state.order import SortOrder
from cachetui.tui.state.saved_view import orders_of, saved_view
from cachetui.tui.state.view import View
from tests.support.rows import index_of, row


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("column", [None, "version", "target", "tag"])
@pytest.mark.parametrize("query", ["hdf5", "hdf5 fits=linux-rhel8-zen3"])
def test_specs_come_back_in_the_order_in_which_they_were_saved(query: str, column: str | None, reverse: bool) -> None:
    view = View(index_of([row()]), Query.parse(query), Host("linux", "rhel8", "zen3"))
    lists = view.lists
    lists.spec_order, lists.package_order = SortOrder(column, reverse), SortOrder(None, reverse)
    assert orders_of(saved_view(view, "specs", "hdf5", ScreenLook())) == (lists.package_order, lists.spec_order)


def test_an_order_by_no_column_that_there_is_is_that_which_a_list_has_by_itself() -> None:
    assert orders_of(SavedView(packages_by="-weight", specs_by="weight")) == (SortOrder(), SortOrder())
    assert orders_of(SavedView(packages_by="-package")) == (SortOrder(None, True), SortOrder())

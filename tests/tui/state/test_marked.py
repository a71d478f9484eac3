"""Marked specs stand as their list has them."""

from __future__ import annotations

from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.tui.rows.specs import spec_key
from cachetui.tui.state.marked import marked_in_order
from cachetui.tui.state.view import View
from tests.support.rows import index_of, row


def test_marked_specs_that_the_filters_hide_stand_behind_the_others_of_their_package() -> None:
    rows = [row("acts", "3", os="rhel8"), row("acts", "2"), row("acts", "1"), row("zlib", "9", os="rhel8")]
    index = index_of(rows)
    view = View(index, Query.parse("os=ubuntu22.04"), Host("linux", "rhel8", "zen3"))
    view.marks = frozenset(spec_key(index, number) for number in range(len(index)))
    assert [index.spec(number).version for number in marked_in_order(view)] == ["2", "1", "3", "9"]

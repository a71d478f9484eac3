"""Why a query takes nothing, as lines."""

from __future__ import annotations

from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.tui.screens.why import short_lines
from cachetui.tui.state.view import View
from tests.support.rows import index_of, row


def test_of_two_causes_the_one_that_is_given_up_more_easily_is_named() -> None:
    rows = [row("acts"), *(row("zlib", str(number), target="m1") for number in range(3))]
    view = View(index_of(rows), Query.parse("acts stack!=hepp target=m1"), Host("linux", "rhel8", "zen3"))
    assert short_lines(view)[0] == ["1 spec without target=m1", "no stack hepp to leave out"]

"""What the key does with a query line that keeps it, in the room that there is."""

from __future__ import annotations

from cachetui.tui.rows.layout import text_in
from cachetui.tui.screens.keeping import Keeping

TWO = Keeping(put_in=["%gcc", "+mpi"], slips=[("compiler", "gccc"), ("variant", "+mpii")], is_all=True)


def said(keeping: Keeping, room: int) -> str:
    return "".join(map(text_in, keeping.slip_cells(room, {})))


def test_the_slips_give_way_before_what_is_put_in() -> None:
    assert said(TWO, 80) == "no compiler gccc or variant +mpii; Enter puts in %gcc and +mpi"
    assert said(TWO, 60) == "no gccc or +mpii; Enter puts in %gcc and +mpi"
    assert said(TWO, 40) == "Enter puts in %gcc and +mpi"
    assert said(TWO, 20) == "Enter puts the right words in"


def test_that_nothing_is_left_is_said_where_it_has_room() -> None:
    one = Keeping(put_in=["%gcc"], slips=[("compiler", "gccc")], is_all=True, leaves_nothing=True)
    assert said(one, 80) == "no compiler gccc; Enter puts in %gcc, which takes nothing"
    assert said(one, 48) == "no gccc; Enter puts in %gcc, which takes nothing"
    assert said(one, 20) == "Enter puts in %gcc"


def test_what_tab_puts_in_too_is_offered_only_where_tab_puts_anything_in() -> None:
    one = Keeping(put_in=["os=ubuntu22.04"], slips=[("os", "ub")], unfinished="ub is no os yet", is_all=True)
    assert one.is_offered(["ubuntu22.04", "ubuntu20.04"])
    assert not one.is_offered([])
    assert not one.is_said_as_slips(["ubuntu22.04"])
    assert one.is_said_as_slips([])

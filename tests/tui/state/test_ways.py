"""The ways back: which ones are left once one of them was gone."""

from __future__ import annotations

from cachetui.query.query import Query
from cachetui.tui.state.ways import Way, Ways


def test_who_came_to_one_place_twice_goes_back_through_what_was_between() -> None:
    ways, came = Ways(), list[str]()

    def gone() -> None:
        came.append("back")

    first, between, again = (Way(Query.parse(text), "hdf5", "back", gone) for text in ("hdf5", "hdf5 +mpi", "hdf5"))
    ways.known = [first, between, again]
    here = ways.here(Query.parse("hdf5"), "hdf5")
    assert here is again
    ways.follow(here)
    assert came == ["back"]
    assert list(ways.known) == [first, between]

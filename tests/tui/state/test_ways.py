"""The ways back: which ones are left once one of them was gone, and the filters that they lead to."""

from __future__ import annotations

import pytest

from cachetui.query.query import Query
from cachetui.tui.state.ways import Way, Ways, filters_back


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


@pytest.mark.parametrize(
    ("before", "led_to", "now", "back"),
    [
        ("os=rhel8", "hdf5 os=rhel8 stack=e4s", "hdf5 os=rhel8 stack=e4s", "os=rhel8"),
        ("os=rhel8", "hdf5 os=rhel8 stack=e4s", "os=rhel8", "os=rhel8"),
        ("os=rhel8 +mpi", "hdf5 os=rhel8 stack=e4s +mpi", "hdf5 stack=e4s +mpi", "+mpi"),
        ("os=rhel8", "hdf5 os=rhel8 stack=e4s", "hdf5 os=ubuntu22.04 %gcc", "os=ubuntu22.04 %gcc"),
        ("stack=e4s,hep", "hdf5 stack=e4s", "hdf5 stack=e4s %gcc", "stack=e4s,hep %gcc"),
        ("stack=e4s,hep", "hdf5 stack=e4s", "hdf5 stack=ml", "stack=e4s,hep"),
        ("stack=e4s,hep", "hdf5 stack=e4s", "", ""),
        ("hdf5 stack=e4s", "hdf5 stack=e4s", "", ""),
        ("tag=develop", "hdf5 tag=develop", "hdf5 tag=v0.22", "tag=v0.22"),
    ],
)
def test_filters_that_were_changed_stay_so_but_for_those_that_the_step_put_in(
    before: str, led_to: str, now: str, back: str
) -> None:
    queries = (Query.parse(text, fuzzy_name=True) for text in (now, led_to, before))
    assert filters_back(*queries) == Query.parse(back, fuzzy_name=True)


def test_filters_that_stayed_stand_in_the_order_in_which_they_were_typed() -> None:
    now, led_to, before = map(Query.parse, ("hdf5 %gcc os=rhel8 +mpi", "hdf5 os=rhel8 +mpi", "os=rhel8 +mpi"))
    assert filters_back(now, led_to, before).texts == ("os=rhel8", "+mpi", "%gcc")

"""The two tags that the drift screen compares, without the screen."""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.search.index import Index
from cachetui.tui.state.compared_tags import ComparedTags
from tests.support.rows import index_of, row

OLD, NEW, NEWEST = "develop-2025-04-06", "develop-2025-04-13", "develop-2025-04-20"


def index_with(tags: Sequence[str]) -> Index:
    return index_of(row(tag=tag) for tag in tags)


def test_the_tag_that_is_looked_at_stands_against_the_one_before_it() -> None:
    tags = ComparedTags(index_with([OLD, NEW, NEWEST]), NEW, "", "")
    assert (tags.pair, tags.chosen, tags.instead_of(tags.pair)) == ((OLD, NEW), ("", ""), "")
    assert tags.other("new") == (OLD, "older")
    assert tags.other("old") == (NEW, "newer")


def test_tags_that_were_chosen_before_are_compared_again_if_both_are_there() -> None:
    index = index_with([OLD, NEW, NEWEST])
    tags = ComparedTags(index, NEW, OLD, NEWEST)
    assert (tags.pair, tags.chosen, tags.lost) == ((OLD, NEWEST), (OLD, NEWEST), [])
    tags = ComparedTags(index, NEW, "gone", NEWEST)
    assert (tags.pair, tags.chosen, tags.lost) == ((OLD, NEW), ("", ""), ["gone"])


def test_a_step_goes_along_the_series_as_far_as_there_is_a_tag_before() -> None:
    index = index_with([OLD, NEW, NEWEST])
    tags = ComparedTags(index, NEWEST, "", "")
    assert tags.step(index.tags, 1)
    assert tags.pair == (OLD, NEW)
    assert not tags.step(index.tags, 1)
    assert tags.pair == (OLD, NEW)
    tags.take("new", NEWEST)
    assert tags.chosen == (OLD, NEWEST)


def test_where_a_tag_is_gone_others_are_compared() -> None:
    tags = ComparedTags(index_with([OLD, NEW, NEWEST]), NEWEST, "", "")
    assert tags.follow(index_with([OLD, NEW, NEWEST, "v1.0"])) == []
    assert tags.follow(index_with([OLD, NEWEST])) == [NEW]
    assert tags.pair == (OLD, NEWEST)
    assert tags.follow(index_with(["v1.0"])) == [OLD, NEWEST]
    assert tags.pair == ("", "v1.0")

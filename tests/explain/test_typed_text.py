"""What is said of the text of a query line, and what of it can be read."""

from __future__ import annotations

import pytest

from cachetui.explain.typed_text import (
    finished_query,
    is_key,
    is_mistake,
    mending_completions,
    readable_beginning,
    typed_query,
    wanting,
    ways_named,
)
from cachetui.explain.unknown_values import unknown_values
from cachetui.query.query import Query
from cachetui.search.index import Index
from tests.support.rows import index_of, row


@pytest.fixture(scope="module")
def index() -> Index:
    return index_of([row("hdf5"), row("zlib", os="rhel8")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("os=rhe", False),  # may go on
        ("os=rhe zlib", True),
        ("hdf5os=rhel8", True),
        ("hdf5os=rhe", True),  # whatever its value will be
        ("stak=e4s", True),
        ("stac", False),  # may be to become a key
        ("version=1.14", True),
    ],
)
def test_the_value_that_is_typed_is_no_mistake_yet_but_its_key_may_be_one(
    index: Index, text: str, expected: bool
) -> None:
    unknown = unknown_values(index, Query.parse(text, fuzzy_name=True))
    assert any(is_mistake(value, len(text)) for value in unknown) is expected


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("hdf5 os=", "hdf5"),
        ("hdf5 os!= ", "hdf5"),
        ("hdf5 @@1", "hdf5"),
        ("zlib os='rh", "zlib"),
        ("os=", ""),
        ("=", ""),
    ],
)
def test_what_can_be_read_is_what_stands_before_the_fault(text: str, read: str) -> None:
    assert str(readable_beginning(text, has_graph=False)) == read


@pytest.mark.parametrize(
    ("text", "left"),
    [("hdf5 os=rhe", "hdf5"), ("hdf5", "hdf5"), ("os=rhel8 hd", "os=rhel8"), ("os=rhel8 ", "os=rhel8")],
)
def test_the_name_that_stands_first_is_finished_at_each_letter_and_nothing_else_is(text: str, left: str) -> None:
    assert str(finished_query(Query.parse(text, fuzzy_name=True), len(text))) == left


def test_offers_are_named_as_far_as_few_letters_do() -> None:
    assert ways_named(["target=zen3"]) == "puts in target=zen3"
    assert ways_named(["+mpi", "~mpi"]) == "offers +mpi, ~mpi"
    assert ways_named(["a" * 30, "b" * 30]) == f"puts in {'a' * 30}"


def test_a_last_word_wants_a_value_or_an_end() -> None:
    assert wanting("hdf5 os=") == "os= wants a value"
    assert wanting("hdf5 @1: %") == "% wants a compiler"
    assert wanting("hdf5 tar") == "tar is not finished"
    assert wanting("hdf5 -") == "- wants a variant"
    assert wanting("hdf5+") == "hdf5+ wants a variant"
    assert wanting("fits=linux-") == "fits=linux- is not finished"


@pytest.mark.parametrize(
    ("word", "expected"), [("os", True), ("stak", True), ("sta", True), ("hdf5", False), ("o", False)]
)
def test_a_word_is_a_key_or_surely_meant_to_be_one(word: str, expected: bool) -> None:
    assert is_key(word) is expected


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("hdf5 target=neo", ["target=neoverse_n1", "target=neoverse_v2"]),  # both, though hdf5 has neither
        ("hdf5 target=neoverse_n11", ["target=neoverse_n1"]),
        ("hdf5 target=zen", ["target=zen3"]),
    ],
)
def test_where_nothing_goes_on_all_that_a_word_may_be_the_beginning_of_are_offered(
    text: str, offered: list[str]
) -> None:
    rows = [row("hdf5", target="zen3"), row("zlib", target="neoverse_n1"), row("zlib", target="neoverse_v2")]
    index = index_of(rows)
    wrong = unknown_values(index, typed_query(index, text))
    assert [each.text for each in mending_completions(wrong)] == offered

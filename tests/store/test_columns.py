"""Columns: the same pages give equal columns, in any order of reading."""

import os
from collections.abc import Sequence
from math import inf
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.model.spec import Page, Row
from cachetui.store.arrays import Postings, StringTable, ranked
from cachetui.store.columns import ROW_COLUMNS, Columns, SegmentBuilder
from cachetui.store.merge import built, ranges, updated
from cachetui.store.mtimes import RACY, Mtimes, mtimes_of
from tests.support.random_catalogues import ROWS, columns_of, pages, segment
from tests.support.strategies import CHARACTERS

TEXTS = st.lists(st.text(CHARACTERS, max_size=4))


# Tables


@given(TEXTS)
def test_string_table_keeps_strings_in_order(texts: list[str]) -> None:
    table = StringTable.of(texts)
    assert list(table) == [table[k] for k in range(len(table))] == texts


@given(TEXTS, st.text(CHARACTERS, max_size=4))
def test_search_in_sorted_table_agrees_with_naive_search(texts: list[str], wanted: str) -> None:
    table = StringTable.of(sorted(set(texts)))
    assert table.find(wanted.encode()) == (sum(text < wanted for text in table), wanted in texts)


HASHES = st.lists(st.text("ab2", min_size=8, max_size=8), max_size=20)
NEARLY_HASHES = st.lists(st.text("ab2é", max_size=9), max_size=20)


@given(st.one_of(HASHES, NEARLY_HASHES), st.booleans(), st.one_of(HASHES, NEARLY_HASHES), st.integers(0, 3))
def test_repeated_search_in_sorted_table_agrees_with_naive_search(
    texts: list[str], has_empty: bool, wanted: list[str], lo: int
) -> None:
    table = StringTable.of(sorted({*texts, *[""] * has_empty}))
    for _ in range(2):  # after the first searches, prefixes of the entries may be cached
        for text in [*wanted, *texts, "", "a", "aaaa", "zzzzzzzzz"]:
            place = max(sum(other < text for other in table), min(lo, len(table)))
            assert table.find(text.encode(), min(lo, len(table))) == (place, list(table)[place : place + 1] == [text])


@given(TEXTS)
def test_each_value_is_replaced_by_its_position_among_distinct_values(texts: list[str]) -> None:
    distinct, places = ranked(texts)
    assert distinct == sorted(set(texts))
    assert [distinct[place] for place in places] == texts


@given(st.lists(st.text("ab", max_size=5), max_size=5), st.text("ab", min_size=1, max_size=3))
def test_substring_search_finds_every_occurrence_in_each_entry(texts: list[str], wanted: str) -> None:
    found = list(StringTable.of(texts).containing(wanted.encode()))
    assert found == [(k, at) for k, text in enumerate(texts) for at in range(len(text)) if text.startswith(wanted, at)]


@given(st.lists(st.integers(0, 5)))
def test_each_value_is_found_in_exactly_the_right_rows(column: list[int]) -> None:
    postings = Postings.of(memoryview(bytes(column)), 6)
    for value in range(6):
        assert list(postings[value]) == [row for row, other in enumerate(column) if other == value]
        assert postings.count(value) == column.count(value)


@given(st.integers(0, 6), st.sets(st.integers(0, 5)), st.lists(st.integers(0, 6), max_size=5))
def test_ranges_contain_all_kept_and_inserted_entries_in_order(length: int, gone: set[int], places: list[int]) -> None:
    removed = sorted(k for k in gone if k < length)
    inserted = [(min(place, length), k) for k, place in enumerate(sorted(places))]
    expected = [
        entry
        for k in range(length + 1)
        for entry in [*((1, number) for place, number in inserted if place == k), (0, k)]
        if entry[0] or (entry[1] < length and entry[1] not in removed)
    ]
    found = [(source, k) for source, first, last in ranges(length, removed, inserted) for k in range(first, last)]
    assert found == expected


# Merging


@given(pages(), st.randoms(use_true_random=True), st.integers(1, 4))
def test_index_does_not_depend_on_order_of_pages(some: list[Page], random: object, size: int) -> None:
    expected = columns_of(some)
    shuffled = list(some)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis does not state the type of its random object
    pieces = [segment(shuffled[at : at + size]) for at in range(0, len(shuffled), size)]
    assert built([*pieces, segment([])]) == expected


@given(pages(), pages(), st.data())
def test_updated_index_equals_index_built_from_all_pages(old: list[Page], new: list[Page], data: st.DataObject) -> None:
    base = columns_of(old)
    gone = data.draw(st.sets(st.sampled_from([page.path for page in old]))) if old else set()
    new_paths = {page.path for page in new}
    left_out = {page.path for page in base.duplicates}
    staying = [page for page in old if page.path not in gone | new_paths]
    again = [*new, *(page for page in staying if page.path in left_out)]
    files_gone = gone | new_paths | left_out | (folders(old) - folders([*staying, *new]))
    for name in ROW_COLUMNS:  # postings of unchanged columns are kept
        base.posting(name)
    joined = updated(base, [segment(again, size=2)], frozenset(files_gone))
    expected = columns_of([*staying, *new])
    assert without_sizes(joined) == without_sizes(expected)
    for name in ROW_COLUMNS:
        assert list(joined.posting(name).rows) == list(expected.posting(name).rows)
        assert list(joined.posting(name).offsets) == list(expected.posting(name).offsets)
    assert {path for path, size in zip(joined.file_path, joined.file_size, strict=True) if size == 2} == {
        page.path for page in again
    }


def folders(some: Sequence[Page]) -> set[str]:
    return {path for path in segment(some).file_path if path.endswith("/")}


def without_sizes(columns: Columns) -> list[object]:
    return [getattr(columns, name) for name in Columns.__struct_fields__ if name not in ("file_size", "postings")]


def test_second_page_of_package_is_skipped_and_reported() -> None:
    first, second, third = (
        Page.of(path=path, package="zlib", tag="develop", rows=(Row(hash=letter * 32),))
        for path, letter in (("x/a/1.md", "a"), ("x/b/2.md", "b"), ("x/b/3.md", "c"))
    )
    columns = columns_of([third, first, second])
    assert list(columns.hashes) == ["a" * 32]
    assert [(problem.path, problem.message) for problem in columns.duplicate_problems()] == [
        (page.path, "a second page for zlib in develop was not read: the first is x/a/1.md") for page in (second, third)
    ]
    again = updated(columns, [segment([second, third])], frozenset({first.path, second.path, third.path}))
    assert list(again.hashes) == ["b" * 32]
    assert [page.path for page in again.duplicates] == [third.path]


def test_folder_is_removed_from_index_with_its_last_page() -> None:
    page = Page.of(path="x/1/p.md", package="zlib", tag="develop", rows=())
    columns = columns_of([page])
    assert columns.upper_folders == ("", "x/")
    assert updated(columns, [], frozenset({"x/1/p.md", "x/1/"})).upper_folders == ("",)


@pytest.mark.parametrize(
    ("changed", "read_at", "expected"),
    [
        (0, 10, (7, 0)),
        (9, 10, (7 | RACY, 9 * 10**9)),
        (9, 100, (7, 9 * 10**9)),
        (99, 10, (7 | RACY, 99 * 10**9)),
        (-1, 10, (7, 2**64 - 10**9)),
        (99, inf, (7, 99 * 10**9)),
    ],
)
def test_time_of_recently_changed_file_is_marked_as_unreliable(changed: int, read_at: float, expected: Mtimes) -> None:
    status = cast(os.stat_result, SimpleNamespace(st_mtime_ns=changed * 10**9, st_ctime_ns=0))
    builder = SegmentBuilder(files={"file": mtimes_of(7, status, read_at * 10**9)})
    assert built([builder.segment()]).file_mtimes("file") == expected
    assert built([builder.segment()]).file_mtimes("absent") is None


@given(st.lists(ROWS, max_size=6))
def test_index_contains_the_optional_fields_of_each_row(rows: list[Row]) -> None:
    columns = columns_of([Page.of(path="x/1/p.md", package="hdf5", tag="develop", rows=rows)])
    extras = list(map(columns.extra, range(len(columns))))
    found = [(each.size, columns.tarball(k, each.tarball), each.dependencies) for k, each in enumerate(extras)]
    assert found == [(row.size, row.tarball, row.dependencies) for row in rows]

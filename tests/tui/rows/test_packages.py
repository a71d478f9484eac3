"""The packages of a result: what was typed of their names is shown."""

from __future__ import annotations

import pytest

from cachetui.query.query import Query
from cachetui.search.results import Results
from cachetui.tui.rows.layout import Cell, lay_out
from cachetui.tui.rows.packages import PackageRows, package_columns
from cachetui.tui.state.order import NAME, SortOrder, with_order
from tests.support.rows import index_of, row


@pytest.mark.parametrize(
    ("typed", "spans"),
    [("hdf", [(3, 6, "match")]), ("ph5", [(0, 1, "match"), (3, 4, "match"), (6, 7, "match")]), ("h", ()), ("", ())],
)
def test_what_was_typed_of_a_name_is_shown_from_two_letters_on(typed: str, spans: object) -> None:
    query = Query.parse(typed, fuzzy_name=True)
    rows = PackageRows(Results.of(index_of([row("py-hdf5")]), query))
    name = rows.row(0).cells[0]
    assert name == (Cell("py-hdf5", "", spans) if spans else "py-hdf5")  # type: ignore[arg-type]  # as given above


@pytest.mark.parametrize(("version", "least"), [("2021.09.18", 34), ("git.0123456789abcdef=1.2", 34), ("4.1", 31)])
def test_the_newest_version_gives_way_to_whole_names_and_is_whole_up_to_a_date(version: str, least: int) -> None:
    columns = with_order(package_columns(["intel-oneapi-mkl"], [version]), SortOrder(), by_itself=NAME, falling=())
    assert [slot.width for slot in lay_out(columns, least)] == [16, 6, max(7, min(10, len(version)))]
    assert [slot.width for slot in lay_out(columns, least - 1)] == [16, 6]


def test_a_row_is_made_once() -> None:
    rows = PackageRows(Results.of(index_of([row("hdf5")]), Query()))
    assert rows.row(0) is rows.row(0)


def test_a_thousand_specs_are_spelled_as_in_titles() -> None:
    rows = PackageRows(Results.of(index_of(row(hash=f"{number:032}") for number in range(1_001)), Query()))
    assert rows.row(0).cells[1] == "1,001"

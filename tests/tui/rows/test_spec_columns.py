"""The columns of the list of specs: which there are, what each shows and sorts by."""

from __future__ import annotations

from typing import Any

import pytest

from cachetui.query.query import Query
from cachetui.search.results import Results
from cachetui.search.rows import RowIndex
from cachetui.settings.config import COLUMNS
from cachetui.tui.rows import spec_columns
from cachetui.tui.rows.layout import lay_out
from cachetui.tui.rows.spec_columns import DIFFERS, SPEC_COLUMNS, fitted, headed_with_tag, sorted_specs, spec_cell
from tests.support.rows import index_of, row

ROWS: list[dict[str, Any]] = [
    row(hash="b" * 32, versions=["1.9"], os="rhel9", platform="linux", stacks=["hep", "e4s"], variants=["+mpi"]),
    row(hash="a" * 32, versions=["1.10"], os="rhel10", platform="darwin", stacks=["e4s"], variants=["+hl", "~mpi"]),
    row(hash=None, versions=["1.2"], os=None, platform=None, compiler=None, target=None, stacks=[], variants=[]),
]


def test_what_a_user_can_choose_is_what_there_is() -> None:
    assert tuple(SPEC_COLUMNS) == COLUMNS


@pytest.mark.parametrize("title", [title for title in COLUMNS if title != DIFFERS])
def test_a_column_shows_what_the_spec_has_and_sorts_by_it(title: str) -> None:
    index = index_of(ROWS)
    rows = sorted_specs(Results.of(index, Query()), list(range(3)), title, False)
    cells = [spec_cell(index.spec(k), title) for k in rows]
    expected = {
        "hash": ["no hash", "aaaaaaa", "bbbbbbb"],
        "version": ["1.10", "1.9", "1.2"],
        "compiler": ["-", "gcc@11.4.0", "gcc@11.4.0"],
        "os": ["-", "rhel9", "rhel10"],
        "target": ["-", "x86_64_v3", "x86_64_v3"],
        "stacks": ["-", "e4s", "hep,e4s"],
        "tag": ["develop"] * 3,
        "platform": ["-", "darwin", "linux"],
        "variants": ["-", "+hl ~mpi", "+mpi"],
    }
    assert cells == expected[title]
    assert sorted_specs(Results.of(index, Query()), list(range(3)), title, True) == rows[::-1]


@pytest.mark.parametrize("title", ["compiler", "os", "target", "stacks", "platform", "tag"])
def test_no_spec_is_made_to_sort_by_what_profiles_and_tags_say(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(ROWS)
    monkeypatch.delattr(RowIndex, "spec")
    assert len(sorted_specs(Results.of(index, Query()), range(3), title, False)) == 3


def test_what_differs_is_measured_once_for_all_that_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []

    def measure(text: str) -> int:
        measured.append(text)
        return len(text)

    monkeypatch.setattr(spec_columns, "measure", measure)
    index = index_of(ROWS)
    fitted([DIFFERS], index, range(3), dict.fromkeys(range(3), "+hl"))
    assert measured == ["+hl"]


def test_a_compiler_that_few_have_is_whole_only_once_what_differs_is() -> None:
    few = [row(os=f"os{k}", compiler="intel-oneapi-compilers@2025.1.0" if k < 2 else "gcc@13.2.0") for k in range(20)]
    index, titles = index_of(few), ["hash", "compiler", DIFFERS]
    told = dict.fromkeys(range(20), "2025-01-05 +hl")
    columns = {column.title: (column.usual, column.most) for column in fitted(titles, index, range(20), told)}
    assert columns["compiler"] == (10, 31)
    assert columns[DIFFERS] == (14, 14)
    many = {column.title: column.usual for column in fitted(titles, index, range(10), told)}
    assert many["compiler"] in (10, 31)
    assert {column.usual for column in fitted(titles[:2], index, range(20), {})} <= {0, 31}, "nothing differs"


@pytest.mark.parametrize(("width", "room"), [(66, 12), (69, 14), (75, 19)])
def test_a_tag_first_in_what_differs_has_the_spare_cells_and_drops_nothing_sooner(width: int, room: int) -> None:
    differs = {0: "2025-04-13 +hl +mpi +szip +fortran", 1: "2025-04-13 +hl"}
    index = index_of(row(target="skylake_avx512", compiler=f"apple-clang@15.0.{k}") for k in range(2))
    titles = ("hash", "version", "compiler", "os", "target", "differs")
    columns = headed_with_tag(fitted(titles, index, range(2), differs), ("newest tag, differs", "differs"))
    widths = {columns[slot.column].title: slot.width for slot in lay_out(columns, width)}
    assert list(widths) == list(titles)
    assert widths["differs"] >= room

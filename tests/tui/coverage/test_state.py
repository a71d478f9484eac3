"""The steps of the coverage, and that a cell opens as many specs as it counts."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.analysis.coverage import COLUMN_AXES, ROW_AXES, coverage
from cachetui.query.query import Query
from cachetui.tui.coverage.state import (
    TOTAL,
    CoverageRows,
    CoverageState,
    coverage_columns,
    figures_of,
    ruler,
    shade,
)
from cachetui.tui.lines import text_of
from cachetui.tui.view.rows import spec_key
from cachetui.tui.view.view import Cursor, View
from tests.support.browsing import HOST
from tests.support.random_rows import CATALOGUES
from tests.support.rows import index_of, row

ROWS = [
    *(row("bt-core", stacks=["btest"], target=target) for target in ("zen2", "zen3", "zen4")),
    *(row("hdf5", stacks=["e4s", "e4s-oneapi"], os=name) for name in ("rhel8", "rhel9")),
    row("hdf5", stacks=["e4s"]),
    row("zlib", stacks=["e4s", "e4s-oneapi", "tools"]),
    row("hdf5", tag="v1.0.0", stacks=["old"]),
]


def answered(state: CoverageState) -> CoverageState:
    """The state with the answer to what it asks."""
    return state if state.question is None else state.answered(state.question, figures_of(state.question))


def opened(text: str = "", **fields: Any) -> CoverageState:
    view = View(index=index_of(ROWS), host=HOST, query=Query.parse(text, fuzzy_name=True), **fields)
    return answered(CoverageState.of(view))


def shown(state: CoverageState) -> str:
    """The rows and the columns in one line."""
    assert state.coverage is not None
    rows, columns = ([each.name for each in some] for some in (state.coverage.rows, state.coverage.columns))
    return f"{' '.join(rows)} | {' '.join(columns)} | {state.coverage.gaps}"


ALL = "bt-core hdf5 zlib | btest e4s e4s-oneapi tools | 6"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("", ALL),
        ("turn_gaps", ALL),
        ("find:zlib", "zlib | btest e4s e4s-oneapi tools | 1"),
        ("find:E4S", "bt-core hdf5 zlib | e4s e4s-oneapi | 2"),
        ("find:E4S turn_gaps", "bt-core | e4s e4s-oneapi | 2"),
        ("find:b", "bt-core zlib | btest e4s e4s-oneapi tools | 4"),
        ("find:nothing", "bt-core hdf5 zlib |  | 0"),
        ("find:nothing find:", ALL),
        ("compare", ALL),
        ("mark compare", ALL),
        ("move_column:1 mark move_column:2 mark compare", "hdf5 | e4s e4s-oneapi | 0"),
        ("move_column:1 mark move_column:2 mark compare compare", ALL),
        ("move_column:1 mark move_column:2 mark compare mark", ALL),
        ("mark move_column:1 mark compare next_columns", "bt-core hdf5 zlib | x86_64_v3 zen2 zen3 zen4 | 7"),
        ("sort", "bt-core hdf5 zlib | btest e4s e4s-oneapi tools | 6"),
        ("sort sort", "bt-core hdf5 zlib | btest e4s e4s-oneapi tools | 6"),
        ("sort turn_order", "zlib bt-core hdf5 | btest e4s e4s-oneapi tools | 6"),
        ("turn_order", "zlib hdf5 bt-core | btest e4s e4s-oneapi tools | 6"),
        ("next_rows", "1.14.3 | btest e4s e4s-oneapi tools | 0"),
        ("next_columns next_columns", "bt-core hdf5 zlib | rhel8 rhel9 ubuntu22.04 | 4"),
    ],
)
def test_steps_lead_to_other_rows_and_columns(steps: str, expected: str) -> None:
    state = opened()
    for step in steps.split():
        name, _, text = step.partition(":")
        arguments = [int(text) if text.isdecimal() else text] if ":" in step else []
        state = answered(getattr(state, name)(*arguments))
    assert shown(state) == expected


def test_the_command_has_the_options_that_give_the_same_rows() -> None:
    state = opened()
    assert list(state.words) == []
    assert list(state.turn_gaps().sort().words) == ["--gaps", "--sort=-specs"]
    assert list(answered(state.next_columns()).next_rows().turn_order().words) == [
        *("--rows=version", "--cols=target", "--sort=-name"),
    ]


def test_the_axes_go_round_and_are_never_the_same() -> None:
    state, seen, random = opened(), set(), Random(0)
    for _ in range(100):
        state = answered(random.choice((state.next_rows, state.next_columns))())
        assert state.row_axis != state.column_axis
        seen |= {("rows", state.row_axis), ("columns", state.column_axis)}
    axes = (("rows", axis) for axis in ROW_AXES), (("columns", axis) for axis in COLUMN_AXES)
    assert seen == {each for own in axes for each in own if each[1] != "explicit"}  # no spec here is installed


@pytest.mark.parametrize("steps", [[], ["turn_gaps"], ["find:zlib"], ["find:hdf5"], ["next_rows", "turn_gaps"]])
def test_the_row_of_totals_is_of_the_rows_that_are_listed(steps: list[str]) -> None:
    state = opened()
    for name, _, text in (step.partition(":") for step in steps):
        state = answered(getattr(state, name)(*[text] if text else []))
    assert state.coverage is not None
    index, names = state.view.index, {row.name for row in state.coverage.rows}
    specs = [
        each
        for each in map(index.spec, state.view.results.rows)
        if (each.package if state.row_axis == "package" else each.version) in names
    ]
    assert state.coverage.total.specs == len({each.hash for each in specs})
    for k, column in enumerate(state.coverage.columns):
        view = state.move(TOTAL, 0).move_column(k).opened()
        own = {each.hash for each in specs if column.name in each.stacks}
        assert len(own) == state.coverage.total.counts[k]
        assert own == {view.index.hash_of(row) for row in view.results.rows if view} if view else not own


def test_with_the_tags_as_an_axis_all_of_them_are_counted() -> None:
    state = opened(axes=("package", "tag"))
    assert shown(state) == "bt-core hdf5 zlib | develop v1.0.0 | 2"
    view = state.move("hdf5", 2).move_column(1).opened()
    assert view is not None
    assert (view.tag, view.package) == ("v1.0.0", "hdf5")


def test_of_the_tags_that_are_typed_no_others_are_counted() -> None:
    assert shown(opened("tag=v1.0.0,v2.0.0", axes=("package", "tag"))) == "hdf5 | v1.0.0 | 0"


def test_the_cursor_is_on_the_package_of_the_view_and_on_a_cell_again_when_it_comes_back() -> None:
    state = opened(cursors=(("packages", Cursor("hdf5", 1)),)).move_column(3)
    assert state.cell == ("hdf5", "tools", 0)
    assert state.find("zlib").cell == ("zlib", "tools", 1)
    assert state.find("zlib").find("").cell == ("hdf5", "tools", 0)


def test_a_gap_opens_nothing_and_leads_to_its_row() -> None:
    state = opened().move("bt-core", 1).move_column(1)
    assert state.opened() is None
    row_view = state.opened(row=True)
    assert row_view is not None
    assert (row_view.package, row_view.results.specs) == ("bt-core", 3)


def test_a_view_of_given_specs_is_counted_alone() -> None:
    view = opened().view
    only = view.of_specs([spec_key(view.index, each) for each in view.index.value_rows("os", "rhel8")])
    state = answered(CoverageState.of(only)).move("hdf5", 1)
    assert shown(state) == "hdf5 | btest e4s e4s-oneapi tools | 2"
    cell = state.move_column(1).opened()
    assert cell is not None
    assert [cell.index.spec(each).os for each in cell.results.rows] == ["rhel8"]


def test_a_late_answer_is_dropped_and_what_was_counted_before_stays_until_then() -> None:
    state = opened()
    turned = state.next_columns()
    assert turned.question is not None
    back = turned.on_view(turned.view.choose_tag("v1.0.0"))
    assert back.answered(turned.question, figures_of(turned.question)) is back
    assert turned.on_view(turned.view).question == turned.question
    assert shown(turned) == shown(state)
    assert CoverageState.of(state.view).question == (state.view.results, "package", "stack")


@given(CATALOGUES, st.sampled_from(ROW_AXES), st.sampled_from(COLUMN_AXES), st.sampled_from(["", "hdf5", "os=rhel8"]))
def test_a_cell_opens_the_specs_that_it_counts(
    rows: list[dict[str, Any]], row_axis: str, column_axis: str, text: str
) -> None:
    if row_axis == column_axis:
        return
    query = Query.parse(text, fuzzy_name=True)
    view = View(index=index_of(rows), host=HOST, query=query, axes=(row_axis, column_axis))
    state = answered(CoverageState(view=view))
    found = state.coverage
    assert found is not None
    names = [TOTAL, *(each.name for each in found.rows)] if found.rows else []
    for k, name in enumerate(names):
        for number in range(len(found.columns)):
            here = state.move(name, k).move_column(number)
            assert here.cell is not None
            opened_rows = view_here.results.rows if (view_here := here.opened()) else ()
            assert len({view.index.spec(each).hash or each for each in opened_rows}) == here.cell[2]


@given(CATALOGUES, st.sets(st.sampled_from(["e4s", "hep", "ml"]), min_size=1))
def test_fewer_columns_are_as_if_only_these_had_been_counted(rows: list[dict[str, Any]], names: set[str]) -> None:
    index = index_of(rows)
    whole = coverage(index, Query())
    stacks = [column.name for column in whole.columns if column.name in names]
    if stacks:
        alone = coverage(index, Query(), stacks=stacks)
        counts = {each.name: (each.counts, each.gaps) for each in whole.with_columns(stacks).rows if any(each.counts)}
        assert counts == {each.name: (each.counts, each.gaps) for each in alone.rows}


@pytest.mark.parametrize(
    ("names", "width", "expected"),
    [
        ("btest e4s e4s-neoverse_v1 e4s-oneapi tools", 77, "btest e4s …rse_v1 …oneapi tools"),
        ("btest e4s e4s-neoverse_v1 e4s-oneapi tools", 81, "btest e4s …verse_v1 …s-oneapi tools"),
        ("btest e4s e4s-neoverse_v1 e4s-oneapi tools", 137, "btest e4s e4s-neoverse_v1 e4s-oneapi tools"),
        ("linux-gpu-cuda darwin-gpu-cuda", 40, "linux-… darwin…"),
        (" ".join(f"stack{k}" for k in range(13)), 77, " ".join(map(str, range(1, 14)))),
        ("", 10, ""),
    ],
)
def test_names_of_columns_are_cut_to_what_tells_them_apart(names: str, width: int, expected: str) -> None:
    found = coverage(index_of([row("gcc-runtime", stacks=names.split())]), Query())
    columns, numbered = coverage_columns(found, (), "package", width, is_map=False)
    by_name = dict(zip((column.name for column in found.columns), columns[3:], strict=True))
    heads = [by_name[name].title.strip() for name in names.split()]
    assert numbered == (len(heads) > 12)
    assert sorted(heads) == sorted(expected.split())
    assert numbered or heads == expected.split()


def test_numbers_gaps_and_columns_that_are_not_there_look_different() -> None:
    index = index_of(ROWS)
    found = coverage(index, Query.parse("tag=develop"), stacks=["e4s", "tools", "old"])
    numbers, dots = (
        [[text_of(cell) for cell in CoverageRows(found, is_map).row(k).cells] for k in range(3)]
        for is_map in (False, True)
    )
    assert numbers == [
        ["all 2", "4", "1", "  4 ", "  1 ", "  - "],
        ["hdf5", "3", "1", "  3 ", "  · ", "  - "],
        ["zlib", "1", "", "  1 ", "  1 ", "  - "],
    ]
    assert ["".join(line[3:]) for line in dots] == ["▄▄-", "▄·-", "▄▄-"]


def test_shades_rise_by_powers_and_the_ruler_counts_columns() -> None:
    assert [shade(number, 1000) for number in (1, 9, 11, 99, 101, 1000)] == [
        f"heat-{step}" for step in (1, 1, 2, 2, 3, 3)
    ]
    assert shade(1, 1) == "heat-3"
    assert [ruler(count) for count in (1, 5, 10, 12)] == ["1", "1···5", "1···5·····", "1···5····10·"]

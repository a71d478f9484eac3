"""The coverage screen, on the sample catalogue."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cachetui.analysis.coverage import coverage
from cachetui.model.spec import COLUMN_AXES, ROW_AXES
from cachetui.query.query import Query
from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.coverage.screen import (
    MAX_HEAD_CELLS,
    CoverageRows,
    CoverageScreen,
    CoverageState,
    count_specs,
    heads,
    short,
)
from cachetui.tui.dialogs.choices import AxesDialog
from cachetui.tui.lines import fit, measure, text_of
from cachetui.tui.view.rows import spec_key
from cachetui.tui.view.view import Cursor, View
from tests.support.drive import HOST, LEAST, SMALL, WIDE, Drive, browser
from tests.support.frozen_screens import assert_screen_after
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
    """Compute the pending answer of a state; return the state with the answer."""
    return state if state.question is None else state.answered(state.question, count_specs(state.question))


def opened(text: str = "", **fields: Any) -> CoverageState:
    view = View(index=index_of(ROWS), host=HOST, query=Query.parse(text, fuzzy_name=True), **fields)
    return answered(CoverageState.of(view))


def after(state: CoverageState, steps: str) -> CoverageState:
    """Return the state after some steps; `:` separates the argument of a step."""
    for name, colon, text in (step.partition(":") for step in steps.split()):
        state = answered(getattr(state, name)(*([int(text) if text.isdecimal() else text] if colon else [])))
    return state


def with_axes(state: CoverageState, rows: str, columns: str) -> CoverageState:
    return answered(state.on_view(replace(state.view, axes=(rows, columns))))


def shown(state: CoverageState) -> str:
    """Return the rows and the columns in one line."""
    assert state.coverage is not None
    rows, columns = ([each.name for each in some] for some in (state.coverage.rows, state.coverage.columns))
    return f"{' '.join(rows)} | {' '.join(columns)} | {state.coverage.gaps}"


def cell(state: CoverageState) -> str:
    """Return the row, the column and the number of the cell under the cursor."""
    assert state.cell is not None
    row, column, specs = state.cell
    return f"{row.name} {column.name} {specs}"


ALL = "bt-core hdf5 zlib | btest e4s e4s-oneapi tools | 6"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("", ALL),
        ("turn_gaps", ALL),
        ("find:zlib", "zlib | btest e4s e4s-oneapi tools | 1"),
        ("find:E4S", ALL),
        ("find:b", "bt-core zlib | btest e4s e4s-oneapi tools | 4"),
        ("find:nothing", " | btest e4s e4s-oneapi tools | 0"),
        ("find:nothing find:", ALL),
        ("compare", ALL),
        ("mark compare", ALL),
        ("move_column:1 mark move_column:2 mark compare", "hdf5 | e4s e4s-oneapi | 0"),
        ("move_column:1 mark move_column:2 mark compare mark", ALL),
        ("mark move_column:1 mark move_column:3 mark compare compare compare", "hdf5 | btest e4s tools | 2"),
        ("mark compare unmark", ALL),
        ("mark move_column:1 mark compare compare", "bt-core | btest e4s | 1"),
        ("mark move_column:1 mark compare compare compare", "hdf5 zlib | btest e4s | 2"),
        ("mark move_column:1 mark compare compare compare compare", ALL),
        ("move_column:1 sort", "hdf5 zlib bt-core | btest e4s e4s-oneapi tools | 6"),
        ("move_column:1 sort sort", "bt-core hdf5 zlib | btest e4s e4s-oneapi tools | 6"),
        ("move_column:1 sort sort turn_order", "zlib hdf5 bt-core | btest e4s e4s-oneapi tools | 6"),
        ("sort sort sort", ALL),
        ("turn_order", "zlib hdf5 bt-core | btest e4s e4s-oneapi tools | 6"),
    ],
)
def test_each_coverage_action_gives_expected_rows_and_columns(steps: str, expected: str) -> None:
    assert shown(after(opened(), steps)) == expected


def test_heading_of_sorted_column_shows_sort_direction() -> None:
    falling = opened().move_column(1).sort()
    symbols = [
        {mark for column in state.columns for mark in "▲▼" if mark in column.title}
        for state in (falling, falling.turn_order())
    ]
    assert symbols == [{"▼"}, {"▲"}]


def test_coverage_command_has_options_that_select_the_shown_rows() -> None:
    state = opened()
    assert list(state.words) == []
    assert list(state.turn_gaps().sort().words) == ["--gaps", "--sort=-btest"]
    marked = state.mark().move_column(1).mark().compare().compare()
    assert list(marked.words) == ["--mark=btest", "--mark=e4s", "--compare", "--only-in=btest"]
    assert opened().with_words(marked.words).options == marked.options
    assert list(with_axes(marked, "version", "target").turn_order().words) == [
        *("--rows=version", "--cols=target", "--sort=-name"),
    ]


def test_changing_axes_of_coverage_removes_all_marks() -> None:
    marked = opened().mark().move_column(1).mark().compare()
    assert shown(with_axes(marked, "package", "target")) == "bt-core hdf5 zlib | x86_64_v3 zen2 zen3 zen4 | 7"
    assert shown(with_axes(marked, "package", "os")) == "bt-core hdf5 zlib | rhel8 rhel9 ubuntu22.04 | 4"
    assert shown(with_axes(marked, "version", "stack")) == "1.14.3 | btest e4s e4s-oneapi tools | 0"


def test_axes_dialog_lists_only_axes_that_have_values() -> None:
    below = CoverageScreen(opened().view)
    listed = AxesDialog(below).rows("").lines
    axes = {(row, column) for row in ROW_AXES for column in COLUMN_AXES if row != column}
    assert set(listed) == {each for each in axes if "explicit" not in each}  # no spec is installed


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("", "✗ 6 gaps in 3 packages"),
        ("find:zlib", "✗ 1 gap in 1 package"),
        ("find:nothing", ""),
        (
            "move_column:1 mark move_column:2 mark compare",
            "1 difference: 1 in both, but in different numbers",
        ),
        ("mark move_column:1 mark compare", "3 differences: 1 only in btest, 2 only in e4s"),
        ("mark move_column:1 mark compare compare", "1 package only in btest, not in e4s"),
        ("mark move_column:1 mark compare compare compare", "2 packages only in e4s, not in btest"),
        (
            "mark move_column:1 mark move_column:3 mark compare compare compare",
            "1 package only in e4s, not in btest or tools",
        ),
    ],
)
def test_coverage_title_counts_gaps_or_differing_rows(steps: str, expected: str) -> None:
    assert "".join(map(text_of, after(opened(), steps).title_answer)) == expected


def test_coverage_title_reports_zero_gaps() -> None:
    assert "".join(map(text_of, with_axes(opened(), "version", "stack").title_answer)) == "✓ no gap"


def test_coverage_details_list_columns_with_gaps_in_selected_row() -> None:
    state = opened()
    assert [field.lines for field in state.fields] == [("e4s", "e4s-oneapi", "tools")]
    assert [field.lines for field in state.move("hdf5", 1).fields] == [("btest", "tools")]
    assert with_axes(state, "version", "stack").fields == []


def test_tag_axis_counts_specs_of_all_tags() -> None:
    state = opened(axes=("package", "tag"))
    assert shown(state) == "bt-core hdf5 zlib | develop v1.0.0 | 2"
    view = state.move("hdf5", 2).move_column(1).opened()
    assert view is not None
    assert (view.tag, view.package) == ("v1.0.0", "hdf5")


def test_tag_terms_in_query_limit_tag_columns_of_coverage() -> None:
    assert shown(opened("tag=v1.0.0,v2.0.0", axes=("package", "tag"))) == "hdf5 | v1.0.0 | 0"


def test_coverage_cursor_returns_to_its_cell_after_a_search() -> None:
    state = opened(cursors=(("packages", Cursor("hdf5", 1)),)).move_column(3)
    steps = {"": "hdf5 tools 0", "zlib": "zlib tools 1", "oneapi": "hdf5 e4s-oneapi 2"}
    for word, expected in steps.items():
        state = state.find(word)
        assert cell(state) == expected
    assert cell(state.find("oneapi").move_column(1)) == "hdf5 e4s 3"
    assert state.find("oneapi").cleared().word == ""


def test_coverage_row_opens_its_specs_despite_a_gap() -> None:
    state = opened().move("bt-core", 1).move_column(1)
    assert state.opened() is None
    row_view = state.opened(row=True)
    assert row_view is not None
    assert (row_view.package, row_view.results.specs) == ("bt-core", 3)


def test_coverage_of_listed_specs_counts_no_other_specs() -> None:
    view = opened().view
    only = view.of_specs([spec_key(view.index, each) for each in view.index.value_rows("os", "rhel8")])
    state = answered(CoverageState.of(only)).move("hdf5", 1)
    assert shown(state) == "hdf5 | btest e4s e4s-oneapi tools | 2"
    cell = state.move_column(1).opened()
    assert cell is not None
    assert [cell.index.spec(each).os for each in cell.results.rows] == ["rhel8"]


def test_outdated_coverage_result_is_ignored() -> None:
    state = opened()
    turned = state.on_view(replace(state.view, axes=("package", "target")))
    assert turned.question is not None
    back = turned.on_view(turned.view.choose_tag("v1.0.0"))
    assert back.answered(turned.question, count_specs(turned.question)) is back
    assert turned.on_view(turned.view).question == turned.question
    assert CoverageState.of(state.view).question == (state.view.results, "package", "stack")


@given(CATALOGUES, st.sampled_from(ROW_AXES), st.sampled_from(COLUMN_AXES), st.sampled_from(["", "hdf5", "os=rhel8"]))
def test_coverage_cell_opens_exactly_its_counted_specs(
    rows: list[dict[str, Any]], row_axis: str, column_axis: str, text: str
) -> None:
    if row_axis == column_axis:
        return
    query = Query.parse(text, fuzzy_name=True)
    view = View(index=index_of(rows), host=HOST, query=query, axes=(row_axis, column_axis))
    state = answered(CoverageState(view=view))
    found = state.coverage
    assert found is not None
    names = [each.name for each in found.rows]
    for k, name in enumerate(names):
        for number in range(len(found.columns)):
            here = state.move(name, k).move_column(number)
            assert here.cell is not None
            opened_rows = view_here.results.rows if (view_here := here.opened()) else ()
            assert len({view.index.spec(each).hash or each for each in opened_rows}) == here.cell[2]


@given(CATALOGUES, st.sets(st.sampled_from(["e4s", "hep", "ml"]), min_size=1))
def test_coverage_with_hidden_stacks_equals_coverage_of_remaining_stacks(
    rows: list[dict[str, Any]], names: set[str]
) -> None:
    index = index_of(rows)
    whole = coverage(index, Query())
    stacks = [column.name for column in whole.columns if column.name in names]
    if stacks:
        alone = coverage(index, Query(), stacks=stacks)
        counts = {each.name: (each.counts, each.gaps) for each in whole.with_columns(stacks).rows if any(each.counts)}
        assert counts == {each.name: (each.counts, each.gaps) for each in alone.rows}


def drawn(names: Sequence[str]) -> list[str]:
    """Return the lines of the column headings; each heading is one space wider than its column."""
    lines, widths = heads(names, 3)
    return [
        "".join(line.rjust(width + 1) for line, width in zip(level, widths, strict=True)).rstrip()
        for level in zip(*lines, strict=True)
    ]


def test_column_headings_show_common_words_only_once() -> None:
    assert heads(["e4s", "hep"], 3) == ([("e4s",), ("hep",)], [3, 3])
    assert drawn(["data-vis-sdk", "e4s", "e4s-oneapi", "e4s-rocm-external", "aarch64", "x86_64_v3"]) == [
        " data        e4s      e4s",
        "  vis                rocm         x86_64",
        "  sdk e4s oneapi external aarch64     v3",
    ]


WORDS = st.sampled_from(["e4s", "aarch64", "x86_64", "linux", "v3", "ubuntu22.04", "développement"])


@given(st.sets(st.lists(WORDS, min_size=1, max_size=4).map("-".join)).map(sorted))
def test_column_headings_are_no_wider_than_their_columns(names: list[str]) -> None:
    lines, widths = heads(names, 3)
    for own, name in zip(lines, names, strict=True):
        assert "".join(own).replace("-", "") == fit(name, MAX_HEAD_CELLS, middle=True).replace("-", "")
    for k in range(len(lines[0]) if names else 0):
        for upper in {each[: k + 1] for each in lines}:
            over = [width for each, width in zip(lines, widths, strict=True) if each[: k + 1] == upper]
            assert measure(upper[k]) <= sum(over) + len(over) - 1


def test_coverage_cells_show_counts_and_gaps() -> None:
    found = coverage(index_of(ROWS), Query.parse("tag=develop"), stacks=["e4s", "tools"])
    rows = CoverageRows(found)
    assert [[text_of(cell) for cell in rows.row[k].cells] for k in range(2)] == [
        ["hdf5", "1", "  3▇", "     ·"],
        ["zlib", "", "  1▂", "    1▂"],
    ]
    assert list(map(short, (1, 999, 1000, 9949, 9950, 12345))) == ["1", "999", "1.0k", "9.9k", "10k", "12k"]


@pytest.mark.parametrize(
    ("name", "keys", "size"),
    [
        ("coverage_80x24", ("j", "l"), SMALL),
        ("coverage_axes_80x24", ("m", *"targ"), SMALL),
        ("coverage_compared_80x24", ("l", "space", "l", "space", "equals_sign"), SMALL),
        ("coverage_140x40", ("j", "l", "l", "space"), WIDE),
        ("coverage_60x20", ("j", *"lllllllllll"), LEAST),
    ],
)
def test_coverage_screen_matches_expected_lines(
    drive: Drive, name: str, keys: Sequence[str], size: tuple[int, int]
) -> None:
    assert_screen_after(("c", *keys), drive(browser(), size), name)


def test_coverage_row_names_are_visible_in_narrow_terminal(drive: Drive) -> None:
    pilot = drive(browser(), (30, 12))
    pilot.press("c", "l", "l")
    assert "▌ py-ml-dtypes" in pilot.text
    assert "e4s-neoverse-v2: a gap" in pilot.text


def test_enter_on_coverage_cell_opens_its_specs_and_escape_returns(drive: Drive) -> None:
    pilot = drive(browser())
    pilot.press("c")
    pilot.press("j", "tab", "enter")
    specs = pilot.app.screen
    assert isinstance(specs, BrowseScreen)
    assert (specs.state.view.package, specs.state.view.query.line) == ("py-mpi4py", "py-mpi4py stack=e4s")
    pilot.press("escape")
    coverage = pilot.app.screen
    assert isinstance(coverage, CoverageScreen)
    assert cell(coverage.state) == "py-mpi4py e4s 23"


def test_coverage_screen_compares_marked_columns(drive: Drive) -> None:
    pilot = drive(browser())
    pilot.press("c")
    pilot.press("slash", *"neoverse", "enter")
    assert "4 packages × 2 of 13 stacks" in pilot.lines[0]
    pilot.press("slash", "right", "2", "escape")
    assert pilot.lines[1].split()[1] == "neoverse"
    pilot.press("space", "l", "space")
    assert "= only differences" in pilot.lines[-1]
    pilot.press("equals_sign")
    assert "3 of 4 packages × 2 of 13 stacks" in pilot.lines[0]
    assert pilot.lines[1].endswith("only differences")
    assert "3 differences: 2 only in e4s-neoverse-v2" in pilot.lines[2]
    assert "= only in e4s-neoverse-v2" in pilot.lines[-1]


def test_comparison_of_coverage_columns_clears_the_search_word(drive: Drive) -> None:
    pilot = drive(browser())
    pilot.press("c", "slash", *"e4s", "enter", "space", "slash", *"py-pdm", "enter")
    assert "1 of 4 packages" in pilot.lines[0]
    pilot.press("space", "equals_sign")
    assert "2 of 4 packages" in pilot.lines[0]


def test_few_keys_show_packages_missing_from_another_stack(drive: Drive) -> None:
    """The screen is compared at 80x24, from the first screen on."""
    keys = ["c", "slash", *"e4s", "enter", "space", "slash", *"hep", "enter", "space", "equals_sign", "equals_sign"]
    pilot = drive(browser(), SMALL)
    pilot.press(*keys)
    assert "2 packages only in e4s, not in hep" in pilot.lines[2]
    assert len(keys) <= 20
    pilot.press("equals_sign")
    assert "No row matches: only in hep." in pilot.text

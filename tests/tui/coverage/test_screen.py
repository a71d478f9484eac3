"""The coverage screen, on the sample catalogue."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.analysis.coverage import COLUMN_AXES, ROW_AXES, coverage
from cachetui.query.query import Query
from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.coverage.screen import (
    CoverageRows,
    CoverageScreen,
    CoverageState,
    coverage_columns,
    figures_of,
    head,
    short,
)
from cachetui.tui.lines import text_of
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
    """Return the state with the answer to its question."""
    return state if state.question is None else state.answered(state.question, figures_of(state.question))


def opened(text: str = "", **fields: Any) -> CoverageState:
    view = View(index=index_of(ROWS), host=HOST, query=Query.parse(text, fuzzy_name=True), **fields)
    return answered(CoverageState.of(view))


def shown(state: CoverageState) -> str:
    """Return the rows and the columns in one line."""
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
        ("move_column:1 mark move_column:2 mark compare mark", ALL),
        ("mark move_column:1 mark compare next_columns", "bt-core hdf5 zlib | x86_64_v3 zen2 zen3 zen4 | 7"),
        ("mark compare unmark", ALL),
        ("mark move_column:1 mark compare compare", "bt-core | btest e4s | 1"),
        ("mark move_column:1 mark compare compare compare", "hdf5 zlib | btest e4s | 2"),
        ("mark move_column:1 mark compare compare compare compare", ALL),
        ("move_column:1 sort", "hdf5 zlib bt-core | btest e4s e4s-oneapi tools | 6"),
        ("move_column:1 sort sort", "bt-core hdf5 zlib | btest e4s e4s-oneapi tools | 6"),
        ("move_column:1 sort sort turn_order", "zlib hdf5 bt-core | btest e4s e4s-oneapi tools | 6"),
        ("sort sort sort", ALL),
        ("turn_order", "zlib hdf5 bt-core | btest e4s e4s-oneapi tools | 6"),
        ("next_rows", "1.14.3 | btest e4s e4s-oneapi tools | 0"),
        ("next_columns next_columns", "bt-core hdf5 zlib | rhel8 rhel9 ubuntu22.04 | 4"),
    ],
)
def test_each_coverage_action_gives_expected_rows_and_columns(steps: str, expected: str) -> None:
    state = opened()
    for step in steps.split():
        name, _, text = step.partition(":")
        arguments = [int(text) if text.isdecimal() else text] if ":" in step else []
        state = answered(getattr(state, name)(*arguments))
    assert shown(state) == expected


def test_head_of_sorted_column_shows_direction_of_order() -> None:
    falling = opened().move_column(1).sort()
    signs = [
        {mark for column in state.columns for mark in "▲▼" if mark in column.title}
        for state in (falling, falling.turn_order())
    ]
    assert signs == [{"▼"}, {"▲"}]


def test_coverage_command_has_options_for_shown_rows() -> None:
    state = opened()
    assert list(state.words) == []
    assert list(state.turn_gaps().sort().words) == ["--gaps", "--sort=-btest"]
    marked = state.mark().move_column(1).mark().compare().compare()
    assert list(marked.words) == ["--mark=btest", "--mark=e4s", "--compare", "--only-in=btest"]
    assert opened().with_words(marked.words).look == marked.look
    assert list(answered(state.next_columns()).next_rows().turn_order().words) == [
        *("--rows=version", "--cols=target", "--sort=-name"),
    ]


def test_coverage_axes_cycle_and_always_differ() -> None:
    state, seen, random = opened(), set(), Random(0)
    for _ in range(100):
        state = answered(random.choice((state.next_rows, state.next_columns))())
        assert state.row_axis != state.column_axis
        seen |= {("rows", state.row_axis), ("columns", state.column_axis)}
    axes = (("rows", axis) for axis in ROW_AXES), (("columns", axis) for axis in COLUMN_AXES)
    assert seen == {each for own in axes for each in own if each[1] != "explicit"}  # no spec is installed


def test_tag_axis_counts_specs_of_all_tags() -> None:
    state = opened(axes=("package", "tag"))
    assert shown(state) == "bt-core hdf5 zlib | develop v1.0.0 | 2"
    view = state.move("hdf5", 2).move_column(1).opened()
    assert view is not None
    assert (view.tag, view.package) == ("v1.0.0", "hdf5")


def test_typed_tags_restrict_the_tag_axis() -> None:
    assert shown(opened("tag=v1.0.0,v2.0.0", axes=("package", "tag"))) == "hdf5 | v1.0.0 | 0"


def test_coverage_cursor_starts_on_package_and_returns_to_cell() -> None:
    state = opened(cursors=(("packages", Cursor("hdf5", 1)),)).move_column(3)
    assert state.cell == ("hdf5", "tools", 0)
    assert state.find("zlib").cell == ("zlib", "tools", 1)
    assert state.find("zlib").find("").cell == ("hdf5", "tools", 0)


def test_gap_in_coverage_opens_specs_of_its_row() -> None:
    state = opened().move("bt-core", 1).move_column(1)
    assert state.opened() is None
    row_view = state.opened(row=True)
    assert row_view is not None
    assert (row_view.package, row_view.results.specs) == ("bt-core", 3)


def test_coverage_of_given_specs_counts_no_others() -> None:
    view = opened().view
    only = view.of_specs([spec_key(view.index, each) for each in view.index.value_rows("os", "rhel8")])
    state = answered(CoverageState.of(only)).move("hdf5", 1)
    assert shown(state) == "hdf5 | btest e4s e4s-oneapi tools | 2"
    cell = state.move_column(1).opened()
    assert cell is not None
    assert [cell.index.spec(each).os for each in cell.results.rows] == ["rhel8"]


def test_outdated_coverage_answer_is_ignored() -> None:
    state = opened()
    turned = state.next_columns()
    assert turned.question is not None
    back = turned.on_view(turned.view.choose_tag("v1.0.0"))
    assert back.answered(turned.question, figures_of(turned.question)) is back
    assert turned.on_view(turned.view).question == turned.question
    assert shown(turned) == shown(state)
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
def test_coverage_of_fewer_columns_equals_coverage_of_their_stacks(rows: list[dict[str, Any]], names: set[str]) -> None:
    index = index_of(rows)
    whole = coverage(index, Query())
    stacks = [column.name for column in whole.columns if column.name in names]
    if stacks:
        alone = coverage(index, Query(), stacks=stacks)
        counts = {each.name: (each.counts, each.gaps) for each in whole.with_columns(stacks).rows if any(each.counts)}
        assert counts == {each.name: (each.counts, each.gaps) for each in alone.rows}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("e4s", ("", "e4s")),
        ("ubuntu22.04", ("ubuntu", "22.04")),
        ("x86_64_v3", ("x86_64", "v3")),
        ("ml-linux-x86_64-cuda", ("ml-linux-x86_64", "cuda")),
        ("gcc@11.4.0", ("gcc", "11.4.0")),
        ("-", ("", "-")),
    ],
)
def test_column_head_is_split_into_prefix_and_rest(name: str, expected: tuple[str, str]) -> None:
    assert head(name) == expected


def test_column_heads_are_shortened_only_in_narrow_tables() -> None:
    found = coverage(index_of([row("gcc-runtime", stacks=["e4s", "linux-neoverse_v1", "linux-developer"])]), Query())
    shown = {
        width: [column.title for column in coverage_columns(found, ["e4s"], "linux-developer", "▲", 3, width)[2:]]
        for width in (80, 40)
    }
    assert shown == {
        80: ["\n*e4s", "linux\n▲developer", "linux-neoverse\n v1"],
        40: ["\n*e4s", "linux\n▲d…er", "linux-neoverse\n v1"],
    }


def test_counts_gaps_and_unknown_columns_look_different() -> None:
    found = coverage(index_of(ROWS), Query.parse("tag=develop"), stacks=["e4s", "tools", "old"])
    rows = CoverageRows(found)
    assert [[text_of(cell) for cell in rows.row(k).cells] for k in range(2)] == [
        ["hdf5", "1", "  3▇", "   ·", "   -"],
        ["zlib", "", "  1▂", "  1▂", "   -"],
    ]
    assert list(map(short, (1, 999, 1000, 9949, 9950, 12345))) == ["1", "999", "1.0k", "9.9k", "10k", "12k"]


@pytest.mark.parametrize(
    ("name", "keys", "size"),
    [
        ("coverage_80x24", ("m", "l"), SMALL),
        ("coverage_140x40", ("j", "l", "l", "space"), WIDE),
        ("coverage_60x20", ("j", *"lllllllllll"), LEAST),
    ],
)
def test_coverage_screen_matches_expected_lines(
    drive: Drive, name: str, keys: Sequence[str], size: tuple[int, int]
) -> None:
    assert_screen_after(("c", *keys), drive(browser(), size), name)


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
    assert coverage.state.cell == ("py-mpi4py", "e4s", 23)


def test_coverage_screen_filters_by_word_and_compares_marked_columns(drive: Drive) -> None:
    pilot = drive(browser())
    pilot.press("c")
    pilot.press("slash", *"neoverse", "enter", "space", "l", "space", "equals_sign")
    assert "3 packages × 2 stacks" in pilot.lines[0]
    assert pilot.lines[1].split() == ["/", "neoverse", *["only", "rows", "that", "differ"]]
    pilot.press("slash", "right", "2", "escape")
    assert pilot.lines[1].split()[1] == "neoverse"

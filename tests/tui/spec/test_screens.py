"""The screens of a spec: its dependencies and dependents as trees, and its comparison with another spec."""

from collections.abc import Sequence

import pytest

from cachetui.analysis.comparison import compare
from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from cachetui.tui.browse.screen import BrowseScreen
from cachetui.tui.lines import THUMB, text_of
from cachetui.tui.spec.comparison import ComparisonScreen, ComparisonState
from cachetui.tui.spec.deps import NEEDED_BY, NEEDS, DepsScreen, DepsState, answer
from cachetui.tui.view.rows import spec_key
from cachetui.tui.view.view import View
from tests.support.caches import CACHES
from tests.support.drive import HOST, LEAST, SMALL, Drive, browser
from tests.support.frozen_screens import assert_screen
from tests.support.installs import INSTALLS
from tests.support.rows import index_of, row


@pytest.fixture(scope="module")
def index() -> Index:
    return Catalogue(str(CACHES / "v3/spack-1.1.0/develop/btest"), Settings(), index_cache=False).load()


def trees(index: Index, package: str) -> DepsState:
    number = index.package_number(package)
    assert number is not None
    at = next(iter(index.package_rows(number)))
    state = DepsState.of(View(index=index, host=HOST).of_row(at))
    assert state.question is not None
    return answered(state)


def answered(state: DepsState) -> DepsState:
    """Compute the pending answer of a state; return the state with the answer."""
    return state if state.question is None else state.answered(state.question, answer(state.question))


def names(state: DepsState) -> Sequence[str]:
    """Return the packages of all lines; for a heading its direction."""
    assert state.rows is not None
    name = state.view.index.graph.name
    return [name(branch.number) if branch.path[1:] else branch.path[0] for branch in state.rows.branches]


def test_dependency_in_tree_is_unfolded_and_folded(index: Index) -> None:
    state = trees(index, "bt-hdf")
    assert state.rows is not None
    folded = names(state)
    k = next(k for k, branch in enumerate(state.rows.branches) if branch.path[1:] and branch.below)
    state = state.move(state.rows.key(k), k).fold()
    assert state.branch is not None
    below = state.branch.below
    assert len(names(state)) == len(folded) + below > len(folded)
    assert names(state.fold()) == folded


def test_typed_word_filters_both_dependency_trees(index: Index) -> None:
    assert names(trees(index, "bt-app").find("CORE")) == ["dependencies", "bt-core", "dependents"]
    assert names(trees(index, "bt-openmpi").find("bt-app")) == ["dependencies", "dependents", "bt-app"]


def test_trees_show_all_direct_dependencies_and_dependents(index: Index) -> None:
    state = trees(index, "bt-hdf").move((NEEDED_BY,), 0).fold()
    assert state.rows is not None
    graph, root = index.graph, state.rows.root
    for direction, edges in ((NEEDS, graph.edges(root)), (NEEDED_BY, graph.dependents(root))):
        shown = [
            branch.path[1] for branch in state.rows.branches if branch.path[0] == direction and len(branch.path) == 2
        ]
        assert sorted(shown) == sorted(graph.hash(edge.number) for edge in edges)


def test_host_filter_hides_dependencies_that_do_not_run(index: Index) -> None:
    state = trees(index, "bt-hdf")
    assert state.rows is not None
    direct = [*index.graph.edges(state.rows.root), *index.graph.dependents(state.rows.root)]
    run = [edge for edge in direct if index.node_fit(edge.number, HOST).distance is not None]
    only = state.follow(View.turn_host)
    assert only.rows is not None
    assert only.rows.host_counts == state.rows.host_counts == (len(run), 0, len(direct))
    assert sum(branch.below for branch in only.rows.branches if not branch.path[1:]) == len(run)
    nowhere = answered(only.follow(lambda view: view.choose_host(Host("linux", None, "power9le"))))
    assert names(nowhere) == [NEEDS, NEEDED_BY]
    assert nowhere.rows is not None
    assert f"dependencies 0 of {len(index.graph.edges(state.rows.root))}" in text_of(nowhere.rows.row[0].cells[0])


def test_dependency_screen_without_a_graph_computes_nothing() -> None:
    asked = DepsState.of(View(index=index_of([row()]), host=HOST))
    assert asked.row == 0
    assert asked.question is None
    gone = asked.on_view(View(index=index_of([row("zlib")]), host=HOST))
    assert gone.row is None


def test_comparison_of_marked_pair_shows_older_version_first() -> None:
    index = index_of([row(version="1.14"), row(version="1.8"), row("zlib")])
    keys = [spec_key(index, at) for at in (0, 1)]
    state = ComparisonState.of(View(index=index, host=HOST, marks=frozenset(keys)))
    assert state.question is not None
    assert [index.spec(at).version for at in state.question[1:]] == ["1.8", "1.14"]
    done = state.answered(state.question, compare(*state.question))
    assert done.question is None
    assert done.on_view(View(index=index, host=HOST)).found is done.found
    assert done.on_view(View(index=index_of([row("zlib")]), host=HOST)).question is None


def test_typed_word_filters_lines_of_comparison(index: Index) -> None:
    keys = frozenset(spec_key(index, at) for at in (0, 1))
    state = ComparisonState.of(View(index=index, host=HOST, marks=keys))
    state = state.answered(state.question, compare(*state.question))
    assert [side.label for side in state.find("VERSION").sections[""]] == ["version"]


CACHE = str(CACHES / "v3/spack-1.1.0/develop/btest")


@pytest.mark.parametrize(
    ("keys", "name", "size"),
    [
        ("enter n j j space j space", "deps_80x24", SMALL),
        ("enter n j j space", "deps_60x20", LEAST),
        ("enter space escape j enter space equals_sign", "comparison_80x24", SMALL),
    ],
)
def test_screens_of_one_spec_match_expected_lines(drive: Drive, keys: str, name: str, size: tuple[int, int]) -> None:
    pilot = drive(browser(content=CACHE), size)
    for key in keys.split():
        pilot.press(key)
    lines = [line.rstrip(f"{THUMB} ") for line in pilot.lines]  # its length depends on the path of the cache
    mirror = next((k for k, line in enumerate(lines) if "spack mirror add" in line), len(lines))
    assert_screen(lines[:mirror], name)


def test_dependency_tree_shows_dependents_of_installed_spec(drive: Drive) -> None:
    """A deprecated libpng also depends on zlib-ng, and is not counted."""
    pilot = drive(browser("zlib-ng", str(INSTALLS / "1.1.0")))
    pilot.press("enter", "n", "G", "space")
    assert_screen(pilot.lines, "deps_installed_80x24")


def test_enter_in_tree_opens_spec_and_escape_returns(drive: Drive) -> None:
    pilot = drive(browser(content=CACHE))
    pilot.press("enter", "n")
    pilot.press("j", "j", "enter")
    spec = pilot.app.screen
    assert isinstance(spec, BrowseScreen)
    assert spec.state.view.package == "bt-hdf"
    pilot.press("escape")
    tree = pilot.app.screen
    assert isinstance(tree, DepsScreen)
    assert tree.state.branch is not None


def test_marked_spec_is_compared_with_the_selected_spec(drive: Drive) -> None:
    pilot = drive(browser(content=CACHE))
    pilot.press("enter", "equals_sign")
    assert "on another one" in pilot.lines[-1]
    pilot.press("space", "escape", "j", "enter", "equals_sign")
    assert isinstance(pilot.app.screen, ComparisonScreen)
    pilot.press("escape", "y")
    assert not any("marked" in line for line in pilot.lines)


@pytest.mark.parametrize("keys", ["enter space equals_sign", "enter space escape j enter equals_sign"])
def test_comparison_key_compares_builds_of_two_marked_rows(drive: Drive, keys: str) -> None:
    pilot = drive(browser())
    pilot.press(*keys.split())
    assert isinstance(pilot.app.screen, ComparisonScreen)

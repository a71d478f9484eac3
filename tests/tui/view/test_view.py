"""The actions of a browse view, one a line: the action, and the state after it. Without Textual."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from cachetui.tui.browse.state import BrowseState, environment_of
from cachetui.tui.lines import text_of
from cachetui.tui.view.rows import distinct_variants
from cachetui.tui.view.saved import command_of, saved_list
from cachetui.tui.view.view import Step, View, visible_panes
from tests.support.builds import LINK, Build, index_of_builds
from tests.support.installs import INSTALLS, write_beside
from tests.support.installs import index_of as installed
from tests.support.places import SAMPLE_CONTENT
from tests.support.rows import index_of, row

Take = Callable[[BrowseState], BrowseState]


@cache
def sample() -> Index:
    return Catalogue(SAMPLE_CONTENT, Settings(), index_cache=False).load()


@cache
def newer() -> Index:
    return Index(sample().columns)


def of_today() -> View:
    return View(index=sample(), host=Host.parse("linux-ubuntu22.04-zen3"))


def typed(text: str) -> Take:
    """Type a string character by character."""

    def take(state: BrowseState) -> BrowseState:
        state = state.open_line()
        for end in range(len(text) + 1):
            state = state.find(text[:end])
        return state

    return take


def kept(text: str) -> Take:
    return lambda state: typed(text)(state).keep_query()


def on_view(step: Step) -> Take:
    return lambda state: state.follow(step)


def to(package: str) -> Take:
    return on_view(lambda view: view.move("packages", package, view.packages.find(package) or 0))


def do(name: str, *arguments: Any) -> Take:
    """Return the state after an action of the state or of its view."""
    if hasattr(BrowseState, name):
        return lambda state: getattr(state, name)(*arguments)
    return on_view(lambda view: getattr(view, name)(*arguments))


EXCLUDED = on_view(lambda view: view.toggle("stack", "e4s", excluded=True))

ANY_OS, CRAY = Host.parse("zen3"), Host("cray", None, "zen3")

FIRST, MPI, PDM, SAFE = "py-ml-dtypes", "py-mpi4py", "py-pdm-backend", "py-safetensors"

TABLE: list[tuple[str, list[Take], dict[str, Any]]] = [
    ("starts in develop, on the first package", [], {"shown_tag": "develop", "current_package": FIRST, "n": 4}),
    ("typing a character shows its matches", [typed("mpi")], {"names": [MPI]}),
    ("typing selects the best match", [to(SAFE), typed("mpi")], {"current_package": MPI}),
    ("Enter keeps the text as typed", [kept("mpi4  os=ubuntu22.04")], {"line": "mpi4 os=ubuntu22.04", "open": False}),
    ("undo removes the whole query", [kept("mpi4 os=ubuntu22.04"), do("undo")], {"line": "", "n": 4}),
    ("Esc restores the view and its cursor", [to(PDM), typed("mpi"), do("cancel_query")], {"current_package": PDM}),
    ("Esc adds nothing to undo", [typed("mpi"), do("cancel_query")], {"past": ()}),
    ("unreadable text keeps the line open", [kept("mpi4py %%")], {"open": True, "error": 7, "names": [MPI]}),
    ("a typed term without a match is ignored", [typed("mpi4py@9")], {"names": [MPI], "part": (6, 8)}),
    ("a key without its value is ignored", [typed("mpi4py os=")], {"names": [MPI], "error": 10}),
    ("a partly typed value is ignored", [typed("mpi4py os=ubu")], {"names": [MPI], "part": (7, 13)}),
    ("Enter keeps a term that matches nothing", [kept("mpi4py@9")], {"names": [], "line": "mpi4py@9"}),
    ("deleting the whole text shows everything", [typed("mpi"), do("find", "")], {"n": 4, "open": True}),
    ("a selected value is part of the query", [do("toggle", "stack", "hep")], {"line": "stack=hep", "names": [MPI]}),
    (
        "two selected values of a facet match either",
        [do("toggle", "os", "ubuntu22.04"), do("toggle", "os", "sequoia")],
        {"line": "os=sequoia,ubuntu22.04"},
    ),
    (
        "selecting a value again removes it",
        [do("toggle", "stack", "e4s"), do("toggle", "stack", "e4s")],
        {"line": "", "n": 4},
    ),
    ("an excluded value is part of the query", [EXCLUDED], {"line": "stack!=e4s"}),
    (
        "selecting a facet keeps the typed text",
        [kept("mpi4 %gcc"), do("toggle", "stack", "e4s")],
        {"line": "mpi4 %gcc stack=e4s"},
    ),
    (
        "undo removes one selected value",
        [do("toggle", "stack", "e4s"), do("toggle", "stack", "hep"), do("undo")],
        {"line": "stack=e4s"},
    ),
    ("redo selects the value again", [do("toggle", "stack", "e4s"), do("undo"), do("redo")], {"line": "stack=e4s"}),
    (
        "redo after a new action does nothing",
        [do("toggle", "stack", "e4s"), do("undo"), do("toggle", "stack", "hep"), do("redo")],
        {"line": "stack=hep"},
    ),
    ("undo at the beginning does nothing", [do("undo")], {"line": "", "past": ()}),
    ("clear keeps the tag", [do("choose_tag", None), kept("mpi"), do("clear")], {"line": "", "shown_tag": None}),
    ("clear can be undone", [kept("mpi"), do("clear"), do("undo")], {"line": "mpi"}),
    ("clear without filters adds nothing to undo", [do("clear")], {"past": ()}),
    ("another tag is selected", [do("choose_tag", "develop-2025-04-20")], {"shown_tag": "develop-2025-04-20"}),
    ("all tags are selected", [do("choose_tag", None)], {"shown_tag": None}),
    ("the previous tag is older", [do("step_tag", -1)], {"shown_tag": "develop-2025-04-20"}),
    ("the next tag is newer", [do("step_tag", -1), do("step_tag", 1)], {"shown_tag": "develop"}),
    ("a step beyond the last tag does nothing", [do("step_tag", -1)] * 3, {"shown_tag": "develop-2025-04-20"}),
    (
        "a step from all tags selects the newest tag",
        [do("choose_tag", None), do("step_tag", -1)],
        {"shown_tag": "develop"},
    ),
    ("undo restores the tag", [do("choose_tag", None), do("undo")], {"shown_tag": "develop"}),
    ("a typed tag is shown", [kept("tag=develop-2025-04-20")], {"shown_tag": "develop-2025-04-20"}),
    ("a tag word is resolved", [kept("tag=latest")], {"line": "tag=latest", "shown_tag": "develop-2025-04-20"}),
    ("an unknown tag has no specs", [kept("tag=nope")], {"shown_tag": "nope", "n": 0}),
    (
        "a selected tag replaces a typed tag",
        [kept("tag=develop-2025-04-20"), do("choose_tag", "develop")],
        {"shown_tag": "develop", "line": ""},
    ),
    ("the host key adds the host filter", [do("turn_host")], {"line": "fits=linux-ubuntu22.04-zen3"}),
    ("the host key again removes the host filter", [do("turn_host"), do("turn_host")], {"line": ""}),
    (
        "the filter of a host without an os has only the target",
        [do("choose_host", ANY_OS), do("turn_host")],
        {"line": "fits=zen3"},
    ),
    (
        "the filter contains another platform of the host",
        [do("choose_host", CRAY), do("turn_host")],
        {"line": "fits=cray-None-zen3"},
    ),
    (
        "another host replaces the host filter",
        [kept("fits=zen4 os=rhel8"), do("choose_host", ANY_OS)],
        {"line": "fits=zen3 os=rhel8"},
    ),
    (
        "the next host filter uses the typed host",
        [kept("fits=linux-rhel8-icelake"), do("turn_host"), do("turn_host")],
        {"line": "fits=linux-rhel8-icelake"},
    ),
    ("the cursor stays on its package", [to(MPI), do("toggle", "stack", "hep")], {"current_package": MPI, "row": 0}),
    (
        "the cursor of a hidden package stays on its row",
        [to(SAFE), EXCLUDED, kept("mpi")],
        {"current_package": MPI},
    ),
    ("the cursor returns with its package", [to(SAFE), kept("mpi"), do("undo")], {"current_package": SAFE, "row": 3}),
    ("a package is opened", [to(MPI), do("enter")], {"package": MPI, "pane": "specs"}),
    (
        "a package is closed",
        [to(MPI), do("enter"), on_view(lambda v: v.back() or v)],
        {"package": None, "pane": "packages", "current_package": MPI},
    ),
    (
        "filters keep a package open",
        [to(MPI), do("enter"), do("toggle", "stack", "hep")],
        {"package": MPI, "pane": "specs"},
    ),
    ("marking all builds of a row moves down", [to(MPI), do("enter"), do("mark")], {"marked": 23, "spec_row": 1}),
    (
        "opening a row lists its builds",
        [to(MPI), do("enter"), do("open_row"), do("mark")],
        {"marked": 1, "specs_listed": 23},
    ),
    (
        "a row is closed",
        [to(MPI), do("enter"), do("open_row"), on_view(lambda v: v.back() or v)],
        {"specs_listed": 11, "spec_row": 0},
    ),
    (
        "marking a row again removes its marks",
        [to(MPI), do("enter"), do("mark"), on_view(lambda v: v.move("specs", v.specs.key(0), 0)), do("mark")],
        {"marked": 0},
    ),
    ("nothing is marked in the list of packages", [to(MPI), do("mark")], {"marked": 0}),
    ("filters keep marks", [to(MPI), do("enter"), do("mark"), kept("pdm")], {"marked": 23}),
    ("packages are sorted by number of specs", [do("sort")], {"package_order": ("specs", False)}),
    (
        "a newer index keeps the view",
        [to(MPI), do("enter"), do("mark"), kept("mpi %gcc"), on_view(lambda v: v.on_index(newer()))],
        {"line": "mpi %gcc", "package": MPI, "marked": 23, "shown_tag": "develop"},
    ),
    (
        "a newer index keeps the typed text",
        [typed("mpi"), on_view(lambda v: v.on_index(newer()))],
        {"names": [MPI], "open": True},
    ),
    (
        "Esc restores the cursor and keeps the newer index",
        [to(PDM), typed("mpi"), on_view(lambda v: v.on_index(newer())), do("cancel_query")],
        {"current_package": PDM, "is_newer": True},
    ),
]


def seen(state: BrowseState, what: str) -> Any:
    view, rows = state.view, state.view.packages
    found: dict[str, Callable[[], Any]] = {
        "n": lambda: len(rows),
        "names": lambda: [rows.key(k) for k in range(len(rows))],
        "line": lambda: view.query.line,
        "open": lambda: state.typed is not None,
        "error": lambda: state.typed and state.typed.error and state.typed.error.column,
        "part": lambda: state.typed and state.typed.part,
        "row": lambda: view.cursor("packages").on(rows),
        "spec_row": lambda: view.cursor("specs").on(view.specs),
        "marked": lambda: len(view.marks),
        "specs_listed": lambda: len(view.specs),
        "is_newer": lambda: view.index is newer(),
    }
    return found.get(what, lambda: getattr(view, what))()


@pytest.mark.parametrize(("steps", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_each_browse_action_gives_expected_view(steps: list[Take], expected: dict[str, Any]) -> None:
    state = BrowseState(of_today())
    for step in steps:
        state = step(state)
    assert {what: seen(state, what) for what in expected} == expected


@pytest.mark.parametrize(
    ("word", "shown"),
    [("latest", ["develop", "develop-2025-04-13", "develop-2025-04-20"]), ("v1.0.0", ["develop", "develop", "v1.0.0"])],
)
def test_requested_tag_is_shown_as_soon_as_it_is_read(word: str, shown: list[str]) -> None:
    tags = ("develop", "develop-2025-04-13", "develop-2025-04-20", "v1.0.0")
    view = View(index=index_of([]), host=CRAY)
    view = view.asked_for(view.parsed(f"hdf5 tag={word}"))
    for count, expected in zip((1, 2, 4), shown, strict=True):
        view = view.on_index(index_of(row(tag=tag) for tag in tags[:count]))
        assert (view.shown_tag, view.results.specs, view.query.line) == (expected, 1, "hdf5")


def test_tag_latest_follows_the_newest_tag() -> None:
    view = View(index=index_of([row(tag="develop-2025-04-13")]), host=CRAY)
    view = view.ask(view.parsed("hdf5 tag=latest"))
    assert view.shown_tag == "develop-2025-04-13"
    view = view.on_index(index_of(row(tag=tag) for tag in ("develop-2025-04-13", "develop-2025-04-20")))
    assert (view.shown_tag, view.query.line) == ("develop-2025-04-20", "hdf5 tag=latest")
    saved = saved_list(view)
    assert saved is not None
    assert command_of(saved, ".", view.index) == "cachetui find . --packages 'hdf5 tag=develop-2025-04-20'"


def test_list_with_only_one_package_opens_the_package() -> None:
    below = of_today().toggle("os", "sequoia")
    cell = below.opened(below.parsed("py-mpi4py stack=e4s tag=develop"))
    assert cell.query.line == "py-mpi4py stack=e4s"
    assert (cell.package, cell.pane, cell.past, cell.back()) == (MPI, "specs", (), None)


def test_results_are_computed_once_for_same_filters() -> None:
    view = of_today().toggle("stack", "e4s")
    assert view.move("packages", MPI, 0).results is view.results
    assert view.undo().redo().results is view.results
    assert view.packages is view.enter(MPI).packages


def test_visible_panes_depend_on_terminal_width() -> None:
    view = of_today()
    inside = view.enter(MPI)
    assert visible_panes(view, 140) == ("facets", "packages", "specs", "detail")
    assert visible_panes(inside, 140) == ("facets", "specs", "detail")
    assert visible_panes(view, 100) == ("packages", "specs", "detail")
    assert visible_panes(inside, 100) == ("specs", "detail")
    assert visible_panes(view, 80) == ("packages", "detail")
    assert visible_panes(inside, 80) == ("specs", "detail")
    assert visible_panes(view.go_to_pane("facets"), 80) == ("facets", "packages")
    assert visible_panes(inside.go_to_pane("facets"), 60) == ("facets", "specs")


def test_specs_that_differ_only_in_hash_share_a_row() -> None:
    view = to(MPI)(BrowseState(of_today())).view
    for rows in (view.specs, view.enter().specs):
        shown = [tuple(map(text_of, rows.row[k].cells)) for k in range(len(rows))]
        assert sum(len(rows.builds(k)) for k in range(len(rows))) == 91
        assert len({cells[1:] for cells in shown}) == len(shown) < 91
    assert not any("root" in cell for cells in shown for cell in cells)


def test_value_common_to_all_rows_is_shown_in_heading() -> None:
    pages = [row(target="zen4", os="rhel8"), row(target="zen2", os="rhel8"), row(target="zen2", os="rhel8")]
    inside = View(index=index_of(pages), host=Host.parse("linux-rhel8-zen3")).enter()
    assert inside.shared_values["os"] == "rhel8"
    assert "os" not in inside.titles
    assert "target" in inside.titles
    assert "target" not in replace(inside, group=inside.specs.key(0)).titles


def test_lists_show_previous_results_during_slow_query(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cachetui.search.index.QUICK_ROWS", 0)
    zlib = Build("zlib")
    index = index_of_builds({("develop", "e4s"): [zlib, Build("hdf5", needs=((zlib, LINK),)), Build("cmake")]})
    state = BrowseState(View(index=index, host=CRAY)).open_line().find("^zlib")
    assert (seen(state, "n"), state.question, state.view.shown is None) == (3, (index, state.view.asked), False)
    for waiting in (state, state.keep_query(), state.keep_query().move("cmake", 0), state.keep_query().open_line()):
        assert (seen(waiting, "names"), seen(waiting, "line").strip()) == (["cmake", "hdf5", "zlib"], "^zlib")
    kept, left = state.keep_query(), state.cancel_query()
    assert (left.question, left.view.shown) == (None, None)
    index.rows(state.view.asked)
    for each in (state, kept):
        assert each.question is not None
        assert seen(each.answered(each.question, ()), "names") == ["hdf5"]
    assert seen(kept.open_line().cancel_query(), "names") == ["hdf5"]
    assert seen(kept.follow(View.undo), "names") == ["cmake", "hdf5", "zlib"]


def test_view_of_marked_specs_contains_no_other_specs() -> None:
    marked = to(MPI)(BrowseState(of_today())).view.enter().open_row().mark().mark()
    only = marked.of_specs(marked.marks)
    assert (only.package, only.results.specs, len(only.specs), only.back()) == (MPI, 2, 1, None)


def test_installed_specs_have_state_and_age_columns() -> None:
    view = View(index=installed("1.1.0"), host=Host.parse("here")).enter("oniguruma")
    assert view.titles[-2:] == ("state", "installed")
    assert "gone" in [str(cell) for cell in view.specs.make_line(0).cells]


def test_exported_environment_lists_cache_that_contains_installed_specs(tmp_path: Path) -> None:
    cache = str(write_beside(tmp_path) / "mirror")
    index = Catalogue([str(INSTALLS / "1.1.0"), cache], Settings(), index_cache=False).load()
    query = Query.parse("incache=yes explicit=yes", has_graph=True)
    text = "".join(environment_of(View(index=index, host=Host.parse("here"), tag=None, query=query)))
    assert cache in text
    assert "binaries.spack.io" not in text


def test_marked_spec_keeps_its_warning_symbol() -> None:
    inside = View(index=index_of([row(target="zen4"), row(target="zen2")]), host=Host.parse("linux-rhel8-zen3")).enter()
    marked = inside.with_marks(frozenset(inside.specs.key(k) for k in range(2)))
    symbols = {marked.specs.key(k): (inside.specs.row[k].symbol, marked.specs.row[k].symbol) for k in range(2)}
    assert sorted(symbols.values()) == sorted((symbol, f"*{symbol}") for symbol, _ in symbols.values())
    assert "!" in {symbol for symbol, _ in symbols.values()}


def test_variants_that_differ_between_rows_come_first() -> None:
    texts = [["+rare", "+longer"], ["~rare", "+longer"], ["~rare", "~longer"], ["~rare", "~longer", "+other"]]
    index = index_of([row(variants=own, hash=f"{k}" * 32) for k, own in enumerate(texts)])
    found = distinct_variants(index, range(len(texts)))
    assert [found[k].split()[0] for k in range(4)] == ["+longer", "+longer", "~longer", "+other"]

"""What happens on the open screens when a newer index of the catalogue arrives."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.analysis.timeline import Timeline, timeline
from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.store.merge import merge
from cachetui.tui.app import BrowserApp
from cachetui.tui.reading import CatalogueReading
from cachetui.tui.screens import timeline as timeline_screen
from cachetui.tui.screens.browse import BrowseScreen
from cachetui.tui.screens.timeline import TimelineScreen
from cachetui.tui.state.view import View
from cachetui.tui.widgets.coverage_matrix import CoverageMatrix
from tests.support import rows
from tests.support.browsing import pressed, sought
from tests.support.drive import Drive
from tests.support.places import SAMPLE_CONTENT
from tests.support.screens import screen_lines

NOTHING = Index(merge(None, []))

OLD_TAG, PDM_BACKEND, MPI4PY = (
    "001_7e57fc2197a8611e.txt",
    "003_86cb41a0e667e9fb.txt",
    "004_95d4df9caf125ef9.txt",
)
"""The page of the one tag beside develop, and two packages."""


def index_of(content: Path) -> Index:
    index = Catalogue(str(content), {}, snapshot=False).load()
    assert index is not None
    return index


@pytest.fixture(scope="module")
def whole() -> Index:
    return index_of(Path(SAMPLE_CONTENT))


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Index]:
    """The sample catalogue without one of its pages."""

    def made(page: str) -> Index:
        folder = tmp_path_factory.mktemp("content") / "content"
        shutil.copytree(SAMPLE_CONTENT, folder, ignore=shutil.ignore_patterns(page))
        return index_of(folder)

    return made


def app_on(index: Index) -> BrowserApp:
    """The browser on the sample, whose background has just come to this index."""
    app = BrowserApp(Catalogue(SAMPLE_CONTENT, {}, snapshot=False), Query(), Host("linux", "rhel9", "zen3"))
    app.browse.view.use(index)
    return app


def browse_of(pilot: Pilot[Any]) -> BrowseScreen:
    assert isinstance(pilot.app, BrowserApp)
    return pilot.app.browse


async def arrives(pilot: Pilot[Any], index: Index) -> None:
    pilot.app.post_message(CatalogueReading.IndexArrived(index))
    await pilot.pause()
    await pilot.pause()


def lines(pilot: Pilot[Any]) -> list[str]:
    return screen_lines(pilot.app)


def test_the_first_tag_is_looked_at_unless_another_choice_was_made_before_it_was_known(whole: Index) -> None:
    host = Host("linux", "rhel9", "zen3")
    view = View(NOTHING, Query(), host)
    view.use(whole)
    assert view.tag == "develop"
    view.look_at_tag(None)
    view.use(whole)
    assert view.tag is None
    early = View(NOTHING, Query(), host)
    early.look_at_tag(None)
    early.use(whole)
    assert early.tag is None
    typed = View(NOTHING, Query(), host)
    typed.try_query(Query.parse("tag=develop-2025-03-09"))
    typed.use(whole)
    assert typed.tag == "develop-2025-03-09"


def test_who_has_not_looked_around_yet_comes_to_the_tag_that_is_the_first_now(whole: Index) -> None:
    older = rows.index_of([rows.row(tag="v1.0.0")])
    view = View(older, Query(), Host("linux", "rhel9", "zen3"))
    assert view.tag == "v1.0.0"
    view.use(rows.index_of([rows.row(tag="v1.0.0"), rows.row(tag="v1.1.0")]), untouched=False)
    assert view.tag == "v1.0.0"
    view.use(whole)
    assert view.tag == "develop"


def test_marks_of_specs_that_are_gone_are_gone_and_told_of(
    drive: Drive, whole: Index, without: Callable[[str], Index]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("slash", *"py-mpi4py", "enter", "l", "space", "down", "space")
        await pilot.pause()
        assert "2 marked" in lines(pilot)[0]
        await arrives(pilot, without(MPI4PY))
        assert "marked" not in lines(pilot)[0]
        assert lines(pilot)[-1] == "no more there: 2 marked specs"
        assert not browse_of(pilot).view.marks

    drive(app_on(whole), scenario)


def test_a_ticked_value_stays_in_the_facets_though_no_page_has_it_any_more(drive: Drive, whole: Index) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        browse_of(pilot).view.toggle("stack", "hep")
        await arrives(pilot, rows.index_of([rows.row(stacks=["e4s"])]))
        assert ["+", "hep", "0"] in [line.partition("│")[0].split() for line in lines(pilot)]

    drive(app_on(whole), scenario, (140, 40))


def test_a_hash_typed_while_nothing_was_read_is_found_as_soon_as_it_is(drive: Drive, whole: Index) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("number_sign", *"2feova4")
        assert lines(pilot)[-1].endswith("0 hashes")
        await arrives(pilot, whole)
        assert lines(pilot)[0].strip() == "# 2feova4"
        assert lines(pilot)[-1].endswith("1 hash")
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen is browse_of(pilot)
        assert browse_of(pilot).panes.package == "py-mpi4py"

    drive(app_on(NOTHING), scenario)


def test_the_cursor_stays_on_its_hit_where_that_is_one_still(
    drive: Drive, whole: Index, without: Callable[[str], Index]
) -> None:
    def here(pilot: Pilot[Any]) -> str:
        return next(line for line in lines(pilot) if line.startswith(">"))[1:8]

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("number_sign", "2", "down", "down")
        await pilot.pause()
        assert here(pilot) == (third := lines(pilot)[4][1:8])
        before = lines(pilot)
        await arrives(pilot, whole)
        assert here(pilot) == third
        assert lines(pilot) != before
        await pilot.press("backspace", *"2feova4")
        await pilot.pause()
        assert here(pilot) == "2feova4"
        await arrives(pilot, without(MPI4PY))
        assert lines(pilot)[-1].endswith("0 hashes")
        await arrives(pilot, whole)
        assert here(pilot) == "2feova4"

    drive(app_on(without(MPI4PY)), scenario)


def test_the_package_that_was_found_stays_under_the_cursor(
    drive: Drive, whole: Index, without: Callable[[str], Index]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("number_sign", *"py-", *["down"] * 2)
        await pilot.pause()
        (before,) = (line.split() for line in lines(pilot) if line.startswith(">"))
        assert lines(pilot)[-1].endswith(" 3 packages by name")
        await arrives(pilot, whole)
        assert lines(pilot)[-1].endswith(" 4 packages by name")
        (after,) = (line.split() for line in lines(pilot) if line.startswith(">"))
        assert before[1] == "package"
        assert after == before

    drive(app_on(without(MPI4PY)), scenario)


def test_coverage_is_counted_again_and_the_cursor_stays_in_its_cell(
    drive: Drive, whole: Index, without: Callable[[str], Index]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("c")
        await pilot.pause()
        assert "3 packages by" in lines(pilot)[0]
        await pilot.press("S", "S", *["down"] * 3, *["right"] * 12)
        matrix = pilot.app.screen.query_one(CoverageMatrix)
        before = (matrix.cursor_key, matrix.column_name)
        assert before == ("py-safetensors", "ml-linux-x86_64-rocm")
        await arrives(pilot, whole)
        assert "4 packages by" in lines(pilot)[0]
        assert (matrix.cursor_key, matrix.column_name) == before
        await pilot.press("enter")
        await pilot.pause()
        assert browse_of(pilot).panes.package == "py-safetensors"
        assert len(browse_of(pilot).view.results.packages) == 1

    drive(app_on(without(PDM_BACKEND)), scenario)


def test_coverage_is_of_the_tag_to_look_at_first_as_soon_as_that_is_read(drive: Drive, whole: Index) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        browse_of(pilot).arrivals.show_activity("reading")
        await pressed(pilot, "c")
        assert "1 package by 1 stack " in lines(pilot)[0]
        await arrives(pilot, whole)
        assert "4 packages by 13 stacks (without root) · develop " in lines(pilot)[0]

    drive(app_on(rows.index_of([rows.row(tag="v1.0.0")])), scenario)


def test_drift_whose_filters_are_cleared_as_an_index_arrives_is_of_that_one(
    drive: Drive, whole: Index, without: Callable[[str], Index]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await sought(pilot, "+mpi")
        await pressed(pilot, "d")
        browse_of(pilot).arrivals.show_index(whole)
        await pressed(pilot, "x")
        cleared = lines(pilot)
        await pressed(pilot, "escape", "d")
        assert cleared[:-1] == lines(pilot)[:-1]

    drive(app_on(without(MPI4PY)), scenario)


def test_drift_that_had_nothing_to_compare_compares(drive: Drive, whole: Index) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("d")
        await pilot.pause()
        assert lines(pilot)[0].split() == ["Drift"]
        assert any("There is no tag to compare yet." in line for line in lines(pilot))
        await arrives(pilot, whole)
        assert "-> develop" in lines(pilot)[0]
        assert any("packages" in line for line in lines(pilot)[2:])

    drive(app_on(NOTHING), scenario)


def test_drift_with_a_tag_that_is_gone_says_so_and_shows_nothing(
    drive: Drive, whole: Index, without: Callable[[str], Index]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("d")
        await pilot.pause()
        await arrives(pilot, without(OLD_TAG))
        assert lines(pilot)[0].split() == ["Drift", "develop"]
        assert any("develop is the only tag here" in line for line in lines(pilot))
        assert "packages" not in "".join(lines(pilot)[1:-1])
        assert lines(pilot)[-1] == "no more there: develop-2025-04-20"

    drive(app_on(whole), scenario)


def test_a_timeline_has_the_tag_that_came(drive: Drive, whole: Index, without: Callable[[str], Index]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("v")
        await pilot.pause()
        assert lines(pilot)[0].split() == ["Timeline", "py-ml-dtypes", "in", "1", "of", "1", "tag"]
        await arrives(pilot, whole)
        assert lines(pilot)[0].split() == ["Timeline", "py-ml-dtypes", "in", "2", "of", "2", "tags"]

    drive(app_on(without(OLD_TAG)), scenario)


def test_what_is_expected_is_looked_for_again(
    drive: Drive, whole: Index, without: Callable[[str], Index], tmp_path: Path
) -> None:
    (tmp_path / "names").write_text("py-mpi4py\npy-safetensors\n")

    async def scenario(pilot: Pilot[Any]) -> None:
        browse_of(pilot).surveys.open_expectations()
        await pilot.pause()
        for letter in str(tmp_path / "names"):
            await pilot.press("slash" if letter == "/" else letter)
        await pilot.press("enter")
        await pilot.pause()
        assert "1 missing, 1 covered" in lines(pilot)[1]
        await arrives(pilot, whole)
        assert "2 covered" in lines(pilot)[1]
        await pilot.press("c")
        await pilot.pause()
        await arrives(pilot, without(MPI4PY))
        await pilot.press("escape")
        await pilot.pause()
        assert "1 missing, 1 covered" in lines(pilot)[1]  # it was followed below the coverage too

    drive(app_on(without(MPI4PY)), scenario)


def test_what_is_expected_is_looked_for_in_the_tag_to_look_at_first_as_soon_as_that_is_read(
    drive: Drive, whole: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("names").write_text("py-mpi4py\n")

    async def scenario(pilot: Pilot[Any]) -> None:
        browse_of(pilot).arrivals.show_activity("reading")
        browse_of(pilot).surveys.open_expectations()
        await pressed(pilot, *"names", "enter")
        assert "1 missing" in lines(pilot)[1]
        await arrives(pilot, whole)
        assert "names · tag=develop" in lines(pilot)[0]
        assert "1 covered" in lines(pilot)[1]

    drive(app_on(rows.index_of([rows.row(tag="v1.0.0")])), scenario)


def test_an_index_that_comes_while_one_is_worked_on_waits_for_the_answer(
    drive: Drive, whole: Index, without: Callable[[str], Index], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or else a catalogue that grows quickly would never be answered for."""
    asked: list[int] = []
    gate = Event()

    def slow(index: Index, package: str, query: Query) -> Timeline:
        asked.append(len(index))
        assert gate.wait(10)
        return timeline(index, package, query)

    monkeypatch.setattr(timeline_screen, "timeline", slow)
    small = without(MPI4PY)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.push_screen(TimelineScreen(small, Query(), None, "py-safetensors", None))
        for index in (NOTHING, small, whole):
            pilot.app.post_message(CatalogueReading.IndexArrived(index))
            while browse_of(pilot).view.index is not index:
                await pilot._wait_for_screen()
            await pilot._wait_for_screen()
            await asyncio.sleep(0.02)  # so long another thread would have to begin
        gate.set()
        await pilot.pause()
        assert asked == [len(small), len(whole)]

    drive(app_on(small), scenario)


def test_a_tag_that_went_away_is_said(drive: Drive, whole: Index, without: Callable[[str], Index]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("comma")
        assert browse_of(pilot).view.tag == "develop-2025-04-20"
        await arrives(pilot, without(OLD_TAG))
        assert lines(pilot)[-1] == "no more there: the tag develop-2025-04-20, x looks at another"
        await pilot.press("x")
        await pilot.pause()
        assert browse_of(pilot).view.tag == "develop"

    drive(app_on(whole), scenario)

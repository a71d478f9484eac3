"""The lists of packages and specs: their columns, their order, and specs that are alike."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.model.spec import normal_compiler
from cachetui.query.parts.facets import FitsPart
from cachetui.query.query import Query
from cachetui.settings.config import COLUMNS
from cachetui.tui.rows.specs import FoldedRows
from cachetui.tui.state.order import SortOrder, sort_of_specs
from cachetui.tui.state.view import View
from tests.support.browsing import (
    HOST,
    SMALL,
    WIDE,
    answered,
    browse_of,
    browser,
    cache_browser,
    lacks,
    package_rows,
    pressed,
    sample_browser,
    says,
    settled,
    shows,
    sought,
    spec_of,
    typed,
)
from tests.support.caches import CACHES
from tests.support.drive import Drive
from tests.support.places import SAMPLE_CONTENT
from tests.support.rows import row, write
from tests.support.screens import screen_lines


def test_sorting_goes_through_the_columns_and_stays(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)

        def names() -> list[str]:
            return [package.name for package in package_rows(browse).packages]

        await pilot.press("s")
        assert names() == ["py-ml-dtypes", "py-safetensors", "py-mpi4py", "py-pdm-backend"]
        await pilot.press("S")
        assert names() == ["py-pdm-backend", "py-mpi4py", "py-safetensors", "py-ml-dtypes"]
        await typed(pilot, "/target=aarch64")
        await pilot.press("enter")
        rows = package_rows(browse)
        counts = [rows.results.specs_of(package.number) for package in rows.packages]
        assert counts == sorted(counts)

    drive(browser(), scenario, WIDE)


def test_within_a_package_columns_are_no_wider_than_what_the_filters_leave(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        shows(pilot, "gcc@11.4.0 ubuntu22.04 x86_64_v3 e4s,root")
        await pressed(pilot, "x")
        lacks(pilot, "e4s,root")

    drive(browser("py-mpi4py stack=e4s"), scenario, SMALL)


def test_columns_fitted_to_few_packages_grow_for_those_that_are_shown_while_a_query_is_typed(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        def widths() -> list[int]:
            return [column.most for column in browse_of(pilot).panes.packages.columns]

        await settled(pilot)
        assert widths()[0] == len("py-mpi4py")
        await pressed(pilot, "/", "ctrl+u")
        shows(pilot, " py-pdm-backend ", " py-safetensors ")
        assert widths()[0] == len("py-pdm-backend")
        await typed(pilot, "mpi4py")
        assert widths()[0] == len("py-pdm-backend")
        await pressed(pilot, "escape")
        assert widths()[0] == len("py-mpi4py")

    drive(browser("py-mpi4py"), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_a_cursor_that_nobody_has_moved_stays_on_its_row_where_filters_change_and_not_where_the_order_does(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        panes = browse_of(pilot).panes
        assert (panes.packages.cursor_row, panes.package) == (0, "py-mpi4py")
        await pressed(pilot, "x")
        assert (panes.packages.cursor_row, panes.package) == (1, "py-mpi4py")
        await pressed(pilot, "u")
        assert (panes.packages.cursor_row, panes.package) == (0, "py-mpi4py")
        await pressed(pilot, "x", "s")
        assert (panes.packages.cursor_row, panes.package) == (0, "py-ml-dtypes")

    drive(browser("stack=hep"), scenario, size)


def test_within_a_package_a_cursor_that_nobody_has_moved_stays_on_its_spec_where_filters_change(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        browse = browse_of(pilot)
        first = browse.panes.spec
        await pressed(pilot, "x")
        assert browse.panes.spec == first
        assert browse.panes.specs.cursor_row
        await pressed(pilot, "S")
        assert browse.panes.specs.cursor_row == 0

    drive(browser("py-mpi4py os=sequoia"), scenario, SMALL)


def test_a_spec_that_was_first_while_a_query_was_typed_is_none_to_come_back_to(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/mpi4py os=sequoia\r")
        await pressed(pilot, "enter")
        first = browse_of(pilot).panes.spec
        await pressed(pilot, "x")
        assert browse_of(pilot).panes.spec == first

    drive(browser(), scenario, SMALL)


def test_a_row_that_nobody_has_gone_to_comes_back_under_the_cursor_where_a_filter_hid_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        panes = browse_of(pilot).panes
        first = panes.package
        await typed(pilot, "/stack=hep\r")
        assert panes.package != first
        await pressed(pilot, "u")
        assert (panes.package, panes.packages.cursor_row) == (first, 0)

    drive(browser(), scenario, SMALL)


def test_within_a_package_columns_are_as_wide_as_its_specs_need(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "down", "enter")
        shows(pilot, "version\u25bc compiler", " intel-oneapi-compilers@2025.1.0 ubuntu22.04 ")
        await pressed(pilot, "escape")
        browse = browse_of(pilot)
        assert browse.panes.specs.columns == (*browse.view.lists.folded_columns,)

    drive(browser(), scenario, (90, 24))


def test_specs_that_are_alike_are_one_row_until_one_goes_into_the_package(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "down")
        browse = browse_of(pilot)
        assert [" ".join(line.split("\u2502")[-1].split()) for line in screen_lines(pilot.app)[3:11]] == [
            ">2feova4 4.0.1 gcc@11.4.0 ubuntu22.04 x86_64_v3 30",
            "3wag7gg 4.0.1 intel-oneap\u2026s@2025.1.0 ubuntu22.04 x86_64_v3 10",
            "! 4ae6wuu 4.0.1 gcc@13.2.0 ubuntu24.04 x86_64_v3 15",
            "! 4djpyep 4.0.1 gcc@13.2.0 ubuntu24.04 aarch64 15",
            "! 4wo4wu3 4.0.1 apple-clang@16.0.0 sequoia aarch64 4",
            "! 5di5kew 4.0.1 gcc@11.4.0 ubuntu22.04 neoverse_v2 12",
            "7sb75yd 3.1.6 gcc@11.1.0 ubuntu20.04 x86_64_v3 5",
            "",
        ]
        shows(pilot, "install Enter: the 91 specs; a row's hash is that of one", "gcc@13.2.0 (30)")
        lacks(pilot, "--cache-only")
        await pressed(pilot, "enter", *["down"] * 3, "space", "down")
        assert (len(browse.panes.specs.rows), browse.panes.specs.cursor_row) == (91, 4)
        await pressed(pilot, "escape")
        lines = [line.split("\u2502")[-1] for line in screen_lines(pilot.app)[3:7]]
        assert [line[:10] for line in lines] == ["*  3yg7mb3", "   3wag7gg", " !>4ae6wuu", " ! 4djpyep"]
        assert [line.split()[-1] for line in lines] == ["*1/30", "10", "15", "15"]
        await pressed(pilot, "enter", "down", "down", "escape", "enter")
        assert browse.panes.specs.cursor_row == 6
        shows(pilot, " 2feova4", "hash 4t6mpqb")  # from the first row on, as far as there is room

    drive(browser(), scenario, WIDE)


def test_each_of_alike_specs_leads_to_their_row() -> None:
    index = Catalogue(SAMPLE_CONTENT, {}, snapshot=False).load()
    view = View(index, Query.parse(""), HOST)
    for name in index.packages:
        specs = view.lists.specs(name)
        folded = FoldedRows(specs)
        places = [folded.find(specs.key(k)) for k in range(len(specs))]
        counts = Counter(places)
        assert [str(counts[k]) for k in range(len(folded))] == [folded.row(k).cells[5] for k in range(len(folded))]
        assert list(dict.fromkeys(places)) == list(range(len(folded)))
        for k, place in enumerate(places):
            assert place is not None
            version, compiler, *rest = specs.row(k).cells[1:5]
            assert list(folded.row(place).cells[1:5]) == [version, normal_compiler(str(compiler)), *rest]
        last = specs.key(len(specs) - 1)
        kept = FoldedRows(specs, [last])
        assert places[-1] is not None
        assert kept.key(places[-1]) == last
        assert folded.find(("develop", name, "no such hash")) is None


def test_the_column_that_sorts_is_always_there(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "down", "enter")
        lacks(pilot, "stacks  ")
        await pressed(pilot, "down", "g", *["s"] * 4)
        shows(pilot, "stacks\u25b2", "x86_64_v3   data-vis-sdk")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("width", [100, 107, 119, 120, 124, 127, 128, 140])
def test_what_alike_specs_have_in_common_is_all_there(drive: Drive, width: int) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "down")
        head, *lines = (line.split("\u2502")[-1].split() for line in screen_lines(pilot.app)[2:10])
        assert head == ["hash", "version\u25bc", "compiler", "os", "target", "specs"]
        assert len(set(map(tuple, (line[1:5] for line in lines if line)))) == 7

    drive(browser(), scenario, (width, 30))


def test_a_sort_shows_its_sign_on_its_own_column_alone(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "down", "enter", *["s"] * 4)
        shows(pilot, "stacks\u25b2")
        await pressed(pilot, "escape")
        shows(pilot, "package\u25b2")
        assert "".join(screen_lines(pilot.app)).count("\u25b2") == 1
        assert "".join(screen_lines(pilot.app)).count("\u25bc") == 1
        shows(pilot, "version\u25bc")

    drive(browser(), scenario, (140, 20))


def test_hashes_are_sorted_letter_by_letter(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "down", "enter", *["s"] * 5)
        browse = browse_of(pilot)
        shows(pilot, "hash\u25b2")
        rows = browse.view.lists.specs("py-mpi4py")
        hashes = [rows.key(k)[2] for k in range(len(rows))]
        assert hashes == sorted(hashes)
        await pilot.press("y", "end")
        shows(pilot, "--sort hash")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_specs_that_look_alike_say_what_differs_if_that_is_recorded(drive: Drive, size: tuple[int, int]) -> None:
    async def heads(pilot: Pilot[Any]) -> list[str]:
        await settled(pilot)
        await pressed(pilot, "enter")
        return screen_lines(pilot.app)[2].split("│")[-1].split()

    async def recorded(pilot: Pilot[Any]) -> None:
        assert (await heads(pilot))[:6] == ["hash", "version▼", "compiler", "os", "target", "differs"]
        first = screen_lines(pilot.app)[3].split("│")[-1].split()
        assert "dependencies" in first[5:] or "dependen\u2026" in first[5:]
        await pressed(pilot, "s")
        assert "hash▲" in screen_lines(pilot.app)[2], "all have one compiler, one os and one target"

    async def not_recorded(pilot: Pilot[Any]) -> None:
        assert "differs" not in await heads(pilot)

    drive(cache_browser("py-bt-num", str(CACHES / "v3/spack-1.1.0/develop/btest")), recorded, size)
    drive(browser("py-mpi4py"), not_recorded, size)


def test_no_cell_of_what_differs_is_blank(drive: Drive, tmp_path: Path) -> None:
    variants = (["+mpi", "+hl"], ["+mpi"], ["+hl", "+mpi", "+cxx"])
    write(tmp_path, [*(row(variants=each) for each in variants), row(target="zen4")])

    async def scenario(pilot: Pilot[Any]) -> None:
        def differs(rows: int) -> list[str]:
            lines = [line.partition("gcc@")[2].split("e4s")[0] for line in screen_lines(pilot.app)[3 : 3 + rows]]
            return sorted(" ".join(line.split()[3:]) for line in lines)

        await pressed(pilot, "enter")
        assert differs(4) == ["+hl", "+hl +cxx", "-", "fewer variants"]
        await typed(pilot, "/+hl +mpi\r")
        await settled(pilot)
        assert differs(2) == ["+cxx", "fewer variants"]
        await pressed(pilot, "question_mark")
        shows(
            pilot, "variants in which builds of one version, compiler, os and target are", "-: no other looks like it"
        )

    drive(cache_browser("", str(tmp_path)), scenario, SMALL)


def test_a_variant_that_is_asked_for_does_not_differ(drive: Drive, tmp_path: Path) -> None:
    write(tmp_path, [row(variants=variants) for variants in (["+mpi", "+hl"], ["+mpi", "~hl"], ["~mpi"])])

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        shows(pilot, " +mpi +hl")
        await typed(pilot, "/+mpi\r")
        shows(pilot, " +hl ")
        lacks(pilot, "+mpi +hl ")

    drive(cache_browser("", str(tmp_path)), scenario, SMALL)


def test_what_tells_specs_apart_is_in_view_where_their_variants_are_alike(drive: Drive, tmp_path: Path) -> None:
    """Variants that all of the list have are left out, and long names that few have leave the room to what differs."""
    days = [f"2025-{month:02}-02" for month in range(1, 13)]
    alike: dict[str, Any] = {"variants": ["+hl", "+mpi", "+szip", "+fortran"], "os": "amzn2"}
    builds = [
        row(tag=tag, hash=letter * 32, **alike)
        for day, letter in zip(days, "abcdefghijkl", strict=True)
        for tag in ("develop", f"develop-{day}")
    ]
    others = [row(variants=[f"~{name}"]) for name in ("hl", "mpi", "szip", "fortran")]
    write(tmp_path, [*builds, *others, row(compiler="intel-oneapi-compilers@2025.1.0", **alike)])

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        await typed(pilot, "/os=amzn2\r")
        lines = [line for line in screen_lines(pilot.app) if " amzn2 " in line and "spec" not in line]
        assert len(lines) == 13
        assert [line.split()[-1] for line in lines[1:]] == days, "and of the other one what it has"
        assert not any("+hl" in line for line in lines[1:])
        await pressed(pilot, "u")
        shows(pilot, "2025-12-02 +mpi +hl")

    drive(cache_browser("", str(tmp_path)), scenario, (80, 40))


def test_what_a_day_in_the_list_means_is_said(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "enter", "question_mark")
        shows(pilot, "a day: of its newest develop-\u2026 tag; only develop: it has no other")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("columns", [("stacks",), ("variants", "platform"), ("target", "hash"), COLUMNS, COLUMNS[::-1]])
@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_the_columns_are_those_that_the_user_wants(
    drive: Drive, size: tuple[int, int], columns: tuple[str, ...]
) -> None:
    app = browser()
    app.browse.view.lists.columns = columns

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "down", "enter")
        browse = browse_of(pilot)
        shown = [column.title for column in browse.panes.specs.columns]
        assert shown == [title for title in columns if title not in ("tag", "differs")], "one tag, nothing differs"
        spec = spec_of(browse)
        cells = browse.panes.specs.rows.row(0).cells
        assert len(cells) == len(shown)
        if "hash" in shown:
            assert cells[shown.index("hash")] == str(spec.hash)[:7]
        orders = []
        for _ in shown:
            await pressed(pilot, "s")
            orders.append(browse.view.lists.spec_order.column)
        sortable = [title for title in shown if title not in ("version", "differs")]
        assert {order for order in orders if order} >= set(sortable[:2])
        await pressed(pilot, "escape")

    drive(app, scenario, size)


def test_where_its_spec_is_filtered_away_the_cursor_goes_to_the_newest(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "down", "enter", "end", "up", "up")
        last = spec_of(browse)
        assert last.os != "ubuntu22.04"
        await typed(pilot, "/os=ubuntu22.04\r")
        assert browse.panes.specs.cursor_row == 0
        await pressed(pilot, "down", "x")
        assert browse.panes.specs.cursor_row != 0

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_from_the_first_row_the_cursor_goes_to_the_first_of_another_order(drive: Drive, size: tuple[int, int]) -> None:
    """Elsewhere it stays on its spec or its package, as the user has gone to it."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        panes, packages, specs = browse.panes, browse.panes.packages, browse.panes.specs
        await pressed(pilot, "end", "home")
        for key in ("S", "S", "s", "S"):
            await pressed(pilot, key)
            assert packages.cursor_row == packages.first_in_view == 0
            assert panes.package == package_rows(browse).key(0)
        await pressed(pilot, "down")
        package = panes.package
        await pressed(pilot, "S")
        assert panes.package == package
        await typed(pilot, "/py-mpi4py\r")
        await pressed(pilot, "enter", "end", "home")
        first_spec = spec_of(browse)
        await pressed(pilot, "S")
        assert specs.cursor_row == specs.first_in_view == 0
        assert spec_of(browse) != first_spec
        await pressed(pilot, "S", "down")
        second = spec_of(browse)
        await pressed(pilot, "S")
        assert spec_of(browse) == second
        assert specs.cursor_row == len(specs.rows) - 2

    drive(browser(), scenario, size)


@pytest.mark.parametrize("gone_to", [("#",), ("enter", "down", "up"), ("enter", "enter", "escape"), ("enter", "space")])
@pytest.mark.parametrize("keys", ["SSsssss", "HuxuUuw3u"])
def test_a_spec_on_the_first_row_that_the_user_has_gone_to_keeps_the_cursor(
    drive: Drive, gone_to: tuple[str, ...], keys: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        specs = browse.panes.specs
        if gone_to == ("#",):
            await sought(pilot, (spec_of(browse).hash or "")[:8], "number_sign")
        else:
            await pressed(pilot, *gone_to)
        assert specs.cursor_row == 0
        spec, rows = browse.panes.spec, {specs.cursor_row}
        for key in keys:
            await pressed(pilot, key)
            assert browse.panes.spec == spec
            rows.add(specs.cursor_row)
        assert len(rows) > 1, "another one has stood first"

    drive(browser("py-mpi4py target=aarch64,neoverse_v2 fits=linux-ubuntu24.04-neoverse_v2"), scenario, SMALL)


@pytest.mark.parametrize("gone_to", [("enter", "escape"), ("down", "up"), ("number_sign", *"py-ml-dtypes", "enter")])
def test_a_package_on_the_first_row_that_the_user_has_gone_to_keeps_the_cursor(
    drive: Drive, gone_to: tuple[str, ...]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        panes = browse_of(pilot).panes
        await pressed(pilot, *gone_to)
        assert panes.packages.cursor_row == 0
        await pressed(pilot, "S")
        assert (panes.package, panes.packages.cursor_row) == ("py-ml-dtypes", 3)
        await pressed(pilot, "S")
        assert (panes.package, panes.packages.cursor_row) == ("py-ml-dtypes", 0)
        await pressed(pilot, "g", "S")
        assert (panes.package, panes.packages.cursor_row) == ("py-safetensors", 0)

    drive(browser(), scenario, SMALL)


def test_the_order_of_another_host_begins_at_its_first_spec(drive: Drive) -> None:
    """A cursor that was moved stays on its spec, and the list shows what now stands before it."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("enter")
        specs, view = browse_of(pilot).panes.specs, browse_of(pilot).view
        first = spec_of(browse_of(pilot))
        view.choose_host(FitsPart.of("linux-ubuntu22.04-neoverse_v2"))
        browse_of(pilot).show()
        assert specs.cursor_row == specs.first_in_view == 0
        assert spec_of(browse_of(pilot)) == view.index.spec(view.lists.specs("py-mpi4py").rows[0]) != first
        await pilot.press("u", "G", "H")
        assert specs.cursor_row
        assert specs.first_in_view == max(0, specs.cursor_row - specs.page + 1)

    drive(browser("py-mpi4py"), scenario, SMALL)


@pytest.mark.parametrize("keys", [("H",), ("slash", *"fits", "equals_sign", *"here", "enter")])
def test_it_is_said_how_far_up_the_nearest_to_another_host_stand(drive: Drive, keys: tuple[str, ...]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "G", *keys)
        specs = browse_of(pilot).panes.specs
        assert specs.first_in_view > 1
        shows(pilot, f"the nearest stand {specs.first_in_view} rows up (g)")
        await pressed(pilot, "g")
        assert specs.cursor_row == 0
        await pressed(pilot, "G", "slash", "percent_sign", *"gcc", "enter")
        lacks(pilot, "rows up")
        await pressed(pilot, "u", "S", "H", "H")
        lacks(pilot, "rows up")

    drive(browser("py-mpi4py"), scenario, SMALL)


def test_of_one_row_it_is_said_that_the_nearest_stand_one_up(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "G")
        await answered(pilot, "H", "the nearest stand 1 row up (g)")
        assert browse_of(pilot).panes.specs.first_in_view == 1

    drive(browser("py-mpi4py os=ubuntu22.04 %oneapi"), scenario, SMALL)


@pytest.mark.parametrize(
    ("keys", "size"),
    [
        (("enter", "H", "S", "G", "H", "H"), SMALL),  # these stand at the end
        (("enter", "H", "s", "G", "H", "H"), SMALL),  # by another column
        (("enter", "G", "escape", "H"), (140, 12)),  # of folded specs, where g goes to the first package
    ],
)
def test_where_g_does_not_go_to_the_nearest_it_is_not_said_how_far_up_they_stand(
    drive: Drive, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, *keys)
        assert browse_of(pilot).panes.specs.first_in_view
        shows(pilot, " run on linux-ubuntu24.04-zen3; ")
        lacks(pilot, " up (g)")

    drive(sample_browser("py-mpi4py", Host("linux", "ubuntu24.04", "zen3")), scenario, size)


@pytest.mark.parametrize("moves", [(), ("down", "g"), ("end", "home")])
def test_a_host_that_is_typed_begins_at_its_first_also_once_it_is_kept(drive: Drive, moves: tuple[str, ...]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", *moves)
        first, specs = spec_of(browse_of(pilot)), browse_of(pilot).panes.specs
        await typed(pilot, "/fits=linux-ubuntu24.04-neoverse_v2")
        shown = spec_of(browse_of(pilot))
        await pressed(pilot, "enter")
        assert specs.cursor_row == specs.first_in_view == 0
        assert spec_of(browse_of(pilot)) == shown != first

    drive(browser("py-mpi4py target=aarch64,neoverse_v2"), scenario, SMALL)


def test_who_looks_at_all_hosts_again_stays_at_the_nearest_that_he_was_at(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "down", "g", "H")
        nearest, specs = spec_of(browse_of(pilot)), browse_of(pilot).panes.specs
        assert specs.cursor_row == 0
        await pressed(pilot, "H")
        assert spec_of(browse_of(pilot)) == nearest
        assert specs.cursor_row

    drive(
        sample_browser("py-mpi4py target=aarch64,neoverse_v2", Host.parse("linux-ubuntu24.04-neoverse_v2")),
        scenario,
        SMALL,
    )


def test_with_the_cursor_sent_to_the_top_the_list_of_another_host_begins_at_its_first(drive: Drive) -> None:
    """What is nearest to that one was above the screen, where nobody saw it."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "down", "g")
        view, specs = browse_of(pilot).view, browse_of(pilot).panes.specs
        first = spec_of(browse_of(pilot))
        view.choose_host(FitsPart.of("linux-ubuntu24.04-neoverse_v2"))
        browse_of(pilot).show()
        assert specs.cursor_row == specs.first_in_view == 0
        assert spec_of(browse_of(pilot)) == view.index.spec(view.lists.specs("py-mpi4py").rows[0]) != first
        await pressed(pilot, "down")
        second = spec_of(browse_of(pilot))
        await pressed(pilot, "H")
        assert spec_of(browse_of(pilot)) == second

    drive(browser("py-mpi4py target=aarch64,neoverse_v2"), scenario, SMALL)


def test_what_sorts_a_list_is_said_and_what_would_sort_it_next(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "s")
        shows(pilot, "sorted by specs; s: by newest, S: the other way round")
        await pressed(pilot, "down", "enter", "s")
        shows(pilot, "sorted by compiler; s: by os, S: the other way round")

    drive(browser(), scenario, SMALL)


def test_the_order_goes_on_from_a_column_that_tells_no_specs_apart_since_a_filter_came(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "s", "s")
        shows(pilot, "sorted by os; s: by target, S: the other way round")
        await sought(pilot, "os=ubuntu22.04")
        await answered(pilot, "S", "sorted by os; s: by target, S: the other way round")
        await answered(pilot, "s", "sorted by target; s: by ")

    drive(browser(), scenario, SMALL)


def test_beside_the_filters_it_is_said_that_what_is_nearest_to_the_host_stands_first(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter")
        view = browse_of(pilot).view
        shows(pilot, "target▼", " nearest target first (g top)")
        lacks(pilot, "version▼")
        await pressed(pilot, "S")
        shows(pilot, "target▲", " nearest target last (G end)", "sorted by target, nearest last; s: by ")
        await answered(pilot, "S", "sorted by target, nearest first; s: by ")
        while view.lists.order_texts("specs")[1] != "target, nearest first":
            await pressed(pilot, "s")
        says(pilot, "; s: by target, nearest first, S: the other way round")
        await answered(pilot, "s", "sorted by target, nearest first; s: by ")
        await pressed(pilot, *["s"] * 20)
        seen: list[str | None] = []
        while view.lists.spec_order.column is not None:
            await pressed(pilot, "s")
        for _ in range(3):
            await pressed(pilot, "s")
            seen.append(view.lists.spec_order.column)
        assert "target" not in seen
        view.lists.spec_order = SortOrder("version")
        browse_of(pilot).show()
        shows(pilot, "version▼", " target")
        lacks(pilot, "nearest")
        versions = [view.index.spec(row).version or "" for row in view.lists.specs("py-mpi4py").rows]
        assert versions == sorted(versions, reverse=True)
        view.lists.spec_order = SortOrder()
        await pressed(pilot, "H")
        shows(pilot, "version▼", " target")
        lacks(pilot, "nearest")

    drive(browser("py-mpi4py fits=linux-ubuntu22.04-zen3"), scenario, SMALL)


def test_versions_can_be_asked_for_in_a_command_where_a_host_orders_them_otherwise() -> None:
    orders = [
        SortOrder(),
        SortOrder(None, True),
        SortOrder("version"),
        SortOrder("version", True),
        SortOrder("os", True),
    ]
    named = {by_host: [sort_of_specs(order, by_host=by_host) for order in orders] for by_host in (False, True)}
    assert named[False] == [None, "version", "-version", "version", "-os"]
    assert named[True] == [None, None, "-version", "version", "-os"]


def test_a_package_gives_the_command_of_its_only_spec_and_leads_to_those_of_several(
    drive: Drive, tmp_path: Path
) -> None:
    write(tmp_path, [row(hash="a" * 32), *(row("zlib", hash=letter * 32) for letter in "bc")])

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, f"install spack install --cache-only /{'a' * 32}")
        await pressed(pilot, "down")
        shows(pilot, "bbbbbbb", "install Enter: the 2 specs; a row's hash is that of one")
        lacks(pilot, "--cache-only")
        await pressed(pilot, "y")
        shows(pilot, f"Copy zlib@1.14.3 /{'b' * 7}, one of 2")

    drive(cache_browser("", str(tmp_path)), scenario, WIDE)

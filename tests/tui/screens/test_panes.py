"""The panes of the browser: how they stand at each width, how one moves, what the detail says."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue
from cachetui.query.parts.facets import ValuePart
from cachetui.tui.rows.facets import FacetRows
from cachetui.tui.widgets.facets import FacetSidebar
from tests.support.browsing import (
    LEAST,
    SMALL,
    WIDE,
    answered,
    browse_of,
    browser,
    filtered_by,
    lacks,
    package_here,
    pressed,
    resized,
    settled,
    shows,
    sought,
    spec_of,
    typed,
)
from tests.support.drive import Drive
from tests.support.places import SAMPLE_CONTENT
from tests.support.screens import screen_lines


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_the_first_screen_names_the_catalogue_and_counts_it(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        assert (len(browse.view.results), len(browse.view.results.packages)) == (413, 4)
        shows(pilot, "develop", "py-ml-dtypes", "py-mpi4py", "py-pdm-backend", "py-safetensors", "? help  q quit")
        lines = screen_lines(pilot.app)
        assert len(lines) == size[1]
        assert all(len(line) <= size[0] for line in lines)

    drive(browser(), scenario, size)


def test_wide_all_panes_stand_beside_each_other(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "413 of 413 specs · 4 of 4 packages", "install Enter: the 129 specs")
        heads = [line.split("│")[0].strip("> ").split() for line in screen_lines(pilot.app)]
        facets = [
            words[0] for words in heads if words and words[0] in ("stack", "os", "platform", "target", "compiler")
        ]
        assert facets == ["stack", "os", "platform", "target", "compiler"]

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize("size", [SMALL, LEAST])
def test_small_one_list_is_gone_into_and_left_again(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "versions 0.4.0  0.3.1")
        await pressed(pilot, "j", "enter")
        shows(pilot, ">2feova4", "/2feova4prghd2gkebr23if6bojkyydpt")
        lacks(pilot, "py-safetensors")
        await pressed(pilot, "enter")
        shows(pilot, "--cache-only")
        await pilot.press("end")
        shows(pilot, "read from 004_95d4df9caf125ef9.txt")
        await pressed(pilot, "q")
        await pressed(pilot, "escape")
        shows(pilot, ">py-mpi4py", "py-safetensors")

    drive(browser(), scenario, size)


def test_the_cursor_stays_on_its_package_and_its_spec(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pilot.press("j", "l", "j", "j")
        before = browse.panes.specs.cursor_key
        browse.toggle_value(FacetSidebar.ValueToggled("os", "ubuntu22.04"))
        await pilot.pause()
        assert browse.panes.packages.cursor_key == "py-mpi4py"
        assert browse.panes.specs.cursor_key == before

    drive(browser(), scenario, WIDE)


def test_medium_the_facets_come_over_the_packages(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "package▲", "hash")
        lacks(pilot, "gcc@11.1.0")
        await pressed(pilot, "f")
        shows(pilot, "ubuntu24.04", "24fngvd")
        lacks(pilot, "package▲")
        await pressed(pilot, "escape")
        shows(pilot, "package▲")

    drive(browser(), scenario, (110, 30))


def test_another_package_is_looked_at_from_its_first_spec(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("enter", *["down"] * 9)
        await pressed(pilot, "escape", "down", "enter")
        assert browse_of(pilot).panes.specs.cursor_row == 0
        await pilot.press(*["down"] * 9)
        await typed(pilot, "/%no")
        shows(pilot, "Nothing of py-mpi4py matches.")
        await pressed(pilot, *["backspace"] * 3, "escape", "enter")
        assert (package_here(browse_of(pilot)), browse_of(pilot).panes.specs.cursor_row) == ("py-mpi4py", 9)

    drive(browser(), scenario, SMALL)


def test_beside_the_packages_the_cursor_is_on_the_spec_that_going_in_leads_to(drive: Drive) -> None:
    """Also after a filter that hid the spec that was gone to long before, and in an order that is not seen there."""

    async def leads_there(pilot: Pilot[Any]) -> None:
        browse, specs = browse_of(pilot), browse_of(pilot).panes.specs
        key = specs.cursor_key
        shows(pilot, f">{(spec_of(browse).hash or '')[:7]}")
        await pressed(pilot, "right")
        assert (specs.cursor_key, browse.panes.spec) == (key, key)
        await pressed(pilot, "escape")
        assert specs.cursor_key == key

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "down", "right", "end", "escape")
        last = browse_of(pilot).panes.spec
        browse_of(pilot).filters.step(browse_of(pilot).view.query.with_part(ValuePart.of("os", ["ubuntu22.04"])))
        await leads_there(pilot)
        assert browse_of(pilot).panes.spec != last
        await pressed(pilot, "u")
        await leads_there(pilot)
        for _ in range(5):
            await pressed(pilot, "right", "g", "s", "escape", "down")
            await leads_there(pilot)
            await pressed(pilot, "up")
            await leads_there(pilot)
            await pressed(pilot, "H")
            await leads_there(pilot)
            await pressed(pilot, "H")
            await leads_there(pilot)

    drive(browser(), scenario, WIDE)


def test_a_spec_that_was_left_is_gone_back_to_whatever_was_typed_beside_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "down", "right", "end", "escape")
        last = browse.panes.spec
        await sought(pilot, " target=x86_64_v3,aarch64,neoverse_v1")
        assert browse.panes.spec == last
        await sought(pilot, " os=ubuntu22.04")
        assert browse.panes.spec != last
        await pressed(pilot, "u")
        assert (browse.panes.spec, package_here(browse)) == (last, "py-mpi4py")
        await pressed(pilot, "right")
        assert browse.panes.spec == last

    drive(browser(), scenario, WIDE)


def test_where_a_row_may_be_cut_the_detail_names_the_spec(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "down", "enter")
        shows(pilot, "intel\u2026@2025.1.0", "py-mpi4py@4.0.1 %")
        labels = [line[:9].strip() for line in screen_lines(pilot.app) if line[:9].strip()]
        assert labels[labels.index("install") :][:2] == ["install", "spec"]

    drive(browser(), scenario, LEAST)


@pytest.mark.parametrize("size", [WIDE, (90, 24), SMALL])
def test_the_detail_follows_the_cursor_within_a_package(drive: Drive, size: tuple[int, int]) -> None:
    """It names the spec in the same line in all lists; the hash by itself stands where there is room."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("down", "enter")
        for _ in range(2):
            await pressed(pilot, "down")
            spec = spec_of(browse_of(pilot))
            shows(pilot, f"install spack install --cache-only /{spec.hash}", f"stacks {', '.join(spec.stacks)}")
            shows(pilot, f"     spec {spec.package}@")
            assert (f"     hash {spec.hash}" in "\n".join(screen_lines(pilot.app))) is (size == WIDE)

    drive(browser(), scenario, size)


def test_the_detail_follows_the_width(drive: Drive) -> None:
    short, install, named = (
        "compilers gcc@11.4.0  gcc@13.2.0 ",
        "install Enter: the 91 specs",
        "     hash 2feova4",
    )

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("down")
        await resized(pilot, SMALL)
        shows(pilot, short)
        lacks(pilot, install)
        await resized(pilot, WIDE)
        shows(pilot, install)
        lacks(pilot, short)
        await pilot.press("enter")
        await resized(pilot, (90, 24))
        lacks(pilot, named)
        await resized(pilot, WIDE)
        shows(pilot, named)

    drive(browser(), scenario, WIDE)


def test_in_all_tags_each_spec_says_its_tag(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "t", "home", "enter", "enter")
        shows(pilot, " tag ")
        rows = browse_of(pilot).view.lists.specs("py-ml-dtypes")
        browse_of(pilot).panes.specs.go(next(k for k in range(len(rows)) if rows.key(k)[0] == "develop-2025-04-20"))
        await pilot.pause()
        shows(pilot, " develop-2025-04-20\n")

    drive(browser("py-ml-dtypes"), scenario, WIDE)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_a_package_of_which_no_spec_is_left_is_not_left_for_the_list_of_packages(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "down", "enter", "down", "down")
        here = spec_of(browse)
        for keys, why in (
            ("comma", "Nothing of py-mpi4py matches."),
            ("/ os=windows\r", "no os windows"),
            ("/ @0.4\r", " in other packages"),
        ):
            if keys == "comma":
                await pressed(pilot, keys)
            else:
                await typed(pilot, keys[:-1])
                shows(pilot, "Nothing of py-mpi4py matches.")
                await pressed(pilot, "enter")
            assert (browse.panes.inside, browse.focused) == ("py-mpi4py", browse.panes.specs)
            assert package_here(browse) == "py-mpi4py"
            shows(pilot, why)
            await answered(pilot, "space", "there is no spec to mark")
            await answered(pilot, "u", here.hash[:7] if here.hash else "")
            assert (browse.panes.inside, spec_of(browse)) == ("py-mpi4py", here)

    drive(browser(), scenario, size)


def test_a_package_that_the_query_does_not_name_is_left(drive: Drive) -> None:
    """Its specs would be those of another one; the step taken back leads to where the cursor was."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "down", "enter", "down", "down")
        here = spec_of(browse)
        await sought(pilot, "py-ml-dtypes")
        assert browse.panes.inside == "py-ml-dtypes"
        await answered(pilot, "u", "taken back: py-ml-dtypes is gone")
        assert (browse.panes.inside, spec_of(browse)) == ("py-mpi4py", here)
        await answered(pilot, "U", "done again: now with py-ml-dtypes")
        assert browse.panes.inside == "py-ml-dtypes"
        await pressed(pilot, "escape")
        assert (browse.panes.level, str(browse.view.query)) == ("packages", "py-ml-dtypes tag=develop")

    drive(browser(), scenario, SMALL)


def test_the_mouse_goes_to_the_spec_that_stands_for_others(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pilot.press("down")
        for y, found in ((3, "4ae6wuu"), (1, "2feova4")):
            await pilot.click(browse.panes.specs, offset=(3, y))
            await pilot.pause()
            assert (browse.panes.level, browse.focused) == ("specs", browse.panes.specs)
            assert (spec_of(browse).hash or "")[:7] == found
            assert len(browse.panes.specs.rows) == 91
            await pilot.press("escape", "up", "down")

    drive(browser(), scenario, WIDE)


def test_an_index_that_grows_keeps_the_cursor_at_the_top_until_it_is_moved(drive: Drive) -> None:
    whole = Catalogue(SAMPLE_CONTENT, {}, snapshot=False).load()
    later = Catalogue(f"{SAMPLE_CONTENT}/003_86cb41a0e667e9fb.txt", {}, snapshot=False).load()

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        browse.arrivals.show_activity("reading")
        browse.arrivals.show_index(later, "reading 50 %")
        await pilot.pause()
        assert package_here(browse) == "py-pdm-backend"
        browse.arrivals.show_index(whole, "reading 99 %")
        await pilot.pause()
        assert package_here(browse) == "py-ml-dtypes"
        await pilot.press("j")
        browse.arrivals.show_index(whole, "reading 99 %")
        await pilot.pause()
        assert package_here(browse) == "py-mpi4py"

    drive(browser(), scenario, SMALL)


def test_a_value_stays_under_the_cursor_when_its_tick_goes(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "f")
        await sought(pilot, "hep")
        await pressed(pilot, "space")
        browse_of(pilot).panes.facets._unfolded = frozenset()
        await pressed(pilot, "space")
        assert browse_of(pilot).panes.facets.cursor_key == ("stack", "hep")
        await pressed(pilot, "space")
        filtered_by(pilot, "stack=hep")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_a_name_that_was_typed_is_taken_back_with_the_way_to_it(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "down")
        await sought(pilot, "py-pdm-backend %none")
        await answered(pilot, "u", "taken back: py-pdm-backend, %none are gone")
        assert package_here(browse) == "py-mpi4py"
        await sought(pilot, "py-pdm-backend")
        await pressed(pilot, "x")
        assert package_here(browse) == "py-pdm-backend", "only the filters are cleared"
        await pressed(pilot, "u", "u")
        assert package_here(browse) == "py-mpi4py"
        await answered(pilot, "U", "done again: now with py-pdm-backend")
        await pressed(pilot, "f", "u")
        assert browse.focused is browse.panes.facets

    drive(browser(), scenario, size)


def test_a_facet_that_a_search_unfolds_is_folded_again_unless_a_value_is_picked_in_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        def lines() -> int:
            assert isinstance(facets.rows, FacetRows)
            return sum(key[0] == "stack" for key, _ in facets.rows.lines)

        await settled(pilot)
        facets = browse_of(pilot).panes.facets
        await pressed(pilot, "f")
        folded = lines()
        await pressed(pilot, "slash", "enter")
        assert lines() == folded, "nothing was looked for"
        await sought(pilot, "hep")
        assert lines() > folded + 3
        await pressed(pilot, "escape", "f")
        assert lines() <= folded + 1, "with the value under the cursor"
        await sought(pilot, "hep")
        await pressed(pilot, "space", "escape", "f")
        assert lines() > folded + 3

    drive(browser(), scenario, SMALL)


def test_a_value_that_is_not_there_is_said(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "f", "slash", *"xyz")
        shows(pilot, "no value has this in its name")
        await pressed(pilot, "escape")
        shows(pilot, "ml-linux-x86_64-cpu")

    drive(browser(), scenario, SMALL)


def test_folded_facets_show_the_values_that_give_something(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "f")
        lines = [line.split() for line in screen_lines(pilot.app)]
        assert any(line[:1] == ["e4s"] for line in lines)
        assert not any(line[:1] == ["ml-linux-x86_64-rocm"] for line in lines)

    drive(browser("py-mpi4py os=ubuntu22.04"), scenario, SMALL)


def test_inside_a_package_counts_are_its_own(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await pressed(pilot, "down", "enter")
        shows(pilot, "52 of 91 specs · py-mpi4py")
        stacks = {value.value: value.specs for value in browse.view.shown.facet("stack")}
        assert stacks["root"] == 52
        words = [line.split()[:3] for line in screen_lines(pilot.app)]
        assert ["+", "ubuntu22.04", "52"] in words
        await pressed(pilot, "escape")
        shows(pilot, "108 of 413 specs · 3 of 4 packages")

    drive(browser("os=ubuntu22.04"), scenario, WIDE)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_a_package_that_a_filter_hides_has_the_cursor_again_when_that_is_taken_back(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        packages = browse_of(pilot).panes.packages
        await pressed(pilot, "down", "down")
        assert packages.cursor_key == "py-pdm-backend"
        await typed(pilot, "/os=amzn2\r")
        assert packages.cursor_key != "py-pdm-backend"
        await typed(pilot, "/%none\r")
        await pressed(pilot, "u", "u")
        assert packages.cursor_key == "py-pdm-backend"

    drive(browser(), scenario, size)

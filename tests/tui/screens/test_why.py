"""Why a query takes nothing, as lines."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.suggest.no_match import host_fit
from cachetui.tui.screens.why import short_lines
from cachetui.tui.state.view import View
from tests.support.browsing import SMALL, browse_of, browser, lacks, pressed, settled, shows, sought, typed
from tests.support.drive import Drive
from tests.support.rows import index_of, row
from tests.support.screens import screen_lines


def test_each_reason_for_which_a_host_leaves_specs_out_is_listed(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        found = host_fit(browse_of(pilot).view.index, browse_of(pilot).view.query)
        assert found is not None
        assert len(found.left_out) > 3
        await pressed(pilot, "w")
        lines = [" ".join(line.strip(" >┃").split()) for line in screen_lines(pilot.app)]
        at = lines.index("What fits=linux-rhel8-zen3 leaves out, and why")
        reasons = [f"{each.specs:,} {each.reason}" for each in found.left_out]
        assert lines[at + 1 : at + 1 + len(reasons)] == reasons
        assert any(line.endswith("without fits=linux-rhel8-zen3") for line in lines), "the reasons stand below"

    drive(browser("fits=linux-rhel8-zen3"), scenario, SMALL)


def test_what_a_mended_word_would_give_stands_under_its_own_heading(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "w")
        lines = [" ".join(line.strip(" >┃").split()) for line in screen_lines(pilot.app)]
        at = lines.index("Take one out: how many there would be without it")
        below = lines.index("How many there would be with the right word left out")
        without = [line for line in lines[at + 1 : below] if line]
        assert len(without) > 1
        assert all(" without " in line for line in without)
        assert lines[below + 1].startswith("! no os seqoia to leave out; nearest: sequoia")
        number, said = lines[below + 2].split(maxsplit=1)
        assert said == "0 with os!=sequoia for os!=seqoia"
        await pressed(pilot, number)
        assert "os!=sequoia" in screen_lines(pilot.app)[1]

    drive(browser("py-mpi4py os!=seqoia @99:"), scenario, SMALL)


def test_in_a_package_of_which_nothing_is_left_it_is_said_what_that_package_lacks(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await typed(pilot, "/py-mpi4py\r")
        await pressed(pilot, "enter", "x")
        assert browse.view.inside == "py-mpi4py"
        await typed(pilot, "/@99\r")
        await settled(pilot)
        shows(pilot, "Nothing of py-mpi4py matches.", "py-mpi4py has no version 99; nearest: ")
        await pressed(pilot, "w")
        shows(pilot, "Why nothing?", "! ", "py-mpi4py has no version 99; nearest: ", "without @99")
        lacks(pilot, "without py-mpi4py")
        await pressed(pilot, "1")
        assert browse.view.query.package is None
        assert browse.view.inside == "py-mpi4py"
        assert browse.view.shown

    drive(browser(), scenario, SMALL)


def test_what_nothing_has_goes_on_in_a_second_line(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "w")
        lines = [" ".join(line.strip(" >┃").split()) for line in screen_lines(pilot.app)]
        at = next(at for at, line in enumerate(lines) if line.startswith("! no py-mpi4py with build_system=meson_"))
        assert lines[at + 1] == "build_system=python_pip"

    drive(browser("py-mpi4py build_system=meson_python_and_more"), scenario, SMALL)


def test_of_two_causes_the_one_that_is_given_up_more_easily_is_named() -> None:
    rows = [row("acts"), *(row("zlib", str(number), target="m1") for number in range(3))]
    view = View(index_of(rows), Query.parse("acts stack!=hepp target=m1"), Host("linux", "rhel8", "zen3"))
    assert short_lines(view)[0] == ["1 spec without target=m1", "no stack hepp to leave out"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("zlbi target=m2 os=rhel8", ["no zlbi; meant zlib"]),
        ("zlbi @99", ["no zlbi; meant zlib", "zlib has no version 99; nearest: 1.14.3"]),
        ("zli target=m2 os=rhel8", []),
        ("nosuch target=m2", ["no package nosuch"]),
    ],
)
def test_where_nothing_is_left_it_is_said_what_a_misspelt_name_was_taken_for(text: str, said: list[str]) -> None:
    rows = [row("acts", target="m2"), row("zlib", target="m1"), row("zlib", os="rhel8")]
    view = View(index_of(rows), Query.parse(text, fuzzy_name=True), Host("linux", "rhel8", "zen3"))
    assert short_lines(view)[0] == said


def test_where_nothing_is_left_the_most_frequent_reason_of_the_host_is_said_at_once(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "Nothing matches.", "left out: needs glibc 2.39, the host has 2.28")

    drive(browser("os=ubuntu24.04 target=x86_64_v3 fits=linux-rhel8-zen3"), scenario, SMALL)


def test_the_tag_that_nobody_typed_stands_last_and_is_said_otherwise() -> None:
    rows = [
        row("acts"),
        row("acts", "2", target="m1"),
        *(row("acts", f"3.{k}", tag="v1", target="m1") for k in range(4)),
    ]
    view = View(index_of(rows), Query.parse("target=m1"), Host("linux", "rhel8", "zen3"))
    view.look_at_tag("develop")
    view.step(Query.parse("@3: target=m1 tag=develop"))
    _, counts = short_lines(view)
    assert [(field.label, *field.lines) for field in counts] == [
        ("specs", "there would be"),
        ("1", "without @3:"),
        ("4", "in all tags, not in develop alone"),
    ]


@pytest.mark.parametrize(
    ("query", "line", "word"),
    [
        ("py-mpi4py@99: %gcc@12", "@4.0.1 for @99:", "Enter put the right word in 1-4 by number"),
        ("py-mpi4py@99: %gcc@12", "without @99:", "Enter take it out 1-4 by number"),
        ("py-mpi4py@99: %gcc@12", "Take one out", "Up Down to a line to choose 1-4 by number"),
        ("py-mpi4py target=x86_64_v3 stack=e4s-neoverse-v2", "py-mpi4py@", "Enter go to this build 1-3 by number"),
    ],
)
def test_the_last_line_says_what_enter_does_with_the_line_under_the_cursor(
    query: str, line: str, word: str, drive: Drive
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "w", "g")
        for _ in range(15):
            lines = screen_lines(pilot.app)
            if line in [each for each in lines if each.startswith(">")][-1]:
                assert " ".join(lines[-1].split()) == f"{word} Esc back"
                return
            await pressed(pilot, "down")
        pytest.fail("\n".join(screen_lines(pilot.app)))

    drive(browser(query), scenario, SMALL)


def test_where_one_choice_is_left_no_numbers_are_named(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "w")
        assert screen_lines(pilot.app)[-1].split() == ["Enter", "look", "at", "all", "tags", "Esc", "back"]

    drive(browser(), scenario, SMALL)


def test_within_a_package_only_its_specs_are_counted(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "slash", "ctrl+u")
        await typed(pilot, "%gcc\r")
        left = len(browse_of(pilot).view.shown)
        await pressed(pilot, "w")
        shows(pilot, f"Why only {left} specs?", " 91 without %gcc")
        await pressed(pilot, "enter")
        assert browse_of(pilot).panes.inside == "py-mpi4py"

    drive(browser("py-mpi4py"), scenario, SMALL)


def test_where_no_build_is_of_an_os_and_a_target_the_first_choice_is_what_runs_there(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await sought(pilot, "py-mpi4py")
        await pressed(pilot, "enter")
        await sought(pilot, " arch=linux-debian13-zen3")
        assert browse.view.inside == "py-mpi4py"
        shows(pilot, "Nothing of py-mpi4py matches.", " with fits=linux-debian13-zen3: what runs ")
        shows(pilot, "w asks what runs there or takes a part out")
        await pressed(pilot, "w")
        first = next(line for line in screen_lines(pilot.app) if line.startswith(">1"))
        _, specs, said = first.split(maxsplit=2)
        assert said.startswith("with fits=linux-debian13-zen3: what runs ")
        shows(pilot, "Enter ask what runs there")
        await pressed(pilot, "enter")
        assert browse.view.inside == "py-mpi4py"
        assert str(browse.view.query.without_key("tag")) == "py-mpi4py fits=linux-debian13-zen3"
        assert f" {specs} of " in screen_lines(pilot.app)[0]

    drive(browser(), scenario, SMALL)

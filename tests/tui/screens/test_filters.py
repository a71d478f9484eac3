"""What is typed, ticked and taken back in the browser, and what it shows then."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.model.host import Host
from cachetui.query.parts.facets import FitsPart
from cachetui.query.query import Query
from cachetui.suggest.no_match import host_fit
from tests.support.browsing import (
    HOST,
    LEAST,
    SMALL,
    WIDE,
    answered,
    browse_of,
    browser,
    cache_browser,
    comes_back,
    filtered_by,
    lacks,
    pressed,
    resized,
    says,
    settled,
    shows,
    sought,
    typed,
)
from tests.support.caches import CACHES
from tests.support.drive import Drive
from tests.support.rows import in_tags, row, write
from tests.support.screens import screen_lines


def test_over_all_tags_a_hash_is_one_spec_with_a_row_for_each_tag(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "t", "home", "enter")
        shows(pilot, "all tags", "413 of 413 specs · 4 of 4 packages · in 2 tags: 425 rows")
        shows(pilot, "py-ml-dtypes      129 0.4.0")
        await typed(pilot, "/os=ubuntu20.04,ubuntu22.04\r")
        shows(pilot, "120 of 413 specs · 3 of 4 packages · in 2 tags: 122 rows", f"+ ubuntu22.04{13 * ' '}108 ")
        shows(pilot, "tags develop  develop-2025-04-20 (2)")
        await answered(pilot, "e", "Export 120 specs in 122 rows into")
        await pilot.press("escape", "u", "u")
        shows(pilot, "413 of 413 specs")
        lacks(pilot, "425 rows")

    drive(browser(), scenario, WIDE)


def test_the_tags_are_counted_in_which_its_rows_are(drive: Drive, tmp_path: Path) -> None:
    builds = {"a": (row(), ["v1.0", "v2.0"]), "b": (row("zlib"), ["v1.0"])}

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "t", "home", "enter")
        shows(pilot, "2 of 2 specs · 2 of 2 packages · in 3 tags: 5 rows")
        await typed(pilot, "/zlib\r")
        shows(pilot, "1 of 2 specs · 1 of 2 packages · in 2 tags: 2 rows")

    drive(cache_browser("", str(write(tmp_path / "content", in_tags(builds)))), scenario, WIDE)


def test_stacks_are_counted_without_their_own_filter(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("f", "slash")
        await typed(pilot, "e4s")
        browse = browse_of(pilot)
        before = {value.value: value.specs for value in browse.view.results.facet("stack")}
        assert (before["e4s"], before["hep"]) == (23, 3)
        await pressed(pilot, "enter", "space")
        assert len(browse.view.results) == 23
        assert {value.value: value.specs for value in browse.view.results.facet("stack")} == before
        await pilot.press("slash")
        await typed(pilot, "hep")
        await pressed(pilot, "enter", "enter")
        assert len(browse.view.results) == 26
        filtered_by(pilot, "stack=e4s,hep")
        shows(pilot, "26 of 413 specs")

    drive(browser("py-mpi4py"), scenario, WIDE)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_a_name_that_no_package_has_is_said(drive: Drive, size: tuple[int, int]) -> None:
    said = "no py-mpi5py; meant py-mpi4py"

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/py-mpi")
        lacks(pilot, "meant")
        await typed(pilot, "5py")
        shows(pilot, said)
        await typed(pilot, "\r")
        shows(pilot, said, "? help")
        await pressed(pilot, "enter")
        shows(pilot, "Enter in full")
        lacks(pilot, "meant")
        await pressed(pilot, "escape")
        shows(pilot, said)
        await pressed(pilot, "x")
        lacks(pilot, "meant")

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_a_name_with_a_slip_is_kept_as_the_one_that_is_found(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/py-mip4py os=ubuntu22.04")
        shows(pilot, "no package py-mip4py; Enter puts in py-mpi4py")
        await typed(pilot, "\r")
        filtered_by(pilot, "py-mpi4py", "os=ubuntu22.04")
        shows(pilot, "py-mip4py: no package; py-mpi4py instead")
        assert "py-mip4py" not in screen_lines(pilot.app)[1]
        lacks(pilot, "meant")
        browse = browse_of(pilot)
        assert [package.name for package in browse.view.results.packages] == ["py-mpi4py"]
        await pressed(pilot, "u")
        shows(pilot, "no filter")
        await pressed(pilot, "U")
        filtered_by(pilot, "py-mpi4py")

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL])
@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("%gccc", "%gcc"),
        ("py-mpi4py build_system=pyhton_pip", "build_system=python_pip"),
        ("stack=e4", "stack=e4s"),
        ("py-mpi4py %gcc@11.1.0 os=ub", "os=ubuntu20.04"),  # all that the rest of the query leaves
        ("py-mpi4py build_system=py", "build_system=python_pip"),
        ("os=ubunut22.04 stak=e4s", "os=ubuntu22.04"),
        ("py-mpi4py %gcc@4.0.1", "@4.0.1 %gcc"),
    ],
)
def test_what_is_surely_a_slip_is_put_right_where_the_line_is_kept(
    drive: Drive, size: tuple[int, int], text: str, mended: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await typed(pilot, f"/{text}")
        shown = browse.view.results.rows
        assert shown
        await pressed(pilot, "enter")
        assert browse.view.results.rows == shown, "what is kept was shown while it was typed"
        filtered_by(pilot, *mended.split())
        shows(pilot, f"{mended} instead")
        await pressed(pilot, "u")
        shows(pilot, "no filter")
        await typed(pilot, f"/{text}")
        await pressed(pilot, "escape")
        shows(pilot, "no filter")
        lacks(pilot, "instead")

    drive(browser(), scenario, size)


def test_of_what_is_no_sure_slip_it_is_not_said_that_enter_puts_it_right(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/os=ubuntu21.04")
        shows(pilot, "Enter, then: w puts the right word in")
        lacks(pilot, "takes back what was typed")
        await typed(pilot, "\r")
        shows(pilot, "Nothing matches.", "os=ubuntu21.04")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("%gcc@11.1.0 os=ubunut24.04", "Enter puts the right word in, Esc"),  # that leaves nothing
        ("os=ubuntu22.4 stack=e4z", "Enter, then: w puts the right words in"),
        ("stack=e4z %gcc %llvm", "Enter keeps no line that cannot be read"),
        ("stack=e4z fits=linux-rhel8-zne3", "Enter puts in fits=linux-rhel8-zen3, Esc"),
        ("py-mip4py @1.144", "Enter puts in py-mpi4py, Esc"),  # the version stays wrong
        ("stack=e4z os=", "Enter keeps no line that cannot be read"),
        ("os=sequoia stak=e4s %gcc@99", "Enter, then: w says more or takes a part out"),  # still nothing, put right
    ],
)
def test_what_is_said_of_enter_is_what_it_does(drive: Drive, text: str, said: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/{text}")
        shows(pilot, "Nothing matches.", said)
        await pressed(pilot, "enter")
        assert browse_of(pilot).filters.typed.is_open == said.startswith("Enter keeps no line")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("@", "@ wants a version"),
        ("@1.", "@1. is not finished"),
        ("%gcc @1.10:1.", "@1.10:1. is not finished"),
        ("py-mip4py +nothinglikeit", "Enter puts in py-mpi4py"),
        ("py-mip4py stack=e4", "no package py-mip4py or stack e4; Enter puts in py-mpi4py and stack=e4s  Tab e4s"),
        ("%gccc", "no compiler gccc; Enter puts in %gcc  Esc takes it back"),
        ("py-mip4py %gccc", "no package py-mip4py or compiler gccc; Enter puts in py-mpi4py and %gcc  Esc"),
        ("py-mpi5py %gccc", "no py-mpi5py; meant py-mpi4py  no compiler gccc; Enter puts in %gcc"),
        ("py-mpi4py %gccc os=ubunut22.04", "no compiler gccc or os ubunut22.04; Enter puts in %gcc and os=ubuntu22.04"),
        ("os=ubunut22.04", "no os ubunut22.04; Enter puts in os=ubuntu22.04  Tab ubuntu22.04  ubuntu20.04"),
        ("%gcc@11.1.0 os=ubunut24.04", "no os ubunut24.04; Enter puts in os=ubuntu24.04"),
        ("py-mip4py os=ub", "ub is no os yet: Enter wants it whole"),
        ("build_system=py", "py is no build_system yet: "),
        ("stak=e4s", "no variant stak=e4s; Enter puts in stack=e4s"),
        ("fits=linux-rhel8-zne3", "no host linux-rhel8-zne3; Enter puts in fits=linux-rhel8-zen3"),
        (
            "py-mip4py fits=linux-rhel8-zne3",
            "no package py-mip4py or host linux-rhel8-zne3; Enter puts in py-mpi4py and fits=linux-rhel8-zen3",
        ),
        ("fits=linux-rhle8-zen3", "no host linux-rhle8-zen3; Enter puts in fits=linux-rhel8-zen3  Esc"),
        ("arch=linux-u", "linux-u is no arch yet: Enter wants it whole  Tab linux-ubuntu24.04-x86_64_v3"),
    ],
)
def test_the_last_line_says_what_is_still_to_be_typed_or_what_enter_does(drive: Drive, text: str, said: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/{text}")
        assert said in screen_lines(pilot.app)[-1]

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_a_value_that_is_yet_to_be_typed_on_says_that_it_takes_nothing(drive: Drive, size: tuple[int, int]) -> None:
    """The list stays, as another value that begins so may take something."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/py-mpi4py %gcc@11.1.0 stack=e4")
        shows(pilot, "5 of 413 specs", "e4 is no stack yet: Enter or Tab stack=e4s, which takes nothing")
        await pressed(pilot, "enter")
        filtered_by(pilot, "py-mpi4py", "%gcc@11.1.0", "stack=e4s")
        shows(pilot, "0 of 413 specs")

    drive(browser(), scenario, size)


def test_a_slip_is_said_to_be_put_right_though_nothing_is_left(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/%gcc@11.1.0 os=ubunut24.04\r")
        await settled(pilot)
        filtered_by(pilot, "os=ubuntu24.04")
        shows(pilot, "os=ubunut24.04: no os; os=ubuntu24.04 instead", "Nothing matches")

    drive(browser(), scenario, WIDE)


def test_a_value_is_left_out_and_taken_back(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("f", "slash")
        await typed(pilot, "sequoia")
        await pressed(pilot, "enter", "minus")
        filtered_by(pilot, "os!=sequoia")
        shows(pilot, "345 of 413 specs", "- sequoia", "  68")
        await pressed(pilot, "minus")
        shows(pilot, "413 of 413 specs", "no filter")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize(
    ("begun_in", "wanted", "found"),
    [
        ("os", "aarch64", ("target", "aarch64")),  # the value itself, though stacks contain it
        ("target", "neoverse", ("target", "neoverse_v2")),  # of the facet that the cursor is in
        ("stack", "neoverse", ("stack", "e4s-neoverse-v2")),
        ("os", "neoverse", ("target", "neoverse_v2")),  # what begins so before what contains it
        ("os", "LINUX", ("platform", "linux")),
    ],
)
def test_a_value_is_found_as_it_is_meant(drive: Drive, begun_in: str, wanted: str, found: tuple[str, str]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        facets = browse_of(pilot).panes.facets
        facets.find_value("")
        facets.end_finding(stay=False)
        facets.go(next(k for k in range(len(facets.rows)) if facets.rows.key(k)[0] == begun_in))  # type: ignore[index]  # a pair
        facets.find_value(wanted[:3])
        facets.find_value(wanted)
        assert facets.cursor_key == found
        facets.end_finding(stay=True)
        assert facets.cursor_key == found

    drive(browser(), scenario, WIDE)


def test_the_heading_of_a_facet_counts_the_values_that_there_are(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "stack (14)", "e4z")

    drive(browser("stack=e4z"), scenario, WIDE)


def test_tags_are_stepped_through(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "comma")
        shows(pilot, "develop-2025-04-20 ▾", "12 of 12 specs · 1 of 1 packages")
        await pressed(pilot, "comma")
        shows(pilot, "no older tag")
        await pressed(pilot, "full_stop")
        shows(pilot, "413 of 413 specs")

    drive(browser(), scenario, WIDE)


def test_a_query_that_takes_nothing_says_what_to_do(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "0 of 413 specs", "Nothing matches")
        await pressed(pilot, "x")
        shows(pilot, "413 of 413 specs")

    drive(browser("py-mpi4py os=amzn2"), scenario, SMALL)


@pytest.mark.parametrize("key", ["tab", "right"])
def test_beside_nothing_there_is_nothing_to_go_to(drive: Drive, key: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, key)
        shows(pilot, "Nothing matches")
        await pressed(pilot, "x")
        shows(pilot, "4 packages")

    drive(browser("py-mpi4py os=amzn2"), scenario, SMALL)


def test_why_nothing_is_told_by_itself_and_a_key_takes_a_part_out(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "Nothing matches.", "91 without os=amzn2")
        await pressed(pilot, "w")
        shows(pilot, "Why nothing?", "no os amzn2")
        await pressed(pilot, "1")
        assert str(browse_of(pilot).view.query) == "py-mpi4py tag=develop"

    drive(browser("py-mpi4py os=amzn2"), scenario, SMALL)


@pytest.mark.parametrize(("text", "mended"), [("stak=e4s", "stack=e4s"), ("os=ubunut22.04", "os=ubuntu22.04")])
def test_a_typing_error_is_mended_where_it_is_explained(drive: Drive, text: str, mended: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "w")
        shows(pilot, f"with {mended} for {text}")
        lacks(pilot, "without tag=develop")
        await pressed(pilot, "enter")
        filtered_by(pilot, mended)
        shows(pilot, f"now {mended} in place of {text}; u goes back")
        assert browse_of(pilot).view.results
        await pressed(pilot, "u")
        filtered_by(pilot, text)

    drive(browser(f"py-mpi4py {text}"), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_what_is_left_out_in_vain_is_no_cause_and_is_mended_last(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(
            pilot, "Nothing matches.", "91 specs without target=neoverse_v1", "no stack hepp to leave out; nearest: hep"
        )
        lines = "\n".join(screen_lines(pilot.app))
        assert lines.index("91 specs without target=neoverse_v1") < lines.index("no stack hepp")
        await pressed(pilot, "w")
        lines = "\n".join(screen_lines(pilot.app))
        assert lines.index("without target=neoverse_v1") < lines.index("with stack!=hep for stack!=hepp")
        first = next(line for line in screen_lines(pilot.app) if line.startswith(">1"))
        assert "with fits=neoverse_v1: what this target runs" in first
        await pressed(pilot, "2")
        assert str(browse_of(pilot).view.query) == "py-mpi4py stack!=hepp tag=develop"

    drive(browser("py-mpi4py stack!=hepp target=neoverse_v1 tag=develop"), scenario, size)


def test_a_key_in_why_says_what_it_took_away_and_what_brings_it_back(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "w", "1")
        shows(pilot, "taken away: os=ubuntu22.04; u goes back")
        await pressed(pilot, "w", "1")
        shows(pilot, "taken away: tag=develop; in all tags now; u goes back")
        await pressed(pilot, "u")
        shows(pilot, "back in develop")

    drive(browser("os=ubuntu22.04 tag=develop"), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_the_mistyped_os_of_a_host_is_mended(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "w")
        shows(pilot, "os rehl9 is not known", "with fits=linux-rhel9-zen3 for fits=linux-rehl9-zen3")
        await pressed(pilot, "1")
        assert str(browse_of(pilot).view.query.without_key("tag")) == "py-mpi4py fits=linux-rhel9-zen3"

    drive(browser("py-mpi4py fits=linux-rehl9-zen3"), scenario, size)


@pytest.mark.parametrize("text", ["linux-rhle8-zen3", "linux-rhel8-zne3", "linx-rhel8-zen3", "linux-rhel8-zen33"])
@pytest.mark.parametrize("behind", ["", " %gcc", " %gccc"])
def test_a_slip_in_a_host_is_put_right_where_the_line_is_kept(drive: Drive, text: str, behind: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/fits={text}{behind}\r")
        await settled(pilot)
        assert browse_of(pilot).view.query.fits == FitsPart.of("linux-rhel8-zen3")
        shows(pilot, f"fits={text}: no such host; fits=linux-rhel8-zen3 instead")
        if behind == " %gccc":
            shows(pilot, "%gccc: no compiler; %gcc instead")
        await pressed(pilot, "u")
        shows(pilot, "no filter")
        await typed(pilot, f"/fits={text}{behind}")
        await pressed(pilot, "escape")
        shows(pilot, "no filter")
        lacks(pilot, "instead")

    drive(browser(), scenario, WIDE)


def test_a_host_that_may_be_several_is_not_kept_and_the_nearest_are_named(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/fits=linux-rhel8-zen9\r")
        shows(pilot, "not kept: no target 'zen9'; nearest: zen")
        assert browse_of(pilot).filters.typed.is_open

    drive(browser(), scenario, WIDE)


def test_where_nothing_is_left_an_os_that_is_not_known_is_no_cause_to_mend(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "Nothing matches.", "w says more or takes a part out")

    drive(browser("py-mpi4py os=sequoia target=x86_64_v3 fits=linux-rehl9-zen3"), scenario, WIDE)


def test_two_typing_errors_are_mended_at_once(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "w")
        shows(pilot, "with os=ubuntu22.04 for os=ubunut22.04, stack=e4s for stack=e4z")
        await pressed(pilot, "1")
        assert str(browse_of(pilot).view.query.without_key("tag")) == "py-mpi4py os=ubuntu22.04 stack=e4s"
        assert browse_of(pilot).view.results

    drive(browser("py-mpi4py os=ubunut22.04 stack=e4z"), scenario, WIDE)


def test_only_what_runs_on_the_host_and_why_the_others_are_out(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "H")
        assert {spec.target for spec in map(browse_of(pilot).view.index.spec, browse_of(pilot).view.results.rows)} == {
            "x86_64_v3"
        }
        filtered_by(pilot, "fits=linux-ubuntu22.04-zen3")
        shows(pilot, "left out: ", "built for aarch64")
        await pilot.press("H")
        assert len(browse_of(pilot).view.results) == 413

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_what_runs_on_the_host_is_said_with_the_way_to_another_one(drive: Drive, size: tuple[int, int]) -> None:
    way = "; that is this machine; another: Ctrl+P host or fits=; left out: needs"

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "H")
        assert f"run on {HOST}{way}" in browse_of(pilot).bars.hints.text
        await pressed(pilot, "x")
        await typed(pilot, "/fits=zen4\r")
        await pressed(pilot, "H", "H")
        assert " run on zen4; this machine: Ctrl+P host or fits=here; left" in browse_of(pilot).bars.hints.text

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_an_empty_query_line_names_all_keys(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "slash")
        shows(pilot, "/ package, @version, +variant, %compiler, os= target= stack= tag= fits= /hash\n")

    drive(browser(), scenario, size)


def test_within_a_package_what_runs_is_counted_of_that_package(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "H")
        running = len(browse_of(pilot).view.shown)
        assert 0 < running < len(browse_of(pilot).view.results)
        shows(pilot, f"{running} run on ")

    drive(browser(), scenario, WIDE)


def test_a_host_that_was_asked_for_goes_and_comes_back_by_one_key(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        filtered_by(pilot, "fits=neoverse_v1")
        shows(pilot, "H all hosts")
        await pressed(pilot, "H")
        shows(pilot, "no filter", "all, judged by neoverse_v1 still; this machine: Ctrl+P host or fits=here")
        assert browse_of(pilot).view.host.target == "neoverse_v1"
        shows(pilot, "host neoverse_v1")
        await pressed(pilot, "down")
        shows(pilot, "H neoverse_v1")
        await pressed(pilot, "H")
        filtered_by(pilot, "fits=neoverse_v1")

    drive(browser("fits=neoverse_v1"), scenario, WIDE)


def test_of_a_host_that_comes_back_it_is_not_said_again_that_it_counts(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/ fits=zen2\r")
        shows(pilot, "fits=zen2 counts, fits=zen4 before it does not")
        await pressed(pilot, "H", "H")
        shows(pilot, "run on zen2")
        lacks(pilot, "before it does not")

    drive(browser("fits=zen4"), scenario, WIDE)


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_the_key_of_the_host_asks_for_the_host_that_the_header_names(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse, own, typed_one = browse_of(pilot), HOST, Host("linux", "rhel9", "zen4")

        async def hosts(key: str) -> tuple[Host, Host]:
            """The host after a key, and the one that the key of the host then asks for, which is taken back."""
            await pressed(pilot, key)
            lacks(pilot, "that host again")
            host = browse.view.host
            if size == WIDE:
                assert f"host {host.name}" in screen_lines(pilot.app)[0]
            if browse.view.query.host is not None:
                return host, browse.view.query.host
            await pressed(pilot, "H")
            asked = browse.view.query.host
            assert asked is not None
            await pressed(pilot, "u")
            return host, asked

        await typed(pilot, f"/py-mpi4py fits={typed_one}\r")
        assert await hosts("H") == (typed_one, typed_one)
        assert await hosts("u") == (typed_one, typed_one)
        assert await hosts("u") == (own, own)
        await typed(pilot, f"/py-mpi4py fits={typed_one}\r")
        assert await hosts("x") == (own, own)
        assert await hosts("u") == (typed_one, typed_one)
        await pressed(pilot, "H")
        assert await hosts("x") == (own, own)
        assert await hosts("u") == (typed_one, typed_one)

    drive(browser(), scenario, size)


def test_many_filters_are_counted_and_one_text_is_one_chip(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        chips = screen_lines(pilot.app)[1]
        assert chips.count("arch=linux-ubuntu22.04-x86_64_v3") == 1
        assert chips.endswith("+3 more: w lists them")
        assert {"py-mpi4py", "@4:"} < set(chips.split())

    query = "py-mpi4py arch=linux-ubuntu22.04-x86_64_v3 @4: %gcc@11 stack=e4s build_system=python_pip"
    drive(browser(query), scenario, SMALL)


def test_a_host_stays_when_its_filter_goes_but_is_taken_back_with_the_steps(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)

        async def hosts(*keys: str) -> list[str]:
            found = []
            for key in keys:
                await pressed(pilot, key)
                found.append(browse.view.host.target)
            return found

        own, first, second = HOST.target, "zen4", "neoverse_v1"
        await typed(pilot, f"/fits={first}\r")
        assert await hosts("H", "u", "u", "U", "U") == [first, first, own, first, first]
        assert await hosts("slash", "escape") == [first, first]
        await typed(pilot, "/os=ubuntu22.04\r")
        assert await hosts("x", "u") == [own, first]
        await typed(pilot, f"/ fits={second}\r")
        assert browse.view.host.target == second
        (part,) = browse.view.query.parts_of("fits")
        browse.filters.step(browse.view.query_without(part))
        assert await hosts("down", "u", "u") == [own, second, first]
        browse.filters.look_at(Query.parse("zlib"))
        assert await hosts("down") == [own]

    drive(browser(), scenario, WIDE)


def test_a_host_that_was_chosen_is_a_chip_that_goes_like_any_other(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        browse.action_choose_host()
        await pilot.pause()
        shows(pilot, "Which host? (specs of all 2 tags)", "built for it")
        await typed(pilot, "linux-rhel9-zen4\r")
        await pilot.pause()
        filtered_by(pilot, "fits=linux-rhel9-zen4")
        assert browse.view.host == Host("linux", "rhel9", "zen4")
        await pressed(pilot, "x")
        shows(pilot, "no filter")
        assert browse.view.host == HOST
        await pressed(pilot, "end")
        shows(pilot, "H runs")
        await pressed(pilot, "u")
        filtered_by(pilot, "fits=linux-rhel9-zen4")
        await pressed(pilot, "H", "end")
        shows(pilot, "H linux-rhel9-zen4")
        await pressed(pilot, "H", "w", "1", "H")
        filtered_by(pilot, f"fits={HOST}")

    drive(browser(), scenario, SMALL)


def test_a_host_that_cannot_be_read_is_asked_for_again(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).action_choose_host()
        await settled(pilot)
        await typed(pilot, "???")
        await answered(pilot, "enter", "no target '???'", ": ???", "No such host.")
        lacks(pilot, "Enter takes")
        await pilot.press("ctrl+u")
        await typed(pilot, "zen3\r")
        filtered_by(pilot, "fits=zen3")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [SMALL, WIDE, LEAST])
def test_a_host_is_chosen_from_those_that_there_are_builds_for(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).action_choose_host()
        await settled(pilot)
        shows(pilot, ">linux-ubuntu22.04-zen3", " linux-ubuntu24.04-aarch64", "this machine")
        await typed(pilot, "seq")
        shows(pilot, ">darwin-sequoia-aarch64")
        lacks(pilot, "linux-ubuntu24.04-aarch64")
        await pressed(pilot, "enter")
        assert browse_of(pilot).view.host == Host("darwin", "sequoia", "aarch64")
        browse_of(pilot).action_choose_host()
        await settled(pilot)
        shows(pilot, ">darwin-sequoia-aarch64")
        await pressed(pilot, "escape")
        assert browse_of(pilot).view.host == Host("darwin", "sequoia", "aarch64")

    drive(browser(), scenario, size)


def test_hosts_that_were_chosen_before_stand_behind_the_one_that_is_assumed(
    drive: Drive, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def listed(pilot: Pilot[Any]) -> list[str]:
        browse_of(pilot).action_choose_host()
        await settled(pilot)
        lines = screen_lines(pilot.app)
        heading = next(at for at, line in enumerate(lines) if "built for it" in line)
        return [" ".join(line.strip("> ┃").split()) for line in lines[heading + 1 : heading + 4]]

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/fits=linux-rhel8-zen3\r")
        await typed(pilot, "/fits=linux-rhel9-zen4\r")
        await pressed(pilot, "x")
        before = ["linux-rhel9-zen4 chosen before", "linux-rhel8-zen3 chosen before"]
        assert await listed(pilot) == [f"{HOST} this machine", *before]
        await pressed(pilot, "down", "down", "enter")
        filtered_by(pilot, "fits=linux-rhel8-zen3")
        monkeypatch.setenv("CACHETUI_HOST", str(HOST))
        chosen = ["linux-rhel8-zen3 chosen", "linux-rhel9-zen4 chosen before"]
        assert await listed(pilot) == [f"{HOST} CACHETUI_HOST", *chosen]
        await pressed(pilot, "escape", "H")
        shows(pilot, "judged by linux-rhel8-zen3 still; CACHETUI_HOST: Ctrl+P host or", "fits=here")

    drive(browser(), scenario, SMALL)


def test_an_os_alone_asks_for_a_target_and_offers_some(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).action_choose_host()
        await typed(pilot, "rhel9")
        shows(pilot, ": rhel9", ">linux-rhel9-zen3")
        problem = "'rhel9' is an os without a target: expected both, such as linux-rhel9-x86_64_v3"
        says(pilot, f"{problem}; Enter takes linux-rhel9-zen3")
        await answered(pilot, "down", ">linux-rhel9-x86_64_v3", "Enter choose")
        await pressed(pilot, "enter")
        filtered_by(pilot, "fits=linux-rhel9-x86_64_v3")

    drive(browser(), scenario, SMALL)


def test_the_host_that_the_key_takes_is_said_where_there_is_no_room_for_why_none_is_named(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).action_choose_host()
        await settled(pilot)
        await typed(pilot, "ubuntu22.04")
        shows(pilot, ">linux-ubuntu22.04-zen3")
        assert screen_lines(pilot.app)[-1].strip() == "Enter takes linux-ubuntu22.04-zen3"
        lacks(pilot, "without a target")

    drive(browser(), scenario, LEAST)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
@pytest.mark.parametrize("text", ["linux-rhel8-zne3", "rehl8-zn3"])
@pytest.mark.parametrize("keys", [["enter"], ["tab", "enter"]])
def test_a_host_with_a_typing_error_is_offered_put_right_and_taken(
    drive: Drive, size: tuple[int, int], text: str, keys: Sequence[str]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).action_choose_host()
        await settled(pilot)
        await typed(pilot, text)
        shows(pilot, ">linux-rhel8-zen3")
        says(pilot, f"{'zen3?' if text == 'linux-rhel8-zne3' else 'freebsd;'} Enter takes linux-rhel8-zen3")
        await pressed(pilot, *keys)
        filtered_by(pilot, "fits=linux-rhel8-zen3")

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_the_host_that_a_mistyped_os_is_a_slip_of_is_taken_and_what_was_typed_stays_below_it(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def asked(pilot: Pilot[Any]) -> None:
        browse_of(pilot).action_choose_host()
        await settled(pilot)
        await typed(pilot, "linux-rhle8-zen3")
        shows(pilot, ">linux-rhel8-zen3", " linux-rhle8-zen3", "os rhle8 is not known")
        says(pilot, "no os rhle8; Enter takes linux-rhel8-zen3")

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await asked(pilot)
        await pressed(pilot, "enter")
        filtered_by(pilot, "fits=linux-rhel8-zen3")
        for _ in range(2):
            await asked(pilot)
            await answered(pilot, "down", ">linux-rhle8-zen3", "Enter choose")
            await pressed(pilot, "enter")
            filtered_by(pilot, "fits=linux-rhle8-zen3")

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_an_os_that_is_like_no_other_is_taken_as_it_is_and_its_row_says_that_nothing_knows_it(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).action_choose_host()
        await settled(pilot)
        lacks(pilot, "is not known")
        await typed(pilot, "linux-foo-zen4")
        shows(pilot, ">linux-foo-zen4", "os foo is not known")
        await pressed(pilot, "enter")
        assert browse_of(pilot).view.host == Host("linux", "foo", "zen4")

    drive(browser(), scenario, size)


def test_an_os_of_a_host_that_nothing_knows_is_said_however_it_is_named(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/fits=linux-rhel87-zen3\r")
        shows(pilot, "os rhel87 is not known; nearest: rhel8, ")
        await pilot.press("x")
        browse_of(pilot).action_choose_host()
        await typed(pilot, "linux-foo-zen4\r")
        await pilot.pause()
        shows(pilot, "os foo is not known: its glibc is not; ")
        await pilot.press("x")
        await typed(pilot, "/fits=zen3 fits=zen2\r")
        shows(pilot, "fits=zen2 counts, fits=zen3 before it does not: a query has one host")

    drive(browser(), scenario, WIDE)


def test_a_message_that_is_longer_than_the_line_takes_two(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).action_choose_host()
        await typed(pilot, "linux-rhel7-zen4\r")
        await pilot.pause()
        said = screen_lines(pilot.app)[-2:]
        assert said[0].startswith("0 run on linux-rhel7-zen4; left out: needs glibc")
        assert all(said)
        await pressed(pilot, "down")
        assert "left out" not in "".join(screen_lines(pilot.app)[-2:])
        assert screen_lines(pilot.app)[-1].endswith("q quit")
        await typed(pilot, "/hdf5 ]]")
        shows(pilot, "closes nothing; write a package name", "%compiler or a")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("host", "size", "said"),
    [
        ("linux-rhel7-zen4", WIDE, "left out: needs glibc "),
        ("linux-rhel7-zen4", SMALL, " more reasons (w)"),
        ("linux-rhel7-zen4", LEAST, " more "),
        ("linux-foo-zen4", LEAST, "may (glibc not known)"),
    ],
)
def test_of_the_reasons_of_a_host_so_many_are_said_as_have_room(
    drive: Drive, host: str, size: tuple[int, int], said: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).action_choose_host()
        await typed(pilot, f"{host}\r")
        await pilot.pause()
        message = browse_of(pilot).bars.hints.text
        assert said in message
        assert message == " ".join(line.strip() for line in screen_lines(pilot.app)[-2:]).strip()

    drive(browser(), scenario, size)


def test_a_value_that_no_facet_has_is_said_when_it_is_looked_for(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        facets = browse_of(pilot).panes.facets
        await typed(pilot, "f")
        await pressed(pilot, *["down"] * 3)
        before = facets.cursor_key
        await typed(pilot, "/")
        shows(pilot, "/ a part of a value of a facet; queries are typed in the lists")
        await typed(pilot, "@1.14\r")
        shows(pilot, "no facet has a value like @1.14; / in a list asks for anything else")
        assert facets.cursor_key == before
        await typed(pilot, "/neoverse\r")
        lacks(pilot, "no facet has")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_where_no_value_has_what_is_looked_for_those_spelled_like_it_are_found(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        facets = browse_of(pilot).panes.facets
        await typed(pilot, "f/ubunut22")
        shows(pilot, "no such value; nearest:  Up Down another  Enter to the value", "os (")
        lacks(pilot, "stack (")
        await pressed(pilot, "enter")
        assert facets.cursor_key == ("os", "ubuntu22.04")
        lacks(pilot, "nearest:")
        await pressed(pilot, "space")
        filtered_by(pilot, "os=ubuntu22.04")
        await typed(pilot, "/ubunut22")
        await pressed(pilot, *["backspace"] * 4)
        lacks(pilot, "nearest:")

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_a_value_that_is_looked_for_and_left_moves_neither_cursor_nor_view(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "f", "end", "up", "up")
        for text in ("aarch64", "e4s-one", "qqq"):
            await comes_back(pilot, "slash", *text, "escape")

    drive(browser(), scenario, size)


def test_up_and_down_go_through_the_values_that_were_found_from_the_first_that_any_spec_has(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        facets = browse_of(pilot).panes.facets
        await typed(pilot, "f/neoverse")
        found = [key for key in map(facets.rows.key, range(len(facets.rows))) if isinstance(key, tuple) and key[1]]
        assert [facet for facet, _ in found] == ["stack", "stack", "target", "target"]
        assert facets.cursor_key == ("target", "neoverse_v2")
        shows(pilot, "Up Down another")
        await pressed(pilot, "down", "down")
        assert facets.cursor_key == found[-1]
        await pressed(pilot, "up", "up")
        assert facets.cursor_key == found[1]
        await pressed(pilot, "enter")
        assert facets.cursor_key == found[1]

    drive(browser("target=x86_64_v3"), scenario, WIDE)


def test_the_header_says_how_many_are_sure_to_run(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        view = browse_of(pilot).view
        found = host_fit(view.index, view.query)
        assert found is not None
        assert found.certain + found.uncertain == len(view.results)
        assert found.uncertain
        shows(pilot, f"{len(view.results)} of 413 specs · {found.certain} run, {found.uncertain} may")
        await pressed(pilot, "enter")
        rows = browse_of(pilot).panes.specs.rows
        signs = {rows.row(k).sign for k in range(len(rows))}
        assert signs == {"?"}, "the libc of nixos is not known"

    drive(browser("fits=linux-nixos-zen3"), scenario, WIDE)


def test_a_first_query_that_needs_a_graph_says_why_pages_cannot_answer_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "0 of 413 specs", "No answer: '^' asks about", "x clears all")
        await typed(pilot, "x")
        shows(pilot, "413 of 413 specs")

    drive(browser("py-mpi4py ^mpich"), scenario, WIDE)


def test_whether_all_is_there_is_a_facet_of_build_caches(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("f")
        await settled(pilot)
        shows(pilot, "complete (2)", "  yes  ", "  no  ")
        await pressed(pilot, "end", "enter")
        shows(pilot, "complete=no", "+ no", "7 of 8 specs")
        await pressed(pilot, "minus")
        shows(pilot, "complete=yes", "+ yes", "1 of 8 specs")
        await pressed(pilot, "up", "enter")
        shows(pilot, "no filter", "8 of 8 specs")

    drive(cache_browser("", str(CACHES / "v3/spack-1.1.0/only-roots")), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_what_is_cleared_and_taken_back_is_said_and_the_host_named(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        gone, again = "os=ubuntu22.04, fits=linux-rhel9-zen4", f"judged by {HOST.name} again"
        await pressed(pilot, "x")
        says(pilot, f"taken away: {gone}; {again}; u goes back")
        await pressed(pilot, "u")
        says(pilot, f"taken back: now with {gone}; U does it again")
        await pressed(pilot, "U")
        says(pilot, f"done again: {gone} are gone, {again}")
        await pressed(pilot, "comma", "u")
        shows(pilot, "back in develop")
        lacks(pilot, "taken back")
        await pressed(pilot, "U")
        shows(pilot, "again in develop-2025-04-20")

    drive(browser("os=ubuntu22.04 fits=linux-rhel9-zen4"), scenario, size)


def test_clearing_the_host_that_stays_is_said_and_a_step_to_take_back(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "H")
        browse = browse_of(pilot)
        for keys, said in ((["x"], ""), (["u", "x"], ""), (["u", "slash", *"mpi4py", "enter", "x"], "taken")):
            await pressed(pilot, *keys)
            shows(pilot, f"judged by {HOST.name} again; u goes back", *(["taken away: mpi4py"] if said else []))
            assert browse.view.host == HOST
            await pressed(pilot, "u")
            shows(pilot, "taken back: now with mpi4py, judged by zen4" if said else "taken back: judged by zen4")
            assert browse.view.host.name == "zen4"
            await pressed(pilot, "U")
            shows(pilot, f"judged by {HOST.name}")
            assert browse.view.host == HOST
            await pressed(pilot, "x")
            shows(pilot, "nothing to clear")
            assert browse.view.host == HOST

    drive(browser("fits=zen4"), scenario, SMALL)


@pytest.mark.parametrize("keys", [["w", "1"], ["slash", *["backspace"] * (len("fits=linux-rhel8-zen3") + 1), "enter"]])
def test_where_a_filter_that_named_a_host_goes_it_is_said_which_one_judges_again(
    drive: Drive, keys: Sequence[str]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, *keys)
        filtered_by(pilot, "os=ubuntu22.04")
        says(pilot, f"judged by {HOST.name} again")
        await pressed(pilot, "u", "down")
        lacks(pilot, "judged by")
        await pressed(pilot, "U")
        says(pilot, f"done again: fits=linux-rhel8-zen3 is gone, judged by {HOST.name} again")

    drive(browser("os=ubuntu22.04 fits=linux-rhel8-zen3"), scenario, SMALL)


def test_where_the_host_is_the_same_it_is_not_said_which_one_judges(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        for keys in (["x"], ["u"], ["w", "1"], ["u"], ["U"]):
            await pressed(pilot, *keys)
            lacks(pilot, "judged by")

    drive(browser(f"fits={HOST}"), scenario, SMALL)


def test_a_hash_that_a_host_hides_is_judged_by_the_host_of_before_which_is_said(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await sought(pilot, "2feova4", "number_sign")
        says(pilot, f"taken away to show it: fits=neoverse_v1; judged by {HOST.name} again; Esc goes back")

    drive(browser("fits=neoverse_v1"), scenario, SMALL)


def test_clearing_says_in_which_tag_one_is_again(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, "/tag=develop,develop-2025-04-20\r")
        await pressed(pilot, "x")
        shows(pilot, "in develop again; u goes back")
        await pressed(pilot, "u")
        shows(pilot, "back in develop,develop-2025-04-20")

    drive(browser(), scenario, SMALL)


def test_within_a_package_clearing_says_that_one_is_still_in_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await sought(pilot, " py-mpi4py")
        await pressed(pilot, "enter")
        await answered(pilot, "x", "taken away: py-mpi4py; u goes back; still in py-mpi4py (Esc leaves it)")
        await answered(pilot, "x", "nothing to clear; still in py-mpi4py (Esc leaves it)")
        await pressed(pilot, "escape")
        await answered(pilot, "x", "nothing to clear")
        lacks(pilot, "still in")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(("typed_now", "said"), [(" %gcc", "taken away: %gcc; u goes back"), ("", "nothing to clear")])
def test_clearing_leaves_the_tag_and_says_so_where_it_is_not_the_first(drive: Drive, typed_now: str, said: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await sought(pilot, f"{typed_now} tag=develop-2025-04-20")
        await pressed(pilot, "x")
        shows(pilot, f"{said}; still in develop-2025-04-20: t leads to others")
        await pressed(pilot, "u", "t", "home", "down", "enter", "x")
        assert browse_of(pilot).view.tag == "develop"
        lacks(pilot, "still in")

    drive(browser(), scenario, SMALL)


def test_where_nothing_is_filtered_clearing_says_so_and_is_no_step(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "H", "H", "x")
        shows(pilot, "nothing to clear")
        await pressed(pilot, "u", "u")
        shows(pilot, "no filter")
        await pressed(pilot, "u")
        shows(pilot, "no filter step to take back")

    drive(browser(), scenario, SMALL)


def test_a_filter_that_gave_way_to_another_one_is_said_beside_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse_of(pilot).filters.facets.toggle("os", "ubuntu24.04")
        await pressed(pilot, "u")
        shows(pilot, "taken back: now os=ubuntu22.04 in place of os=ubuntu22.04,ubuntu24.04; U does it again")
        await pressed(pilot, "U")
        shows(pilot, "done again: now os=ubuntu22.04,ubuntu24.04 in place of os=ubuntu22.04")
        lacks(pilot, "does it again")

    drive(browser("os=ubuntu22.04"), scenario, WIDE)


def test_marks_that_a_step_puts_out_of_sight_are_said_once(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "enter", "space", "down", "space", "escape")
        await pressed(pilot, "comma")
        shows(pilot, "2 marked specs out of sight: m lists all")
        await pressed(pilot, "H")
        lacks(pilot, "out of sight")
        await pressed(pilot, "u", "u")
        assert browse_of(pilot).view.tag == "develop"
        lacks(pilot, "out of sight")
        await pressed(pilot, "U")
        shows(pilot, "again in develop-2025-04-20; 2 marked specs out of sight")

    drive(browser(), scenario, SMALL)


def test_of_marks_that_are_out_of_sight_all_are_counted_where_a_step_hides_another(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "space", "escape", "down", "enter", "space", "escape")
        browse = browse_of(pilot)
        for package, said in (("py-mpi4py", "1 marked spec out of"), ("py-safetensors", "2 marked specs out of")):
            browse.filters.step(Query.parse(f"{package} tag=develop"))
            await settled(pilot)
            shows(pilot, said)

    drive(browser(), scenario, SMALL)


def test_the_way_out_stands_before_the_marks_that_a_typing_error_hides(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "enter", "space", "down", "space", "escape")
        await typed(pilot, "/os=ubnt22.04\r")
        await settled(pilot)
        said = " ".join(" ".join(screen_lines(pilot.app)[-2:]).split())
        assert said.startswith("no os ubnt22.04; nearest: ubuntu22.04")
        assert said.endswith("; w mend, u undo, x clear; 2 marked specs out of sight: m lists all")

    drive(browser(), scenario, SMALL)


def test_the_line_of_filters_says_how_one_of_several_is_taken_out_where_it_has_room(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        lacks(pilot, "take out)")
        await answered(pilot, "enter", "os=ubuntu22.04 ")
        await sought(pilot, " %gcc")
        assert (
            " ".join(screen_lines(pilot.app)[1].split())
            == "os=ubuntu22.04 ✕ %gcc ✕ (w: why, take out) host linux-ubuntu22.04-zen3"
        )
        await pressed(pilot, "escape")
        await sought(pilot, " stack!=hep,root")
        assert " ".join(screen_lines(pilot.app)[1].split()).endswith(f"stack!=hep,root ✕ host {HOST}")
        await pressed(pilot, "w", "3")
        filtered_by(pilot, "os=ubuntu22.04", "stack!=hep,root")

    drive(browser("os=ubuntu22.04"), scenario, SMALL)


def test_among_specs_the_sign_of_what_does_not_run_is_explained(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        lacks(pilot, "rows with !")
        assert screen_lines(pilot.app)[1].endswith(f"  host {HOST} (another host: Ctrl+P host)")
        await resized(pilot, (140, 40))
        assert screen_lines(pilot.app)[1].endswith("  another host: Ctrl+P host")
        await resized(pilot, (80, 24))
        await pressed(pilot, "enter")
        assert screen_lines(pilot.app)[1].endswith(f"  rows with ! do not run on host {HOST}")
        await resized(pilot, (140, 40))
        assert screen_lines(pilot.app)[1].endswith("  rows with ! do not run on the host")
        await resized(pilot, (80, 24))
        await sought(pilot, " target=aarch64: %gcc@9:")
        assert screen_lines(pilot.app)[1].endswith(f"(w: why, take out)     host {HOST}")
        await pressed(pilot, "x")
        shows(pilot, "rows with !")
        await sought(pilot, "os=ubuntu22.04 target=x86_64_v3")
        assert browse_of(pilot).view.shown.rows, "all of them run"
        filtered_by(pilot, "os=ubuntu22.04", "target=x86_64_v3")
        lacks(pilot, "rows with !")
        await resized(pilot, (140, 40))
        assert screen_lines(pilot.app)[1].endswith("  another host: Ctrl+P host")
        await pressed(pilot, "escape", "x")
        await sought(pilot, "os=ubuntu24.04")
        said = "rows with ! do not run on the host (another host: Ctrl+P host)"
        assert screen_lines(pilot.app)[1].endswith(f"  {said}")

    drive(browser(), scenario, SMALL)


def test_the_mouse_takes_out_the_filter_that_it_is_pressed_on(drive: Drive) -> None:
    async def clicked(pilot: Pilot[Any], x: int) -> None:
        await pilot.click("#chips", offset=(x, 0))
        await settled(pilot)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        line = screen_lines(pilot.app)[1]
        await clicked(pilot, line.index("%gcc"))
        filtered_by(pilot, "arch=linux-ubuntu22.04-x86_64_v3", "stack=e4s")
        shows(pilot, "taken away: %gcc; u goes back")
        await clicked(pilot, 100)
        filtered_by(pilot, "arch=linux-ubuntu22.04-x86_64_v3", "stack=e4s")
        await clicked(pilot, screen_lines(pilot.app)[1].index("✕"))
        assert screen_lines(pilot.app)[1].split()[:3] == ["stack=e4s", "✕", "another"]
        await clicked(pilot, 0)
        shows(pilot, "no filter")
        await clicked(pilot, 0)
        shows(pilot, "no filter")

    drive(browser("%gcc arch=linux-ubuntu22.04-x86_64_v3 stack=e4s"), scenario, WIDE)


def test_the_mouse_takes_out_what_stands_in_the_line_as_nobody_typed_it(drive: Drive) -> None:
    """A name with its `=`, what is left of an `arch=`; and not the last filter by the number of those behind it."""

    async def clicked(pilot: Pilot[Any], text: str) -> None:
        await pilot.click("#chips", offset=(screen_lines(pilot.app)[1].index(text), 0))
        await settled(pilot)

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        browse = browse_of(pilot)
        await typed(pilot, "/py-mpi4pyos=ubuntu22.04\r")
        filtered_by(pilot, "py-mpi4py", "os=ubuntu22.04")
        await clicked(pilot, "py-mpi4py")
        assert browse.view.query.texts[:1] == ("os=ubuntu22.04",)
        await typed(pilot, "x/arch=linux-ubuntu22.04-x86_64_v3\r")
        browse.filters.step(browse.view.query.without_key("os"))
        await settled(pilot)
        await clicked(pilot, "target=")
        assert "target" not in str(browse.view.query)
        filtered_by(pilot, "platform=linux")
        await typed(pilot, "x/%gcc build_type=Release,RelWithDebInfo,Debug,MinSizeRel,Other +shared os=ubuntu22.04\r")
        before = browse.view.query
        await clicked(pilot, "more: w")
        assert browse.view.query == before

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [SMALL, LEAST])
def test_the_newest_filter_is_seen_and_older_ones_are_counted(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await sought(pilot, "build_system=python_pip %gcc@11.4.0 os=ubuntu22.04 platform=linux")
        await sought(pilot, " target=x86_64_v3")
        assert "target=x86_64_v3 ✕" in screen_lines(pilot.app)[1]
        assert "more: w lists them" in screen_lines(pilot.app)[1]
        await sought(pilot, "py-mpi4py", "slash")
        assert "py-mpi4py ✕" in screen_lines(pilot.app)[1], "though a name stands first in a query"
        await pressed(pilot, "u")
        assert "target=x86_64_v3 ✕" in screen_lines(pilot.app)[1]

    drive(browser(), scenario, size)

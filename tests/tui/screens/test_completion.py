"""The ways on of a query that is typed, and Tab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.browsing import (
    LEAST,
    SMALL,
    WIDE,
    browse_of,
    browser,
    cache_browser,
    filtered_by,
    lacks,
    pressed,
    settled,
    shows,
    typed,
)
from tests.support.caches import CACHES
from tests.support.drive import Drive
from tests.support.rows import in_tags, row, write
from tests.support.screens import screen_lines


def test_the_way_on_is_told_for_the_line_and_for_the_list(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/nosuch")
        shows(pilot, "Enter, then: w says more")
        await pilot.press("enter")
        await pilot.pause()
        shows(pilot, "\n w says more")

    drive(browser(), scenario, SMALL)


def test_a_word_that_is_not_finished_does_not_empty_the_list(drive: Drive) -> None:
    """`os=ub` takes nothing yet, but goes on to what does; the list is that of the query without it."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/py-mpi4py os=ub")
        shows(pilot, "91 of 413 specs", "ub is no os yet: Enter wants it whole  Tab ubuntu22.04")
        assert len(browse_of(pilot).view.results) == 91
        lacks(pilot, "Nothing matches")
        await typed(pilot, "x")
        shows(pilot, "Nothing matches")

    drive(browser(), scenario, SMALL)


def test_another_tag_than_that_of_the_header_is_offered_once_its_key_is_typed(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        for text in ("tag", "py-mpi4py tag"):
            await typed(pilot, f"/{text}")
            assert "Tab tag=" in screen_lines(pilot.app)[-1], text
            await pressed(pilot, "tab")
            assert browse_of(pilot).filters.typed.line.text == f"{text}="
            shows(pilot, "tag= wants a value: Tab develop")
            await pressed(pilot, "escape")

    drive(browser(), scenario, SMALL)


def test_values_are_completed_from_the_tag_that_is_looked_at(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("t", "end", "enter")
        await typed(pilot, "/stack=")
        view = browse_of(pilot).view
        there = view.results.facet("stack")
        offers = [offer.text for offer in browse_of(pilot).filters.typed.line.offers]
        assert sorted(offers) == sorted(each.value for each in there if each.specs)
        assert offers[-1] == "root"
        await pilot.press("tab")
        await pilot.pause()
        shows(pilot, f"/ stack={offers[0]}", f"Tab {offers[0]}  {offers[1]}")
        await pilot.press("tab")
        await pilot.pause()
        shows(pilot, f"/ stack={offers[1]}", f"Tab {offers[1]}  {offers[2]}")
        await pilot.press("escape", "x")
        await typed(pilot, "/tag=develop stack=")
        shows(pilot, "Tab ml-linux-x86_64-cpu")

    drive(browser(), scenario, SMALL)


def test_in_a_package_an_empty_line_goes_on_as_anywhere(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        line = browse_of(pilot).filters.typed.line
        await typed(pilot, "/")
        offers = [offer.text for offer in line.offers]
        await pressed(pilot, "escape", "enter", "slash")
        assert [offer.text for offer in line.offers] == offers

    drive(browser(), scenario, SMALL)


def test_a_word_that_tab_put_right_is_not_offered_again(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/py-mpi5py")
        shows(pilot, "Tab py-mpi4py")
        await pressed(pilot, "tab")
        shows(pilot, "/ py-mpi4py\n", "Enter keeps it")
        lacks(pilot, "Tab py-mpi4py")

    drive(browser(), scenario, SMALL)


def test_a_completion_is_taken_with_tab_and_a_line_recalled(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/py-mp")
        shows(pilot, "Tab py-mpi4py")
        await pilot.press("tab")
        await typed(pilot, " os=ub")
        shows(pilot, "Enter wants it whole  Tab ubuntu22.04  ubuntu24.04  ubuntu20.04")
        await pilot.press("tab", "tab", "enter")
        await pilot.pause()
        filtered_by(pilot, "os=ubuntu24.04")
        query = str(browse_of(pilot).view.query)
        await pilot.press("x", "slash", "up", "enter")
        await pilot.pause()
        assert str(browse_of(pilot).view.query) == query

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("text", "specs", "said"),
    [
        ("py-mpi4py os=ub", 91, "ub is no os yet; Tab offers ubuntu22.04, ubuntu24.04, ubuntu20.04"),
        ("py-mpi4py %gcc@1", 91, "gcc@1 is no compiler yet; Tab offers gcc@13.2.0, gcc@11.4.0, gcc@11.1.0"),
        ("%gccc target=x86_64_v", 321, "x86_64_v is no target yet; Tab puts in x86_64_v3"),
    ],
)
def test_a_word_that_may_go_on_does_not_empty_the_list_and_is_not_kept(
    drive: Drive, text: str, specs: int, said: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("slash")
        for letter in text:
            await typed(pilot, letter)
            assert browse_of(pilot).view.results
        assert len(browse_of(pilot).view.results) == specs
        await pressed(pilot, "enter")
        shows(pilot, f"/ {text}")
        assert f"not kept: {said}" in " ".join(" ".join(screen_lines(pilot.app)[-2:]).split())
        await pressed(pilot, "escape")
        shows(pilot, "no filter")
        await pressed(pilot, "slash", "enter")
        lacks(pilot, "not kept")
        assert not browse_of(pilot).filters.typed.is_open

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("+mpi", "acts has no variant +mpi"),
        ("api=default", "acts has no variant api=default"),
        ("target=zen", "0 of 1 specs"),
        ("+mp", "+mp is no variant yet: Enter wants it whole  Tab +mpi  +mpi_thread"),
        ("+cuda", "+cuda takes nothing yet: Tab +cuda_on"),  # acts has what it goes on to
        ("target=zen2,ze", "ze is no target yet: Enter wants it whole  Tab zen"),
    ],
)
def test_within_a_package_a_whole_variant_is_no_beginning_of_others(
    drive: Drive, tmp_path: Path, text: str, said: str
) -> None:
    rows = [
        row("acts", variants=("~mpx", "+cuda_on"), target="x86_64"),
        row("hdf5", variants=("+mpi", "+cuda", "api=default"), target="zen2"),
        row("zlib", variants=("+mpi_thread", "+cuda_on", "api=defaults"), target="zen"),
    ]

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "slash")
        await typed(pilot, text)
        shows(pilot, said, " specs · acts")
        is_left = bool(browse_of(pilot).view.shown)
        assert is_left == ("yet" in said)
        if not is_left:
            await pressed(pilot, "enter")
            shows(pilot, said, "Nothing of acts matches.")

    drive(cache_browser("", str(write(tmp_path, rows))), scenario, SMALL)


def test_within_a_package_a_whole_variant_goes_on_only_to_what_it_has_in_the_tag(drive: Drive, tmp_path: Path) -> None:
    builds = {
        "a": (row("acts"), ["v1.0"]),
        "b": (row("acts", variants=("+cuda_on",)), ["v2.0"]),
        "c": (row("hdf5", variants=("+cuda",)), ["v1.0"]),
        "d": (row("zlib", variants=("+cuda_on",)), ["v1.0"]),
    }

    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, "enter", "slash")
        await typed(pilot, "+cuda")
        shows(pilot, "0 of 1 specs · acts", "Nothing of acts matches.")

    drive(cache_browser("tag=v1.0", str(write(tmp_path, in_tags(builds)))), scenario, SMALL)


@pytest.mark.parametrize("text", ["py-mpi4py os!=ub", "py-mpi4py /2fe"])
def test_what_leaves_out_or_is_a_hash_is_kept_also_where_it_may_go_on(drive: Drive, text: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/{text}\r")
        assert not browse_of(pilot).filters.typed.is_open
        filtered_by(pilot, *text.split())

    drive(browser(), scenario, SMALL)


def test_what_is_typed_behind_a_value_is_no_part_of_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "H/mpi")
        shows(pilot, "/ fits=linux-ubuntu22.04-zen3 mpi", "1 of 4 packages")
        await typed(pilot, "\r")
        await typed(pilot, "/st")
        shows(pilot, "/ mpi fits=linux-ubuntu22.04-zen3 st", "Tab stack=")

    drive(browser(), scenario, WIDE)


def test_a_value_of_a_list_that_nothing_has_is_said_where_the_line_is_kept(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/stack=e4s,e4z\r")
        await settled(pilot)
        shows(pilot, "52 of 413", "no stack e4z; nearest: e4s")
        await typed(pilot, "x/stack=e4s,hep\r")
        await settled(pilot)
        lacks(pilot, "no stack")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_a_query_of_before_is_said_to_be_emptied_with_a_key(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/")
        lacks(pilot, "Ctrl+U")
        await typed(pilot, "mpi4py\r/")
        shows(pilot, "/ mpi4py", "Ctrl+U empties the line  Enter keeps it  Esc takes it back")
        await typed(pilot, " +")
        lacks(pilot, "Ctrl+U")
        await pressed(pilot, "ctrl+u")
        shows(pilot, "/ package, @version")
        await typed(pilot, "torch")
        lacks(pilot, "mpi4pytorch")

    drive(browser(), scenario, size)


def test_tab_mends_a_key_and_is_named_where_it_does_something(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/stak=e4s")
        await pressed(pilot, "tab")
        shows(pilot, "/ stack=e4s", "52 of 413")
        await pressed(pilot, "escape")
        await typed(pilot, "/hdf5zen3")
        lacks(pilot, "Tab")
        shows(pilot, "Enter keeps it")

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("old", "key"),
    [
        ("py-mpi4py", "os="),
        ("py-mpi4py +mpi", "os!="),
        ("py-mpi4py@4.0.1", "fits="),
        ("py-mpi4py %gcc@11", "arch="),
        ("py-mpi4py %gcc", "stak="),
    ],
)
def test_a_key_typed_right_behind_a_query_of_before_begins_a_part_of_its_own(drive: Drive, old: str, key: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        line = browse_of(pilot).filters.typed.line
        await typed(pilot, f"/{old}\r/{key}")
        assert line.text == f"{old} {key}"
        await typed(pilot, "z")
        assert line.text == f"{old} {key}z"

    drive(browser(), scenario, SMALL)


def test_what_else_is_typed_behind_a_query_of_before_goes_on_with_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        line = browse_of(pilot).filters.typed.line
        await typed(pilot, "/mpi4\r/pyos")
        assert line.text == "mpi4pyos"
        await pressed(pilot, *["backspace"] * 4)
        assert line.text == "mpi4"
        await typed(pilot, "os=")
        assert line.text == "mpi4 os="
        await pressed(pilot, *["backspace"] * 4)
        assert line.text == "mpi4"

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("old", "more", "text"),
    [
        ("%gcc", "mpi4py", "%gcc mpi4py"),
        ("@4.0.1", "mpi4py", "@4.0.1 mpi4py"),
        ("%gcc", "@11", "%gcc@11"),
        ("%mang", "o", "%mango"),
        ("%gxcx", "y", "%gxcxy"),
        ("mpi4", "py", "mpi4py"),
        ("py-mpi4py", "safe", "py-mpi4py safe"),
        ("py-mpi4py", "s", "py-mpi4py s"),
        ("py-mpi", "4", "py-mpi4"),
        ("safe", "tensors", "safetensors"),
        ("nosuchname", "x", "nosuchnamex"),
    ],
)
def test_a_letter_behind_an_old_query_begins_another_part_where_nothing_goes_on_with_it(
    drive: Drive, old: str, more: str, text: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, f"/{old}\r")
        await typed(pilot, f"/{more}")
        assert browse_of(pilot).filters.typed.line.text == text

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("mpi4pyos=rhel8", "mpi4py os=rhel8"),
        ("py-mpi4py~mpios=ubuntu22.04", "py-mpi4py~mpi os=ubuntu22.04"),
    ],
)
def test_a_blank_that_is_missing_before_a_key_is_said_and_put_in_with_tab(drive: Drive, text: str, mended: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/{text}")
        shows(pilot, f"a blank is missing: {mended}")
        await pressed(pilot, "tab")
        shows(pilot, f"/ {mended}")
        lacks(pilot, "missing")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize(
    ("text", "said", "mended"),
    [
        ("stak=e4s", "no variant stak=e4s; Enter puts in stack=e4s", "stack=e4s"),
        ("e4s", "no package e4s; Enter puts in stack=e4s", "stack=e4s"),
        ("targ", "Tab target=", "target="),
        ("target=linux", "no target linux; Enter puts in platform=linux", "platform=linux"),
        ("py-mpi4py +buid_system", "no variant +buid_system; Enter puts in +build_system", "py-mpi4py +build_system"),
    ],
)
def test_what_was_meant_is_put_in_by_enter_and_by_tab_too(drive: Drive, text: str, said: str, mended: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/{text}")
        shows(pilot, said)
        await pressed(pilot, "tab")
        assert browse_of(pilot).filters.typed.line.text == mended
        await pressed(pilot, "escape")
        await typed(pilot, "/os=ubunut22.04 stack=e4z")
        shows(pilot, "\nno os ubunut22.04; nearest: ubuntu22.04")
        lacks(pilot, "Tab")

    drive(browser(), scenario, SMALL)


def test_what_is_wrong_with_the_line_is_said_until_another_key_changes_it(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/py-mpi4py /ab /cd")
        line = browse_of(pilot).filters.typed.line
        said = screen_lines(pilot.app)[-1]
        assert line.error is not None
        assert line.error.words in said
        await pressed(pilot, "tab")
        assert screen_lines(pilot.app)[-1] == said
        await pressed(pilot, "backspace", "backspace", "backspace")
        lacks(pilot, said)
        await pressed(pilot, "escape")
        lacks(pilot, said)

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize(
    ("text", "said", "mended"),
    [
        ("py-mpi4py @@4", "Tab puts in @4", "py-mpi4py @4"),
        ("py-mpi4py%%g", "Tab puts in py-mpi4py%gcc", "py-mpi4py%gcc"),
        ("os==ubuntu22.04", "Tab puts in ubuntu22.04", "os=ubuntu22.04"),
    ],
)
def test_tab_takes_a_sign_away_that_is_typed_twice(drive: Drive, text: str, said: str, mended: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/{text}")
        assert said in " ".join(" ".join(screen_lines(pilot.app)[-2:]).split())
        await pressed(pilot, "tab")
        assert browse_of(pilot).filters.typed.line.text == mended
        assert browse_of(pilot).view.results
        await pressed(pilot, "escape")
        await typed(pilot, f"/{text} stak=e4s")
        assert said not in " ".join(screen_lines(pilot.app)[-2:])

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_beside_the_ways_on_stands_that_enter_keeps_what_is_counted(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)

        async def last_line(text: str) -> str:
            await typed(pilot, f"/{text}")
            return screen_lines(pilot.app)[-1]

        for text in ("py-", "%gcc", "py-mpi4py %gcc", "py-mpi4py stack=e4s"):
            assert (await last_line(text)).startswith("Enter keeps it  Tab "), text
            await pressed(pilot, "escape")
        for text in ("%gc", "py-mpi4py os=ub", "py-mpi4py os=", "py-mpi4py +", "py-mpi4py zlib os=u"):
            assert "Enter keeps it" not in await last_line(text), text
            await pressed(pilot, "escape")
        await typed(pilot, "/%gcc")
        await pressed(pilot, "enter", "x")
        assert "Enter keeps it  Tab" not in await last_line("")
        await pressed(pilot, "escape")
        await typed(pilot, "/%gcc")
        await pressed(pilot, "tab")
        assert screen_lines(pilot.app)[-1].startswith("Enter keeps it  Tab gcc@"), "what Tab has put in too"

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [SMALL, LEAST])
def test_enter_is_said_beside_what_a_name_was_taken_for_where_nothing_goes_on(
    drive: Drive, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/py-mip4py os=ubuntu22.04")
        last = screen_lines(pilot.app)[-1]
        leave = "  Esc takes it back" if size != LEAST else ""
        said = "no package py-mip4py; Enter puts in py-mpi4py"
        assert last.startswith(f"{said}{leave}"), "at the left, where it is typed"

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, LEAST])
def test_slips_are_said_before_what_enter_puts_in_and_give_way_to_it(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/py-mip4py")
        assert screen_lines(pilot.app)[-1].startswith("no package py-mip4py; Enter puts in py-mpi4py")
        await typed(pilot, " %gc")
        said = "no py-mip4py or gc" if size == LEAST else "no package py-mip4py or compiler gc"
        assert screen_lines(pilot.app)[-1].startswith(f"{said}; Enter puts in py-mpi4py and %gcc")

    drive(browser(), scenario, size)


@pytest.mark.parametrize(("text", "mended"), [("os=ubnt22.04", "os=ubuntu22.04"), ("stak=e4z", "stack=e4z")])
def test_a_wrong_query_of_before_names_the_key_that_mends_it_first(drive: Drive, text: str, mended: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/{text}\r/")
        last = screen_lines(pilot.app)[-1].strip()
        assert last.startswith("Tab ")
        assert last.endswith("Enter keeps it  Esc takes it back")
        await pressed(pilot, "tab")
        assert browse_of(pilot).filters.typed.line.text == mended

    drive(browser(), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_a_name_behind_another_one_is_refused_and_tab_puts_it_in_its_place(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, "/py-mpi4py\r")
        await typed(pilot, "/safetnsors")
        last = " ".join(" ".join(screen_lines(pilot.app)[-2:]).split())
        assert "only one package at a time: py-mpi4py or safetnsors" in last
        assert "Tab puts py-safetensors in place of py-mpi4py" in last
        await pressed(pilot, "tab", "enter")
        assert browse_of(pilot).view.query.line.startswith("py-safetensors")

    drive(browser(), scenario, size)


@pytest.mark.parametrize("key", ["tab", "enter"])
@pytest.mark.parametrize(
    ("before", "text", "said", "mended"),
    [
        ("os=sequoia", " os=ubuntu22.04", "Tab puts in os=sequoia,ubuntu22.04, Enter too", "os=sequoia,ubuntu22.04"),
        ("os=sequoia", " os=sequoia", "Tab leaves one os=sequoia, Enter too", "os=sequoia"),
        (
            "os=ubuntu22.04",
            " arch=darwin-sequoia-aarch64",
            "Tab puts arch=darwin-sequoia-aarch64 in place of os=ubuntu22.04, Enter too",
            "arch=darwin-sequoia-aarch64",
        ),
        (
            "arch=darwin-sequoia-aarch64",
            " os=ubuntu24.04",
            "Tab puts os=ubuntu24.04 in place of os=sequoia, Enter too",
            "platform=darwin os=ubuntu24.04 target=aarch64",
        ),
    ],
)
def test_what_cannot_stand_beside_a_part_before_it_is_put_together(
    drive: Drive, before: str, text: str, said: str, mended: str, key: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/{text}")
        assert said in " ".join(" ".join(screen_lines(pilot.app)[-2:]).split())
        await pressed(pilot, key)
        if key == "tab":
            shows(pilot, f"/ {mended}")
            await pressed(pilot, "enter")
        else:
            instead = said.removeprefix("Tab puts ").removesuffix(", Enter too")
            shows(pilot, instead if "in place" in said else f"twice: {mended} instead")
        filtered_by(pilot, *mended.split())
        await pressed(pilot, "u")
        filtered_by(pilot, before)

    drive(browser(before), scenario, SMALL)


@pytest.mark.parametrize("size", [WIDE, SMALL])
def test_a_whole_value_is_kept_and_nothing_is_offered_that_contradicts_it(drive: Drive, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, "/fits=linux-rhel8-zen3")
        shows(pilot, "Enter keeps it", "Esc takes it back")
        lacks(pilot, "Tab ")
        await pressed(pilot, "tab")
        assert browse_of(pilot).filters.typed.line.text == "fits=linux-rhel8-zen3"

    drive(browser(), scenario, size)


def test_tab_mends_what_was_meant_though_that_leaves_nothing(drive: Drive) -> None:
    """Of `os=ubunut24.04` the rest leaves nothing; what it leaves is another os."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, "/%gcc@11.1.0 os=ubunut24.04")
        shows(pilot, "no os ubunut24.04; nearest: ubuntu24.04, ubuntu20.04, ubuntu22.04")
        shows(pilot, "Tab ubuntu24.04  ubuntu20.04  ubuntu22.04")
        await pressed(pilot, "tab")
        shows(pilot, "os=ubuntu24.04", "Nothing matches", " 0 of 413 specs")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("py-mpi4py stack=e4", "e4 is no stack yet: Enter or Tab e4s"),
        ("py-mpi4py os=ub", "ub is no os yet: Enter wants it whole  Tab ubuntu22.04"),
        ("py-mpi4py %gcc@11.1.0 os=ub", "ub is no os yet: Enter or Tab ubuntu20.04"),
        ("py-mpi4py %gc", "gc is no compiler yet: Enter or Tab gcc"),
        ("py-mpi4py @4.0.", "@4.0. is not finished: Tab 4.0.1"),
        ("py-mpi4py build_system=py", "py is no build_system yet: Enter or Tab python_pip"),
        ("py-mpi4py os=", "os= wants a value: Tab ubuntu22.04"),
        ("py-mpi4py ta", "ta is not finished: Tab "),
    ],
)
@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
def test_what_is_not_finished_says_so_and_the_header_counts_what_is_shown(
    drive: Drive, size: tuple[int, int], text: str, said: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await typed(pilot, f"/{text}")
        found = browse_of(pilot).view.results.specs
        assert found
        assert screen_lines(pilot.app)[-1].startswith(said)
        shows(pilot, f"{found} of 413 specs")
        await pressed(pilot, "escape")
        shows(pilot, "413 of 413 specs")

    drive(browser(), scenario, size)


@pytest.mark.parametrize("size", [WIDE, SMALL, LEAST])
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("tar", "target="),
        ("compil", "compiler="),
        ("stak=", "stack="),
        ("py-mpi4py o", "os="),
        ("py-mpi4py plat", "platform="),
        ("py-mpi4py fi", "fits="),
        ("py-mpi4py build_sys", "build_system="),
        ("py-mpi4pytag=", "tag="),
    ],
)
def test_behind_a_key_that_tab_put_in_its_values_are_offered_at_once(
    drive: Drive, size: tuple[int, int], text: str, key: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        line = browse_of(pilot).filters.typed.line
        await typed(pilot, f"/{text}")
        await pressed(pilot, "tab")
        assert line.text.endswith(key)
        first, *_ = values = [offer.text for offer in line.offers]
        assert f"{key} wants a value: Tab {first}"[: size[0] - 2] in screen_lines(pilot.app)[-1]
        await pressed(pilot, "enter")
        assert line.has_class("-open")
        await pressed(pilot, "tab")
        assert line.text.endswith(f"{key}{first}")
        if len(values) > 1:
            await pressed(pilot, "tab")
            assert line.text.endswith(f"{key}{values[1]}")
            await pressed(pilot, "shift+tab")
            assert line.text.endswith(f"{key}{first}")

    drive(browser(), scenario, size)


def test_of_several_keys_tab_goes_through_these_and_enter_offers_the_values_of_one(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        line = browse_of(pilot).filters.typed.line
        await typed(pilot, "/py-mpi4py ")
        assert [offer.text for offer in line.offers][:2] == ["os=", "platform="]
        await pressed(pilot, "tab")
        shows(pilot, "Enter lists values of os=  Tab os=  platform=")
        await pressed(pilot, "tab")
        assert line.text == "py-mpi4py platform="
        await pressed(pilot, "enter")
        assert line.has_class("-open")
        assert screen_lines(pilot.app)[-1].startswith("platform= wants a value: Tab linux")
        await pressed(pilot, "tab", "enter")
        assert not line.has_class("-open")
        filtered_by(pilot, "platform=linux")

    drive(browser(), scenario, SMALL)


def test_tab_completes_the_word_that_the_cursor_was_moved_to(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        line = browse_of(pilot).filters.typed.line
        await typed(pilot, "/py-mpi4py os=ubuntu22.04 stack=e4s")
        await pressed(pilot, *["left"] * len(" stack=e4s"), *["backspace"] * len("22.04"))
        assert line.offers[0].text == "ubuntu22.04"
        await pressed(pilot, *["left"] * len("s=ubuntu"))
        assert "ubuntu22.04" not in [offer.text for offer in line.offers]
        await pressed(pilot, "end", "tab")
        assert line.text.startswith("py-mpi4py os=ubuntu stack=e4s")
        await pressed(pilot, "home", *["right"] * len("py-mpi4py os=ubu"), "tab")
        assert line.text.startswith("py-mpi4py os=ubuntu22.04 stack=e4s")

    drive(browser(), scenario, SMALL)


def test_a_key_before_its_sign_is_completed_without_another_sign(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/py-mpi4py =e4s")
        await pressed(pilot, *["left"] * len("=e4s"))
        await typed(pilot, "sta")
        await pressed(pilot, "tab")
        assert browse_of(pilot).filters.typed.line.text == "py-mpi4py stack=e4s"

    drive(browser(), scenario, SMALL)


def test_a_dependency_that_is_not_named_yet_wants_a_package(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/^")
        assert screen_lines(pilot.app)[-1].startswith("^ wants a package: Tab ")

    drive(cache_browser("", str(CACHES / "v3/spack-1.1.0/develop/btest")), scenario, SMALL)

"""The hash lookup on the sample catalogue: what its columns show in each width."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.tui.app import BrowserApp
from cachetui.tui.rows.hashes import HashRows
from cachetui.tui.screens.lookup import LookupScreen
from cachetui.tui.widgets.table import Table
from tests.support.browsing import opened
from tests.support.drive import Drive
from tests.support.places import SAMPLE_CONTENT
from tests.support.rows import LETTERS, index_of, row
from tests.support.screens import screen_lines

WHOLE = "azfxomx47zgirohxluy2b4dqocroud4c"


def browser() -> BrowserApp:
    content = SAMPLE_CONTENT
    catalogue = Catalogue(content, {}, snapshot=False)
    return BrowserApp(catalogue, Query(()), Host("linux", "rhel9", "zen3"), content=content)


@pytest.mark.parametrize(
    ("size", "text", "head"),
    [
        ((140, 40), "azfxomx", WHOLE),
        ((80, 24), "azfxomx", WHOLE),
        ((80, 24), "ocroud4c", WHOLE),
        ((60, 20), "azfxomx", f"{WHOLE[:11]}…"),
    ],
)
def test_a_hash_in_several_tags_is_one_line_that_lists_them(
    drive: Drive, size: tuple[int, int], text: str, head: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.workers.wait_for_complete()
        await pilot.press("number_sign", *text)
        await pilot.pause()
        lines = screen_lines(pilot.app)
        kind = "prefix" if WHOLE.startswith(text) else "inside"
        assert lines[2].split()[:2] == [f">{head}", kind]
        assert "py-ml-dtypes" in lines[2]
        assert lines[2].endswith("develop +1")
        assert lines[-2].startswith(f"{kind} {WHOLE} develop, ")
        assert lines[-1].endswith("1 hash")

    drive(browser(), scenario, size)


def test_packages_and_typing_errors_are_counted(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.workers.wait_for_complete()
        await pilot.press("number_sign", *"mpi4")
        await pilot.pause()
        lines = screen_lines(pilot.app)
        assert lines[2].split() == [">", "package", "py-mpi4py"]
        assert lines[-1].endswith("0 hashes, 1 package by name")
        await pilot.press(*["backspace"] * 4, *"safetenzors")
        await pilot.pause()
        assert screen_lines(pilot.app)[2].split() == [">", "similar", "py-safetensors"]
        await pilot.press(*["backspace"] * 11, *f"{WHOLE[:-1]}a")
        await pilot.pause()
        assert screen_lines(pilot.app)[2].split()[1:3] == ["1", "typo"]
        assert screen_lines(pilot.app)[-1].endswith("1 hash, by typing errors alone")

    drive(browser(), scenario)


def test_what_is_in_no_hash_is_said(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.workers.wait_for_complete()
        await pilot.press("number_sign", *f"{WHOLE[:-1]}8")
        await pilot.pause()
        assert "no hash has a 8, 1 hash, by typing errors alone" in screen_lines(pilot.app)[-1]
        await pilot.press(*["backspace"] * 32, *"q0q9q8q1q")
        await pilot.pause()
        assert "No hash has a 0 or 1 or 8 or 9." in "\n".join(screen_lines(pilot.app))

    drive(browser(), scenario)


TARBALL = f"https://binaries.spack.io/develop/blobs/linux-rhel8-x86_64-gcc-11-hdf5-1.14.3-{WHOLE}.spec.json.sig"


async def found_for(pilot: Pilot[Any], text: str, index: Index | None = None) -> HashRows:
    """What a lookup finds for a text that is pasted."""
    await pilot.app.workers.wait_for_complete()
    assert isinstance(pilot.app, BrowserApp)
    await opened(pilot, LookupScreen(index or pilot.app.browse.view.index, "develop"))
    pilot.app.screen.query_one(Input).value = text
    await pilot.pause()
    rows = pilot.app.screen.query_one(Table).rows
    assert isinstance(rows, HashRows)
    return rows


@pytest.mark.parametrize(
    ("text", "hashes", "packages"),
    [
        (WHOLE, [WHOLE], []),
        ("py-ml-dtypes/azfxomx", [WHOLE], ["py-ml-dtypes"]),
        ("py-ml-dtypes@0.1:/AZFXOMX", [WHOLE], ["py-ml-dtypes"]),
        ("py-mpi4py/azfxomx", [WHOLE], ["py-mpi4py"]),
        (f"py-mpi4py/{WHOLE}", [WHOLE], ["py-mpi4py"]),
        ("nosuch/azfxomx", [WHOLE], []),
        (f"py-ml-dtypes-0.4.0-{WHOLE}", [WHOLE], ["py-ml-dtypes"]),
        ("py-ml-dtypes-0.4.0-azfxomx", [WHOLE], ["py-ml-dtypes"]),
        (TARBALL, [WHOLE], []),
        ("py-ml-dtypes/", [], ["py-ml-dtypes"]),
        ("py-mpi", [], ["py-mpi4py"]),
    ],
)
def test_what_which_takes_is_looked_up_too(drive: Drive, text: str, hashes: list[str], packages: list[str]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        found = await found_for(pilot, text)
        assert [match.hash for match in found.hashes] == hashes
        assert [found.index.packages[match.number] for match in found.names][:1] == packages

    drive(browser(), scenario)


def test_all_lines_of_what_is_pasted_are_taken(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await found_for(pilot, "")
        line = pilot.app.screen.query_one(Input)
        line.post_message(events.Paste("  py-mpi4py\r%gcc@11\r\n@4:\n"))
        await pilot.pause()
        assert line.value == "  py-mpi4py %gcc@11 @4:"

    drive(browser(), scenario)


def test_a_name_before_the_slash_leaves_the_hashes_of_that_package(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        found = await found_for(pilot, "py-mpi4py/a")
        assert found.hashes
        of = {found.index.spec(found.index.hash_rows(match.number)[0]).package for match in found.hashes}
        assert of == {"py-mpi4py"}

    drive(browser(), scenario)


def many(number: int, packages: int) -> Index:
    """So many hashes that begin with `ab`, of so many packages."""
    ends = [a + b for a in LETTERS for b in LETTERS]
    return index_of(row(f"zlib{k % packages}", hash=f"ab{ends[k]}".ljust(32, "x")) for k in range(number))


@pytest.mark.parametrize(
    ("index", "typed", "told"),
    [
        (many(200, 1), "ab", "200 hashes"),
        (many(1000, 1), "ab", "first 200 of 1,000 that begin so"),
        (many(1000, 1), "xx", "200 hashes and more"),
        (many(1000, 2), "zlib1/ab", "first 200 of 500 that begin so, 1 package by name"),
        (many(300, 30), "zlib", "0 hashes, 20 of 30 packages by name"),
    ],
)
def test_no_more_are_counted_than_are_shown_without_saying_so(
    drive: Drive, index: Index, typed: str, told: str
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        found = await found_for(pilot, typed, index)
        assert len(found.hashes) <= 200
        assert screen_lines(pilot.app)[-1].endswith(f" {told}")

    drive(browser(), scenario)


class CountedBytes(bytes):
    """The buffer of a table that counts how often it is searched."""

    searches = 0

    def find(self, *what: Any) -> int:
        self.searches += 1
        return super().find(*what)


def test_what_one_more_letter_needs_is_sought_before_it_is_typed(drive: Drive) -> None:
    index = many(1000, 1)
    table = index.columns.hashes
    table.buffer = buffer = CountedBytes(table.buffer[:])

    async def scenario(pilot: Pilot[Any]) -> None:
        assert len((await found_for(pilot, "ab", index)).hashes) == 200
        async with asyncio.timeout(30):
            while not buffer.searches:
                await asyncio.sleep(0)
        searches = buffer.searches
        await pilot.press("a", "b")
        await pilot.pause()
        assert screen_lines(pilot.app)[-1].endswith(" 1 hash")
        assert buffer.searches == searches

    drive(browser(), scenario)


def test_where_no_hash_is_like_it_the_next_step_is_said(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await found_for(pilot, "w7aicxew7aicxe")
        said = "No hash like 'w7aicxew7aicxe' in any tag. Try a shorter part of it; Esc goes back."
        assert said in "\n".join(screen_lines(pilot.app))

    drive(browser(), scenario, (100, 24))

"""The hash lookup on the sample catalogue: what its columns show in each width."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue, sample_content
from cachetui.host import Host
from cachetui.query import Query
from cachetui.tui.app import BrowserApp
from tests.tui.conftest import Drive
from tests.tui.screens import screen_lines

WHOLE = "azfxomx47zgirohxluy2b4dqocroud4c"


def browser() -> BrowserApp:
    content = str(sample_content())
    catalogue = Catalogue(content, {}, snapshot=False)
    return BrowserApp(catalogue, Query(()), Host("linux", "rhel9", "zen3"), content=content)


@pytest.mark.parametrize(
    ("size", "text", "head"),
    [
        ((140, 40), "azfxomx", WHOLE),
        ((80, 24), "azfxomx", f"{WHOLE[:15]}…"),
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
        assert "develop, develop-" in lines[2]
        assert lines[-2].startswith(f"{kind} {WHOLE} develop, develop-20")
        assert lines[-1].endswith("1 hash, 0 packages")

    drive(browser(), scenario, size)


def test_packages_and_typing_errors_are_counted(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.workers.wait_for_complete()
        await pilot.press("number_sign", *"mpi4")
        await pilot.pause()
        lines = screen_lines(pilot.app)
        assert lines[2].split() == [">", "package", "py-mpi4py"]
        assert lines[-1].endswith("0 hashes, 1 package")
        await pilot.press(*["backspace"] * 4, *f"{WHOLE[:-1]}a")
        await pilot.pause()
        assert screen_lines(pilot.app)[2].split()[1:3] == ["1", "error"]
        assert screen_lines(pilot.app)[-1].endswith("1 hash, 0 packages, 1 with typing errors")

    drive(browser(), scenario)

"""The tag in the header, in the chips and in the query line: one state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.browsing import SMALL, WIDE, browse_of, browser, filtered_by, lacks, pressed, settled, shows, typed
from tests.support.drive import Drive

OLD = "develop-2025-04-20"


def test_a_tag_that_is_not_there_is_said_with_the_nearest_and_cleared(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/tag=develop-2025-04-21\r")
        await pilot.pause()
        filtered_by(pilot, "tag=develop-2025-04-21")
        shows(pilot, "no such tag", "no tag develop-2025-04-21;", f"nearest: {OLD}")
        await pilot.press("x")
        await pilot.pause()
        shows(pilot, "develop ▾", "413 of 413 specs", "no filter")
        await pilot.press("u")
        await pilot.pause()
        filtered_by(pilot, "tag=develop-2025-04-21")

    drive(browser(), scenario, WIDE)


@pytest.mark.parametrize(("way", "before"), [([], "develop"), (["comma"], OLD), (["t", "home", "enter"], "all tags")])
@pytest.mark.parametrize("keys", [["w", "1"], ["x"]])
def test_without_a_tag_that_is_not_there_the_one_before_is_looked_at(
    drive: Drive, way: Sequence[str], before: str, keys: Sequence[str]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pressed(pilot, *way)
        shows(pilot, f"{before} ▾")
        await typed(pilot, "/tag=v9.99\r")
        await pressed(pilot, "slash", "9", "enter")
        filtered_by(pilot, "tag=v9.999")
        shows(pilot, "without tag=v9.999", "" if before == "all tags" else f"{before} again")
        await pressed(pilot, *keys)
        shows(pilot, f"{before} ▾", "no filter")

    drive(browser(), scenario, WIDE)


def test_what_is_typed_in_all_tags_is_taken_back(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "t", "home", "enter")
        await typed(pilot, "/@0.3\r")
        filtered_by(pilot, "@0.3")
        await pressed(pilot, "u")
        shows(pilot, "all tags ▾", "no filter")

    drive(browser(), scenario, WIDE)


def test_such_a_tag_can_be_mended_in_the_query_line(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, "/tag=nope\r")
        await typed(pilot, "/")
        shows(pilot, "/ tag=nope")
        await pilot.press(*["backspace"] * 4)
        await typed(pilot, f"{OLD}\r")
        await pilot.pause()
        shows(pilot, f"{OLD} ▾", "12 of 12 specs", "no filter")

    drive(browser(), scenario, WIDE)


def test_a_tag_that_was_typed_is_the_one_that_is_looked_at(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/tag={OLD}\r")
        await pilot.pause()
        shows(pilot, f"{OLD} ▾", "12 of 12 specs")
        lacks(pilot, "tag=")
        await pilot.press("x")
        await pilot.pause()
        shows(pilot, f"{OLD} ▾")
        await pilot.press("full_stop")
        await pilot.pause()
        shows(pilot, "develop ▾", "413 of 413 specs")

    drive(browser(), scenario, WIDE)


def test_a_tag_that_is_typed_and_deleted_again_leaves_the_one_before(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await typed(pilot, f"/tag={OLD}")
        assert browse_of(pilot).view.tag == OLD
        await pilot.press(*["backspace"] * 30)
        await pilot.pause()
        assert browse_of(pilot).view.tag == "develop"

    drive(browser(), scenario, SMALL)


def test_latest_and_previous_are_understood_while_typing_and_at_the_start(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        filtered_by(pilot, "@0.3")
        shows(pilot, f"{OLD} ▾", "1 of 12 specs")
        await typed(pilot, ",x/tag=latest")
        shows(pilot, "12 of 12 specs")
        lacks(pilot, "no tag latest")
        await typed(pilot, "\r")
        shows(pilot, f"{OLD} ▾", "no filter")
        await typed(pilot, "/tag=previous\r")
        await pilot.pause()
        shows(pilot, "no tag previous", "12 without tag=previous, in", f"{OLD} again")

    drive(browser("@0.3 tag=latest"), scenario, WIDE)

"""No size of a terminal ends the browser: every screen is opened in, and brought to, sizes down to one cell."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.browsing import browser, pressed
from tests.support.drive import Drive
from tests.support.screens import screen_lines

SCREENS: dict[str, tuple[str, list[str]]] = {
    "first": ("", []),
    "specs": ("", ["enter", "down", "space"]),
    "facets": ("", ["f", "down", "space"]),
    "filter": ("", ["slash", *"hd"]),
    "lookup": ("", ["number_sign", *"2feo"]),
    "coverage": ("", ["c", "down", "right"]),
    "drift": ("", ["d", "down"]),
    "timeline": ("py-mpi4py", ["v"]),
    "why": ("py-mpi4py@4: %gcc@12 os=ubuntu22.04", ["w"]),
    "help": ("", ["question_mark"]),
    "copy": ("", ["enter", "y"]),
    "export": ("", ["e"]),
    "tags": ("", ["t"]),
    "problems": ("", ["exclamation_mark"]),
    "commands": ("", ["ctrl+p"]),
    "spec": ("", ["enter", "enter"]),
}

FEW = [(6, 3), (1, 1)]

MANY = [
    *FEW,
    (80, 24),
    (80, 2),
    (6, 24),
    (24, 5),
    (2, 1),
    (1, 2),
    (3, 3),
    (6, 2),
    (7, 3),
    (12, 1),
    (1, 24),
    (80, 1),
    (80, 3),
    (5, 5),
    (4, 40),
    (200, 4),
]


@pytest.mark.parametrize("name", SCREENS)
@pytest.mark.parametrize("sizes", [FEW, pytest.param(MANY, marks=pytest.mark.soak)], ids=["few", "many"])
def test_no_size_ends_it(drive: Drive, name: str, sizes: list[tuple[int, int]]) -> None:
    query, keys = SCREENS[name]

    async def opened_and_resized(pilot: Pilot[Any]) -> None:
        await pressed(pilot, *keys)
        for size in sizes[1:]:
            await pilot.resize_terminal(*size)
            await pilot.press("end")
            await pilot.pause()
            screen_lines(pilot.app)

    drive(browser(query), opened_and_resized, sizes[0])

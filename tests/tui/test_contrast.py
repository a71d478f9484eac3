"""Every screen reads on light and on dark: the looks of its cells, as they are sent, in the usual colour schemes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import pytest
from rich.color import ColorSystem
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.tui.app import BrowserApp
from cachetui.tui.painter.cells import CellRow, Look
from cachetui.tui.rows.pictures import DOTS, UNICODE_BLOCKS
from cachetui.tui.terminal.theme import DARK, LIGHT, THEME
from tests.support.browsing import painted_rows
from tests.support.drive import Drive
from tests.support.palettes import PALETTES, contrast, contrast_of
from tests.support.places import PAGES, SAMPLE_CONTENT
from tests.support.sample_mirror import FOLDER

TEXT = 4.5
"""The least contrast of text (WCAG 2, level AA); of a scheme whose own text has less, that text's."""

DIM = 3.0
"""The least contrast of what is dim."""

PICTURES = frozenset("".join((*UNICODE_BLOCKS[:4], *map(chr, range(DOTS, DOTS + 256)))))
"""Signs that are seen, not read: they need no more contrast than hints (WCAG 2, 1.4.11)."""

ROOM = 7.0
"""Schemes whose own text has less contrast than this leave no room for dim."""

TOLD_ELSEWHERE = ("no filter", "hash", "type a part of a command", "(w: why, take out)")
"""What is dim besides hints, which are the last line, and values of which there are none."""


SCREENS: Mapping[str, tuple[str, list[str]]] = {
    "first": ("", []),
    "specs and detail": ("", ["enter", "space", "down"]),
    "spec": ("hdf5", ["enter", "enter"]),
    "facets, ticked and left out": ("", ["f", "down", "space", "down", "down", "minus"]),
    "filter": ("", ["slash", *"hdf5 +nothing stack=e4s"]),
    "nothing found": ("hdf5@99:", []),
    "lookup": ("", ["number_sign", *"2feovb4prghd2gkebr23if6bojkyydpt"]),
    "lookup with an error": ("", ["number_sign", *"2feovb4prghd2gkebr23if6bojkyydpa"]),
    "lookup, nothing yet": ("", ["number_sign"]),
    "coverage": ("", ["c", "down", "right"]),
    "coverage, numbers": ("", ["c", "down"]),
    "coverage, map": ("", ["c", "z", "down"]),
    "drift": ("", ["d", "enter", "down"]),
    "drift, changes": ("", ["d", "end", "up", "up", "enter", "up"]),
    "timeline": ("hdf5", ["v"]),
    "why": ("py-mpi4py@4: %gcc@12 os=ubuntu22.04", ["w"]),
    "help": ("", ["question_mark"]),
    "copy": ("hdf5", ["enter", "y"]),
    "tags": ("", ["t"]),
    "problems": ("", ["exclamation_mark"]),
    "commands": ("", ["ctrl+p"]),
    "dependencies": ("hdf5", ["enter", "n", "down", "down", "down", "down", "enter"]),
    "would it install": ("hdf5", ["enter", "i"]),
    "two specs": ("hdf5 stack=mpi", ["enter", "space", "down", "down", "equals_sign"]),
}

CONTENTS = {"problems": PAGES, "dependencies": FOLDER, "would it install": FOLDER, "two specs": FOLDER}
"""What is looked at where it is not the sample."""


def rows_of(drive: Drive, name: str, theme: str) -> list[CellRow]:
    """The cells of a screen, as they are sent to a terminal of 256 colours."""
    query, keys = SCREENS[name]
    catalogue = Catalogue(str(CONTENTS.get(name, SAMPLE_CONTENT)), os.environ, snapshot=False)
    app = BrowserApp(catalogue, Query.parse(query).spelled_for(fuzzy_name=True), Host.parse("linux-rhel9-zen3"))
    app.theme = theme
    rows: list[CellRow] = []

    async def scenario(pilot: Pilot[Any]) -> None:
        app.console._color_system = ColorSystem.EIGHT_BIT
        await app.workers.wait_for_complete()
        for key in keys:
            await pilot.press(key)
            await app.workers.wait_for_complete()
            await pilot.pause()
        rows.extend(painted_rows(app))

    drive(app, scenario, (140, 40))
    return rows


def looks(rows: list[CellRow]) -> dict[Look, str]:
    """Each look that text has, and one such text."""
    found: dict[Look, str] = {}
    for row in rows:
        for character, look in row.cells():
            if character.strip():
                found[look] = found.get(look, "") + character
    return {look: text[:40] for look, text in found.items()}


def unread(found: Mapping[Look, str], schemes: list[str]) -> list[str]:
    """What cannot be read in which scheme."""
    said = []
    for name in schemes:
        palette = PALETTES[name]
        for look, text in found.items():
            is_dim = "2" in look.attributes
            if is_dim and palette.own < ROOM:
                continue
            is_drawn = all(character in PICTURES for character in text)
            least = DIM if is_dim or is_drawn else min(TEXT, palette.own)
            if (seen := contrast_of(look, palette)) < least:
                said.append(f"{name}: {text!r} as {look} has {seen:.1f}, less than {least:.1f}")
    return said


@pytest.mark.parametrize("name", SCREENS)
def test_every_screen_reads_on_light_and_dark(drive: Drive, name: str) -> None:
    rows = rows_of(drive, name, THEME.name)
    found = looks(rows)
    assert found
    assert not unread(found, [name for name in PALETTES if name != "Linux console"])
    assert not [look for look in found if look.foreground or look.background], "a colour of its own"
    for y, row in enumerate(rows):
        dim = "".join(character if "2" in look.attributes else " " for character, look in row.cells()).split()
        assert not dim or y == len(rows) - 1 or " ".join(dim) in TOLD_ELSEWHERE or dim[-1] in "0-", dim


@pytest.mark.soak
def test_the_linux_console_shows_nothing_dim(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "linux")
    for name in SCREENS:
        found = looks(rows_of(drive, name, THEME.name))
        assert not unread(found, ["Linux console"])


@pytest.mark.soak
@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_the_themes_with_colours_read_on_their_background(drive: Drive, theme: Any) -> None:
    schemes = [
        name
        for name, palette in PALETTES.items()
        if (contrast(palette.background, "000000") < TEXT) is theme.dark and name != "Linux console"
    ]
    assert len(schemes) > 5
    colours = set()
    for name in SCREENS:
        found = looks(rows_of(drive, name, theme.name))
        assert not unread(found, schemes)
        colours |= {look.foreground for look in found}
    assert len(colours) > 4
    assert {code[:5] for code in colours} == {"", "38;5;"}

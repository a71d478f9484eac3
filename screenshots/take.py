"""Draws the pictures of the README: drives the browser on a catalogue and writes what it shows as SVG.

The catalogue is the sample, or where a picture needs more a made-up one of sixty packages.

Run by `make screenshots`. The same code gives the same pictures, and a test compares them with those in this folder.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from cachetui.tui.terminal.check import prepare_environment

FOLDER = Path(__file__).parent

HOST = "linux-ubuntu22.04-zen3"
"""The host that the pictures assume, whatever machine draws them."""


ON_LIGHT = {"#292929": "#fafafa", "#c5c8c6": "#202020"}
"""The background and the foreground of Rich's terminal, and what they are in a picture of a light one."""


class Picture(NamedTuple):
    """One picture: the size of the terminal and the keys that lead there."""

    size: tuple[int, int]
    keys: Sequence[str]
    query: str = ""
    made_up: bool = False
    """Whether it is of the made-up catalogue."""
    theme: str = "cachetui-dark"


PICTURES: Mapping[str, Picture] = {
    "browser": Picture((140, 40), ["f", "slash", *"e4s", "enter", "space", "escape", "down", "enter"]),
    "small": Picture((80, 24), ["enter"], "py-mpi4py stack=e4s"),
    "lookup": Picture((100, 16), ["number_sign", *"2feovb4prghd2gkebr23if6bojkyydpt"]),
    "coverage": Picture((110, 30), ["c", *["down"] * 18, *["right"] * 8], made_up=True),
    "map": Picture((80, 24), ["c", "z", "down", *["right"] * 10], made_up=True, theme="cachetui-light"),
    "drift": Picture((110, 24), ["d", "enter"]),
    "timeline": Picture((110, 30), ["v", *["down"] * 4], query="cmake", made_up=True),
    "why": Picture((100, 20), ["w"], "py-mpi4py@4: %gcc@12 os=ubuntu22.04"),
}


def make_up(folder: Path) -> Path:
    """Writes the made-up catalogue; returns the folder."""
    from tests.support.full_catalogue import write_catalogue

    write_catalogue(folder, scale=0.05, seed=1)
    return folder


async def drawn(picture: Picture, content: str | Path) -> str:
    """The SVG of one picture of this content."""
    from cachetui.catalogue import Catalogue
    from cachetui.model.host import Host
    from cachetui.query.query import Query
    from cachetui.tui.app import BrowserApp

    catalogue = Catalogue(str(content), {}, snapshot=False)
    query = Query.parse(picture.query).spelled_for(fuzzy_name=True)
    app = BrowserApp(catalogue, query, Host.parse(HOST))
    app.theme = picture.theme
    async with app.run_test(size=picture.size) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        for key in picture.keys:
            await pilot.press(key)
            await app.workers.wait_for_complete()
            await pilot.pause()
        svg = app.export_screenshot(title="cachetui")
        if "light" in picture.theme:
            for dark, light in ON_LIGHT.items():
                svg = svg.replace(dark, light)
        return svg.replace("<svg ", '<svg xml:space="preserve" ', 1)  # some viewers drop the blanks otherwise


def main() -> int:
    """Draws all pictures anew."""
    from cachetui.catalogue import sample_content

    with TemporaryDirectory() as folder:
        made_up = make_up(Path(folder) / "content")
        for name, picture in PICTURES.items():
            svg = asyncio.run(drawn(picture, made_up if picture.made_up else sample_content()))
            (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")
    return 0


if __name__ == "__main__":
    prepare_environment()
    os.environ.pop("CACHETUI_MIRROR", None)
    sys.exit(main())

"""Draws the pictures of the README: drives the browser on the sample catalogue and writes what it shows as SVG.

Run by `make screenshots`. The same code gives the same pictures, and a test compares them with those in this folder.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from cachetui.tui.terminal.check import prepare_environment

FOLDER = Path(__file__).parent

HOST = "linux-ubuntu22.04-zen3"
"""The host that the pictures assume, whatever machine draws them."""


class Picture(NamedTuple):
    """One picture: the size of the terminal and the keys that lead there."""

    size: tuple[int, int]
    keys: Sequence[str]
    query: str = ""


PICTURES: Mapping[str, Picture] = {
    "browser": Picture((140, 40), ["f", "slash", *"e4s", "enter", "space", "escape", "down", "enter"]),
    "small": Picture((80, 24), ["enter"], "py-mpi4py stack=e4s"),
    "lookup": Picture((100, 16), ["number_sign", *"2feovb4prghd2gkebr23if6bojkyydpt"]),
    "coverage": Picture((110, 24), ["c"]),
    "drift": Picture((110, 24), ["d", "enter"]),
    "why": Picture((100, 20), ["w"], "py-mpi4py@4: %gcc@12 os=ubuntu22.04"),
}


async def drawn(picture: Picture) -> str:
    """The SVG of one picture."""
    from cachetui.catalogue import Catalogue, sample_content
    from cachetui.model.host import Host
    from cachetui.query.query import Query
    from cachetui.tui.app import BrowserApp

    catalogue = Catalogue(sample_content(), {}, snapshot=False)
    query = Query.parse(picture.query).spelled_for(fuzzy_name=True)
    app = BrowserApp(catalogue, query, Host.parse(HOST))
    async with app.run_test(size=picture.size) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        for key in picture.keys:
            await pilot.press(key)
            await app.workers.wait_for_complete()
            await pilot.pause()
        svg = app.export_screenshot(title="cachetui")
        return svg.replace("<svg ", '<svg xml:space="preserve" ', 1)  # some viewers drop the blanks otherwise


def main() -> int:
    """Draws all pictures anew."""
    for name, picture in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(asyncio.run(drawn(picture)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    prepare_environment()
    os.environ.pop("CACHETUI_MIRROR", None)
    sys.exit(main())

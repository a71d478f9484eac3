"""Draws the pictures of the README: drives the browser on a catalogue and writes what it shows as SVG.

The catalogue is the sample, or where a picture needs more a made-up one of sixty packages, or two small build caches.

Run by `make screenshots`. The same code gives the same pictures, and a test compares them with those in this folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from cachetui.tui.terminal.preflight import prepare_environment

FOLDER = Path(__file__).resolve().parent

HOST = "linux-ubuntu22.04-zen3"
"""The host that the pictures assume, whatever machine draws them."""


ON_LIGHT = {"#292929": "#fafafa", "#c5c8c6": "#202020"}
"""The background and the foreground of Rich's terminal, and what they are in a picture of a light one."""

Of = Literal["sample", "made-up", "installation"]
"""What a picture is of: the sample, the made-up catalogue, or build caches beside a `spack.lock`."""


class Picture(NamedTuple):
    """One picture: the size of the terminal and the keys that lead there."""

    size: tuple[int, int]
    keys: Sequence[str]
    query: str = ""
    of: Of = "sample"
    theme: str = "cachetui-dark"
    host: str = HOST


PICTURES: Mapping[str, Picture] = {
    "browser": Picture((140, 40), ["f", "slash", *"e4s", "enter", "space", "escape", "down", "enter", "space"]),
    "coverage": Picture((110, 30), ["c", *["down"] * 18, *["right"] * 8], of="made-up"),
    "install": Picture(
        (110, 24),
        ["i", "slash", *"spack.lock", "enter"],
        "stack=mpi",
        of="installation",
        host="linux-ubuntu24.04-zen4",
    ),
}


class Content(NamedTuple):
    """What a picture is of, as a user names it who stands in a folder."""

    folder: Path
    word: str


SAMPLE = Content(FOLDER.parent, "./cachetui/sample")


def contents(folder: Path) -> Mapping[Of, Content]:
    """What the pictures are of, written into this folder where the sample will not do."""
    from tests.support.full_catalogue import write_catalogue
    from tests.support.installation import write_installation

    write_catalogue(folder / "content", scale=0.05, seed=1)
    return {
        "sample": SAMPLE,
        "made-up": Content(folder, "./content"),
        "installation": Content(write_installation(folder / "installation"), "./mirror"),
    }


def draw(picture: Picture, content: Content) -> str:
    """The SVG of one picture, drawn in the folder of the content, whatever folder this runs in."""
    with chdir(content.folder):
        return _drawn(picture, content.word)


def _drawn(picture: Picture, content: str) -> str:
    from cachetui.catalogue import Catalogue
    from cachetui.model.host import Host
    from cachetui.tui.app import BrowserApp
    from cachetui.tui.view.view import View
    from tests.support.drive import driven

    catalogue = Catalogue(content, {}, snapshot=False)
    view = View(index=catalogue.load(), host=Host.parse(picture.host))
    app = BrowserApp(catalogue, view.asked_for(view.parsed(picture.query)), content=content)
    app.theme = picture.theme
    with driven(app, picture.size) as pilot:
        for key in picture.keys:
            pilot.press(key)
        svg = app.export_screenshot(title="cachetui")
        if "light" in picture.theme:
            for dark, light in ON_LIGHT.items():
                svg = svg.replace(dark, light)
        return svg.replace("<svg ", '<svg xml:space="preserve" ', 1)  # some viewers drop the blanks otherwise


def main() -> int:
    """Draws all pictures anew."""
    with TemporaryDirectory() as folder:
        of = contents(Path(folder))
        for name, picture in PICTURES.items():
            svg = draw(picture, of[picture.of])
            (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")
    return 0


if __name__ == "__main__":
    prepare_environment()
    os.environ.pop("CACHETUI_MIRROR", None)
    sys.exit(main())

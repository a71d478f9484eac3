"""Draws the pictures of the README: drives the browser on a catalogue and writes what it shows as SVG.

The catalogue is made up, with the names of real packages, or two small build caches.

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

from cachetui.settings.settings import Settings
from cachetui.tui.terminal.preflight import prepare_environment
from screenshots.svg import DARK, Shown, drawn

FOLDER = Path(__file__).resolve().parent

HOST = "linux-ubuntu22.04-zen3"
"""The host that the pictures assume, whatever machine draws them."""


Of = Literal["made-up", "installation"]
"""What a picture is of: the made-up catalogue, or build caches beside a `spack.lock`."""


class Picture(NamedTuple):
    """One picture: what it shows, the size of the terminal and the keys that lead there."""

    what: str
    size: tuple[int, int]
    keys: Sequence[str]
    of: Of = "made-up"
    host: str = HOST


PICTURES: Mapping[str, Picture] = {
    "check": Picture(
        "The check of a lock file that needs a newer zlib-ng: the verdict, the cause, the fix and the sizes",
        (100, 24),
        ["i", "slash", *"spack.lock", "enter"],
        of="installation",
        host="linux-ubuntu24.04-zen4",
    ),
    "specs": Picture(
        "The specs of hdf5: a row for equal builds, the variants that differ, and the commands of one build",
        (120, 34),
        ["slash", *"stack=e4s os=ubuntu22.04 hdf5", "enter", "enter", "down"],
    ),
    "stacks": Picture("The stacks, worst first, each against its usual size", (140, 40), ["o", "down"]),
}


class Content(NamedTuple):
    """What a picture is of, as a user names it who stands in a folder."""

    folder: Path
    word: str


def contents(folder: Path) -> Mapping[Of, Content]:
    """What the pictures are of, written into this folder."""
    from tests.support.full_catalogue import write_catalogue
    from tests.support.installation import write_installation

    write_catalogue(folder / "content", scale=0.05, seed=1)
    return {
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

    catalogue = Catalogue(content, Settings(), index_cache=False)
    view = View(index=catalogue.load(), host=Host.parse(picture.host))
    app = BrowserApp(catalogue, view, content=content)
    app.theme = "cachetui-dark"
    with driven(app, picture.size) as pilot:
        for key in picture.keys:
            pilot.press(key)
        strips = app.screen._compositor.render_strips()
    return drawn([Shown([list(strip) for strip in strips])], DARK, picture.what)


def main() -> int:
    """Draws all pictures anew."""
    from screenshots.demo import recorded

    with TemporaryDirectory() as folder:
        of = contents(Path(folder))
        for name, picture in PICTURES.items():
            svg = draw(picture, of[picture.of])
            (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")
        (FOLDER / "demo.svg").write_text(recorded(of["made-up"].folder, of["made-up"].word), encoding="utf-8")
    return 0


if __name__ == "__main__":
    prepare_environment(os.environ)
    os.environ.pop("CACHETUI_MIRROR", None)
    sys.exit(main())

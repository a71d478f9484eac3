"""One line of text, and what of it has room."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from cachetui.tui.rows.layout import fit_words
from cachetui.tui.widgets.bar import Bar
from tests.support.drive import Drive
from tests.support.screens import screen_lines
from tests.support.table_app import PaneApp

MESSAGE = "filters were taken away to show it"


@pytest.mark.parametrize(
    ("width", "shown"),
    [(34, MESSAGE), (33, "filters were taken away to show …"), (20, "filters were taken …"), (8, "filters…"), (0, "")],
)
def test_a_text_loses_whole_words(width: int, shown: str) -> None:
    assert fit_words(MESSAGE, width, "…") == shown


@pytest.mark.parametrize("rest", ["", " another"])
@pytest.mark.parametrize(("width", "shown"), [(37, f"hdf5/{'2' * 32}"), (36, "hdf5/…"), (6, "hdf5/…"), (5, "hdf5…")])
def test_a_hash_is_never_cut_in_its_middle(rest: str, width: int, shown: str) -> None:
    room = width + 2 if rest and width == 37 else width
    assert fit_words(f"hdf5/{'2' * 32}{rest}", room, "…") == shown + (" …" if room != width else "")


def test_a_message_that_does_not_fit_is_shortened_by_words(drive: Drive) -> None:
    bar = Bar()
    bar.show([MESSAGE], ["4 of 4"])

    async def scenario(_: Pilot[None]) -> None:
        assert screen_lines(app)[0] == "filters were taken …"

    app = PaneApp(bar)
    drive(app, scenario, (24, 3))


@pytest.mark.parametrize(
    ("message", "toned", "others"),
    [
        ("3 of 9 are here", ["3 of 9 are here"], ["; 17 MB to", "download"]),
        ("3 of 9 are here, 6 are missing", ["3 of 9 are here, 6 are", "missing"], ["; 17 MB to download"]),
    ],
)
def test_what_follows_a_message_is_without_its_tone(
    drive: Drive, message: str, toned: list[str], others: list[str]
) -> None:
    bar = Bar()
    bar.show_message(message, 26, "fails", "; 17 MB to download")

    async def scenario(_: Pilot[None]) -> None:
        pieces = [(text.strip(), names) for y in (0, 1) for text, names in bar.pieces(y)]
        assert [text for text, names in pieces if text and names == ("fails",)] == toned
        assert [text for text, names in pieces if text and not names] == others

    drive(PaneApp(bar), scenario, (26, 4))

"""Text to read: it scrolls, and has no cursor."""

from __future__ import annotations

from textual.pilot import Pilot

from cachetui.tui.rows.layout import Column
from cachetui.tui.widgets.text_pane import TextPane
from tests.support.drive import Drive
from tests.support.screens import screen_lines
from tests.support.table_app import Many, PaneApp


def test_text_without_a_cursor_scrolls(drive: Drive) -> None:
    pane = TextPane([Column("", 10, share=1)], header=False)
    pane.show(Many(20, 1))
    app = PaneApp(pane)

    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.press("down", "down")
        assert [text.split()[0] for text in screen_lines(app)] == ["2.0", "3.0", "4.0", "5.0", "6.0"]
        await pilot.press("G")
        assert screen_lines(app)[-1].startswith("19.0")

    drive(app, scenario, (60, 5))
    assert app.said == []


def test_it_goes_back_to_its_first_row(drive: Drive) -> None:
    pane = TextPane([Column("", 10, share=1)], header=False)
    pane.show(Many(20, 1))
    app = PaneApp(pane)

    async def scenario(pilot: Pilot[None]) -> None:
        await pilot.press("G")
        pane.show(Many(30, 1))
        pane.go(0)
        await pilot.pause()
        assert screen_lines(app)[0].startswith("0.0")

    drive(app, scenario, (60, 5))

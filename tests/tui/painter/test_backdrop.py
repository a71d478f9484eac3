"""What is in sight below a box: as Textual draws it, but not by way of Rich."""

from __future__ import annotations

import asyncio

import pytest
from rich.style import Style
from textual.pilot import Pilot
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import Screen

from cachetui.tui.painter.backdrop import OverScreen
from tests.support.browsing import browser, pressed, settled

BOXES = [("question_mark",), ("t",), ("y",), ("exclamation_mark", "question_mark"), ("ctrl+p",), ("c", "question_mark")]


async def drawn_anew(pilot: Pilot[list[str]]) -> list[list[tuple[str, Style | None]]]:
    """Each character on the screen, and its style without what the mouse would find there."""
    pilot.app.screen.refresh(layout=True)
    await settled(pilot)
    return [
        [(letter, style and style.clear_meta_and_links()) for text, style, _ in strip for letter in text]
        for strip in pilot.app.screen._compositor.render_strips()
    ]


@pytest.mark.parametrize("keys", BOXES, ids=" ".join)
def test_it_is_what_textual_draws(keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    async def session() -> None:
        async with browser().run_test(size=(100, 30)) as pilot:
            await settled(pilot)
            await pressed(pilot, *keys)
            assert isinstance(pilot.app.screen, OverScreen)
            ours = before = None
            while before is None or ours != before:  # the palette is still looking for commands
                before = ours
                with monkeypatch.context() as patched:
                    patched.setattr(BackgroundScreen, "__rich_console__", None)
                    ours = await drawn_anew(pilot)
            with monkeypatch.context() as patched:
                patched.setattr(OverScreen, "render", Screen.render)
                assert ours == await drawn_anew(pilot)

    asyncio.run(session())

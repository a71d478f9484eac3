"""What is in sight below a box: as Textual draws it, but not by way of Rich."""

from __future__ import annotations

import asyncio

import pytest
from rich.style import Style
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import Screen

from cachetui.tui.wire.below import OverScreen
from tests.support.browsing import browser, pressed, settled

BOXES = [("question_mark",), ("t",), ("y",), ("exclamation_mark", "question_mark"), ("ctrl+p",), ("c", "question_mark")]


def seen_after(keys: tuple[str, ...], size: tuple[int, int]) -> list[list[tuple[str, Style | None]]]:
    """Each character on the screen, and its style without what the mouse would find there."""

    async def session() -> list[list[tuple[str, Style | None]]]:
        app = browser()
        async with app.run_test(size=size) as pilot:
            await settled(pilot)
            await pressed(pilot, *keys)
            assert isinstance(app.screen, OverScreen)
            return [
                [(letter, style and style.clear_meta_and_links()) for text, style, _ in strip for letter in text]
                for strip in app.screen._compositor.render_strips()
            ]

    return asyncio.run(session())


@pytest.mark.parametrize("keys", BOXES, ids=" ".join)
def test_it_is_what_textual_draws(keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(BackgroundScreen, "__rich_console__", None)
        ours = seen_after(keys, (100, 30))
    monkeypatch.setattr(OverScreen, "render", Screen.render)
    assert ours == seen_after(keys, (100, 30))

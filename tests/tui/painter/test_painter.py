"""Full and partial repaint: the same screen, and a fallback where the painter cannot work."""

import pytest
from rich.color import ColorSystem
from textual._compositor import ChopsUpdate
from textual.strip import Strip

from cachetui.tui.painter import painter
from cachetui.tui.painter.cells import NOWHERE
from tests.support.drive import SMALL, Drive
from tests.support.places import SAMPLE
from tests.support.twin import COLORS, SIZES, TwinApp, difference_of, walk


@pytest.mark.parametrize(("seed", "size", "colors"), list(zip(range(3), SIZES, COLORS, strict=True)))
def test_full_and_partial_repaint_look_the_same(seed: int, size: tuple[int, int], colors: ColorSystem) -> None:
    app = walk(SAMPLE, seed, size, colors, steps=12)
    assert app.written > 500
    assert not app.full_repaint


def test_text_right_of_a_change_is_not_redrawn() -> None:
    """Textual does not render text outside the screen, even if it was visible before."""
    left, right = Strip.blank(5), Strip.blank(5)
    update = ChopsUpdate([{0: left, 5: right}], [(0, 0, 5)], [[5, 10]])
    assert list(painter._strips(update)) == [(0, 0, left)]


def test_terminal_that_returns_to_its_old_size_is_repainted(drive: Drive) -> None:
    """Textual sees only the last size, which equals the first one."""
    app = TwinApp(SAMPLE, SMALL, ColorSystem.STANDARD)
    pilot = drive(app, SMALL)
    app.paint()
    app.painted.feed("\x1b[2J\x1b[5;5Hgarbage")
    pilot.resize(*SMALL)
    app.paint()
    assert difference_of(app) == []


def test_unknown_kind_of_screen_update_is_drawn_by_textual(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    app = TwinApp(SAMPLE, SMALL, ColorSystem.STANDARD)
    pilot = drive(app, SMALL)
    assert not app.full_repaint
    monkeypatch.setattr(painter, "_strips", lambda update: [(0, 0, None)])
    pilot.press("down")
    assert app.full_repaint
    before = app.written
    app.paint()
    assert app.written == before


def test_terminal_cursor_is_visible_only_while_typing(drive: Drive) -> None:
    app = TwinApp(SAMPLE, SMALL, ColorSystem.STANDARD)
    pilot = drive(app, SMALL)
    pilot.press("slash", "h")
    for key in ("p", "escape", "j", "k"):
        pilot.press(key)
        app.paint()
        assert app.unseen._shown is not None
        assert (app.unseen._shown.cursor != NOWHERE) is (key == "p"), key

"""A browser with two terminals, one with full and one with partial repaint, whose screens must be equal.

Both get the same updates in the same process, so that the result does not depend on time. A walk is a random session.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import IO, Any, cast

import pyte
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import RenderableType
from rich.control import Control
from textual._compositor import CompositorUpdate
from textual._xterm_parser import XTermParser
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from cachetui.catalogue import Catalogue
from cachetui.settings.settings import Settings
from cachetui.tui import app as browser
from cachetui.tui.app import BrowserApp, first_view
from cachetui.tui.painter.cells import LOOKS, Frame, text_of
from cachetui.tui.painter.output_queue import Output
from cachetui.tui.painter.painter import _strips
from tests.support.drive import Pilot, driven
from tests.support.screens import seen

ARROWS = ("\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F")

KEYS = (*ARROWS, *"jkhlgG", "\r", "\x1b", "\t", "\x1b[Z", *"/#ft,.sSuUx -!?cdvwH=oz", "\x0c", "\x7f")
"""All keys except those that quit, copy, write a file or read again."""

TEXTS = ("hdf5", "+mpi", "@1:", "漢字", "o\u0301o\u0301", "한글 x", "…é", "os=", " ", "2f")
"""Texts that are typed now and then, also with wide and combining characters."""

SIZES = ((80, 24), (140, 40), (60, 20))

COLORS = {
    ColorSystem.STANDARD: "cachetui-16",
    ColorSystem.EIGHT_BIT: "cachetui-dark",
    ColorSystem.TRUECOLOR: "cachetui-light",
}
"""A theme for each number of colours."""


class StrictScreen(pyte.Screen):
    """A screen with two features that pyte lacks: dim text looks different, and no half of a wide character remains.

    Dim is shown as blinking, which is otherwise unused. Half a wide character becomes a space, like on real terminals.
    """

    def draw(self, data: str) -> None:
        for character in data:
            line, x = self.buffer[self.cursor.y], self.cursor.x
            for border in {x, x + cell_len(character)} if cell_len(character) else ():
                if 0 < border < self.columns and not line[border].data:
                    line[border - 1] = line[border - 1]._replace(data=" ")
                    line[border] = line[border]._replace(data=" ")
            super().draw(character)

    def select_graphic_rendition(self, *attrs: int) -> None:
        codes, given = [], iter(attrs)
        for code in given:
            codes.append(5 if code == 2 else code)
            if code == 22:
                codes.append(25)
            elif code in (38, 48):
                kind = next(given)
                codes += [kind, *(next(given) for _ in range(1 if kind == 5 else 3))]
        super().select_graphic_rendition(*codes)


class Emulator:
    """A terminal."""

    def __init__(self, width: int, height: int) -> None:
        self.screen = StrictScreen(width, height)
        self.screen.reset_mode(7 << 5)  # like the driver: without wrapping
        self._stream = pyte.Stream(self.screen)

    def feed(self, text: str) -> None:
        self._stream.feed(text)

    def show(self, frame: Frame) -> None:
        """Write every cell of a frame separately."""
        for y, row in enumerate(frame.rows):
            for x, (sign, look) in enumerate(zip(*row, strict=True)):
                text = text_of(sign)  # empty in the second cell of a wide character
                self.feed(f"\x1b[{y + 1};{x + 1}H\x1b[0;{LOOKS.values_of[ord(look)]}m{text}" if text else "")

    def cells(self) -> list[list[pyte.screens.Char]]:
        """Return the text and style of every cell."""
        return [[seen(self.screen.buffer[y][x]) for x in range(self.screen.columns)] for y in range(self.screen.lines)]


class UnseenApp(BrowserApp):
    """The browser without a terminal. Frames wait until a test calls `paint`, in place of the driver's thread."""

    CSS_PATH = str(Path(browser.__file__).with_name("app.tcss"))
    written = 0
    """Bytes for the terminal."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.due: list[str] = []
        self.unseen = Output(cast(IO[str], self), self.due.append)

    def _painting_output(self) -> Output | None:
        return None if self.full_repaint else self.unseen

    def write(self, text: str) -> int:
        """Collect the output for the terminal."""
        self.written += len(text.encode())
        return len(text)

    def paint(self) -> None:
        """Write the waiting frames."""
        while self.due:
            self.unseen.write(self.due.pop(0))


class TwinApp(UnseenApp):
    """The browser with two terminals."""

    def __init__(self, content: Path, size: tuple[int, int], colors: ColorSystem) -> None:
        catalogue = Catalogue(str(content), Settings(os.environ), index_cache=False)
        super().__init__(catalogue, first_view(catalogue, Settings(os.environ)), content="content")
        self.theme = COLORS[colors]
        self.console._color_system = colors
        self.whole = Emulator(*size)
        self.painted = Emulator(*size)

    def write(self, text: str) -> int:
        # pyte does not know the omitted settings.
        self.painted.feed(text.replace("\x1b[?2026h", "").replace("\x1b[?2026l", "").replace("\x1b[6n", ""))
        return super().write(text)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if isinstance(renderable, CompositorUpdate) and self._running and not self._closed and not self._batch_count:
            # A style caches its codes, but another test may have used other colours.
            for _, _, strip in _strips(renderable):
                for style in filter(None, (segment.style for segment in strip)):
                    style._ansi = None
            x, y = self.screen.outer_size.clamp_offset(self.cursor_position)
            self.whole.feed(renderable.render_segments(self.console) + Control.move_to(x, y).segment.text)
        super()._display(screen, renderable)

    def repaint_whole(self) -> None:
        """Repaint everything on the first terminal, whatever has changed."""
        self.whole.feed("\x1b[m\x1b[2J")
        stack = [*self._background_screens, self.screen]
        for widget in (widget for screen in stack for widget in screen.walk_children(Widget)):
            widget.refresh()  # the update may list only some of the changes
        update = self.screen._compositor.render_update(full=True, screen_stack=stack[:-1])
        assert isinstance(update, CompositorUpdate)
        self.whole.feed(update.render_segments(self.console))

    def resize(self, width: int, height: int) -> None:
        """Resize both terminals."""
        for emulator in (self.whole, self.painted):
            emulator.screen.resize(height, width)

    def suspend_and_resume(self) -> None:
        """Let another program use the terminals for a while."""
        for emulator in (self.whole, self.painted):
            emulator.feed("\x1b[m\x1b[H\x1b[2Jsome other program's \x1b[7mscreen")
            emulator.feed("\x1b[m")
        self.due.clear()
        self.unseen.restart()
        self.repaint()


def walk(content: Path, seed: int, size: tuple[int, int], colors: ColorSystem, steps: int) -> TwinApp:
    """Run a random session; fail at the first step after which the two terminals differ."""
    app, random, taken = TwinApp(content.absolute(), size, colors), Random(seed), list[str]()
    with TemporaryDirectory() as folder, chdir(folder), driven(app, size) as pilot:
        for _ in range(steps):
            taken.append(_step(app, pilot, random))
            if random.random() >= 0.3:  # otherwise, the next frame would replace this one
                app.paint()
                assert difference_of(app) == [], taken
        app.paint()
        assert not app.full_repaint
        assert difference_of(app) == [], taken
        app.repaint_whole()
        assert difference_of(app) == [], taken
    return app


def _step(app: TwinApp, pilot: Pilot, random: Random) -> str:
    kind = random.random()
    if kind < 0.06:
        width, height = random.choice(SIZES)
        app.resize(width, height)
        pilot.resize(width, height)
        return f"{width}x{height}"
    if kind < 0.1:
        app.suspend_and_resume()
        pilot.settle()
        return "suspend"
    typed = random.choice("/#") + random.choice(TEXTS) if kind < 0.3 else random.choice(KEYS) * random.choice((1, 1, 5))
    parser = XTermParser()
    for event in (*parser.feed(typed), *parser.feed("")):
        app.post_message(event)
    pilot.settle()
    return typed


def difference_of(app: TwinApp) -> list[str]:
    """Return the cells in which the terminals differ; during typing, also a different cursor.

    Combining characters at the beginning of a line, for example of a scrolled line, are ignored, because Textual
    attaches them repeatedly to the space before the line.
    """
    both: Iterator[tuple[Sequence[Any], Sequence[Any]]] = zip(app.whole.cells(), app.painted.cells(), strict=True)
    cursor, wanted = app.painted.screen.cursor, app.screen.outer_size.clamp_offset(app.cursor_position)
    if isinstance(app.focused, Input) and (cursor.x, cursor.y) != wanted:
        return [f"the cursor is at {cursor.x},{cursor.y}, not at {wanted}"]
    return [
        f"{x},{y}: {whole!r} is {cell!r}"
        for y, (wholes, cells) in enumerate(both)
        for x, (whole, cell) in enumerate(zip(wholes, cells, strict=True))
        if whole != cell and not (whole.data[:1] == cell.data == " " and seen(whole._replace(data=" ")) == cell)
    ]

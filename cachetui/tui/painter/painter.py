"""An app that paints by writing only changed cells, and that stores its first error for the caller.

This module uses private parts of Textual: `App._display`, the updates of `_compositor`, `_driver`, the methods that
print errors and set the mouse pointer, the queue of a message pump, and `_layout_required` of a screen. From asyncio,
the module uses the waiters of an event. If a version of Textual has other kinds of updates, Textual paints by itself.
"""

from asyncio import Event
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from rich.color import ColorSystem
from rich.console import RenderableType
from rich.style import Style
from textual import events
from textual.app import App, ReturnType
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Input
from textual.worker import WorkerFailed

from cachetui.tui.painter.cells import NOWHERE, PLAIN, Canvas, Frame, Look, look_of
from cachetui.tui.painter.driver import PaintingDriver
from cachetui.tui.painter.output_queue import Output


class PaintedApp(App[ReturnType]):
    """An app that writes only changed cells, if the driver and the version of Textual allow this."""

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self.full_repaint = False
        """Whether Textual paints by itself, without this module. Set this before the app runs."""
        self.error: BaseException | None = None
        """The error that ended the app, if any."""
        self._canvas: Canvas | None = None

    def get_driver_class(self) -> type[Driver]:
        """Return `PaintingDriver` if the app runs in a terminal, else Textual's driver."""
        found = super().get_driver_class()
        return PaintingDriver if found is LinuxDriver else found

    def on_resize(self, event: events.Resize) -> None:
        """Paint the next frame in full, because a terminal may move or cut its content when it is resized."""
        self.forget_screen()
        if self._canvas is not None and event.size == self.size:
            self.refresh(layout=True)  # for an unchanged size, Textual would not refresh

    def forget_screen(self) -> None:
        """Paint the next frame in full, because the content of the terminal is unknown."""
        output = self._painting_output()
        if output is not None:
            output.forget()

    def send_to_terminal(self, sequence: str) -> None:
        """Write a control sequence that neither moves the cursor nor changes cells."""
        if self._driver is not None:
            self._driver.write(sequence)

    def _painting_output(self) -> Output | None:
        """Return the queue for frames, or None if Textual must paint by itself."""
        driver = self._driver
        return driver.output if isinstance(driver, PaintingDriver) and not self.full_repaint else None

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        output = self._painting_output()
        paints = self._running and not self._closed and not self._batch_count
        if output is None or renderable is None or not paints:
            super()._display(screen, renderable)
            return
        try:
            output.show(self._drawn(renderable))
        except Exception as error:  # a version of Textual that this module does not support
            self.full_repaint = True
            output.forget()
            self.log.warning(f"after an error, the browser uses Textual's own, slower output: {error!r}")
            super()._display(screen, renderable)
            self.call_later(self.refresh, layout=True)
            return
        self.post_display_hook()

    def _drawn(self, update: RenderableType) -> Frame:
        """Draw an update from Textual's compositor on the canvas, and return the whole frame."""
        from textual._compositor import LayoutUpdate

        if isinstance(update, LayoutUpdate):
            width, height = update.region.bottom_right
            if self._canvas is None or (self._canvas.width, self._canvas.height) != (width, height):
                self._canvas = Canvas(width, height)
        canvas = self._canvas
        assert canvas is not None
        color_system = self.console._color_system or ColorSystem.TRUECOLOR
        for x, y, strip in _strips(update):
            canvas.draw(x, y, [(text, look_of_style(style, color_system)) for text, style, _ in strip])
        cursor = NOWHERE
        if isinstance(self.focused, Input):  # the cursor belongs in the text field, for the user and for input methods
            x, y = self.screen.outer_size.clamp_offset(self.cursor_position)
            cursor = (min(x, canvas.width - 1), min(y, canvas.height - 1))
        return canvas.frame(cursor)

    def _handle_exception(self, error: Exception) -> None:
        """Store the first error in the attribute `error`."""
        super()._handle_exception(error)
        if self.error is None:
            self.error = error.error if isinstance(error, WorkerFailed) else error

    def _print_error_renderables(self) -> None:
        """Do not print a traceback, because Textual's tracebacks show the values of variables."""
        self._exit_renderables.clear()

    def _set_pointer_shape(self, shape: str) -> None:
        """Do not change the mouse pointer, because older Linux consoles would print the control sequence."""


@lru_cache(1024)
def look_of_style(style: Style | None, color_system: ColorSystem) -> Look:
    """Convert a style into a look for a terminal with this colour system."""
    return look_of(Strip.render_ansi(style, color_system)) if style else PLAIN


def _strips(update: RenderableType) -> Iterator[tuple[int, int, Strip]]:
    """Yield the position (x, y) and the strip of each part of an update."""
    from textual._compositor import ChopsUpdate, LayoutUpdate

    if isinstance(update, LayoutUpdate):
        for y, line in enumerate(update.strips, update.region.y):
            x = update.region.x
            for whole in line:
                yield x, y, whole
                x += whole.cell_length
    elif isinstance(update, ChopsUpdate):
        for y, left, right in update.spans:
            for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                if strip is not None and x < right and end > left:
                    yield x, y, strip
    else:
        raise TypeError(f"an update of an unknown kind: {type(update).__name__}")


def lines_of(screen: Screen[Any]) -> list[Strip]:
    """Return the lines of a screen as they were last rendered."""
    return screen._compositor.render_strips(screen.size)


def is_idle(pump: MessagePump) -> bool:
    """Return whether a message pump is waiting for a message."""
    has_message: Event = pump._message_queue.ready_event
    return not has_message.is_set() and bool(has_message._waiters)


def is_to_be_laid_out(screen: Screen[Any]) -> bool:
    """Return whether a screen must lay out its widgets before it is painted again."""
    return screen._layout_required

"""An app that writes only the cells that changed, and no more frames than the terminal takes.

The one module that uses what is private to Textual for painting: `App._display`, the updates of `_compositor`,
`Strip.render_ansi`, and `LinuxDriver._file` with its thread, which writes to that file. Where they are not what it
knows, it steps aside, and Textual paints by itself.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from threading import Event
from time import monotonic
from typing import IO, Any, cast

from rich.color import ColorSystem
from rich.console import RenderableType
from rich.style import Style
from textual import events
from textual.app import App, ReturnType
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message
from textual.screen import Screen
from textual.strip import Strip

from cachetui.tui.cells import PLAIN, Area, Canvas, Frame, Look, beginning, difference, look_of
from cachetui.tui.screen import SizedScreen

PAINT = ""
"""Written among the texts for the terminal where a frame is due; it is made when its turn comes."""

ASK = "\x1b[6n"
"""Asks where the cursor is. The answer tells that the terminal has taken all that was written before."""

IN_FLIGHT = 1536
"""Bytes that may be on their way to the terminal before a frame is held back: what a line of 8 KB/s and 150 ms (there
and back) holds, and a little more."""

PATIENCE = 5.0
"""Seconds without an answer after which a terminal is never asked again."""

LAST_ANSWERS = 0.5
"""Seconds to wait at the end for answers that the shell would take for something typed."""

AT_ONCE = 512
"""Bytes up to which a frame needs no sign that it belongs together."""

STRETCH = 512
"""Bytes after which a long text asks, without waiting, for an answer of its own."""

REST = 0.08
"""Seconds for which the rest of a frame waits behind what comes first, where both are more than the line takes at once:
longer than a key that is held down takes to come again."""


class PaintedApp(App[ReturnType]):
    """An app that paints cell by cell where it can."""

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self.full_repaint = False
        """Whether the painting is left to Textual; to be set before the app runs."""
        self._canvas: Canvas | None = None
        self._watched = False
        self._rest: asyncio.TimerHandle | None = None

    def get_driver_class(self) -> type[Driver]:
        """Textual's driver for a terminal, over an output of ours."""
        found = super().get_driver_class()
        return PaintingDriver if found is LinuxDriver else found

    def on_resize(self, event: events.Resize) -> None:
        """Starts from nothing: terminals rearrange or cut what they showed."""
        output = self._painting_output()
        if output is None or self._canvas is None:
            return
        output.forget()
        width, height = event.size
        if (width, height) != (self._canvas.width, self._canvas.height):
            self._canvas = self._canvas.resized(width, height)
        else:
            self._show(output, self._canvas)  # Textual has nothing to lay out anew

    def forget_screen(self) -> None:
        """The terminal may show anything; the next frame is a whole one."""
        output = self._painting_output()
        if output is not None:
            output.forget()

    def _painting_output(self) -> Output | None:
        """The output that takes frames; None where Textual paints."""
        driver = self._driver
        return driver.output if isinstance(driver, PaintingDriver) and not self.full_repaint else None

    def _show(self, output: Output, canvas: Canvas) -> None:
        x, y = self.screen.outer_size.clamp_offset(self.cursor_position)
        cursor = (min(x, canvas.width - 1), min(y, canvas.height - 1))
        output.show(canvas.frame(cursor, _answering(self.screen)))
        if self._rest is not None:
            self._rest.cancel()
        self._rest = asyncio.get_running_loop().call_later(REST, output.show_rest)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        output = self._painting_output()
        paints = self._running and not self._closed and not self._batch_count
        if output is None or renderable is None or not paints:
            super()._display(screen, renderable)
            return
        try:
            self._draw(renderable)
            assert self._canvas is not None
            output.synchronized = self._sync_available
            self._show(output, self._canvas)
        except Exception as error:  # whatever another Textual may come up with
            self.full_repaint = True
            output.drop()
            self.log.warning(f"cachetui paints no cells: {error!r}")
            super()._display(screen, renderable)
            self.call_later(self.refresh, layout=True)
            return
        self._watch(output)
        self.post_display_hook()

    def _draw(self, update: RenderableType) -> None:
        """Puts an update of the compositor on the canvas."""
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

    def _watch(self, output: Output) -> None:
        """Sees to it that a terminal that stops answering does not stop the painting."""
        if not self._watched and output.in_flight:
            self._watched = True
            self.set_timer(PATIENCE, self._end_watch)

    def _end_watch(self) -> None:
        self._watched = False
        output = self._painting_output()
        if output is not None:
            output.give_up_waiting()
            self._watch(output)


@lru_cache(1024)
def look_of_style(style: Style | None, color_system: ColorSystem) -> Look:
    """How a style comes out on a terminal with so many colours."""
    return look_of(Strip.render_ansi(style, color_system)) if style else PLAIN


def _answering(screen: Screen[Any]) -> list[Area]:
    """Where this screen answers to a key."""
    widgets = screen.answering if isinstance(screen, SizedScreen) else filter(None, [screen.focused])
    return [Area(at.x, at.y, at.right, at.bottom) for at in (widget.region for widget in widgets)]


def _strips(update: RenderableType) -> Iterator[tuple[int, int, Strip]]:
    """The strips of an update and where they belong: just the ones that it would write itself."""
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
                if strip is not None and x <= right and end > left:
                    inside = left <= x < right and end <= right
                    yield x, y, strip if inside else strip.crop(0, min(end, right) - x)
    else:
        raise TypeError(f"an update of an unknown kind: {type(update).__name__}")


class PaintingDriver(LinuxDriver):
    """Textual's driver, its output replaced by one that makes frames."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self.output: Output | None = None
        if hasattr(self, "_file"):
            self.output = Output(cast(IO[str], self._file), self.write)
            self._file = cast(Any, self.output)

    def start_application_mode(self) -> None:
        if self.output is not None:
            self.output.restart()
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual's
        if self.output is not None and getattr(self._writer_thread, "_file", None) is not self.output:
            self.output = None

    def disable_input(self) -> None:
        if self.output is not None and not self.exit_event.is_set():
            self.output.wait_for_answers()
        super().disable_input()

    def process_message(self, message: Message) -> None:
        if self.output is not None and isinstance(message, events.CursorPosition):
            self.output.answered()
        else:
            super().process_message(message)


class Output:
    """Where the driver's thread writes: text goes through, a frame is made when its turn has come.

    The app shows frames, the thread writes, a third thread reads the answers; they share single values alone.
    """

    def __init__(self, file: IO[str], queue: Callable[[str], None]) -> None:
        self._file = file
        self._queue = queue
        self._wanted: Frame | None = None
        self._shown: Frame | None = None
        self._rest: tuple[Frame, Frame, str] | None = None
        """The beginning of a frame, all of it, and what leads from the one to the other."""
        self._waits = False
        """Whether the beginning of a frame is shown, and the rest waits until the terminal is ready for it."""
        self._changed = 0.0
        """When the wanted frame became another one."""
        self._forgotten = False
        self._queued = False
        """Whether a frame is due already: it will be the newest there is then."""
        self._held = False
        """Whether a frame waits for an answer."""
        self._asks = True
        """Whether to ask with the next frame: once, and for good if there is an answer."""
        self._answers = False
        self._unanswered: deque[tuple[float, int]] = deque()
        """When, and behind how many bytes, each question was asked that has no answer yet."""
        self._all_answered = Event()
        self.synchronized = False
        """Whether the terminal shows what belongs together at once."""

    # For the app

    def show(self, frame: Frame) -> None:
        """Shows a frame as soon as the terminal takes it, unless another one comes before that."""
        self._wanted = frame
        self._changed = monotonic()
        self._request()

    def show_rest(self) -> None:
        """Nothing else was to be shown for a while: shows what did not come first."""
        if self._waits:
            self._request()

    def forget(self) -> None:
        """Writes all of the next frame."""
        self._forgotten = True

    def drop(self) -> None:
        """Shows no frame any more, not even one that is due."""
        self._wanted = None

    def restart(self) -> None:
        """There is another thread now, and a screen that may show anything."""
        self._queued = self._held = self._waits = False
        self._unanswered.clear()
        self.forget()

    @property
    def in_flight(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._unanswered)

    def give_up_waiting(self) -> None:
        """Asks no more if the last answer is overdue."""
        try:
            asked, _ = self._unanswered[0]
        except IndexError:
            return
        if monotonic() - asked >= PATIENCE:
            self._asks = self._answers = False
            self._unanswered.clear()
            self._request()

    def wait_for_answers(self) -> None:
        """Waits a moment for the answers to come in."""
        self._all_answered.clear()
        if self._answers and self._unanswered:
            self._all_answered.wait(LAST_ANSWERS)

    # For the thread that reads

    def answered(self) -> None:
        """The terminal has taken what was written before the oldest question."""
        if not self._unanswered:
            return
        self._asks = self._answers = True
        self._unanswered.popleft()
        if not self._unanswered:
            self._all_answered.set()
        if self._held or (self._waits and not self._unanswered):
            self._held = False
            self._request()

    def _request(self) -> None:
        if not self._queued:
            self._queued = True
            self._queue(PAINT)

    # For the thread that writes

    def write(self, text: str) -> None:
        """Writes a text, or the frame that is due."""
        self._file.write(self._made_frame() if text == PAINT else text)

    def flush(self) -> None:
        self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()

    def _made_frame(self) -> str:
        self._queued = False
        if self._is_full():
            self._held = True
            if self._is_full():  # or else the answer came in between
                return ""
        if self._forgotten:
            self._forgotten, self._shown = False, None
        wanted = self._wanted
        if wanted is None:
            return ""
        self._waits = True  # before it is known, lest an answer comes in between
        text, self._shown = self._next(self._shown, wanted)
        self._waits = self._shown is not wanted
        if not text:
            return ""
        if self.synchronized and len(text) > AT_ONCE:
            text = f"\x1b[?2026h{text}\x1b[?2026l"
        if not self._asks:
            return text
        self._asks = self._answers
        pieces = list(_stretches(text)) if self._answers else [text]
        for piece in pieces:
            self._unanswered.append((monotonic(), len(piece.encode()) + len(ASK)))
        return ASK.join((*pieces, ""))

    def _next(self, shown: Frame | None, wanted: Frame) -> tuple[str, Frame]:
        """What to write now, and how the terminal will look once it has taken it: as wanted, or in what comes first."""
        if shown is None or not wanted.first or not self._answers:
            return difference(shown, wanted), wanted
        rests = monotonic() - self._changed >= REST
        under_way = self._under_way()
        if self._rest is not None and self._rest[0] is shown and self._rest[1] is wanted:
            return (self._rest[2], wanted) if rests or not under_way else ("", shown)
        start = beginning(shown, wanted)
        text, rest = difference(shown, start), difference(start, wanted)
        free = IN_FLIGHT - under_way if under_way or text else len(rest)
        if rests or len(text) + len(rest) <= free:
            return text + rest, wanted
        self._rest = (start, wanted, rest)
        return text, start

    def _under_way(self) -> int:
        """Bytes of which the terminal has not said yet that it took them."""
        return sum(size for _, size in tuple(self._unanswered))

    def _is_full(self) -> bool:
        return self._answers and self._under_way() > IN_FLIGHT


def _stretches(text: str) -> Iterator[str]:
    """A text in pieces that do not cut what belongs together."""
    while (cut := text.find("\x1b", STRETCH)) >= 0:
        yield text[:cut]
        text = text[cut:]
    yield text

"""The processor time of the painter: the browser runs without a terminal, and its painting is timed."""

from collections.abc import Mapping
from statistics import median
from time import thread_time

from rich.console import RenderableType

from cachetui.catalogue import Catalogue
from cachetui.settings.settings import Settings
from cachetui.tui.app import first_view
from cachetui.tui.painter.cells import Frame
from tests.support.drive import driven
from tests.support.unseen import UnseenApp

KEYS = ["j"] * 30 + ["pagedown"] * 10 + ["enter"] + ["j"] * 19


class TimedApp(UnseenApp):
    """The browser, which records the processor time of each painted frame."""

    def __init__(self, content: str, settings: Settings) -> None:
        catalogue = Catalogue(content, settings)
        super().__init__(catalogue, first_view(catalogue, settings), content=content)
        self.frames: list[float] = []
        self._seconds = 0.0

    def _drawn(self, update: RenderableType) -> Frame:
        started = thread_time()
        frame = super()._drawn(update)
        self._seconds += thread_time() - started
        return frame

    def paint(self) -> None:
        started = thread_time()
        super().paint()
        if self._seconds:
            self.frames.append(self._seconds + thread_time() - started)
            self._seconds = 0.0


def seconds_a_frame(content: str, environ: Mapping[str, str], size: tuple[int, int]) -> float:
    """Return the median seconds for drawing, comparing and writing a frame, without the work of Textual itself."""
    app = TimedApp(content, Settings(environ))
    with driven(app, size) as pilot:
        app.paint()
        app.frames.clear()
        for key in KEYS:
            pilot.press(key)
            app.paint()
    return median(app.frames)

"""The browser in this process, without a terminal."""

from pathlib import Path
from typing import IO, Any, cast

from cachetui.tui import app as browser
from cachetui.tui.app import BrowserApp
from cachetui.tui.painter.output_queue import Output


class UnseenApp(BrowserApp):
    """The browser, whose frames wait until `paint` is called like by the thread of a driver."""

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

"""A minimal app, for tests of the start and end in a terminal."""

import os
import signal
import sys
from threading import Event
from typing import ClassVar

from cachetui.tui.terminal.preflight import check_terminal, prepare_environment

prepare_environment(os.environ)
if why := check_terminal(os.environ):
    print(f"cachetui: {why}", file=sys.stderr)
    sys.exit(2)

from textual.app import ComposeResult  # noqa: E402  # the environment comes first
from textual.binding import BindingType  # noqa: E402  # as above

from cachetui.cli.output import settle_streams  # noqa: E402  # as above
from cachetui.settings.settings import Settings  # noqa: E402  # as above
from cachetui.tui.lines import Cell, Column, FixedRows, Line  # noqa: E402  # as above
from cachetui.tui.terminal import lifecycle  # noqa: E402  # as above
from cachetui.tui.terminal.lifecycle import TerminalApp, run_in_terminal  # noqa: E402  # as above
from cachetui.tui.widgets.list_pane import Table  # noqa: E402  # as above


class Tiny(TerminalApp[None]):
    CSS_PATH = "../../cachetui/tui/app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("b", "break", "Break"),
        ("o", "overflow", "Overflow"),
        ("w", "work", "Work"),
        ("q", "quit", "Quit"),
    ]

    def compose(self) -> ComposeResult:
        table = Table([Column("name", 10), Column("value", 10, weight=1)])
        lines = {
            0: Line(("pid", str(os.getpid()))),
            1: Line((Cell("match", "warn"), Cell("2feova4", "warn", [(0, 3, "match")]))),
            2: Line(("last", "é")),
        }
        table.show(FixedRows(lines), table.columns, 0)
        yield table

    def action_break(self) -> None:
        password = "hunter2"
        raise ValueError(f"two\nlines and \x1b[31m {len(password)}")

    def action_overflow(self) -> None:
        """Write more than an unread terminal can hold."""
        assert self._driver is not None
        for _ in range(200):
            self._driver.write("x" * 10_000)

    def action_work(self) -> None:
        """Keep a thread busy that cannot be stopped."""
        self.run_worker(Event().wait, thread=True)
        table = self.query_one(Table)
        table.show(FixedRows({0: Line(("busy", ""))}), table.columns, 0)


lifecycle.EXIT_SECONDS = float(os.environ.get("PATIENCE", "60"))
if "--nohup" in sys.argv:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
status = run_in_terminal(Tiny(Settings(os.environ)))
settle_streams()
sys.exit(status)

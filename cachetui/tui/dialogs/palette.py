"""The command palette: what the keys of a screen do, the hosts, the saved views, the themes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from cachetui.safe_text import visible
from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.dialogs.help import sections_of
from cachetui.tui.dialogs.list_dialog import ListDialog, containing
from cachetui.tui.dialogs.saved_views import SavedViews
from cachetui.tui.frame import ActionAsked, Answer, DialogAsked, StateScreen
from cachetui.tui.keymap import KEYS, sign_of
from cachetui.tui.lines import Cell, FixedRows, Line, measure
from cachetui.tui.terminal.lifecycle import TerminalApp
from cachetui.tui.theme import NAMES

MOVES = ("rows", "table", "matrix", "prompt", "dialog", "app")
"""The sections of keys that move or type, which nobody looks for here."""


class Command(NamedTuple):
    """A row of the palette."""

    name: str
    what: str
    answer: Answer
    key: str = ""


class PaletteDialog(ListDialog):
    """Every command has a name, what it does, and its key if it has one."""

    def __init__(self, below: StateScreen[Any]) -> None:
        self._commands = [*self._of_keys(below), *self._others(below)]
        widths = [(measure(each.name), measure(each.what)) for each in self._commands]
        names, whats = zip(*widths, strict=True)
        columns = Column("", 14, min(24, max(names)), weight=1), as_wide_as(Column("", 20, weight=2), whats)
        super().__init__(below, "Commands", (*columns, Column("", 9)), heads=False, placeholder="a part of a command")

    def _of_keys(self, below: StateScreen[Any]) -> Iterator[Command]:
        changed = getattr(below.app, "changed_keys", {})
        for key in (key for name in sections_of(below) if name not in MOVES for key in KEYS[name]):
            if key.what:
                yield Command(key.label, key.what, ActionAsked(key.action), sign_of(key.id, changed))

    def _others(self, below: StateScreen[Any]) -> Iterator[Command]:
        yield Command("host", "Choose the machine that specs have to run on", DialogAsked("hosts", below))
        saved = SavedViews(below)
        for name in sorted(saved.named):
            yield Command(f"view {visible(name)}", "Open this saved view", saved.opening(name))
        for theme in NAMES:
            yield Command(f"theme {theme}", "Use these colours", "")

    def rows(self, text: str) -> FixedRows:
        """Those whose name begins as typed come first, then those that have the words in their name."""
        found = [k for k, each in enumerate(self._commands) if containing(text, each.name, each.what, each.key)]
        found.sort(key=lambda k: self._rank(k, text.lower()))
        self.table.explain("No such command.")
        return FixedRows(map(self._line, found), found)

    def _rank(self, k: int, text: str) -> int:
        name = self._commands[k].name.lower()
        return 0 if name.startswith(text) or self._commands[k].key == text else 1 if containing(text, name) else 2

    def _line(self, k: int) -> Line:
        name, what, _, key = self._commands[k]
        return Line((Cell(name, "bold"), what, Cell(key, "muted")))

    def answer(self, key: int) -> Answer:
        name, _, answer, _ = self._commands[key]
        if answer == "":
            app = cast(TerminalApp[Any], self.app)
            app.theme, app.follows_background = name.removeprefix("theme "), False
        return answer

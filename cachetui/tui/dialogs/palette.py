"""The command palette: what the keys of a screen do, and the choice of the host."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.dialogs.help import sections_of
from cachetui.tui.dialogs.list_dialog import ListDialog, containing
from cachetui.tui.frame import ActionAsked, Answer, DialogAsked, StateScreen
from cachetui.tui.keymap import KEYS, sign_of
from cachetui.tui.lines import Cell, FixedRows, Line, measure

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
        host = Command("host", "Choose the machine that specs have to run on", DialogAsked("hosts", below))
        self._commands = [*self._of_keys(below), host]
        widths = [(measure(each.name), measure(each.what)) for each in self._commands]
        names, whats = zip(*widths, strict=True)
        columns = Column("", 14, min(24, max(names)), weight=1), as_wide_as(Column("", 20, weight=2), whats)
        super().__init__(below, "Commands", (*columns, Column("", 9)), heads=False, placeholder="a part of a command")

    def _of_keys(self, below: StateScreen[Any]) -> Iterator[Command]:
        changed = getattr(below.app, "changed_keys", {})
        for key in (key for name in sections_of(below) if name not in MOVES for key in KEYS[name]):
            if key.what:
                yield Command(key.label, key.what, ActionAsked(key.action), sign_of(key.id, changed))

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
        return self._commands[key].answer

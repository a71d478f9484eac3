"""The dialog of texts to copy, which shows each in full, so that it can also be selected by hand."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.binding import BindingType

from cachetui.report.detail import Field
from cachetui.report.paste import INSTALL
from cachetui.safe_text import plural, visible
from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import Answer, StateScreen
from cachetui.tui.keymap import Actions, Footer, bindings
from cachetui.tui.lines import Cell, FixedRows, Line, measure
from cachetui.tui.terminal.clipboard import send


class CopyDialog(ListDialog):
    """The texts that the screen below offers; Enter copies one, and a message tells how it was sent."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("copy")
    FOOTER: ClassVar[Footer] = (("table.choose", "copy"), ("dialog.close", "back"))
    first = INSTALL

    def __init__(self, below: StateScreen[Any]) -> None:
        self._texts = below.texts()
        names, texts = map(measure, self._texts), (measure(_in_a_line(each)) for each in self._texts.values())
        columns = as_wide_as(Column("", 12), names), as_wide_as(Column("", 30, weight=1), texts)
        super().__init__(below, f"Copy {_whose(self._texts)}".rstrip(), columns, heads=False, types=False, in_full=True)

    def actions(self) -> Actions:
        return {**super().actions(), "copy.first": self.choose}

    def rows(self, text: str) -> FixedRows:
        return FixedRows({name: Line((Cell(name, "muted"), _in_a_line(each))) for name, each in self._texts.items()})

    def fields(self, key: str) -> Sequence[Field]:
        return [Field("", tuple(map(visible, self._texts[key].splitlines())), is_command=True)]

    def answer(self, key: str) -> Answer:
        """Copy the text, and stay open, so that it can still be selected by hand."""
        self.say(f"{key}: {send(self._texts[key], self.view.settings.environ, self.browser.send_to_terminal)}")
        return None


def _whose(texts: Mapping[str, str]) -> str:
    """Return which specs the texts are of; empty for none."""
    names = [each.partition("/") for each in texts.get("name/hash", "").split()]
    if len(names) == 1:
        return f"{names[0][0]} /{names[0][2][:7]}"
    return plural(len(names), "spec") if names else ""


def _in_a_line(text: str) -> str:
    """Return the first line of a text, and how many more lines it has."""
    first, *more = text.splitlines() or [""]
    return visible(first) + (f"  +{plural(len(more), 'line')}" if more else "")

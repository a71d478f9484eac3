"""One spec in full, with what can be copied of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from cachetui.report.detail import Field
from cachetui.tui.screens.lists import DetailScreen, list_help
from cachetui.tui.screens.output import CopyScreen


class SpecScreen(DetailScreen):
    """The fields of a spec; `y` copies a hash or a command."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy", id="spec.copy", tooltip="Copy a hash or a command"),
    ]

    KEYS = list_help("A spec in full", "all that the pages say of it", ("y", "copy a hash or a command"))

    def __init__(self, title: str, fields: Sequence[Field], texts: Sequence[tuple[str, str]]) -> None:
        super().__init__(title, fields)
        self._texts = texts
        self.hint("y copy   Up Down scroll   Esc back")

    def action_copy(self) -> None:
        if self._texts:
            self.app.push_screen(CopyScreen(self._texts))

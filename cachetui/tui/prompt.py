"""A line to type in: the filter, a hash, a part of a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Label


class Prompt(Horizontal):
    """A sign and an input; every key is told, Enter and Esc leave it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave(False)", "Leave", id="prompt.leave", tooltip="Leave the line, what is typed stays"),
        Binding("enter", "leave(True)", "Done", id="prompt.done", tooltip="Leave the line", priority=True),
        Binding("down", "leave(False)", "List", id="prompt.down", tooltip="To the list", show=False),
    ]

    @dataclass
    class Edited(Message):
        """The text is another one."""

        prompt: Prompt
        text: str

    @dataclass
    class Left(Message):
        """The line was left; `chosen` with Enter."""

        prompt: Prompt
        text: str
        chosen: bool

    def __init__(self, sign: str, placeholder: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._sign = Label(sign, markup=False)
        self._input = Input(placeholder=placeholder, compact=True, select_on_focus=False)
        self._input.cursor_blink = False

    def compose(self) -> ComposeResult:
        yield self._sign
        yield self._input

    @property
    def text(self) -> str:
        return self._input.value

    def open(self, text: str) -> None:
        """Puts the cursor at the end of this text."""
        with self.prevent(Input.Changed):
            self._input.value = text
        self._input.cursor_position = len(text)
        self._input.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Edited(self, event.value))

    def action_leave(self, chosen: bool) -> None:
        self.post_message(self.Left(self, self.text, chosen))

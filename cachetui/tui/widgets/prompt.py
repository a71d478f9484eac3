"""A line to type in: the filter, a hash, a part of a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from rich.highlighter import Highlighter
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input, Label

from cachetui.tui.widgets.signs import signs_of

if TYPE_CHECKING:
    from cachetui.suggest.completion import Completion

LINES = 100
"""Earlier lines that can be recalled."""


class _Marker(Highlighter):
    """Marks the parts of the line that take nothing."""

    def __init__(self) -> None:
        self.spans: Sequence[tuple[int, int]] = ()
        self.style = Style.null()

    def highlight(self, text: Text) -> None:
        for start, end in self.spans:
            text.stylize(self.style, start, end)


Completer: TypeAlias = "Callable[[str, int], Sequence[Completion]]"
"""Gives the ways on for a text with the cursor at an offset."""

LENGTH = 4096
"""Characters that a line holds."""


class _Line(Input):
    """An input that takes all the lines that are pasted as one, as far as there is room."""

    virtual_size: Reactive[Size] = Reactive(Size())  # Textual's lays the whole screen out for each letter

    def on_paste(self, event: events.Paste) -> None:
        start, end = sorted(self.selection)
        text, room = " ".join(event.text.splitlines()), LENGTH - len(self.value) + end - start
        if len(text) > room:
            self.app.bell()
        self.replace(text[:room], start, end)
        event.prevent_default()  # Textual takes the first line alone
        event.stop()

    def action_delete_left_word(self) -> None:
        """Deletes the whole word before the cursor, as a shell does; for Textual a word ends at a sign too."""
        if not self.selection.is_empty:
            self.delete_selection()
            return
        end = self.cursor_position
        self.delete(self.value[:end].rstrip().rfind(" ") + 1, end)


class Prompt(Horizontal):
    """A sign and an input; every change is reported, Enter and Esc leave it, Tab completes, Up and Down recall lines.

    Where it looks for something in a list that is in view, Up and Down are reported: they are for the list.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"prompt--nothing"}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave(False)", "Leave", id="prompt.leave", tooltip="Leave the line and what was typed"),
        Binding("enter", "leave(True)", "Done", id="prompt.done", tooltip="Leave the line", priority=True),
        Binding("tab", "complete(1)", "Complete", id="prompt.complete", tooltip="The next completion", priority=True),
        Binding("shift+tab", "complete(-1)", "Complete", id="prompt.complete_back", show=False, priority=True),
        Binding("up", "recall(-1)", "Earlier", id="prompt.earlier", tooltip="An earlier line", priority=True),
        Binding("down", "recall(1)", "Later", id="prompt.later", tooltip="A later line", priority=True),
    ]

    @dataclass
    class PromptMessage(Message):
        """Says what stands in the line."""

        prompt: Prompt
        text: str

        @property
        def control(self) -> Prompt:
            """The prompt, so that a handler can ask for one by its selector."""
            return self.prompt

    @dataclass
    class Edited(PromptMessage):
        """The text is another one."""

        cursor: int

    @dataclass
    class Left(PromptMessage):
        """The line was left; `chosen` with Enter."""

        chosen: bool

    @dataclass
    class Stepped(PromptMessage):
        """Up or Down was pressed, -1 or 1, where these are for the list."""

        delta: int

    def __init__(
        self,
        sign: str,
        placeholder: str = "",
        *,
        id: str | None = None,
        completer: Completer | None = None,
        steps: bool = False,
        hides: bool = False,
    ) -> None:
        """`completer`: asked when Tab is pressed, where nobody gives `offer` what it puts into the line.

        `steps`: Up and Down are for the list that it looks in. `hides`: it is hidden until it is opened, so that the
        first frame of its screen does without the line.
        """
        super().__init__(id=id)
        self._hides = hides
        self._steps = steps
        self._completer = completer
        self._marker = _Marker()
        self._own_sign = sign
        self._sign = Label(sign, markup=False)
        self._input = _Line(
            placeholder=placeholder, compact=True, select_on_focus=False, highlighter=self._marker, max_length=LENGTH
        )
        self._input.cursor_blink = False
        self._past: list[str] = []
        self._at = 0
        self._offers: Sequence[Completion] = ()
        self._taken = -1
        """Which of the offers stands in the line; -1 for none, and after any other key."""
        self._completed = ""

    def compose(self) -> ComposeResult:
        if not self._hides:
            yield self._sign
            yield self._input

    def on_mount(self) -> None:
        self.watch(self._input, "scroll_x", self._show_sign, init=False)
        if self._hides:
            self.call_after_refresh(self._mount_line)

    def _show_sign(self, scrolled: float) -> None:
        """Shows in place of the sign that the line begins further left, where it is longer than its room."""
        self._sign.update(signs_of(self).left if scrolled else self._own_sign)

    def _mount_line(self) -> None:
        if self.is_attached and not self._input.is_attached:
            self.mount(self._sign, self._input)

    @property
    def text(self) -> str:
        return self._input.value

    @property
    def is_selected(self) -> bool:
        """Whether the first letter that is typed replaces the text."""
        return not self._input.selection.is_empty

    def open(self, text: str = "", *, selected: bool = False) -> None:
        """Shows the line with this text, the cursor at its end.

        `selected`: the first letter that is typed replaces the text, a key that moves the cursor keeps it.
        """
        if self._hides:
            self._mount_line()
        self.add_class("-open")
        self._at = len(self._past)
        self._offers, self._taken = (), -1
        self._set(text, len(text), quietly=True)
        if selected:
            self._input.select_all()
        self._input.focus()

    def mark(self, spans: Sequence[tuple[int, int]]) -> None:
        """Marks these parts of the text as taking nothing."""
        self._marker.style = self.get_component_rich_style("prompt--nothing", partial=True)
        if self._marker.spans != spans:
            self._marker.spans = spans
            self._input.refresh()

    def offer(self, offers: Sequence[Completion]) -> None:
        """What Tab puts into the line, one after the other.

        As long as one of several that were offered before stands there, Tab goes through these; but what the only one
        goes on with is offered at once.
        """
        if self._taken < 0 or (len(self._offers) == 1 and offers):
            self._offers, self._taken = offers, -1

    def take(self) -> None:
        """Takes what Tab has put into the line as if it had been typed, so that Tab goes on from there."""
        self._taken = -1

    @property
    def offers(self) -> list[Completion]:
        """What Tab puts into the line, in this order; first what stands there, if it is one of them."""
        at = max(0, self._taken)
        return [*self._offers[at:], *self._offers[:at]]

    @property
    def has_taken(self) -> bool:
        """Whether the first of the offers stands in the line."""
        return self._taken >= 0

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._completed:
            self._taken = -1
        self.post_message(self.Edited(self, event.value, self._input.cursor_position))

    def action_leave(self, chosen: bool) -> None:
        if self.text:
            self._past = [*(text for text in self._past[-LINES:] if text != self.text), self.text]
        self.remove_class("-open")
        self.post_message(self.Left(self, self.text, chosen))

    def action_complete(self, delta: int) -> None:
        if self._completer is not None and (self._taken < 0 or len(self._offers) == 1):
            # the only one that there was may go on, as a folder does
            self._offers, self._taken = self._completer(self.text, self._input.cursor_position), -1
        if not self._offers:
            return
        put = self._offers[self._taken] if self._taken >= 0 else None
        self._taken = (self._taken + delta) % len(self._offers) if put or delta > 0 else len(self._offers) - 1
        offer = self._offers[self._taken]
        end = offer.start + len(put.text) if put else offer.end
        text = self.text[: offer.start] + offer.text + self.text[end:]
        self._completed = text
        self._set(text, offer.start + len(offer.text))

    def action_recall(self, delta: int) -> None:
        if self._steps:
            self.post_message(self.Stepped(self, self.text, delta))
            return
        at = self._at + delta
        if 0 <= at <= len(self._past):
            self._at = at
            text = self._past[at] if at < len(self._past) else ""
            self._set(text, len(text))

    def _set(self, text: str, cursor: int, *, quietly: bool = False) -> None:
        if quietly:
            with self.prevent(Input.Changed):
                self._input.value = text
        else:
            self._input.value = text
        self._input.cursor_position = cursor

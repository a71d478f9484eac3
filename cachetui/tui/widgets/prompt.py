"""A text field for one line: a query, a search word, a hash or a file name."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from rich.highlighter import Highlighter
from rich.style import Style as RichStyle
from rich.text import Text as RichText
from textual import events, on
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input, Label

from cachetui.suggest.completion import Completion
from cachetui.tui.keymap import Actions, Keyed
from cachetui.tui.lines import plain

MAX_CHARACTERS = 4096
"""Maximum number of characters in a text field."""


class _Marker(Highlighter):
    """A highlighter that marks parts of a string. It shows control and invisible characters as spaces."""

    def __init__(self) -> None:
        self.marks: Sequence[tuple[tuple[int, int], RichStyle]] = ()
        """The parts to mark, each with its start and its end, and their styles."""

    def highlight(self, text: RichText) -> None:
        text.plain = plain(text.plain)
        for span, style in self.marks:
            text.stylize(style, *span)


class _OneLine(Input):
    """An input that joins pasted lines into one line. It cuts the line to the maximum length."""

    pasted = "", ""
    """The last paste of several lines: the text of the field after the paste, and the pasted lines."""

    virtual_size: Reactive[Size] = Reactive(Size())  # Textual's default would lay out the screen

    def on_paste(self, event: events.Paste) -> None:
        start, end = sorted(self.selection)
        # remove zero bytes, because file names with them raise ValueError
        text, room = " ".join(event.text.replace("\0", "").splitlines()), MAX_CHARACTERS - len(self.value) + end - start
        if len(text) > room:
            self.app.bell()
        self.replace(text[:room], start, end)
        event.prevent_default()  # Textual would insert only the first line
        event.stop()
        if len(lines := event.text.splitlines()) > 1:
            self.pasted = self.value, "\n".join(lines)


class Prompt(Keyed, Horizontal, keys="prompt"):
    """A symbol and a text field. It sends a message after each change, and for Enter, Esc, Tab, Up and Down."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"prompt--marked", "prompt--lost"}

    @dataclass
    class Left(Message):
        """Sent when the user presses Enter or Esc. For Enter, `kept` is true.

        The screen decides whether to close the field.
        """

        kept: bool

    @dataclass
    class Stepped(Message):
        """Sent when the user presses Up (-1) or Down (1)."""

        delta: int

    @dataclass
    class CompletionAsked(Message):
        """Sent when the user presses Tab (1) or Shift+Tab (-1)."""

        delta: int

    def __init__(self, symbol: str, placeholder: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._marker = _Marker()
        self._symbol = Label(symbol, markup=False)
        self._input = _OneLine(
            placeholder=placeholder,
            compact=True,
            select_on_focus=False,
            highlighter=self._marker,
            max_length=MAX_CHARACTERS,
        )
        self._input.cursor_blink = False
        self.earlier: Sequence[str] = ()
        """Earlier texts for which the user pressed Enter, newest last."""
        self._back = 0
        """The position in `earlier`, counted from its end: 1 for the newest text, 0 for the current text."""

    def compose(self) -> Iterable[Label | Input]:
        yield self._symbol
        yield self._input

    @property
    def text(self) -> str:
        """The text in the field."""
        return self._input.value

    @property
    def pasted(self) -> tuple[str, str]:
        """The last paste of several lines: the text of the field after the paste, and the pasted lines."""
        return self._input.pasted

    @property
    def cursor(self) -> int:
        """The position of the cursor, in characters from the start of the text."""
        return self._input.cursor_position

    def open(self, text: str = "") -> None:
        """Show the field with this text, and focus the field. The first typed character replaces the text."""
        self.add_class("-open")
        self._back = 0
        with self.prevent(Input.Changed):
            self.put(text)
        self._input.select_all()
        self._input.focus()

    def put(self, text: str, cursor: int | None = None) -> None:
        """Set the text as if the user had typed it. Put the cursor at this position, by default at the end."""
        self._input.value = text
        self._input.cursor_position = len(text) if cursor is None else cursor

    def mark(self, ignored: tuple[int, int] | None, unmatched: Sequence[tuple[int, int]] = ()) -> None:
        """Highlight the ignored term (if any), and the terms without a match.

        Each term is a pair of its start and its end.
        """
        lost, marked = (self.get_component_rich_style(f"prompt--{name}", partial=True) for name in ("lost", "marked"))
        marks = [*((span, lost) for span in unmatched), *((span, marked) for span in (ignored,) if span)]
        if self._marker.marks != marks:
            self._marker.marks = marks
            self._input.refresh()

    def on_key(self, event: events.Key) -> None:
        """If the user presses Backspace in the empty field, leave the field."""
        if event.key == "backspace" and not self.text:
            event.stop()
            self.post_message(self.Left(False))

    def recall(self, delta: int) -> None:
        """Replace the text with an earlier text (`delta` = -1) or a later text (1)."""
        back = self._back - delta
        if 0 <= back <= len(self.earlier):
            self._back = back
            self.put(f"{self.earlier[-back]} " if back else "")

    def keep(self) -> None:
        """Store the text as an earlier text, and send the message for Enter."""
        self.earlier = [*(each for each in self.earlier if each != self.text), self.text]
        self.post_message(self.Left(True))

    def actions(self) -> Actions:
        return {
            **super().actions(),
            "prompt.leave": lambda: self.post_message(self.Left(False)),
            "prompt.done": self.keep,
            "prompt.complete": lambda: self.post_message(self.CompletionAsked(1)),
            "prompt.complete_back": lambda: self.post_message(self.CompletionAsked(-1)),
            "prompt.up": lambda: self.post_message(self.Stepped(-1)),
            "prompt.down": lambda: self.post_message(self.Stepped(1)),
            "prompt.earlier": partial(self.recall, -1),
            "prompt.later": partial(self.recall, 1),
        }


class QueryLine(Prompt):
    """The text field for a query. Tab completes the term at the cursor."""

    def __init__(self, completer: Callable[[str, int], Sequence[Completion]]) -> None:
        """`completer` returns the completions for a string and the cursor's position in it."""
        super().__init__(" / ", "a spec as Spack writes it: hdf5@1.14 +mpi %gcc os=ubuntu22.04")
        self._completer = completer
        self._offers: Sequence[Completion] = ()
        self._base = self._completed = ""
        """The text without the last completion, and the text with it."""
        self._at = -1
        """The index in `_offers` of the last inserted completion; -1 if there is none."""

    @property
    def offers(self) -> Sequence[Completion]:
        """The completions to show. After Tab, the list starts with the inserted completion."""
        if self._at >= 0 and self.text == self._completed:
            return [*self._offers[self._at :], *self._offers[: self._at]]
        return self._completer(self.text, self.cursor)

    @on(Prompt.CompletionAsked)
    def complete(self, event: Prompt.CompletionAsked) -> None:
        if self._at < 0 or self.text != self._completed:
            self._offers, self._base = self._completer(self.text, self.cursor), self.text
            self._at = -1 if event.delta > 0 else 0
        if self._offers:
            self._at = (self._at + event.delta) % len(self._offers)
            offer = self._offers[self._at]
            self._completed = self._base[: offer.start] + offer.text + self._base[offer.end :]
            self.put(self._completed, offer.start + len(offer.text))

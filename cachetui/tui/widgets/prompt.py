"""A text field: for a query, a word, a hash, the name of a file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from rich.highlighter import Highlighter
from rich.style import Style as RichStyle
from rich.text import Text as RichText
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input, Label

from cachetui.suggest.completion import Completion
from cachetui.tui.keymap import Actions, Keyed, bindings
from cachetui.tui.lines import plain

MAX_CHARACTERS = 4096
"""Maximum number of characters of the text."""


class _Marker(Highlighter):
    """Marks parts of the text, and shows a space for each control or invisible character."""

    def __init__(self) -> None:
        self.spans: Sequence[tuple[int, int]] = ()
        self.styles: Sequence[RichStyle] = ()

    def highlight(self, text: RichText) -> None:
        text.plain = plain(text.plain)
        for span, style in zip(self.spans, self.styles, strict=True):
            text.stylize(style, *span)


class _OneLine(Input):
    """An input that takes several pasted lines as one, as far as there is room."""

    virtual_size: Reactive[Size] = Reactive(Size())  # in Textual each letter would lay out the whole screen

    def on_paste(self, event: events.Paste) -> None:
        start, end = sorted(self.selection)
        # without zero bytes, which raise ValueError in file names
        text, room = " ".join(event.text.replace("\0", "").splitlines()), MAX_CHARACTERS - len(self.value) + end - start
        if len(text) > room:
            self.app.bell()
        self.replace(text[:room], start, end)
        event.prevent_default()  # Textual would take the first line only
        event.stop()
        if len(lines := event.text.splitlines()) > 1:
            self.post_message(Prompt.Pasted("\n".join(lines)))

    def action_delete_left_word(self) -> None:
        """Delete the word before the cursor, up to a space, as a shell does."""
        if not self.selection.is_empty:
            self.delete_selection()
            return
        end = self.cursor_position
        self.delete(self.value[:end].rstrip().rfind(" ") + 1, end)


class Prompt(Keyed, Horizontal):
    """A sign and a text field. It sends a message for every change, and for Enter, Esc, Tab, Up and Down."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"prompt--marked", "prompt--lost"}

    BINDINGS: ClassVar[list[BindingType]] = bindings("prompt")

    @dataclass
    class Edited(Message):
        """The text has changed."""

        text: str
        cursor: int

    @dataclass
    class Left(Message):
        """Enter (`kept`) or Esc was pressed; the screen decides whether the field is closed."""

        text: str
        kept: bool

    @dataclass
    class Stepped(Message):
        """Up or Down was pressed: -1 or 1."""

        delta: int

    @dataclass
    class Pasted(Message):
        """Several lines were pasted; the field has them as one line."""

        text: str

    @dataclass
    class CompletionAsked(Message):
        """Tab or Shift+Tab was pressed: 1 or -1."""

        delta: int

    def __init__(self, sign: str, placeholder: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._marker = _Marker()
        self._sign = Label(sign, markup=False)
        self._input = _OneLine(
            placeholder=placeholder,
            compact=True,
            select_on_focus=False,
            highlighter=self._marker,
            max_length=MAX_CHARACTERS,
        )
        self._input.cursor_blink = False
        self.earlier: Sequence[str] = ()
        """The texts that were kept before, the newest last."""
        self._back = 0
        """How many of them the user has gone back."""

    def compose(self) -> ComposeResult:
        yield self._sign
        yield self._input

    @property
    def text(self) -> str:
        """The text."""
        return self._input.value

    @property
    def cursor(self) -> int:
        """The position of the cursor, in characters."""
        return self._input.cursor_position

    def open(self, text: str = "") -> None:
        """Show the field with this text, which the first character replaces, and focus it."""
        self.add_class("-open")
        self._back = 0
        with self.prevent(Input.Changed):
            self.put(text)
        self._input.select_all()
        self._input.focus()

    def close(self) -> None:
        """Hide the field."""
        self.remove_class("-open")

    def put(self, text: str, cursor: int | None = None) -> None:
        """Change the text, as if it had been typed; the cursor goes to the end by default."""
        self._input.value = text
        self._input.cursor_position = len(text) if cursor is None else cursor

    def mark(self, here: tuple[int, int] | None, lost: Sequence[tuple[int, int]] = ()) -> None:
        """Mark the term at the cursor, and other terms without a match, by their start and end."""
        spans = [*lost, *filter(None, [here])]
        names = [*["prompt--lost"] * len(lost), "prompt--marked"][: len(spans)]
        if self._marker.spans != spans:
            self._marker.spans = spans
            self._marker.styles = [self.get_component_rich_style(name, partial=True) for name in names]
            self._input.refresh()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Edited(event.value, self._input.cursor_position))

    def on_key(self, event: events.Key) -> None:
        """Leave the empty field with Backspace."""
        if event.key == "backspace" and not self.text:
            event.stop()
            self.post_message(self.Left("", False))

    def recall(self, delta: int) -> None:
        """Put in an earlier text, or with 1 a later one."""
        back = self._back - delta
        if 0 <= back <= len(self.earlier):
            self._back = back
            self.put(f"{self.earlier[-back]} " if back else "")

    def keep(self) -> None:
        """Send a message for Enter."""
        self.earlier = [*(each for each in self.earlier if each != self.text), self.text]
        self.post_message(self.Left(self.text, True))

    def actions(self) -> Actions:
        return {
            **super().actions(),
            "prompt.leave": lambda: self.post_message(self.Left(self.text, False)),
            "prompt.done": self.keep,
            "prompt.complete": lambda: self.post_message(self.CompletionAsked(1)),
            "prompt.complete_back": lambda: self.post_message(self.CompletionAsked(-1)),
            "prompt.up": lambda: self.post_message(self.Stepped(-1)),
            "prompt.down": lambda: self.post_message(self.Stepped(1)),
            "prompt.earlier": partial(self.recall, -1),
            "prompt.later": partial(self.recall, 1),
        }


class QueryLine(Prompt):
    """The line to type a query in; Tab puts in completions of the term at the cursor."""

    def __init__(self, completer: Callable[[str, int], Sequence[Completion]]) -> None:
        """`completer`: gives the completions for a text and the offset of the cursor in it."""
        super().__init__(" / ", "a spec as Spack writes it: hdf5@1.14 +mpi %gcc os=ubuntu22.04")
        self._completer = completer
        self._offers: Sequence[Completion] = ()
        self._base = self._completed = ""
        """The text before a completion was put in, and after it."""
        self._at = -1
        """The number of the completion that was put in last; -1 for none."""

    def open(self, text: str = "") -> None:
        self._at = -1
        super().open(text)

    @property
    def offers(self) -> Sequence[Completion]:
        """The completions to show: first the one that Tab has put in, if any, then those that it puts in next."""
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

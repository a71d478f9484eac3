"""One line of text that is no table: the header, the chips of the filters, the hints; a long message takes two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from cachetui.tui.rows.layout import Cell, fit_words, measure, plain, text_in
from cachetui.tui.rows.line_pieces import Piece
from cachetui.tui.rows.tones import Tone
from cachetui.tui.widgets.linewise import LinewiseWidget
from cachetui.tui.widgets.signs import signs_of

Text = Sequence[Cell | str]


class Bar(LinewiseWidget):
    """Text at the left and at the right; where there is no room for both, the right one loses its last words."""

    @dataclass
    class Clicked(Message):
        """The mouse was pressed on a text at the left, or on the plain text that follows it."""

        bar: Bar
        text: str

        @property
        def control(self) -> Bar:
            return self.bar

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: Text = ()
        self._right: Text = ()
        self._below: Text = ()
        """The second line of a message."""

    def show(self, left: Text, right: Text = (), below: Text = ()) -> None:
        """Shows other text; paints nothing where it is the same."""
        if (tuple(left), tuple(right), tuple(below)) != (self._left, self._right, self._below):
            self._left, self._right, self._below = tuple(left), tuple(right), tuple(below)
            self.set_class(bool(_plain_text(below)), "-two-lines")
            self.refresh_changed()

    def show_message(self, message: str, width: int, tone: Tone = "", more: str = "") -> None:
        """Shows a message alone, in two lines where it is wider than this; its first line then ends with a word.

        What there is `more` to say follows it without the tone.
        """
        first, rest = in_two_lines(message + more, width)
        toned = len(message) - len(first) - 1  # letters of the message in the second line, after a blank
        self.show(
            [Cell(first[: len(message)], tone), first[len(message) :]],
            below=[Cell(rest[: max(0, toned)], tone), rest[max(0, toned) :]],
        )

    @property
    def text(self) -> str:
        """All of it, as plain text."""
        return " ".join(filter(None, (_plain_text((*self._left, *self._right)), _plain_text(self._below))))

    def on_click(self, event: events.Click) -> None:
        """Tells which text was clicked."""
        clicked, end = "", 0
        for cell in self._left:
            end += measure(text_in(cell))
            clicked = clicked if isinstance(cell, str) else cell.text
            if event.y == 0 and event.x < end:
                self.post_message(self.Clicked(self, clicked))
                return

    def pieces(self, y: int) -> Sequence[Piece]:
        """The line itself; below it, if the bar is higher, the rest of a message."""
        width = self.size.width
        pieces: list[Piece] = []
        if y == 0:
            room = width - self._put(self._left, width, pieces)
            right: list[Piece] = []
            # Beside a text that has lost words there is no room for the other one.
            used = 0 if measure(_plain_text(self._left)) > width else self._put(self._right, max(0, room - 1), right)
            pieces += [(" " * (room - used), ()), *right]
        else:
            used = self._put(self._below if y == 1 else [], width, pieces)
            pieces.append((" " * (width - used), ()))
        return pieces

    def _put(self, text: Text, room: int, pieces: list[Piece]) -> int:
        """Adds the text as far as there is room; returns the cells that it takes."""
        used, cut = 0, signs_of(self).cut
        for cell in text:
            whole = plain(cell if isinstance(cell, str) else cell.text)
            shown = fit_words(whole, room - used, cut)
            pieces.append((shown, () if isinstance(cell, str) or not cell.tone else (cell.tone,)))
            used += measure(shown)
            if shown != whole:
                break
        return used


def in_two_lines(message: str, width: int) -> tuple[str, str]:
    """As many words of a message as a line so wide has room for, at least one, and all others."""
    first, *words = message.split(" ")
    while words and measure(longer := f"{first} {words[0]}") <= width:
        first = longer
        words.pop(0)
    return first, " ".join(words)


def _plain_text(text: Text) -> str:
    return "".join(cell if isinstance(cell, str) else cell.text for cell in text)

"""A spec or a package in full, as text to read: beside the list, and on a screen of its own."""

from __future__ import annotations

import re
import textwrap
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice

from textual.geometry import Size

from cachetui.report.detail import Field
from cachetui.tui.rows.layout import GAP, Cell, Column, FixedRows, Line
from cachetui.tui.rows.tones import Tone
from cachetui.tui.widgets.text_pane import TextPane

LABEL = 9
"""Cells that the label of a field takes."""

BESIDE = LABEL + GAP
"""Cells before the values."""

BETWEEN = "  "
"""Stands between the values of a list."""


WORD = re.compile(r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+""")
"""A word to a shell; blanks in quotes belong to it."""

SIGN = re.compile("[-+~@%/,=]")
"""What begins a part of a long word: a variant, a folder."""

GOES_ON = " \\"
"""Suffix of a line of a command that goes on in the next line."""

PART = re.compile("(?=[+%])")
"""Before it a blank may stand in a spec; not before `~`, which a shell could take for somebody's home."""

QUOTED = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""")
"""Text in quotes that are closed."""

Piece = tuple[str, bool]
"""A line of a value, and whether it goes on in the middle of a word, which blanks before it would cut in two."""


class DetailPane(TextPane):
    """The fields of one spec; long values are wrapped to the width at hand."""

    DEFAULT_CSS = ""

    def __init__(self, *, brief: bool = False, id: str | None = None) -> None:
        """`brief`: where there is no room for all of it, lists of values are cut to a line each."""
        super().__init__([Column("", LABEL, right=True), Column("", 10, share=1)], header=False, id=id)
        self._fields: Sequence[Field] = ()
        self._brief = brief
        self._wrapped = Size()

    def show_fields(self, fields: Sequence[Field], *, stays: bool = False) -> None:
        """Shows other fields, from their first line; where the view `stays` they are of the same thing."""
        if fields != self._fields:
            self._fields = fields
            self._wrap()
            if not stays:
                self.go(0)

    def resized(self) -> None:
        super().resized()
        if self.size != self._wrapped:
            self._wrap()

    def _wrap(self) -> None:
        self._wrapped = self.size
        room = _room(self.size.width or self.app.size.width)
        fields = _brief(self._fields, room, self.page) if self._brief else self._fields
        self.show(FixedRows(_lines(fields, room)))


def lines_of(fields: Sequence[Field], width: int, most: int) -> int:
    """How many lines the fields take in a pane of this width, counted up to so many."""
    return len(list(islice(_lines(fields, _room(width)), most)))


def _room(width: int) -> int:
    """Cells for the values, beside the labels."""
    return max(20, width - LABEL - 2)


def _lines(fields: Sequence[Field], room: int) -> Iterator[Line]:
    for field in fields:
        label = field.label
        names_it = field is fields[0] and not (field.is_list or field.is_command)
        tone: Tone = "title" if names_it else field.means
        for pieces in _pieces_of(_with_sign(field), room):
            for piece, in_word in pieces:
                if in_word:
                    yield Line((Cell(piece.ljust(room + BESIDE), tone),))
                else:
                    yield Line((Cell(label, "label"), Cell(piece, tone)))
                label = ""
            tone = tone if names_it else ""


def _brief(fields: Sequence[Field], room: int, height: int) -> list[Field]:
    """The fields in at most so many lines, as far as lists can be cut: to a line each, and what is left in turn."""
    needed = [_height(field, room) for field in fields]
    allowed = [1 if field.is_list else lines for field, lines in zip(fields, needed, strict=True)]
    while sum(allowed) < min(height, sum(needed)):
        least = min(lines for lines, wanted in zip(allowed, needed, strict=True) if lines < wanted)
        allowed[next(k for k, lines in enumerate(allowed) if lines == least < needed[k])] += 1
    return [_cut(field, room, lines) for field, lines in zip(fields, allowed, strict=True)]


def _cut(field: Field, room: int, most: int) -> Field:
    """The first of the values, at least one, as many as have room in so many lines beside the number of the others."""

    def cut(shown: int) -> Field:
        rest = len(field.lines) - shown
        lines = (*field.lines[:shown], *([f"+{rest} more"] if rest else []))
        return field._replace(lines=lines, asides=() if rest else field.asides)

    def lines(shown: int) -> int:
        return _height(cut(shown), room)

    if not field.is_list or lines(len(field.lines)) <= most:
        return field
    return cut(max(1, bisect_right(range(1, len(field.lines)), most, key=lines)))


def _height(field: Field, room: int) -> int:
    return sum(map(len, _pieces_of(field, room)))


def _with_sign(field: Field) -> Field:
    """A verdict with the sign that its rows have in a list."""
    sign = {"fails": "! ", "unknown": "? "}.get(field.means, "")
    return field._replace(lines=(sign + field.lines[0], *field.lines[1:])) if sign else field


def _pieces_of(field: Field, room: int) -> list[list[Piece]]:
    """The lines of each text of a field; those of a list are one text. What may follow the last does if it has room."""
    if field.is_list:
        found = [_list_pieces(field.lines, room)]
    else:
        found = [_pieces(text, room, is_command=field.is_command, is_spec=field.is_spec) for text in field.lines]
    last, in_word = found[-1][-1] if found else ("", False)
    fit = (text for text in field.asides if len(last) + len(BETWEEN) + len(text) <= room)
    if aside := next(fit, ""):
        found[-1][-1] = f"{last}{BETWEEN}{aside}", in_word
    return found


def _list_pieces(values: Sequence[str], room: int) -> list[Piece]:
    """The values of a list in lines that end between two; one that is longer than a line goes on in the next."""
    lines = [""]
    for value in values:
        longer = f"{lines[-1]}{BETWEEN}{value}" if lines[-1] else value
        if len(longer) <= room:
            lines[-1] = longer
        elif len(value) <= room or len(lines[-1]) + len(BETWEEN) >= room:
            lines += _cut_up(value, room)
        else:
            lines[-1:] = _cut_up(longer, room)
    return [(line, False) for line in lines]


def _cut_up(text: str, room: int) -> list[str]:
    return [text[at : at + room] for at in range(0, len(text), room)]


def _pieces(text: str, room: int, *, is_command: bool, is_spec: bool = False) -> list[Piece]:
    """A text in lines of at most `room` characters, or that and the cells before them within a word.

    Those of a command are still one command to a shell, and those of a spec one spec.
    """
    if not is_command:
        return [(line, False) for line in _wrapped(text, room)]
    words = WORD.findall(text)
    if " ".join(words) != text:
        return [(part, False) for part in _cut_up(text, room)]
    lines: list[Piece] = [("", False)]
    for number, word in enumerate(words, 1):
        most = room if number == len(words) else room - len(GOES_ON)
        before, in_word = lines[-1]
        if len(longer := f"{before} {word}".lstrip()) <= most:
            lines[-1] = longer, in_word
            continue
        if before:
            lines[-1] = before + GOES_ON, in_word
        if len(word) > most and is_spec:
            *full, word = _parts_of_spec(word, room - len(GOES_ON))
            lines += [(part + GOES_ON, False) for part in full]
        parts = [word] if len(word) <= most else _parts_for_shell(word, room - len(GOES_ON))
        lines += [(part, k > 0) for k, part in enumerate(parts)]
    return [line for line in lines if line[0]]


def _parts_of_spec(word: str, room: int) -> list[str]:
    """A word of a spec in parts with blanks between them; the last is longer than a line where it cannot be parted."""
    if QUOTED.search(word) or "=" in word:
        return [word]
    parts = [""]
    for part in filter(None, PART.split(word)):
        if len(part) > room:
            return [word]
        if len(parts[-1] + part) <= room:
            parts[-1] += part
        else:
            parts.append(part)
    return parts


def _parts_for_shell(word: str, room: int) -> list[str]:
    """A word of a command in lines that a shell puts together again; those after the first begin at the left edge."""
    parts: list[str] = []
    most = room
    while len(word) > most:
        at = max((sign.start() for sign in SIGN.finditer(word, most // 2, most - 1)), default=most - 2)
        while at > most // 2 and word[at - 1] == "\\":
            at -= 1
        opened = re.search("['\"]", QUOTED.sub("", word[:at]))
        again = opened.group() if opened else ""  # quotes end with the line and begin again with the next
        parts.append(f"{word[:at]}{again}\\")
        word, most = again + word[at:], room + BESIDE
    return [*parts, word]


def _wrapped(text: str, room: int) -> list[str]:
    """The text in lines that end between words; a word longer than a line before a sign."""
    if all(len(word) <= room for word in text.split(" ")):
        return textwrap.wrap(text, room, break_on_hyphens=False) or [""]
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if len(longer) <= room:
            lines[-1] = longer
        elif len(word) <= room or len(lines[-1]) > room // 2:
            lines += _parts_of_word(word, room)
        else:
            lines[-1:] = _parts_of_word(longer, room)
    return lines


def _parts_of_word(word: str, room: int) -> list[str]:
    """A word in lines: each ends before a sign of a spec or of a path where its second half has one."""
    parts = []
    while len(word) > room:
        at = max((sign.start() for sign in SIGN.finditer(word, room // 2, room + 1)), default=room)
        parts.append(word[:at])
        word = word[at:]
    return [*parts, word]

"""A screen as cells.

Input: what is drawn, as text with the codes of its look. There is one object for each cell that looks the same, so
that cells are compared by identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from rich.cells import cell_len

PLAIN_CODES = {"", "0", "39", "49"}
"""Codes that say nothing in a look that starts from the plain one."""

VARIATION = "\ufe0f"
"""Belongs to the character before it, though it may make that one wider."""


class Look(NamedTuple):
    """How a cell looks, as codes of SGR; empty for the terminal's own."""

    attributes: tuple[str, ...]
    foreground: str
    background: str


PLAIN = Look((), "", "")

Cell = tuple[str, Look]
"""A character with what combines with it, and its look; the text is empty in the second half of a wide one."""


class Letters(dict[str, Cell]):
    """The cells of one look, each made once."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look

    def __missing__(self, text: str) -> Cell:
        return self.setdefault(text, (text, self._look))


@lru_cache(1024)
def letters(look: Look) -> Letters:
    """The cells of a look by what they show."""
    return Letters(look)


BLANK: Cell = letters(PLAIN)[" "]

Row = list[Cell]
"""One line of a screen. Never changed once it is part of a frame."""


class Area(NamedTuple):
    """Some columns of some rows; the end is outside."""

    left: int
    top: int
    right: int
    bottom: int


class Frame(NamedTuple):
    """A whole screen, and where the terminal's cursor belongs."""

    rows: Sequence[Row]
    cursor: tuple[int, int]
    first: Sequence[Area] = ()
    """What is to be seen before all else."""


@lru_cache(1024)
def look_of(codes: str) -> Look:
    """The look that the codes of SGR ask for, from the plain one on."""
    attributes: list[str] = []
    colors = {"3": "", "4": ""}
    words = iter(codes.split(";"))
    for word in words:
        if word in ("38", "48"):
            kind = next(words)
            colors[word[0]] = ";".join((word, kind, *(next(words) for _ in range(1 if kind == "5" else 3))))
        elif word in PLAIN_CODES:
            continue
        elif len(word) > 1 and word[0] in "34" and word[1] in "01234567":
            colors[word[0]] = word
        elif len(word) > 1 and word[:-1] in ("9", "10"):
            colors["3" if word[0] == "9" else "4"] = word
        else:
            attributes.append(word)
    return Look(tuple(attributes), colors["3"], colors["4"])


@lru_cache(1024)
def characters(text: str) -> tuple[tuple[str, int], ...]:
    """The characters of a text, each with what combines with it, and their widths in cells."""
    found: list[tuple[str, int]] = []
    total = 0
    for end, character in enumerate(text, 1):
        before, total = total, cell_len(text[:end])
        if found and (total == before or character == VARIATION):
            joined, width = found[-1]
            found[-1] = (joined + character, width + total - before)
        elif total > before:
            found.append((character, total - before))
    return tuple(found)


class Canvas:
    """The screen that is wanted; drawing on it leaves the frames that were taken of it as they are."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._rows: list[Row] = [[BLANK] * width for _ in range(height)]
        self._own: set[int] = set()
        """The rows that no frame has."""
        self._has_wide = False
        """Whether there may be characters of two cells, which can be cut in half."""

    def resized(self, width: int, height: int) -> Canvas:
        """A canvas of another size with the same on it."""
        canvas = Canvas(width, height)
        canvas._has_wide = self._has_wide
        for row, old in zip(canvas._rows, self._rows, strict=False):
            row[: len(old)] = old[:width]
            _mend(row, width)
        return canvas

    def frame(self, cursor: tuple[int, int], first: Sequence[Area] = ()) -> Frame:
        """What is on it now."""
        self._own.clear()
        return Frame(tuple(self._rows), cursor, first)

    def draw(self, x: int, y: int, pieces: Iterable[tuple[str, Look]]) -> None:
        """Puts texts behind each other from a cell on; what is outside is left out."""
        if not 0 <= y < self.height or not 0 <= x < self.width:
            return
        drawn: Row = []
        for text, look in pieces:
            if text.isascii() or all(map(_stands_alone, set(text))):
                drawn += map(letters(look).__getitem__, text)
                continue
            marks = _leading_marks(text)
            if marks and drawn:  # a change of the look parts them from what they combine with
                last = max(k for k, (character, _) in enumerate(drawn) if character)
                character, its_look = drawn[last]
                drawn[last] = letters(its_look)[character + marks]
            drawn += _cells(text, look)
            self._has_wide = True
        del drawn[self.width - x :]
        end = x + len(drawn)
        row = self._rows[y]
        if drawn == row[x:end]:
            return
        if y not in self._own:
            self._own.add(y)
            self._rows[y] = row = row.copy()
        row[x:end] = drawn
        if self._has_wide:
            _mend(row, x)
            _mend(row, end)


@lru_cache(1024)
def _stands_alone(character: str) -> bool:
    """Whether a character takes one cell, whatever it stands beside; of two letters of a flag this is not known."""
    return character.isascii() or (cell_len(character) == 1 and not "\U0001f1e6" <= character <= "\U0001f1ff")


def _leading_marks(text: str) -> str:
    """What at the start of a text takes no cell of its own."""
    return "".join(takewhile(lambda character: cell_len(character) == 0, text))


def _cells(text: str, look: Look) -> Iterator[Cell]:
    cells = letters(look)
    for character, width in characters(text):
        yield cells[character]
        for _ in range(1, width):
            yield cells[""]


def _mend(row: Row, x: int) -> None:
    """Leaves no half of a wide character at either side of this border."""
    if x < len(row) and not row[x][0] and (x == 0 or _width(row[x - 1][0]) < 2):
        row[x] = letters(row[x][1])[" "]
    if 0 < x <= len(row) and _width(row[x - 1][0]) > 1 and (x == len(row) or row[x][0]):
        row[x - 1] = letters(row[x - 1][1])[" "]


def _width(text: str) -> int:
    return 1 if text.isascii() else cell_len(text)

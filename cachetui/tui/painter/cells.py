"""A screen as cells.

A row is two strings with one character for each cell: one string for what the cells show, one for how they look. So
rows are joined, compared and written at the speed of strings. What does not fit one character (wide and combining
characters, looks) is given a character that stands for it.
Input: what is drawn, as text with the codes of its look.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple, TypeVar

from rich.cells import cell_len

CODES = re.compile(r"[34]8;5;\d+|[34]8;2;\d+;\d+;\d+|\d+")
"""A code of SGR: an attribute, or a colour with its numbers."""

PLAIN_CODES = {"0", "39", "49"}
"""Those that change nothing in the plain look."""

VARIATION = "\ufe0f"
"""The emoji variation selector: part of the character before it, which it may make wider."""


Look = str
"""How a cell looks, as codes of SGR with `;` between; none of them for the plain look."""

PLAIN: Look = ""

STEPS = (0, 95, 135, 175, 215, 255)
"""The parts of the colours 16 to 231 of the 256, which make a cube (256colres.h of xterm)."""

GREYS = range(8, 248, 10)
"""The colours 232 to 255: from dark to light."""

Value = TypeVar("Value", bound=Hashable)


class Codebook(dict[Value, str]):
    """Gives each value a character that stands for it, the next free one at the first use."""

    def __init__(self, numbers: range, first: Value, otherwise: str) -> None:
        """`numbers` are the code points to give; `otherwise` stands for every value after they are used up."""
        super().__init__()
        self._numbers = numbers
        self._otherwise = otherwise
        self.values_of: dict[int, Value] = {}
        """The values by code point, as `str.translate` wants them."""
        self[first]

    def __missing__(self, value: Value) -> str:
        if len(self) == len(self._numbers):
            return self._otherwise
        number = self._numbers[len(self)]
        self.values_of[number] = value
        return self.setdefault(value, chr(number))


LOOKS = Codebook(range(ord(" "), 0xD800), PLAIN, " ")
"""The characters of looks: a blank for the plain one."""

TEXTS = Codebook(range(0xF0000, 0x10FFFE), "", "?")
"""The characters of what takes a cell and is no single character, and of what lies in this range itself."""

HALF = TEXTS[""]
"""Stands in the second half of a wide character."""


class CellRow(NamedTuple):
    """One line of a screen: what its cells show and how they look, a character for each cell."""

    text: str
    looks: str

    def cells(self) -> Iterator[tuple[str, Look]]:
        """The cells with what they show: a character with what combines with it, and its look.

        The text is empty in the second half of a wide one.
        """
        return ((text_of(sign), LOOKS.values_of[ord(look)]) for sign, look in zip(*self, strict=True))


def blank_row(width: int) -> CellRow:
    return CellRow(" " * width, LOOKS[PLAIN] * width)


def text_of(signs: str) -> str:
    """What the cells show, of a row's text or a part of it."""
    return signs if signs.isascii() else signs.translate(TEXTS.values_of)


NOWHERE = (-1, -1)
"""The place of a cursor that may be anywhere: nobody types, or nobody knows where it is."""


class Frame(NamedTuple):
    """A whole screen, and where the terminal's cursor belongs (NOWHERE: anywhere)."""

    rows: Sequence[CellRow]
    cursor: tuple[int, int]


@lru_cache(1024)
def look_of(codes: str) -> Look:
    """The look that the codes of SGR ask for, from the plain one on."""
    return ";".join(_shortest(code) for code in CODES.findall(codes) if code not in PLAIN_CODES)


def _shortest(code: str) -> str:
    """The code; for a colour of three parts that is also one of the 256 the one with its number, which is shorter."""
    if ";2;" not in code:
        return code
    ground, _, *parts = map(int, code.split(";"))
    if set(parts) <= set(STEPS):
        red, green, blue = map(STEPS.index, parts)
        return f"{ground};5;{16 + 36 * red + 6 * green + blue}"
    if len(set(parts)) == 1 and parts[0] in GREYS:
        return f"{ground};5;{232 + GREYS.index(parts[0])}"
    return code


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
    """The screen that is wanted. Frames taken of it stay as they are when more is drawn."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._rows: list[CellRow] = [blank_row(width)] * height

    def frame(self, cursor: tuple[int, int]) -> Frame:
        """What is on it now."""
        return Frame(tuple(self._rows), cursor)

    def draw(self, x: int, y: int, pieces: Iterable[tuple[str, Look]]) -> None:
        """Puts texts one after the other, from this cell on; what is outside is left out."""
        if not 0 <= y < self.height or not 0 <= x < self.width:
            return
        text = looks = ""
        for piece, look in pieces:
            if not piece.isascii() and not all(map(_stands_alone, set(piece))):
                marks = _leading_marks(piece)
                if marks and text:  # a change of the look parts them from what they combine with
                    last = len(text.rstrip(HALF)) - 1
                    text = text[:last] + TEXTS[text_of(text[last]) + marks] + text[last + 1 :]
                piece = "".join(_signs(piece))
            text += piece
            looks += LOOKS[look] * len(piece)
        old_text, old_looks = self._rows[y]
        end = min(x + len(text), self.width)
        text = old_text[:x] + text[: end - x] + old_text[end:]
        looks = old_looks[:x] + looks[: end - x] + old_looks[end:]
        text = _mended(_mended(text, x), end)
        if text != old_text or looks != old_looks:
            self._rows[y] = CellRow(text, looks)


@lru_cache(1024)
def _stands_alone(character: str) -> bool:
    """Whether a character takes one cell whatever stands beside it, as the letters of flags do not."""
    return character.isascii() or (
        cell_len(character) == 1 and not "\U0001f1e6" <= character <= "\U0001f1ff" and character < HALF
    )


def _leading_marks(text: str) -> str:
    """The combining characters that a text begins with."""
    return "".join(takewhile(lambda character: cell_len(character) == 0, text))


def _signs(text: str) -> Iterator[str]:
    for character, width in characters(text):
        yield character if len(character) == 1 and character < HALF else TEXTS[character]
        yield HALF * (width - 1)


def _mended(text: str, x: int) -> str:
    """The text with a blank for a wide character that was cut in half at this column."""
    before = x > 0 and cell_len(text_of(text[x - 1])) > 1
    behind = x < len(text) and text[x] == HALF
    if behind and not before:
        return f"{text[:x]} {text[x + 1 :]}"
    if before and not behind:
        return f"{text[: x - 1]} {text[x:]}"
    return text

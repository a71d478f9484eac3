"""The cells of a screen, encoded as strings.

A row consists of two strings with one character for each cell. The first string encodes the texts of the cells. The
second string encodes their looks (colours and attributes such as bold). Therefore rows can be compared and changed as
fast as strings. The codebook `LOOKS` encodes each look as one character. The codebook `TEXTS` encodes each text that
needs several characters or two cells, such as combining and wide characters.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from rich.cells import cell_len

CODES = re.compile(r"[34]8;5;\d+|[34]8;2;\d+;\d+;\d+|\d+")
"""An SGR code: an attribute, or a colour with its numbers."""

PLAIN_CODES = {"0", "39", "49"}
"""SGR codes that have no effect on text without colours and attributes."""

UNSEEN = re.compile(r"[1-3]|3[0-7]|9[0-7]|38;.*")
"""SGR codes that do not change the look of a space: bold, dim, italic, and text colours."""

FILLED = re.compile("[^ ]+")
"""Adjacent cells that are not spaces."""

VARIATION = "\ufe0f"
"""The emoji variation selector, which may make the previous character wider."""

Look = str
"""The look of a cell: SGR codes for colours and attributes, separated by semicolons. Empty for the default look."""

PLAIN: Look = ""

STEPS = (0, 95, 135, 175, 215, 255)
"""The values of red, green and blue in the colours 16 to 231 of the 256-colour palette (256colres.h of xterm)."""

GREYS = range(8, 248, 10)
"""The values of the greys in a 256-colour palette, which are the colours 232 to 255."""

Value = TypeVar("Value", bound=Hashable)


class Codebook(dict[Value, str]):
    """A dictionary that assigns a character to each value when the value is first used."""

    def __init__(self, code_points: range, first_value: Value, fallback: str) -> None:
        """Assign the first of the available `code_points` to `first_value`.

        When all code points are assigned, new values get the character `fallback`.
        """
        super().__init__()
        self._code_points = code_points
        self._fallback = fallback
        self.values_of: dict[int, Value] = {}
        """The value of each assigned code point, for `str.translate`."""
        self[first_value]

    def __missing__(self, value: Value) -> str:
        if len(self) == len(self._code_points):
            return self._fallback
        number = self._code_points[len(self)]
        self.values_of[number] = value
        return self.setdefault(value, chr(number))


LOOKS = Codebook(range(ord("!"), 0xD800), PLAIN, "!")
"""The characters that encode looks."""

SPACE = " "
"""The code for the look of a space, if this look cannot be seen on a space (such as bold)."""

LOOKS.values_of[ord(SPACE)] = PLAIN

TEXTS = Codebook(range(0xF0000, 0x10FFFE), "", "?")
"""The codes for texts with several characters, for texts that fill two cells, and for characters of this range."""

HALF = TEXTS[""]
"""The character that encodes the second cell of a wide character."""


class CellRow(NamedTuple):
    """One row of a screen. `text` and `looks` (colours and attributes) have one encoded character for each cell."""

    text: str
    looks: str


def blank_row(width: int) -> CellRow:
    return CellRow(" " * width, SPACE * width)


def text_of(coded: str) -> str:
    """Decode the encoded text of a row, or a part of this text."""
    return coded if coded.isascii() else coded.translate(TEXTS.values_of)


NOWHERE = (-1, -1)
"""The cursor's position if it is unknown or does not matter."""


class Frame(NamedTuple):
    """The cells of a whole screen, and the position (x, y) for the cursor."""

    rows: Sequence[CellRow]
    cursor: tuple[int, int]


@lru_cache(1024)
def look_of(codes: str) -> Look:
    """Shorten a list of SGR codes: remove codes without an effect, and use short codes for colours."""
    return ";".join(_shortest(code) for code in CODES.findall(codes) if code not in PLAIN_CODES)


def _shortest(code: str) -> str:
    """Return the shortest SGR code with the same effect.

    A true colour that is also in the 256-colour palette gets the palette's code. Other codes stay unchanged.
    """
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
def shows_on_spaces(look: Look) -> bool:
    """Return whether a look is visible on a space, for example because it includes a background colour."""
    return not all(map(UNSEEN.fullmatch, CODES.findall(look)))


@lru_cache(2048)
def _looks_of(coded: str, look: Look) -> str:
    """Return the encoded looks of adjacent cells. All these cells have the look `look`.

    `coded` is the encoded text of the cells. If the look is not visible on a space, spaces get the code `SPACE`.
    """
    code = LOOKS[look]
    return code * len(coded) if shows_on_spaces(look) else FILLED.sub(lambda filled: code * len(filled[0]), coded)


@lru_cache(1024)
def characters(text: str) -> tuple[tuple[str, int], ...]:
    """Split a string into pairs of a character and its width in cells.

    Combining characters stay with the character before them.
    """
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
    """A screen to draw on. Drawing does not change the frames that `frame` has returned."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._rows: list[CellRow] = [blank_row(width)] * height

    def frame(self, cursor: tuple[int, int]) -> Frame:
        """Return the current screen as a frame."""
        return Frame(tuple(self._rows), cursor)

    def draw(self, x: int, y: int, pieces: Iterable[tuple[str, Look]]) -> None:
        """Draw adjacent texts from cell (x, y) to the right. Cut texts at the edges of the screen."""
        if not 0 <= y < self.height or not 0 <= x < self.width:
            return
        text = looks = ""
        for piece, look in pieces:
            if not piece.isascii() and not all(map(_stands_alone, set(piece))):
                piece = "".join(_signs(piece))
            text += piece
            looks += _looks_of(piece, look)
        old_text, old_looks = self._rows[y]
        end = min(x + len(text), self.width)
        text = old_text[:x] + text[: end - x] + old_text[end:]
        looks = old_looks[:x] + looks[: end - x] + old_looks[end:]
        text = _repaired(_repaired(text, x), end)
        if text != old_text or looks != old_looks:
            self._rows[y] = CellRow(text, looks)


@lru_cache(1024)
def _stands_alone(character: str) -> bool:
    """Return whether a character always has its own cell. Combining characters, for example, have none."""
    return character.isascii() or (
        cell_len(character) == 1 and not "\U0001f1e6" <= character <= "\U0001f1ff" and character < HALF
    )


def _signs(text: str) -> Iterator[str]:
    for character, width in characters(text):
        yield character if len(character) == 1 and character < HALF else TEXTS[character]
        yield HALF * (width - 1)


def _repaired(text: str, x: int) -> str:
    """Repair the encoded text of a row after drawing that began or ended at column `x`.

    If half of a wide character was overwritten, replace the other half with a space.
    """
    before = x > 0 and cell_len(text_of(text[x - 1])) > 1
    behind = x < len(text) and text[x] == HALF
    if behind and not before:
        return f"{text[:x]} {text[x + 1 :]}"
    if before and not behind:
        return f"{text[: x - 1]} {text[x:]}"
    return text

"""Pictures in cells: bars, bars to both sides of a line, columns, dots; of blocks, or of ASCII where there are none.

Everything here turns numbers into text of a given width, and knows no colours.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple

from cachetui.tui.rows.tones import HEAT, Tone


class Blocks(NamedTuple):
    """The signs that pictures are made of, each one cell wide."""

    across: str
    """From the narrowest to the whole cell, filled from the left."""
    halves: str
    """The same in two steps only, for bars that are to change seldom."""
    quarters: str
    """The same in four steps, for bars that have little room."""
    from_right: str
    """Filled from the right."""
    up: str
    """From the lowest to the whole cell."""
    middle: str
    """The line between two sides."""
    beyond: str
    """The top of a column that is higher than there is room for."""
    has_dots: bool
    """Whether there are cells of two by four dots."""


UNICODE_BLOCKS = Blocks("▏▎▍▌▋▊▉█", "▌█", "▎▌▊█", "▐█", "▁▂▃▄▅▆▇█", "│", "▲", has_dots=True)
ASCII_BLOCKS = Blocks("#", "#", "#", "#", "_.:-=+*#", "|", "^", has_dots=False)

DOTS = 0x2800
"""The cell of dots that has none (Unicode, Braille Patterns)."""

DOT_LINES = (0b1001, 0b10010, 0b100100, 0b11000000)
"""The two dots of each of its four lines, from above."""

HALVES = " ▀▄█"
"""A cell by which of its halves are filled: none, the upper, the lower, both."""

TOWERING = 3
"""How many times as large as the others a number is at least that may be higher than its column."""

FEWEST_RANKED = 4
"""Of fewer numbers none is higher than its column."""

DIGITS = 3
"""Digits of a number beside a bar up to which it is not in thousands, where not every number has room in full."""


def bar(part: float, whole: float, width: int, signs: str, *, least: int = 1) -> str:
    """A bar that is to the width as the part is to the whole, in steps of a sign; at least so many for a part."""
    if part <= 0 or whole <= 0:
        return ""
    steps = min(width * len(signs), max(least, round(width * len(signs) * part / whole)))
    full, rest = divmod(steps, len(signs))
    return signs[-1] * full + (signs[rest - 1] if rest else "")


def two_sided(left: int, right: int, most: int, width: int, blocks: Blocks) -> tuple[str, str]:
    """Two numbers, each with its bar, to both sides of a line that stands between them; each side `width` cells wide.

    `most` is what the longest bar stands for. Numbers stand in full where that one leaves a cell for its bar, else
    those of more than three digits are in thousands.
    """
    in_full = len(f"{most:,}") <= width - 2
    digits = len(f"{most:,}") if in_full else max(len(short(most, DIGITS)), DIGITS)
    room = max(0, width - digits - 1)
    texts = [f"{number:,}" if in_full else short(number, DIGITS) for number in (left, right)]
    old, new = (text if text != "0" else "" for text in texts)
    old_bar = bar(left, most, room, blocks.from_right)[::-1]
    new_bar = bar(right, most, room, blocks.halves)  # in the steps that there are for the left side
    return f"{old} {old_bar}".rjust(width), f"{new_bar} {new}".ljust(width)


def column_of(number: int, most: int, blocks: Blocks, line: int = 0, lines: int = 1) -> str:
    """One line (from below) of a column that is so many lines high for the most; a blank above its end.

    Of more than the most the top line has a sign that says so.
    """
    if not number:
        return " "
    if number > most and line == lines - 1:
        return blocks.beyond
    steps = len(blocks.up)
    filled = max(1, round(number / most * steps * lines)) - line * steps
    return blocks.up[min(filled, steps) - 1] if filled > 0 else " "


def top_of(numbers: Iterable[int]) -> int:
    """What a full column stands for: the largest number, or where a few tower above the others the next one.

    These few are a tenth at most, of four numbers and more at least one.
    """
    ranked = sorted(filter(None, numbers), reverse=True)
    if len(ranked) < FEWEST_RANKED:
        return max(ranked, default=0)
    usual = ranked[max(1, len(ranked) // 10)]
    return next(number for number in ranked if number <= TOWERING * usual)


def digits(number: int, cells: int) -> str:
    """A number in at most so many cells: its digits, `+` for one that has more of them, nothing for none."""
    text = str(number) if number else ""
    return text if len(text) <= cells else "+"


def stacked(filled: Sequence[bool], lines: int) -> str:
    """One cell for so many lines, one above the other: for two its halves, for up to four its lines of dots."""
    if lines == 2:
        return HALVES[sum(is_filled << k for k, is_filled in enumerate(filled))]
    found = sum(line for line, is_filled in zip(DOT_LINES, filled, strict=False) if is_filled)
    return chr(DOTS + found) if found else " "


def shade(number: int, largest: int) -> Tone:
    """The shade behind a number, on a scale of powers, so that few still differ from some; none for nothing."""
    if not number:
        return ""
    step = int(len(HEAT) * log(number) / log(largest)) if largest > 1 else len(HEAT) - 1
    return HEAT[min(step, len(HEAT) - 1)]


def shades(largest: int) -> list[tuple[int, int, Tone]]:
    """The shades that numbers up to the largest have, each with the first and the last number that has it."""
    first, found = 1, list[tuple[int, int, Tone]]()
    while first <= largest:
        tone = shade(first, largest)
        beyond = bisect_left(range(first, largest + 1), True, key=lambda number: shade(number, largest) != tone)
        found.append((first, first + beyond - 1, tone))
        first += beyond
    return found


def short(number: int, room: int) -> str:
    """A number in full where it has at most so many digits, else in thousands, rounded."""
    text = str(number)
    return text if len(text) <= room else f"{round(number / 1000)}k"

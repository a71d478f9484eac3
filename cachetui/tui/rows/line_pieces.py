"""A line as it is painted: its cells in their slots, as pieces of text with the names of their looks.

Pieces fill exactly the width that is given for them. Input: cells and columns, which `layout` has placed.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile

from cachetui.tui.rows.layout import Cell, Column, Slot, fit, fit_words, measure, plain, text_in
from cachetui.tui.rows.short_names import last_name
from cachetui.tui.rows.tones import HEAT

Names = tuple[str, ...]
"""How a piece of text looks: tones and the states of its row; the later ones win."""

Piece = tuple[str, Names]

MANY_BLANKS = 8
"""Blank cells that a part of a word fills in a column that `fills`."""

LEADING = " in"
"""The word before a list of names, which says nothing without any of them."""


def slot_pieces(
    slots: Sequence[Slot],
    columns: Sequence[Column],
    cells: Sequence[Cell | str] | Mapping[int, Cell | str],
    width: int,
    base: Names,
    cut: str,
    cell_names: Callable[[int], Names] | None = None,
) -> Iterator[Piece]:
    """The cells in their slots; `base`: how the line looks, `cell_names`: how the cell of a column does instead."""
    x = 0
    for k, slot in enumerate(slots):
        if slot.x < x:  # what stands before it has flowed over it
            continue
        yield " " * (slot.x - x), base
        names = cell_names(slot.column) if cell_names else base
        cell, column = cells[slot.column], columns[slot.column]
        x = slot.x + slot.width
        if isinstance(cell, str) and len(cell) <= slot.width and cell.isascii() and cell.isprintable():
            # as most cells are
            yield cell.rjust(slot.width) if column.right else cell.ljust(slot.width), names
            continue
        if column.flows and measure(text_in(cell)) > slot.width:
            empty = takewhile(lambda other: not text_in(cells[other.column]), slots[k + 1 :])
            x = max([x, *(other.x + other.width for other in empty)])
        how = {"right": column.right, "ends": column.ends, "words": column.words, "fills": column.fills}
        yield from cell_pieces(cell, x - slot.x, names, cut, **how)
    yield " " * (width - x), base


def cell_pieces(
    cell: Cell | str,
    width: int,
    base: Names,
    cut: str,
    *,
    right: bool = False,
    ends: bool = False,
    words: bool = False,
    fills: bool = False,
) -> Iterator[Piece]:
    """The cell in exactly `width` cells; the blanks beside its text keep the look of the row, but for a shade."""
    text, tone, spans = (cell, "", ()) if isinstance(cell, str) else cell
    whole = plain(text)
    shown = fit_words(whole, width, cut) if words else fit(whole, width, cut, ends=ends)
    if fills and shown != whole:
        shown = _filled(whole, shown, width, cut)
    toned = spans[-1][1] if spans else 0
    if ends and shown[:toned] != whole[:toned]:  # what is missing is not of a part with a meaning of its own
        shown = fit(whole, width, cut)
    blank = " " * (width - measure(shown))
    names = (*base, tone) if tone else base
    beside = names if tone in HEAT else base
    if right:
        yield blank, beside
    done = 0
    for start, end, other in spans:
        yield shown[done:start], names
        yield shown[start:end], (*names, other)
        done = end
    yield shown[done:], names
    if not right:
        yield blank, beside


def _filled(whole: str, shown: str, width: int, cut: str) -> str:
    """The words that are shown of a text, and of the next what has room: of a long name its ends, of any other its
    beginning where many cells would be blank."""
    words = shown.removesuffix(f" {cut}")
    name = last_name(whole[len(words) + 1 :].partition(" ")[0], width - measure(words) - 1, cut)
    if name:
        return f"{words} {name}"
    if width - measure(shown) >= MANY_BLANKS:
        return fit(whole, width, cut)
    return f"{words.removesuffix(LEADING)} {cut}" if words.endswith(LEADING) else shown


def paragraph_pieces(text: str, y: int, width: int, cut: str) -> Iterator[Piece]:
    """The line `y` of a text whose lines go on in as many as they need."""
    lines = _wrapped(text, width)
    shown = fit(lines[y], width, cut) if y < len(lines) else ""
    yield shown + " " * (width - measure(shown)), ()


@lru_cache(8)
def _wrapped(text: str, width: int) -> Sequence[str]:
    """The lines of a text; kept, as each of them is asked for by itself."""
    return [
        piece
        for line in text.splitlines()
        for piece in textwrap.wrap(plain(line), max(20, width), subsequent_indent="  ", break_on_hyphens=False) or [""]
    ]


def title_texts(
    slots: Sequence[Slot], columns: Sequence[Column], directions: Mapping[str, str], cut: str
) -> dict[int, Cell | str]:
    """The titles of the columns that have a slot; `directions`: the signs of columns that the rows are sorted by."""
    titles: dict[int, Cell | str] = {}
    for slot in slots:
        column = columns[slot.column]
        direction = directions.get(column.order, "")
        room = slot.width - len(direction)
        texts = list(map(plain, column.headings or (column.title,)))
        title = fit(next((text for text in texts if measure(text) <= room), texts[-1]), room, cut) + direction
        beside = (f"{title} {aside}" for aside in column.asides)
        titles[slot.column] = next((text for text in beside if measure(text) <= slot.width), title)
    return titles

"""What a table shows, apart from how it is painted: cells, lines, their sources, the width of columns.

Widths are in terminal cells, spans in characters. Text is plain, never markup, and one character of
it stays one character here, so that spans keep their place.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct
from rich.cells import cell_len, set_cell_size

from cachetui.store.arrays import Once
from cachetui.tui.rows.short_names import before_hash, versioned, without_middle
from cachetui.tui.rows.tones import Tone

GAP = 1
"""Blank cells between two columns."""


class Cell(NamedTuple):
    """Text with a meaning; a plain string stands for a cell without one."""

    text: str
    tone: Tone = ""
    spans: Sequence[tuple[int, int, Tone]] = ()
    """Parts with a meaning of their own, as (start, end, tone), in order and apart from each other."""


class Line(NamedTuple):
    """One row as it is shown: a cell for each column."""

    cells: Sequence[Cell | str]
    tone: Tone = ""
    marked: bool = False
    sign: str = ""
    """Stands before the row, between the mark and the cursor, in a list that has room for it."""


class Rows(Protocol):
    """The source of a table: anything that can say how many rows there are and give the k-th."""

    def __len__(self) -> int: ...

    def row(self, k: int) -> Line:
        """The k-th row; called only for the rows on screen, each time they are painted."""

    def key(self, k: int) -> Hashable:
        """What the k-th row is, whatever its place: the cursor follows it. Never None."""

    def find(self, key: Hashable) -> int | None:
        """The place of the row with this key."""


class FixedRows:
    """Rows that are few and known: help, problems, tags. Without keys, a row is its number."""

    def __init__(self, lines: Iterable[Line], keys: Sequence[Hashable] | None = None) -> None:
        self._lines = list(lines)
        self._keys: Sequence[Hashable] = range(len(self._lines)) if keys is None else keys

    def __len__(self) -> int:
        return len(self._lines)

    def row(self, k: int) -> Line:
        """The k-th row."""
        return self._lines[k]

    def key(self, k: int) -> Hashable:
        """The key of the k-th row."""
        return self._keys[k]

    def find(self, key: Hashable) -> int | None:
        """The place of the first row with this key."""
        return next((k for k, other in enumerate(self._keys) if other == key), None)


class LazyRows(Struct, frozen=True, dict=True):
    """Rows that may be many, each of which is made once, when it is first painted."""

    def row(self, k: int) -> Line:
        """The k-th row."""
        return self._lines[k]

    @cached_property
    def _lines(self) -> Once[int, Line]:
        return Once(self.made)

    @abstractmethod
    def made(self, k: int) -> Line:
        """The k-th row, made anew."""


class Column(NamedTuple):
    """One column: its width is fixed, or the least it needs when it has a share of what is left."""

    title: str
    width: int
    share: int = 0
    """Parts of the spare width; the last column with a share takes what does not divide."""
    right: bool = False
    """Figures stand at the right."""
    drop: int = 0
    """Where the width does not do, the column with the greatest number goes first; 0 stays.

    From 2 on it goes already where others, which stay longer, would be cut.
    """
    order: Literal["", "rising", "falling"] = ""
    """How the rows are sorted by this column."""
    most: int = 0
    """The width beyond which it takes no share; 0 for none."""
    usual: int = 0
    """The width that does for most rows; beyond it the column takes a share of what others leave; 0 for no such."""
    ends: bool = False
    """Whether what is too long loses its middle: both ends tell names, and what is built with them, apart."""
    words: bool = False
    """Whether what is too long loses its last words, as sentences and lists do."""
    fills: bool = False
    """Whether then a part of a long word is shown rather than many blank cells."""
    gap: int = GAP
    """Blank cells after it."""
    flows: bool = False
    """Whether what is too long goes on over the columns after it, as far as they are empty in its row."""
    headings: tuple[str, ...] = ()
    """What its header says in place of the title: the first that has room, else the last."""
    asides: tuple[str, ...] = ()
    """What its header says behind the sign of its order: the first that has room, if any."""


class Slot(NamedTuple):
    """A column's place on screen."""

    column: int
    x: int
    width: int


def fitted_columns(columns: Sequence[Column], lines: Sequence[Line]) -> list[Column]:
    """The columns, each at most as wide as its title and its longest cell in these lines."""
    texts = [[column.title] + [text_in(line.cells[k]) for line in lines] for k, column in enumerate(columns)]
    longest = [max(map(measure, of_column)) for of_column in texts]
    return [each._replace(width=min(each.width, most), most=most) for each, most in zip(columns, longest, strict=True)]


def text_in(cell: Cell | str) -> str:
    """The text of a cell."""
    return cell if isinstance(cell, str) else cell.text


def lay_out(columns: Sequence[Column], width: int) -> list[Slot]:
    """Places the columns that fit; the spare width goes to those with a share."""
    chosen = list(range(len(columns)))
    while chosen:
        least = max(chosen, key=lambda k: (columns[k].drop, k))
        if not columns[least].drop or _extent(_as_wide(columns, chosen, columns[least].drop)) <= width:
            break
        chosen.remove(least)
    widths = {k: columns[k].width for k in chosen}
    spare = max(0, width - _extent(map(columns.__getitem__, chosen)))
    usual = {k: min(filter(None, (columns[k].usual, columns[k].most)), default=0) for k in chosen}
    spare = _grow(columns, widths, spare, usual)
    _grow(columns, widths, spare, {k: columns[k].most for k in chosen})
    return list(_place(columns, widths.items(), width))


def _grow(columns: Sequence[Column], widths: dict[int, int], spare: int, most: Mapping[int, int]) -> int:
    """Gives the spare cells to the columns with a share, to each up to `most`; returns how many are left."""
    growing = [k for k in widths if columns[k].share]
    while growing:
        parts = dict(zip(growing, _divided(spare, [columns[k].share for k in growing]), strict=True))
        room = {k: max(0, most[k] - widths[k]) if most[k] else spare for k in growing}
        full = {k: room[k] for k in growing if parts[k] > room[k]}
        for k, part in (full or parts).items():
            widths[k] += part
            spare -= part
        growing = [k for k in growing if k not in full] if full else []
    return spare


def _as_wide(columns: Sequence[Column], chosen: Iterable[int], drop: int) -> Iterator[Column]:
    """The chosen columns, as wide as they have to be for one that goes at `drop` to stay."""
    for column in map(columns.__getitem__, chosen):
        is_whole = 1 < drop > column.drop
        yield column._replace(width=max(column.width, column.most)) if is_whole else column


def _divided(cells: int, shares: Sequence[int]) -> list[int]:
    """The cells by shares, none left over."""
    ends = [cells * taken // sum(shares) for taken in accumulate(shares)]
    return [end - start for start, end in pairwise([0, *ends])]


def lay_out_sideways(columns: Sequence[Column], width: int, frozen: int, first: int) -> list[Slot]:
    """Places the frozen columns, then those from `first` that fit whole (at least one)."""
    chosen = list(range(min(frozen, len(columns))))
    for k in range(max(frozen, first), len(columns)):
        if _extent(columns[i] for i in (*chosen, k)) > width and len(chosen) > frozen:
            break
        chosen.append(k)
    return list(_place(columns, ((k, columns[k].width) for k in chosen), width))


def _extent(columns: Iterable[Column]) -> int:
    """The cells from the first column to the end of the last."""
    extent = gap = 0
    for column in columns:
        extent += gap + column.width
        gap = column.gap
    return extent


def _place(columns: Sequence[Column], widths: Iterable[tuple[int, int]], width: int) -> Iterator[Slot]:
    x = 0
    for column, wanted in widths:
        if x >= width:
            return
        yield Slot(column, x, min(wanted, width - x))
        x += wanted + columns[column].gap


def plain(text: str) -> str:
    """The text with a blank for each character that a terminal would not show as one."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else " " for letter in text)


def measure(text: str) -> int:
    """The width in cells of a text without control characters, as `plain` and `text.visible` give it."""
    return len(text) if text.isascii() else cell_len(text)


def figure(number: int, room: int) -> str:
    """A number as titles and texts have it, with commas; without them where these would not fit."""
    text = f"{number:,}"
    return text if len(text) <= room else str(number)


def fit(text: str, width: int, cut: str, *, ends: bool = False) -> str:
    """The text in at most `width` cells, with the sign `cut` where some of it is missing: after it, or in between.

    The text has no control characters, like that of `measure`. What is missing in between is not of a version, after
    `@`, as far as that leaves room for a name. Text with characters that may take two cells is cut at its end.
    """
    if measure(text) <= width:
        return text
    if width <= 0:
        return ""
    if not text.isascii():
        return set_cell_size(text, width - 1) + cut
    if not ends:
        return text[: width - 1] + cut
    return versioned(text, width, cut) if "@" in text else without_middle(text, width, cut, head=width // 2)


def fit_words(text: str, width: int, cut: str) -> str:
    """The text in at most `width` cells, as many of its words as have room; a first word that is too long is cut.

    Blanks at its beginning stay. A whole hash in that word is shown as such or not at all.
    """
    if measure(text) <= width:
        return text
    words = text.lstrip(" ")
    shown = blanks = text[: len(text) - len(words)]
    for word in words.split(" "):
        longer = f"{shown}{word}" if shown == blanks else f"{shown} {word}"
        if measure(longer) + 1 + measure(cut) > width:
            break
        shown = longer
    return fit(before_hash(text, cut), width, cut) if shown == blanks else f"{shown} {cut}"


def from_home(path: str) -> str:
    """A path with `~` for the home folder."""
    home = os.path.expanduser("~")
    return f"~{path[len(home) :]}" if home != "/" and (path == home or path.startswith(f"{home}/")) else path


def fit_path(path: str, width: int, cut: str) -> str:
    """A path in at most `width` cells: `~` for the home folder, and none of the names in its middle that lack room."""
    path = from_home(path)
    if measure(path) <= width:
        return path
    first, *names = path.split("/")
    shown = ("/".join((first, cut, *names[k:])) for k in range(1, len(names)))
    return next((text for text in shown if measure(text) <= width), fit(names[-1] if names else path, width, cut))

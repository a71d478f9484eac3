"""The texts of lists, independent of widgets: symbols, cells, lines, rows, and columns with their positions.

Widths are in terminal cells. Texts contain no markup, and are safe to show (see `safe_text.visible`).
"""

import os
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, Literal, NamedTuple, TypeVar, get_args

from msgspec import Struct
from rich.cells import cell_len, set_cell_size

from cachetui.mappings import Once
from cachetui.tui.keymap import KeyId

# Symbols. Each is one cell wide.

CUT = "…"
"""The symbol that replaces the part of a string that does not fit."""
RISING, FALLING = "▲", "▼"
THUMB = "┃"
"""The thumb of the scrollbar, at the right edge of a list."""
LEFT, RIGHT = "‹", "›"
"""The symbols for columns that are hidden at the left or at the right."""
DOT = "·"
FOLDED, UNFOLDED = "▸", "▾"
CHOICE = "▾"
"""The symbol after a value that the user can select from a list, such as the tag."""
CURSOR = "▌"
RULE, FOCUSED_RULE, EDGE, TEE, SIDE_TEE = "─", "━", "│", "┬", "├"
GOOD, BAD, ARROW = "✓", "✗", "→"
MEANS = {"runs": GOOD, "fails": "!", "missing": BAD, "unknown": "?", "gain": "+", "loss": "-"}
"""The symbol before a text, by the meaning of the text."""

BAR_CELLS = 12
"""Width of a full bar, in cells."""

BAR = "▂"
"""One cell of a bar."""

TO_ASCII = str.maketrans(
    "…▲▼┃‹›·▸▾▌─━│┬├┼┴╭╮╰╯✓✗→×█▁▂▃▄▅▆▇░▒▓▀",
    "$^v#<>.>v>-=|+++++++++x>x#___===#.:#'",
)
"""The ASCII replacements. None of them is `~`, because `~` means "off" in Spack."""


def in_ascii(text: str) -> str:
    """Replace non-ASCII characters in a string.

    For a character that is not in `TO_ASCII`, write a `?` for each of its cells.
    """
    text = text.translate(TO_ASCII)
    return text if text.isascii() else "".join(a if a.isascii() else "?" * cell_len(a) for a in text)


def bar(value: float, whole: float) -> str:
    """Return a bar.

    The bar for `whole` has `BAR_CELLS` cells. The bar for a smaller value is shorter.
    The bar for a positive value has at least 1 cell.
    """
    return BAR * max(1, round(BAR_CELLS * min(1.0, value / whole))) if value > 0 and whole > 0 else ""


# Cells and lines

Style = Literal["", "bold", "muted", "line", "accent", "good", "bad", "warn", "match", "bar"]
"""The styles of text. The style sheet defines the colours of each style under the name `style--STYLE`."""

STYLES: tuple[Style, ...] = tuple(style for style in get_args(Style) if style)

SYMBOL_STYLES: Mapping[str, Style] = {
    GOOD: "good",
    BAD: "bad",
    "+": "good",
    "-": "bad",
    "*": "match",
    "?": "warn",
}
"""The styles of symbols. In this order, they mean: present, missing, selected or new, excluded or removed, marked,
unknown.
"""


T = TypeVar("T", bound=tuple[Any, ...])


class Cell(NamedTuple):
    """Text with a style. A plain string is a cell without a style."""

    text: str
    style: Style = ""
    spans: Sequence[tuple[int, int, Style]] = ()
    """Slices of the text with another style: start, end, style. Slices are sorted and do not overlap."""
    id: KeyId | None = None
    """The action that a click on the cell runs."""


Text = Sequence[Cell | str]
"""A line of text: cells from left to right."""


class Line(NamedTuple):
    """The texts of a row: a cell for each column. The last cell may continue over the remaining columns."""

    cells: Sequence[Cell | str]
    symbol: str = ""
    """One or two symbols to the left of the row, in the styles of `SYMBOL_STYLES`."""


# Columns


GAP_CELLS = 2
"""Number of spaces between two columns."""

BAR_RANK = 9
"""The rank of a column with bars. Such a column is omitted as soon as another column would be cut."""


class Column(NamedTuple):
    """A column of a list."""

    title: str
    width: int
    """Minimum width, in cells."""
    most: int = 0
    """Maximum width, in cells; 0 for no limit."""
    weight: int = 0
    """Share of the free width, relative to the weights of the other columns."""
    rank: int = 0
    """If the columns do not fit, columns with the highest rank are omitted first. Columns of rank 0 always stay."""
    right: bool = False
    """Whether to align the text to the right, for example numbers."""
    middle: bool = False
    """Whether to cut long text in the middle, because both ends of a name matter."""


class Slot(NamedTuple):
    """The position of a column on screen. `x` and `width` are in terminal cells."""

    column: int
    x: int
    width: int


def lay_out(columns: Sequence[Column], width: int) -> list[Slot]:
    """Place the columns that fit. Columns with a weight share the remaining width, up to their maximum width."""
    chosen = list(range(len(columns)))
    if _extent(max(column.width, column.most) for column in columns) > width:
        chosen = [k for k in chosen if columns[k].rank < BAR_RANK]
    while chosen and _extent(columns[k].width for k in chosen) > width:
        last = max(chosen, key=lambda k: (columns[k].rank, k))
        if not columns[last].rank:
            break
        chosen.remove(last)
    widths = {k: columns[k].width for k in chosen}
    free = width - _extent(widths.values())
    growing = [k for k in chosen if columns[k].weight and not 0 < columns[k].most <= widths[k]]
    while free > 0 and growing:
        total, share = sum(columns[k].weight for k in growing), free
        for k in growing:
            more = min(free, max(1, share * columns[k].weight // total))
            more = min(more, columns[k].most - widths[k]) if columns[k].most else more
            widths[k] += more
            free -= more
        growing = [k for k in growing if not 0 < columns[k].most <= widths[k]]
    return list(_place(widths.items(), width))


def lay_out_sideways(columns: Sequence[Column], width: int, frozen: int, first: int) -> list[Slot]:
    """Place the first `frozen` columns, then the other columns that fit, starting with the column at index `first`.

    Place at least one of the other columns, even if it does not fit. The columns after the frozen columns have no gap
    between them, because their widths include spaces.
    """
    slots = list(_place(((k, columns[k].width) for k in range(min(frozen, len(columns)))), width))
    x = slots[-1].x + slots[-1].width + GAP_CELLS if slots else 0
    for k in range(max(frozen, first), len(columns)):
        if x >= width or (x + columns[k].width > width and len(slots) > frozen):
            break
        slots.append(Slot(k, x, min(columns[k].width, width - x)))
        x += columns[k].width
    return slots


def as_wide_as(column: Column, texts: Iterable[int]) -> Column:
    """Limit the width of a column to its title and its widest text.

    `texts` contains the widths of the texts, in cells.
    """
    most = max(len(column.title) + 2, max(texts, default=0))
    return column._replace(width=min(column.width, most), most=most)


def _extent(widths: Iterable[int]) -> int:
    widths = list(widths)
    return sum(widths) + GAP_CELLS * (len(widths) - 1)


def _place(widths: Iterable[tuple[int, int]], width: int) -> Iterator[Slot]:
    x = 0
    for column, wanted in widths:
        if x >= width:
            return
        yield Slot(column, x, min(wanted, width - x))
        x += wanted + GAP_CELLS


# Rows


class Rows(Struct, frozen=True, dict=True):
    """The rows of a list. The line of a row is created when it is first painted, and then cached."""

    @cached_property
    def row(self) -> Once[int, Line]:
        """The lines, by row number."""
        return Once(self.make_line)

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def make_line(self, k: int) -> Line:
        """Make the line of row `k`."""

    @abstractmethod
    def key(self, k: int) -> Hashable:
        """Return the key that identifies row `k`. If rows are reordered, the cursor stays on the row with its key."""

    @abstractmethod
    def find(self, key: Hashable) -> int | None:
        """Return the number of the first row with this key, or None if the key is missing."""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns of the list, if the columns depend on the rows. Otherwise, an empty sequence."""
        return ()


class KeyedRows(Rows, frozen=True, dict=True):
    """Rows with a list of all their keys."""

    @property
    @abstractmethod
    def keys(self) -> Sequence[Hashable]:
        """The keys of all rows, in order. A subclass must cache them."""

    def __len__(self) -> int:
        return len(self.keys)

    def key(self, k: int) -> Hashable:
        return self.keys[k]

    def find(self, key: Hashable) -> int | None:
        return self._places.get(key)

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {key: k for k, key in reversed(list(enumerate(self.keys)))}


class SectionRows(KeyedRows, Generic[T], frozen=True, dict=True):
    """Rows in sections with headings.

    The first field of an item is its section, and the first three fields are its key.
    """

    @property
    @abstractmethod
    def sections(self) -> Mapping[str, Sequence[T]]:
        """The items of each section. A subclass must cache them."""

    def is_open(self, section: str) -> bool:
        """Return whether a section is unfolded. The items of a folded section have no rows."""
        return True

    @cached_property
    def places(self) -> Sequence[tuple[str, T | None]]:
        """The section and the item of each row. For a heading, the item is None. The section `""` has no heading."""
        return [
            (section, item)
            for section, own in self.sections.items()
            for item in (*((None,) if section else ()), *(own if self.is_open(section) else ()))
        ]

    @cached_property
    def keys(self) -> Sequence[Hashable]:
        return [(section, item and item[:3]) for section, item in self.places]


class FixedRows(KeyedRows, frozen=True, dict=True):
    """Rows whose lines are already made."""

    lines: Mapping[Any, Line]

    @cached_property
    def keys(self) -> Sequence[Hashable]:
        return list(self.lines)

    def make_line(self, k: int) -> Line:
        return self.lines[self.keys[k]]


class EmptyRows(FixedRows, frozen=True, dict=True):
    """The rows to show if a list is empty: reasons, then actions.

    The key of a reason is a number. The key of an action is its id.
    """

    @property
    def first(self) -> int:
        """The row number of the first action."""
        return sum(isinstance(key, int) for key in self.lines)


def fitted(columns: Sequence[Column], rows: Rows) -> Sequence[Column]:
    """Limit the columns to the widths of their texts in these rows.

    Ignore the last text of a row, because it may continue over the next columns.
    """
    widths = [0] * len(columns)
    for line in rows.row.of(range(len(rows))):
        texts = [measure(text_of(cell)) for cell in line.cells]
        for k in range(len(columns)):
            if k < len(texts) and (any(texts[k + 1 :]) or k == len(columns) - 1):
                widths[k] = max(widths[k], texts[k])
    return [
        as_wide_as(column, [width]) if column.weight else column for column, width in zip(columns, widths, strict=True)
    ]


def title_answer(symbol: str, word: str, rest: str = "") -> Text:
    """Return a text for the right of a title, such as `✓ yes: …`. The symbol is coloured.

    If the symbol is `✗`, the word is also red.
    """
    return [
        Cell(symbol, SYMBOL_STYLES.get(symbol, "")),
        Cell(f" {word}", "bad" if symbol == BAD else ""),
        *filter(None, [rest]),
    ]


def text_of(cell: Cell | str) -> str:
    """Return the text of a cell."""
    return cell if isinstance(cell, str) else cell.text


def plain(text: str) -> str:
    """Replace each unprintable character with a space."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else " " for letter in text)


def measure(text: str) -> int:
    """Return the width of a string in cells. The string must not contain control characters."""
    return len(text) if text.isascii() else cell_len(text)


def fit(text: str, width: int, *, middle: bool = False) -> str:
    """Shorten a string to at most `width` cells. `CUT` replaces its end, or its middle if `middle` is true."""
    if measure(text) <= width:
        return text
    if width <= 0:
        return ""
    if not text.isascii():
        return set_cell_size(text, width - 1) + CUT
    tail = width // 2 if middle else 0
    return text[: width - 1 - tail] + CUT + text[len(text) - tail :]


def cut(text: Text, room: int) -> Text:
    """Shorten a line of text to at most `room` terminal cells."""
    cells: list[Cell | str] = []
    for cell in text:
        whole = text_of(cell)
        shown = fit(plain(whole), room)
        cells.append(shown if isinstance(cell, str) else cell._replace(text=shown))
        room -= measure(shown)
        if shown != plain(whole):
            break
    return cells


def from_home(path: str) -> str:
    """Return a path with `~` for the home folder."""
    home = os.path.expanduser("~")
    return f"~{path[len(home) :]}" if home != "/" and (path == home or path.startswith(f"{home}/")) else path

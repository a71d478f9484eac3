"""The pane for the details of a row: labels and values, wrapped to the width of the pane."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from textual.geometry import Region, Size
from textual.strip import Strip

from cachetui.report.specs import Field
from cachetui.tui.lines import (
    GAP_CELLS,
    GOOD,
    MEANS,
    SYMBOL_STYLES,
    Cell,
    Column,
    FixedRows,
    Line,
    Text,
    fit,
    title_answer,
)
from cachetui.tui.widgets.list_pane import EDGE_CELLS, ListPane

LABEL_CELLS = 10
"""Width of a label, in cells."""

SEPARATOR = "  "
"""The separator between the values of a list."""

CONTINUED = " \\"
"""The end of a line whose command continues on the next line."""

WORD = re.compile(r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+""")
"""A word of a shell command, possibly with spaces in quotes."""

QUOTED = re.compile(r"""\\.|\$?'[^']*'|"(?:\\.|[^"\\])*\"""")
"""A quoted text with both quotes, or a backslash with the next character."""

UNIT = re.compile(r"\\x[0-9a-f]{2}|\\.|\$'|.", re.DOTALL)
"""A part of a command that cannot be split: an escape sequence, `$'` or a character."""


def host_answer(field: Field) -> Text:
    """Return the text for the title line. The text states whether a spec runs on the host. It comes from `field`."""
    if field.means == "runs":
        return title_answer(GOOD, "runs here")
    word, _, rest = field.lines[0].rpartition(": ")
    return title_answer(MEANS[field.means], word or "unknown", f": {rest}")


class _ValueLine(NamedTuple):
    """A line of a wrapped value."""

    text: str
    is_inside: bool = False
    """Whether the line continues a word of the previous line. If so, the line must begin at the left edge."""


class DetailPane(ListPane):
    """A scrollable pane that shows fields: labels with values.

    Without the focus, it shortens lists so that all fields fit.
    """

    GUTTER = 0

    def __init__(self, *, title: str = "", id: str | None = None) -> None:
        super().__init__((Column("", LABEL_CELLS), Column("", 20, weight=1)), title=title, id=id)
        self._fields: tuple[Field, ...] = ()
        self._wrapped: object = None
        """The fields that were last wrapped, and the size to which they were wrapped."""

    def show_fields(self, fields: Sequence[Field]) -> None:
        """Replace the fields, and scroll to the first line."""
        if tuple(fields) != self._fields:
            self._fields = tuple(fields)
            self._top = 0
            self._wrap()
            self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        self._wrap()  # after a resize, Textual paints before it sends the event
        return super().render_lines(crop)

    def _wrap(self) -> None:
        """Wrap the fields to the current size. If they are already wrapped to this size, do nothing."""
        size = self.body_width, None if self.has_focus else self.page
        if size[0] and self._wrapped != (self._fields, size):
            self._wrapped = self._fields, size
            self.rows = FixedRows(dict(enumerate(detail_lines(self._fields, *size))))
            self.keep_in_view()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines: at most a quarter of the screen. Textual calls this for the height `auto`."""
        return min(len(detail_lines(self._fields, width - self.GUTTER - EDGE_CELLS)) + self.above, viewport.height // 4)


def detail_lines(fields: Sequence[Field], width: int, height: int | None = None) -> list[Line]:
    """Return the lines that show the fields.

    If possible, shorten lists so that all fields fit into `height` lines (None: unlimited).
    """
    room = max(20, width - LABEL_CELLS - GAP_CELLS)
    values = [_list(field, room) if field.is_list else _texts(field, room) for field in fields]
    if height is not None:
        lists = [len(value) for value, field in zip(values, fields, strict=True) if field.is_list]
        others = sum(map(len, values)) - sum(lists)
        most = next((n for n in range(height, 1, -1) if others + sum(min(n, each) for each in lists) <= height), 1)
        values = [
            _list(field, room, most) if field.is_list else value for field, value in zip(fields, values, strict=True)
        ]
    return [line for field, pieces in zip(fields, values, strict=True) for line in _lines(field, pieces)]


def _lines(field: Field, pieces: Sequence[_ValueLine]) -> Iterator[Line]:
    """Yield the lines of a field. The first line has the field's label and symbol.

    `pieces` are the lines of the wrapped value.
    """
    label, symbol = f" {field.label}", MEANS.get(field.means, "")
    for text, is_inside in pieces:
        value = Cell(
            f"{symbol} {text}" if symbol else text,
            "",
            [(0, 1, SYMBOL_STYLES[symbol])] if symbol in SYMBOL_STYLES else (),
        )
        yield Line((text,)) if is_inside else Line((Cell(label, "muted"), value))
        label = symbol = ""


def _texts(field: Field, room: int) -> list[_ValueLine]:
    """Wrap a field that is not a list into lines of at most `room` cells."""
    wrap = _command if field.is_command else _text
    return [piece for line in field.lines for piece in wrap(line, room)]


def _text(text: str, room: int) -> list[_ValueLine]:
    return [_ValueLine(line) for line in textwrap.wrap(text, room, break_on_hyphens=False) or [""]]


def _list(field: Field, room: int, most: int | None = None) -> list[_ValueLine]:
    """Wrap a list into lines of at most `room` cells, and break lines between its values.

    If the list needs more than `most` lines, end with the number of omitted values.
    """
    rows: list[list[str]] = [[]]
    for value in field.lines:
        if rows[-1] and len(SEPARATOR.join((*rows[-1], value))) > room:
            rows.append([])
        rows[-1].append(value)
    if most is None or len(rows) <= most:
        return [piece for row in rows for piece in _text(SEPARATOR.join(row), room)]
    *first, last = rows[:most]
    left_out = sum(map(len, rows[most:]))
    while len(last) > 1 and len(SEPARATOR.join((*last, f"+{left_out} more"))) > room:
        last, left_out = last[:-1], left_out + 1
    more = f"{SEPARATOR}+{left_out} more"
    return [
        *(_ValueLine(fit(SEPARATOR.join(row), room, middle=True)) for row in first),
        _ValueLine(fit(SEPARATOR.join(last), room - len(more), middle=True) + more),
    ]


def _command(text: str, room: int) -> list[_ValueLine]:
    """Wrap a command so that a shell reads the lines as the same command."""
    words = WORD.findall(text)
    if len(text) <= room:
        return [_ValueLine(text)]
    if " ".join(words) != text:
        return [_ValueLine(text[at : at + room]) for at in range(0, len(text), room)]
    pieces: list[_ValueLine] = []
    most = room - len(CONTINUED)
    for word in words:
        if pieces and len(f"{pieces[-1].text} {word}") <= most:
            pieces[-1] = pieces[-1]._replace(text=f"{pieces[-1].text} {word}")
            continue
        if pieces:
            pieces[-1] = pieces[-1]._replace(text=pieces[-1].text + CONTINUED)
        pieces += [_ValueLine(part, k > 0) for k, part in enumerate(_parts(word, most))]
    return pieces


def _parts(word: str, room: int) -> list[str]:
    """Split a long word of a command into lines that a shell joins again."""
    parts: list[str] = []
    while len(word) > room:
        ends = [unit.end() for unit in UNIT.finditer(word, 0, room)]
        at = max(end for end in ends if end <= room - 2)
        opened = re.search(r"\$?['\"]", QUOTED.sub("", word[:at]))
        again = opened.group() if opened else ""  # close quotes on this line, and reopen them on the next
        parts.append(f"{word[:at]}{again[-1:]}\\")
        word = again + word[at:]
    return [*parts, word]

"""A base class for widgets that paint line by line, and a class for bars such as the header."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import ClassVar, Self

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget

from cachetui.mappings import Once
from cachetui.tui.keymap import KeyId
from cachetui.tui.lines import FOCUSED_RULE, STYLES, Cell, Text, cut, fit, in_ascii, measure, plain, text_of

Names = tuple[str, ...]
"""The names of the styles for a string. Later styles override earlier styles."""

Piece = tuple[str, Names]


class LineWidget(Widget):
    """A widget that paints line by line. A line consists of pairs of a string and the names of its styles.

    The widget lacks padding and border, so `size` equals `outer_size`. The code uses the faster `outer_size`.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = set()
    virtual_size: Reactive[Size] = Reactive(Size(), repaint=False)  # Textual's default would lay out the screen

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._looks = Once[Names, RichStyle](self._style)
        self._painted = Once[int, Strip](self.render_line)
        """A cache of painted lines, by line number."""
        self._painted_in: object = None
        """The value of `surroundings` when the lines were painted."""

    @abstractmethod
    def pieces(self, y: int) -> Iterable[Piece]:
        """Return the texts of line `y` with their styles. Together, the texts are as wide as the widget."""

    @property
    def surroundings(self) -> object:
        """A value that all lines depend on. If it changes, all lines are painted again."""
        return self.outer_size

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Paint the lines in these regions again. Without regions, paint all lines again."""
        for y in [y for region in regions for y in region.line_range] if regions else [*self._painted]:
            self._painted.pop(y, None)
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Render only the changed lines. This skips Textual's code for borders and padding."""
        if self.surroundings != self._painted_in:
            self._painted_in = self.surroundings
            self._painted.clear()
        return [self._painted[y].crop(*crop.column_span) for y in crop.line_range]

    def render_line(self, y: int) -> Strip:
        """Render a line. Adjacent texts with the same styles become one segment."""
        segments: list[Segment] = []
        shown = in_ascii if self.app.has_class("-ascii") else str
        for names, pieces in groupby(filter(itemgetter(0), self.pieces(y)), itemgetter(1)):
            segments.append(Segment(shown("".join(map(itemgetter(0), pieces))), self._looks[names]))
        return Strip(segments, self.outer_size.width)

    def notify_style_update(self) -> None:
        self._looks.clear()
        self._painted.clear()
        super().notify_style_update()

    def _style(self, names: Names) -> RichStyle:
        style = self.rich_style
        for name in self._in_order(names):
            if name in STYLES:  # all widgets share this style, so get it from the app
                style += self.app.get_component_styles(f"style--{name}").partial_rich_style
            else:
                style += self.get_component_rich_style(f"list--{name}", partial=True)
        return style

    def _in_order(self, names: Names) -> Sequence[str]:
        """Return the names in the order in which the styles are applied. Later styles override earlier ones.

        In some themes, the cursor's style is only a background, and comes first. In other themes, the cursor's style
        comes last, and texts in the style `accent` do not get the cursor's style.
        """
        own = [name for name in names if name in STYLES]
        cursor = [name for name in names if name not in STYLES]
        if self.app.theme_variables["cursor-text-style"] == "none":
            return [*cursor, *own]
        return own if "accent" in own else [*own, *cursor]


def cell_pieces(
    cell: Cell | str, width: int, base: Names, *, right: bool = False, middle: bool = False
) -> Iterable[Piece]:
    """Yield the texts of a cell with their styles. Fill the cell with spaces to a width of `width` terminal cells.

    `base` contains the styles of the row. The spaces have these styles, too.
    """
    text, style, spans, _ = Cell(cell) if isinstance(cell, str) else cell
    whole = plain(text)
    shown = fit(whole, width, middle=middle)
    blank = " " * (width - measure(shown))
    names = (*base, style) if style else base
    if right:
        yield blank, base
    done = 0
    for start, end, other in spans if shown == whole or not middle else ():
        yield shown[done:start], names
        yield shown[start:end], (*names, other)
        done = end
    yield shown[done:], names
    if not right:
        yield blank, base


def text_pieces(text: Text, room: int, base: Names = ()) -> tuple[list[Piece], int]:
    """Cut a line of text to at most `room` terminal cells. Return its strings with their styles, and its width."""
    cells = cut(text, room)
    pieces = [piece for cell in cells for piece in cell_pieces(cell, measure(text_of(cell)), base)]
    return pieces, sum(map(measure, map(text_of, cells)))


def dialog_title(title: str, answer: str, width: int) -> Text:
    """Return the title line of a dialog: the title, a horizontal line, and `answer` at the right end."""
    right = f" {answer} {FOCUSED_RULE}" if answer else ""
    left = fit(f"{FOCUSED_RULE} {title} ", width - measure(right))
    rule = FOCUSED_RULE * (width - measure(left) - measure(right))
    return [Cell(left + rule, "accent"), right[:-1], Cell(right[-1:], "accent")]


@dataclass
class KeyAsked(Message):
    """Asks the screen to run an action."""

    id: KeyId


def clicked(cells: Iterable[Cell | str], x: int) -> KeyId | None:
    """Return the action of the clicked cell. None if the cell lacks an action.

    `x` is the distance of the click from the start of the text, in terminal cells.
    """
    for cell in cells:
        width = measure(text_of(cell))
        if 0 <= x < width:
            return None if isinstance(cell, str) else cell.id
        x -= width
    return None


class Bar(LineWidget):
    """A line with a text on the left and a text on the right. The left text is cut if it is too long.

    There may be other lines above this line.
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: Sequence[tuple[Text, Text]] = (((), ()),)

    def show(self, left: Text, right: Text = (), above: Sequence[Text] = ()) -> None:
        """Replace the texts. If they have changed, paint the bar again."""
        lines = [*((tuple(line), ()) for line in above), (tuple(left), tuple(right))]
        if lines != self._lines:
            grows = len(lines) != len(self._lines)
            self._lines = lines
            self.refresh(layout=grows)

    def on_click(self, event: events.Click) -> None:
        """Run the action of the clicked text, if any."""
        left, right = self._lines[event.y]
        start = self.outer_size.width - sum(measure(text_of(cell)) for cell in right)
        id = clicked(left, event.x) or clicked(right, event.x - start)
        if id is not None:
            self.post_message(KeyAsked(id))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines)

    def pieces(self, y: int) -> Iterable[Piece]:
        width = self.outer_size.width
        texts = self._lines[y] if y < len(self._lines) else ((), ())
        right, of_right = text_pieces(texts[1], width)
        left, of_left = text_pieces(texts[0], max(0, width - of_right - bool(of_right)))
        return [*left, (" " * (width - of_left - of_right), ()), *right]

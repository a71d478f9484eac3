"""The base of widgets that are painted line by line, and bars of one line, such as the header."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget

from cachetui.tui.glyphs import FOCUSED_RULE, in_ascii
from cachetui.tui.keymap import KeyId
from cachetui.tui.lines import STYLES, Cell, Text, cut, fit, measure, plain, text_of

Names = tuple[str, ...]
"""The names of styles of a piece of text; later ones win, and the cursor's over all."""

Piece = tuple[str, Names]


class LineWidget(Widget):
    """A widget whose lines are pieces of text, each with names of styles.

    It has neither padding nor border, so `outer_size` is its size, which Textual looks up again each time it is asked.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = set()
    virtual_size: Reactive[Size] = Reactive(Size(), repaint=False)  # in Textual it would lay the screen out again

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._looks: dict[Names, RichStyle] = {}
        self._painted: dict[int, Strip] = {}
        """The lines that were painted and have not changed since."""
        self._painted_in: object = None
        """What `surroundings` returned then."""

    @abstractmethod
    def pieces(self, y: int) -> Iterable[Piece]:
        """Return the pieces of line `y`, together as wide as the widget."""

    @property
    def surroundings(self) -> object:
        """What all lines depend on, besides what `refresh` is called for."""
        return self.outer_size

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Have lines painted again, or without regions all of them."""
        changed = [y for region in regions for y in region.line_range] if regions else [*self._painted]
        for y in changed:
            self._painted.pop(y, None)
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Render lines directly, without Textual's work for borders and padding; only those that have changed."""
        if self.surroundings != self._painted_in:
            self._painted_in = self.surroundings
            self._painted.clear()
        painted = self._painted
        for y in crop.line_range:
            if y not in painted:
                painted[y] = self.render_line(y)
        return [painted[y].crop(*crop.column_span) for y in crop.line_range]

    def render_line(self, y: int) -> Strip:
        """Render a line, with one segment for adjacent pieces of the same styles."""
        segments: list[Segment] = []
        texts: list[str] = []
        look: Names = ()
        is_ascii = self.app.has_class("-ascii")
        for text, names in (*self.pieces(y), ("", ("end",))):
            if names != look:
                if texts:
                    joined = "".join(texts)
                    segments.append(Segment(in_ascii(joined) if is_ascii else joined, self._style(look)))
                    texts = []
                look = names
            if text:
                texts.append(text)
        return Strip(segments, self.outer_size.width)

    def notify_style_update(self) -> None:
        self._looks.clear()
        self._painted.clear()
        super().notify_style_update()

    def _style(self, names: Names) -> RichStyle:
        style = self._looks.get(names)
        if style is None:
            style = self.rich_style
            for name in self._in_order(names):
                if name in STYLES:  # the same for all widgets: Textual computes it once for the app
                    style += self.app.get_component_styles(f"style--{name}").partial_rich_style
                else:
                    style += self.get_component_rich_style(f"list--{name}", partial=True)
            self._looks[names] = style
        return style

    def _in_order(self, names: Names) -> Sequence[str]:
        """Return the names, the last of which wins: the row of the cursor below all where it is a tint, else above all.

        Its bar is a symbol of its own, never reversed.
        """
        own = [name for name in names if name in STYLES]
        cursor = [name for name in names if name not in STYLES]
        if self.app.theme_variables["cursor-text-style"] == "none":
            return [*cursor, *own]
        return own if "accent" in own else [*own, *cursor]


def cell_pieces(
    cell: Cell | str, width: int, base: Names, *, right: bool = False, middle: bool = False
) -> Iterable[Piece]:
    """Yield the pieces of a cell of exactly this width; spaces next to the text have the style of the row."""
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
    """Return the pieces of a text, as far as there is room, and their width."""
    pieces: list[Piece] = []
    for cell in cut(text, room):
        shown, style = (cell, "") if isinstance(cell, str) else (cell.text, cell.style)
        pieces.append((shown, (*base, style) if style else base))
    return pieces, sum(measure(shown) for shown, _ in pieces)


def title_rule(title: str, answer: str, width: int) -> Text:
    """Return a title rule with the focus over the whole width, with an answer at its right end."""
    right = f" {answer} {FOCUSED_RULE}" if answer else ""
    left = fit(f"{FOCUSED_RULE} {title} ", width - measure(right))
    rule = FOCUSED_RULE * (width - measure(left) - measure(right))
    return [Cell(left + rule, "accent"), right[:-1], Cell(right[-1:], "accent")]


@dataclass
class KeyAsked(Message):
    """Asks a screen to do what one of its keys does."""

    id: KeyId


def clicked(cells: Iterable[Cell | str], x: int) -> KeyId | None:
    """Return the key that a click on a text presses, `x` cells from its start."""
    for cell in cells:
        width = measure(text_of(cell))
        if 0 <= x < width:
            return None if isinstance(cell, str) else cell.id
        x -= width
    return None


class Bar(LineWidget):
    """Text at the left and at the right, of which the left one is cut to the room; above it there may be more lines."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: Sequence[tuple[Text, Text]] = (((), ()),)

    def show(self, left: Text, right: Text = (), above: Sequence[Text] = ()) -> None:
        """Show other texts; the same ones are not painted again."""
        lines = [*((tuple(line), ()) for line in above), (tuple(left), tuple(right))]
        if lines != self._lines:
            grows = len(lines) != len(self._lines)
            self._lines = lines
            self.refresh(layout=grows)

    def on_click(self, event: events.Click) -> None:
        """Press the key that was clicked."""
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

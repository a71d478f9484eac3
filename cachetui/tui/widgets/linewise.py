"""A widget that is painted line by line, and of which only what changed is painted again."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from typing import ClassVar, Self

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget

from cachetui.tui.rows.line_pieces import Names, Piece
from cachetui.tui.rows.tones import TONES

NARROW = re.compile("[ -~\u2026\u2500-\u259f\u2801-\u28ff]*")
"""Characters of one cell each, whatever stands beside them."""


class LinewiseWidget(Widget):
    """Lines made of pieces of text, each with the names of its styles."""

    ALLOW_SELECT = False

    STYLES: ClassVar[str] = ""
    """What the names of its own styles begin with in a style sheet; those of tones are the app's."""

    virtual_size: Reactive[Size] = Reactive(Size())  # Textual's lays the whole screen out again for each other size

    WINNING: ClassVar[Names] = ()
    """Names whose colours win over those of all others, wherever they stand."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._styles: dict[Names, Style] = {}
        self._painted: dict[int, Strip] = {}
        """The lines as they were last asked for."""
        self._made: dict[int, Strip] = {}
        """Those that are to be asked for next."""
        self._fresh: set[int] = set()
        """Those that are still as they were painted, at `_fresh_size`."""
        self._fresh_size = Size()
        self._size_of_lines: Size | None = None
        """The size, while lines are made: Textual searches for it each time."""

    @abstractmethod
    def pieces(self, y: int) -> Iterable[Piece]:
        """What one line shows, as wide as the widget."""

    @property
    def size(self) -> Size:
        return super().size if self._size_of_lines is None else self._size_of_lines

    @contextmanager
    def _of_one_size(self) -> Iterator[None]:
        """Within it the size is asked for once."""
        self._size_of_lines = super().size
        try:
            yield
        finally:
            self._size_of_lines = None

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Paints regions again, or all of the widget."""
        self._made.clear()
        if regions:
            self._fresh.difference_update(*(region.line_range for region in regions))
        else:
            self._fresh.clear()
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def refresh_changed(self) -> None:
        """Paints again the lines that come out in another way than they did, up to where they become the same."""
        with self._of_one_size():
            made = {y: self.make_line(y) for y in range(self.size.height)}
        ends = {y: end_of_change(self._painted.get(y), strip) for y, strip in made.items()}
        regions = [Region(0, y, end, 1) for y, end in ends.items() if end]
        if regions:
            self.refresh(*regions)
        self._made = made  # which a paint that is due already has to show too

    def render_lines(self, crop: Region) -> list[Strip]:
        """Lines as they are painted: where at most a border at the left is around them, without what Textual does for
        each of them."""
        with self._of_one_size():
            top, right, bottom, left = self.styles.gutter
            if top or right or bottom or left > 1 or self.get_line_filters():
                self._fresh.clear()
                return super().render_lines(crop)
            if self.size != self._fresh_size:
                self._fresh.clear()
                self._fresh_size = self.size
            strips = [self._painted[y] if y in self._fresh else self.render_line(y) for y in crop.line_range]
            if left:
                edge = super().render_lines(Region(0, crop.y, 1, 1))[0]
                strips = [Strip([*edge, *strip], 1 + strip.cell_length) for strip in strips]
            self._fresh.update(crop.line_range)
            return [strip.crop(*crop.column_span) for strip in strips]

    def render_line(self, y: int) -> Strip:
        """One line of the widget, in as few segments as it has looks."""
        strip = self._made.pop(y, None)
        self._painted[y] = strip = self.make_line(y) if strip is None else strip
        return strip

    def notify_style_update(self) -> None:
        self._styles.clear()
        self._fresh.clear()
        super().notify_style_update()

    def make_line(self, y: int) -> Strip:
        """One line, made of its pieces."""
        return self.strip_of(self.pieces(y))

    def strip_of(self, pieces: Iterable[Piece]) -> Strip:
        """The line that these pieces make."""
        segments: list[Segment] = []
        texts: list[str] = []
        look: Names = ()
        for text, names in pieces:
            if names != look:
                if texts:
                    segments.append(Segment("".join(texts), self._style(look)))
                    texts = []
                look = names
            if text:
                texts.append(text)
        if texts:
            segments.append(Segment("".join(texts), self._style(look)))
        if self.app.has_class("-ascii"):
            segments = [Segment(in_ascii(text), style) for text, style, _ in segments]
        return Strip(segments, self.size.width)

    def _style(self, names: Names) -> Style:
        style = self._styles.get(names)
        if style is None:
            style = self.rich_style
            for name in sorted(names, key=self.WINNING.__contains__):
                style += self._style_of(name)
            self._styles[names] = style
        return style

    def _style_of(self, name: str) -> Style:
        """How one name looks; a tone is the same everywhere, and Textual works it out once for all widgets."""
        if name in TONES:
            return self.app.get_component_styles(f"tone--{name}").partial_rich_style
        return self.get_component_rich_style(f"{self.STYLES}--{name}", partial=True)


def in_ascii(text: str) -> str:
    """The text with a `?` for each cell that a terminal without UTF-8 cannot show."""
    return text if text.isascii() else "".join(a if a.isascii() else "?" * cell_len(a) for a in text)


def end_of_change(old: Strip | None, new: Strip) -> int:
    """Where the last cell ends that is not as it was; 0 if there is none."""
    if old == new:
        return 0
    end = new.cell_length
    if old is None or not (NARROW.fullmatch(old.text) and NARROW.fullmatch(new.text)):
        return end
    for before, after in zip(reversed(old), reversed(new), strict=False):
        if before.style != after.style:
            break
        pairs = zip(reversed(before.text), reversed(after.text), strict=False)
        end -= sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if before.text != after.text:
            break
    return end

"""One line of text: the header, the filters, the keys."""

from __future__ import annotations

from collections.abc import Iterable

from cachetui.tui.lines import Text
from cachetui.tui.widgets.line_widget import LineWidget, Piece, text_pieces


class Bar(LineWidget):
    """Text at the left and at the right; where there is no room for both the left one is cut."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: Text = ()
        self._right: Text = ()

    def show(self, left: Text, right: Text = ()) -> None:
        """Show other text; nothing is painted where it is the same."""
        if (tuple(left), tuple(right)) != (self._left, self._right):
            self._left, self._right = tuple(left), tuple(right)
            self.refresh()

    def pieces(self, y: int) -> Iterable[Piece]:
        width = self.size.width
        right, of_right = text_pieces(self._right, width)
        left, of_left = text_pieces(self._left, max(0, width - of_right - bool(of_right)))
        return [*left, (" " * (width - of_left - of_right), ()), *right]

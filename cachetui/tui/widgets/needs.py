"""What a spec needs, as a tree beside its detail, to read."""

from __future__ import annotations

from cachetui.search.index import Index
from cachetui.tui.rows.layout import FixedRows
from cachetui.tui.rows.needs import COLUMNS, needs_lines
from cachetui.tui.widgets.text_pane import TextPane


class NeedsPane(TextPane):
    """The tree of one spec, as deep as there is room for."""

    DEFAULT_CSS = ""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(COLUMNS, placeholder="nothing, or nothing is recorded", id=id)
        self._of: tuple[Index, int] | None = None

    def show_needs(self, index: Index, row: int | None) -> None:
        """Shows what the spec of a row needs."""
        node = None if row is None else index.spec(row).hash
        root = index.graph.number(node) if node else None
        self._of = None if root is None else (index, root)
        self._show()
        self.go(0)

    def resized(self) -> None:
        super().resized()
        self._show()

    def _show(self) -> None:
        self.show(FixedRows([] if self._of is None else needs_lines(*self._of, self.page)))

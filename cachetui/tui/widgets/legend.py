"""Legends of the coverage: which name each numbered column on screen has, or what each of some rows counts."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Size

from cachetui.safe_text import visible
from cachetui.tui.rows.layout import GAP, Cell, Column, FixedRows, Line, measure
from cachetui.tui.rows.short_names import told_apart
from cachetui.tui.rows.tones import Tone
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.text_pane import TextPane

NUMBER = 4
"""Cells of a number with the blank after it."""

LEGEND_ENTRY = 26
"""The least cells for a number and a name in the legend."""


def legend_columns(width: int) -> int:
    """How many entries of a legend stand beside each other at least, on a terminal of this width."""
    return max(2, width // LEGEND_ENTRY)


def divided(room: int, wanted: Sequence[int], beside: int) -> list[int]:
    """Widths of columns: as if so many stood in the room, or where one wants more, of what others want less."""
    even = room // beside
    if all(each <= even for each in wanted):
        return [even] * len(wanted)
    widths = dict.fromkeys(range(len(wanted)), 0)
    for done, k in enumerate(sorted(widths, key=wanted.__getitem__)):
        widths[k] = min(wanted[k], (room - sum(widths.values())) // (len(wanted) - done))
    return list(widths.values())


class Legend(TextPane):
    """Numbers and what they are of; takes no room where there are none."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__((), header=False, id=id)
        self.can_focus = False
        self._entries: Sequence[tuple[str, str, Tone]] = ()
        self._free = 0

    def show_entries(self, entries: Sequence[tuple[str, str, Tone]], free: int = 0) -> None:
        """Shows other entries (number, name and tone), downwards, as many beside each other as there is room for.

        With whole names where so many lines do that are free for it anyway.
        """
        self._entries, self._free = entries, free
        self._place()

    def resized(self) -> None:
        super().resized()
        self._place()

    @property
    def _beside(self) -> int:
        """The entries that stand beside each other at least."""
        return legend_columns(self.app.size.width)

    def lines_of(self, entries: int) -> int:
        """The lines that so many entries take at most."""
        return -(-entries // self._beside)

    def _place(self) -> None:
        before = len(self.rows)
        beside, deep = self._beside, self.lines_of(len(self._entries))
        longest = max((measure(visible(name)) for _, name, _ in self._entries), default=0)
        roomy = min(beside, max(1, self.app.size.width // (longest + NUMBER + GAP)))
        if -(-len(self._entries) // roomy) <= max(deep, self._free):
            beside, deep = roomy, -(-len(self._entries) // roomy)
        shown = [visible(name) for _, name, _ in self._entries]
        wanted = [max(map(measure, shown[k : k + deep])) + NUMBER + GAP for k in range(0, len(shown), deep or 1)]
        widths = divided(self.app.size.width, wanted, beside)
        rooms = [widths[k // deep] - NUMBER - GAP for k in range(len(shown))]
        names = told_apart(shown, rooms, signs_of(self).cut)
        entries = zip(names, self._entries, strict=True)
        cells = [Cell(f"{number:>3} {name}", tone) for name, (number, _, tone) in entries]
        cells += [Cell("")] * (deep * len(widths) - len(cells))
        columns = [Column("", width - GAP) for width in widths]
        self.show(FixedRows([Line(cells[k::deep]) for k in range(deep)]), columns)
        if deep != before:
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.rows)

"""Legends of the coverage: which name each numbered column on screen has, or what each of some rows counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from textual.geometry import Size

from cachetui.text import visible
from cachetui.tui.rows.layout import GAP, Cell, Column, FixedRows, Line, measure
from cachetui.tui.rows.tones import Tone
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.text_pane import TextPane

LEGEND_ENTRY = 26
"""The least cells for a number and a name in the legend."""


def legend_columns(width: int) -> int:
    """How many entries of a legend stand beside each other at least, on a terminal of this width."""
    return max(2, width // LEGEND_ENTRY)


def without_middle(text: str, width: int, cut: str, head: int | None = None) -> str:
    """The text in about so many characters: both ends stay, since names of a family differ at the end."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2 if head is None else head
    return f"{text[:head]}{cut}{text[len(text) - (width - 1 - head) :]}"


def told_apart(names: Sequence[str], width: int, cut: str) -> list[str]:
    """Each name without its middle; those that would read the same are cut elsewhere, if that helps."""
    texts = [without_middle(name, width, cut) for name in names]
    half = (width - 1) // 2
    for head in (*range(half - 1, 0, -1), *range(half + 1, width - 1)):
        same = {text for text, times in Counter(texts).items() if times > 1}
        if not same:
            break
        texts = [
            without_middle(name, width, cut, head) if text in same else text
            for name, text in zip(names, texts, strict=True)
        ]
    return texts


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
        roomy = min(beside, max(1, self.app.size.width // (longest + 4 + GAP)))
        if -(-len(self._entries) // roomy) <= max(deep, self._free):
            beside, deep = roomy, -(-len(self._entries) // roomy)
        width = self.app.size.width // beside - GAP
        cut = signs_of(self).cut
        names = told_apart([visible(name) for _, name, _ in self._entries], width - 4, cut)
        entries = zip(names, self._entries, strict=True)
        cells = [Cell(f"{number:>3} {name}", tone) for name, (number, _, tone) in entries]
        cells += [Cell("")] * (deep * beside - len(self._entries))
        columns = [Column("", LEGEND_ENTRY - GAP, share=1)] * beside
        self.show(FixedRows([Line(cells[k::deep]) for k in range(deep)]), columns)
        if deep != before:
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.rows)

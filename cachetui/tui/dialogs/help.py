"""What the keys do: of the screen below, of its lists, of the line to type in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.geometry import Size

from cachetui.tui.column_widths import Column
from cachetui.tui.dialogs.list_dialog import AROUND, BESIDE, Dialog
from cachetui.tui.frame import StateScreen
from cachetui.tui.keymap import KEYS, key_sign
from cachetui.tui.lines import Cell, FixedRows, Line, measure
from cachetui.tui.widgets.list_pane import TextPane
from cachetui.tui.widgets.matrix import Matrix

TITLES = {"facets": "In the facets", "screen": "Everywhere", "rows": "In a list", "matrix": "In a matrix"}
TITLES |= {"prompt": "In a line", "app": "The program"}
"""The headings of sections of keys; any other one is of the screen itself."""

TWO = 110
"""From so many columns of the terminal on the keys stand in two columns."""


class HelpText(TextPane):
    """As high as the keys need where there is room."""

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return viewport.width - BESIDE

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return min(super().get_content_height(container, viewport, width), viewport.height - AROUND)


class HelpDialog(Dialog):
    """All keys that act on a screen."""

    def __init__(self, below: StateScreen[Any]) -> None:
        self.text = HelpText(heads=False)
        super().__init__(below, "Keys", self.text)

    def compose_box(self) -> ComposeResult:
        yield self.text

    def on_mount(self) -> None:
        self.text.focus()
        self.lay_out()

    @on(events.Resize)
    def lay_out(self) -> None:
        """Put the keys in two columns where there is room."""
        columns = 2 if self.app.size.width >= TWO else 1
        lines = list(help_lines(sections_of(self.below), self.changed_keys))
        texts = max(measure(str(line.cells[1])) for line in lines)
        self.text.use_columns((Column("", 14), Column("", 20, texts, weight=1)) * columns)
        self.text.show(FixedRows(side_by_side(lines) if columns == 2 else lines))
        self.text.refresh(layout=True)
        scrolls = len(self.text.rows) > self.app.size.height - AROUND
        self.show_footer((*((("rows.down", "scroll"),) if scrolls else ()), ("dialog.close", "back")))


def sections_of(screen: StateScreen[Any]) -> Sequence[str]:
    """The sections of `KEYS` that act on a screen, its own ones first."""
    ids = {each.id for kind in type(screen).__mro__ for each in vars(kind).get("BINDINGS", ())}
    own = [name for name, keys in KEYS.items() if name != "screen" and keys[0].id in ids]
    facets = ["facets"] if "browse" in own else []
    lists = ["matrix", "rows"] if screen.query(Matrix) else ["rows"]
    return [*own, *facets, "screen", *lists, "prompt", "app"]


def help_lines(sections: Sequence[str], changed: Mapping[str, str]) -> Iterator[Line]:
    """A heading and a line for each key that has something to say, section by section."""
    for name in sections:
        yield Line((Cell(TITLES.get(name, "Here"), "bold"), ""))
        for key in KEYS[name]:
            if key.what:
                signs = " ".join(map(key_sign, changed.get(key.id, key.keys).split(",")))
                yield Line((Cell(f" {signs}", "accent"), key.what))


def side_by_side(lines: Sequence[Line]) -> list[Line]:
    """The lines in two columns of about the same height, the second one from a heading on if one is near."""
    half = (len(lines) + 1) // 2
    headings = [k for k, line in enumerate(lines) if not line.cells[1]]
    cut = next((k for k in headings if half <= k <= half + 3), half)
    left, right = lines[:cut], [*lines[cut:], *[Line(("", ""))] * (2 * cut - len(lines))]
    return [Line((*one.cells, *other.cells)) for one, other in zip(left, right, strict=False)]

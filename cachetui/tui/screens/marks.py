"""The marked specs: which they are, to go to one, to take marks away and give them back."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType

from cachetui.safe_text import plural, visible
from cachetui.tui.rows.layout import Column, FixedRows, Line, fitted_columns
from cachetui.tui.rows.spec_columns import NAMING, spec_cell
from cachetui.tui.rows.specs import rows_of_key, spec_key
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import BACK, SheetScreen, list_help
from cachetui.tui.state.view import View
from cachetui.tui.widgets.table import MarkedTable

COLUMNS = (
    Column("package", 14, share=2, ends=True),
    Column("hash", 7),
    Column("version", 8, share=2, ends=True),
    Column("compiler", 10, share=4, ends=True),
    Column("os", 9, share=2, ends=True, drop=2),
    Column("target", 9, share=2, ends=True, drop=1),
    Column("tag", 10, share=1, ends=True, drop=3),
)
"""The columns where values are long; where they are shorter, the others have the room."""

ALL_MARKS = "all marks"
"""What the screen ends with where all marks are to be taken away."""

HINTS = (
    Hint("table.choose", "Enter", "go to it"),
    Hint("marks.unmark", "Space", "mark or not"),
    Hint("marks.compare", "=", "compare with the next"),
    Hint("marks.export", "e", "export"),
    Hint("marks.clear", "M", "remove all"),
    BACK,
)


class MarksScreen(SheetScreen):
    """Ends with the key of the spec to go to, with `ALL_MARKS`, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "unmark", "Unmark", id="marks.unmark", tooltip="Take this mark away, or mark it again"),
        Binding("equals_sign", "compare", "Compare", id="marks.compare", tooltip="This one and the next side by side"),
        Binding("e", "export", "Export", id="marks.export", tooltip="Write the marked specs to a file"),
        Binding("M", "clear", "Clear", id="marks.clear", tooltip="Take all marks away"),
    ]

    KEYS = list_help(
        "Marked specs",
        "in whatever package and tag they are",
        ("Space", "take this mark away, or mark it again"),
        ("=", "this one and the next side by side"),
        ("e", "export them to a file"),
        ("M", "take all marks away"),
        enter="go to the spec",
    )

    def __init__(
        self,
        view: View,
        changed: Callable[[], None],
        compare: Callable[[int], None],
        export: Callable[[Callable[[object], None]], None],
    ) -> None:
        """`changed` is called when a mark is taken away, `compare` with the row under the cursor to compare it,
        `export` with what says where the marked specs were written."""
        self._view = view
        self._compare = compare
        self._export = export
        self._changed = changed
        self._keys = tuple(spec_key(view.index, row) for row in view.marked_rows())
        """The specs that were marked when the list was opened: one whose mark was taken away can be marked again."""
        self._table = MarkedTable(COLUMNS, placeholder="No spec is marked: Space marks the one under the cursor.")
        super().__init__("", self._table, HINTS if view.marks else (BACK,))
        self._show()

    def _show(self) -> None:
        index, marks = self._view.index, self._view.marks
        shown = {key: index.spec(row) for key in self._keys for row in rows_of_key(index, key)}
        lines = [
            Line((visible(spec.package), *(spec_cell(spec, title) for title in (*NAMING, "tag"))), marked=key in marks)
            for key, spec in shown.items()
        ]
        self._table.show(FixedRows(lines, [*shown]), fitted_columns(COLUMNS, lines))
        self.retitle(plural(sum(line.marked for line in lines), "marked spec"))

    def _row(self) -> int | None:
        """The row of the spec under the cursor; None where there is none, as in a newer index that lacks it."""
        return next(
            (row for key in self._keys if key == self._table.cursor_key for row in rows_of_key(self._view.index, key)),
            None,
        )

    def action_unmark(self) -> None:
        if (row := self._row()) is not None:
            self._view.toggle_mark(row)
        self._show()
        self._changed()

    def action_compare(self) -> None:
        if (row := self._row()) is None:
            self._show()
        elif self._table.cursor_key not in self._view.marks:
            self.say_done("its mark is taken away; only marked specs are compared")
        elif len(self._view.marks) > 1:
            self._compare(row)

    def action_export(self) -> None:
        if self._view.marks:
            self._export(self.say_done)
        else:
            self.say_done("there is no marked spec to export")

    def action_clear(self) -> None:
        self.dismiss(ALL_MARKS)

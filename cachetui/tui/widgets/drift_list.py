"""The list of a drift: sections of changes, by kind or by package, which fold.

Input: a `Drift`, frozen like everything that is shown here. What was unfolded stays so when other tags are compared.
"""

from __future__ import annotations

from collections.abc import Hashable

from cachetui.analysis.diff import TagDiff as Drift
from cachetui.search.names import matches
from cachetui.tui.rows.drift import DriftRows, columns, side_of
from cachetui.tui.rows.drift_sections import DriftSection, Grouping, Item
from cachetui.tui.rows.layout import FixedRows
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Standing, Table


class DriftList(Table):
    """The sections of one drift; its columns follow the width of the screen."""

    def __init__(self, by: Grouping) -> None:
        super().__init__(())
        self.by: Grouping = by
        """What the sections are of."""
        self._unfolded: frozenset[str] = frozenset()
        """The sections that are unfolded, by their names."""
        self._before: tuple[frozenset[str], Standing] | None = None
        """Which sections were unfolded and how the list stood before a name was looked for; None where it was empty."""

    def show_drift(self, found: Drift) -> None:
        """Shows other figures."""
        width, signs = self.app.size.width, signs_of(self)
        rows = DriftRows(found, self.by, self._unfolded, signs.blocks, side_of(width), (signs.folded, signs.unfolded))
        self.show(rows, columns(width, signs.blocks, rows.longest, rows.longest_heading))

    def show_nothing(self, why: str) -> None:
        """Says why there are no figures."""
        self.placeholder = why
        self.show(FixedRows(()))

    def _show_again(self) -> None:
        if self.found is not None:
            self.show_drift(self.found)

    # What the cursor is on

    @property
    def found(self) -> Drift | None:
        """The figures that are shown."""
        return self.rows.found if isinstance(self.rows, DriftRows) else None

    @property
    def section(self) -> DriftSection | None:
        """The section that the cursor is in; None for what is only counted."""
        at = self.cursor_row
        return self.rows.places[at][0] if isinstance(self.rows, DriftRows) and at is not None else None

    @property
    def item(self) -> Item | None:
        """What the row under the cursor tells of; None for a heading."""
        at = self.cursor_row
        return self.rows.item(at) if isinstance(self.rows, DriftRows) and at is not None else None

    @property
    def counted(self) -> int | None:
        """Which of the builds that are only counted the cursor is on: 0 for rebuilt ones, 1 for unchanged ones."""
        at = self.cursor_row
        if not isinstance(self.rows, DriftRows) or at is None or self.section is not None:
            return None
        return self.rows.places[at][1]

    # Folding

    @property
    def is_unfolded(self) -> bool:
        """Whether the section that the cursor is in is unfolded."""
        return self.section is not None and self.section.name in self._unfolded

    def unfold(self) -> None:
        """Unfolds the section that the cursor is in."""
        if self.section is not None:
            self._unfolded |= {self.section.name}
            self._show_again()

    def fold(self) -> None:
        """Folds the section that the cursor is in, and puts the cursor on its heading."""
        if self.section is not None:
            name = self.section.name
            self._go_to_key((name, None))
            self._unfolded -= {name}
            self._show_again()

    def regroup(self) -> None:
        """Shows the sections by package in place of those by kind, or the other way round."""
        self.by = "package" if self.by == "kind" else "kind"
        self._show_again()

    # Finding

    def begin_finding(self) -> None:
        """Begins to look for a name."""
        self._before = None if self.found is None else (self._unfolded, self.standing)

    def leave_finding(self) -> None:
        """Goes back to where it began to look for a name: folds, cursor and view are as they were."""
        if self._before is None:
            self.begin_finding()
            return
        self._unfolded, standing = self._before
        self._show_again()
        self.stand_again(standing)

    def find_name(self, text: str) -> str:
        """Goes to what is named most like the text, and unfolds the section that has it alone.

        Where nothing is it goes back to where it began, and says so.
        """
        self.leave_finding()
        rows = self.rows
        if not text or not isinstance(rows, DriftRows):
            return ""
        names = list(rows.named)
        best = matches(text, names)
        if not best:
            return f"nothing here is called like {text}"
        key, section = rows.named[names[best[0].number]]
        is_heading = key == (section, None)
        self._unfolded |= frozenset() if is_heading else {section}
        self._show_again()
        self._go_to_key(key)
        return ""

    def _go_to_key(self, key: Hashable) -> None:
        at = self.rows.find(key)
        if at is not None:
            self.go(at)

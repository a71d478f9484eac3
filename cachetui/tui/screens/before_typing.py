"""Where the user was when a query began to be typed, and how he comes to stand there again.

Invariant: nothing in it changes while the query is typed.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from msgspec import Struct
from textual.widget import Widget

from cachetui.query.query import Query
from cachetui.search.results import Results
from cachetui.tui.rows.layout import Rows
from cachetui.tui.rows.packages import PackageRows
from cachetui.tui.rows.specs import FoldedRows, SpecKey, SpecRows
from cachetui.tui.screens.panes import Panes
from cachetui.tui.state.lists import Level
from cachetui.tui.state.view import View
from cachetui.tui.widgets.table import Standing


class Before(Struct, frozen=True):
    """Where the user was when a query began to be typed."""

    query: Query
    package: str | None
    level: Level
    spec: SpecKey | None
    """The spec under the cursor."""
    place: tuple[Hashable, int]
    """The place of the cursor among the specs."""
    shown: Results
    """What was shown: of the package that the user was in, of all if in none."""
    inside: str | None
    """That package."""
    rows: tuple[Rows, Rows]
    """The packages and the specs that were shown."""
    stood: tuple[Standing, Standing]
    """How these stood."""
    read: tuple[int, int]
    """The first line on screen of the detail, and of what the spec needs."""
    focused: Widget | None
    """The pane that the keys went to."""
    fitted_to: int
    """How many results the columns of the lists were for."""

    @classmethod
    def of(cls, view: View, panes: Panes) -> Before:
        """Where he is now."""
        return cls(
            query=view.query,
            package=panes.package,
            level=panes.level,
            spec=panes.spec,
            place=panes.specs.place,
            shown=view.shown,
            inside=view.inside,
            rows=(panes.packages.rows, panes.specs.rows),
            stood=(panes.packages.standing, panes.specs.standing),
            read=(panes.detail.first_in_view, panes.needs.first_in_view),
            focused=panes.screen.focused,
            fitted_to=view.lists.fitted.fitted_to,
        )

    def stand_again(self, panes: Panes) -> None:
        """Puts cursor and view of every pane back where they were; the filters are those of before."""
        panes.packages.stand_again(self.stood[0])
        self._stand_among_specs(panes)
        if self.focused in (panes.detail, panes.needs):
            self.focused.focus()
        self._read_again(panes)

    def stand_where_same(self, panes: Panes) -> None:
        """Puts cursor and view of the lists back where they were, of each that has the same rows again."""
        packages, specs = self.rows
        if _has(packages, panes.packages.rows):
            panes.packages.stand_again(self.stood[0])
        if _has(specs, panes.specs.rows):
            self._stand_among_specs(panes)
            self._read_again(panes)

    def _stand_among_specs(self, panes: Panes) -> None:
        panes.specs.stand_again(self.stood[1])
        panes.show_specs()  # of specs that are shown as one, the one stands for them again that did
        panes.specs.stand_again(self.stood[1])

    def _read_again(self, panes: Panes) -> None:
        for pane, first in zip((panes.detail, panes.needs), self.read, strict=True):
            pane.go(first)


def _has(before: Rows, now: Rows) -> bool:
    """Whether a list has the rows that it had before, in the same order."""
    return type(before) is type(now) and len(before) == len(now) and _what(before) == _what(now)


def _what(rows: Rows) -> Sequence[object]:
    """What the rows of a list are of."""
    if isinstance(rows, PackageRows):
        return [package.name for package in rows.packages]
    if isinstance(rows, FoldedRows):
        rows = rows.single
    return [rows.index, *rows.rows] if isinstance(rows, SpecRows) else []

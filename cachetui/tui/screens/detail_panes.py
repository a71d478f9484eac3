"""What stands below the specs: one of them in full, or a package, and beside it what it needs where there is room.

Input: the view, and the row of its index that the cursor is on. The size of a spec comes later, when it is read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from cachetui.report.detail import Field, detail, install_field, install_first, package_detail
from cachetui.sources.buildcache.signatures import is_signed
from cachetui.tui.rows.layout import Column
from cachetui.tui.rows.spec_columns import DIFFERS
from cachetui.tui.screens.size_reading import LookedAt, SizesRead
from cachetui.tui.state.view import View
from cachetui.tui.terminal.lifecycle import TerminalApp
from cachetui.tui.widgets.detail import DetailPane
from cachetui.tui.widgets.needs import NeedsPane

SHOWN_WHOLE = 20
"""Cells of what differs that a list shows whole on most screens."""

ROOM_FOR_NEEDS = 180
"""From this width on what a spec needs stands beside its detail."""


class DetailPanes(Horizontal):
    """The detail, and what it needs."""

    def __init__(self, view: View) -> None:
        super().__init__(id="below")
        self._view = view
        self._row: int | None = None
        """The row of the index that the detail is of."""
        self._columns: Sequence[Column] | None = None
        """Those that the list above shows of the spec; None where the detail is of a package."""
        self._differs: Mapping[int, str] = {}
        """What the list says of each of its specs, as far as there is room, of what tells it apart."""
        self.detail = DetailPane(brief=True, id="detail")
        self._looked_at = LookedAt(self, self._show_again)
        self.needs = NeedsPane(id="needs")
        self.instead: Sequence[Field] = ()
        """What is shown where there is no spec."""

    def compose(self) -> ComposeResult:
        yield self.detail
        yield self.needs

    def show_package(self, row: int | None) -> None:
        """Shows the package of the spec in a row of the index."""
        self._row, self._columns = row, None
        self._looked_at.leave()
        if row is None:
            self.detail.show_fields(self.instead)
        else:
            number, short = self._view.index.package_of(row), self._is_narrow
            fields = package_detail(self._view.results, number, tags=self._view.tag is None, counted=not short)
            self.detail.show_fields(fields if short else [self._install(row, number), *fields])
        self._show_needs()

    def _install(self, row: int, number: int) -> Field:
        """The command for the only spec of a package; where there are more, the way to that of each."""
        specs = self._view.results.specs_of(number)
        if specs == 1:
            return install_field(self._view.index.spec(row))
        sign, _ = cast(TerminalApp[Any], self.app).changed_keys.get("table.choose", ("Enter", ""))
        return Field("install", (f"{sign}: the {specs:,} specs; a row's hash is that of one",))

    def show_spec(self, row: int | None, columns: Sequence[Column], differs: Mapping[int, str]) -> None:
        """Shows the spec in a row of the index, of which the list above has these columns; `differs`: what it says
        of what tells each of its specs apart."""
        stays, self._row, self._columns, self._differs = row == self._row, row, columns, differs
        self._looked_at.leave()
        if row is None:
            self.detail.show_fields(self.instead)
        else:
            fields = self._fields(row)
            if self._is_narrow:
                fields = install_first(fields)
            self.detail.show_fields(fields, stays=stays)
        self._show_needs()

    def _show_again(self) -> None:
        if self._columns is not None:
            self.show_spec(self._row, self._columns, self._differs)

    def _show_needs(self) -> None:
        """What a spec needs, where there is room for it beside the detail and anything is recorded."""
        has_room = self._view.records_needs and self.app.size.width >= ROOM_FOR_NEEDS
        self.set_class(has_room, "-with-needs")
        if has_room:
            self.needs.show_needs(self._view.index, self._row)

    def _fields(self, row: int) -> list[Field]:
        """Everything about the spec of a row; its size once that is read."""
        index = self._view.index
        fields = detail(index, row, self._view.host, os.environ.get("CACHETUI_MIRROR"), is_signed)
        if row in self._differs and self._is_differs_cut:
            at = next(k for k, field in enumerate(fields) if field.label == "variants")
            fields.insert(at, Field(DIFFERS, (self._differs[row],)))
        spec_hash = index.spec(row).hash
        if not index.graph or not spec_hash:
            return fields
        at = next(k for k, field in enumerate(fields) if field.label == "stacks")
        return [*fields[:at], self._looked_at.field(index, spec_hash), *fields[at:]]

    @property
    def _is_differs_cut(self) -> bool:
        """Whether the list may lack room for what differs in some of its specs: for all of these it is said then, so
        that what follows stays where it is from one spec to the next."""
        return any(column.title == DIFFERS and column.most > SHOWN_WHOLE for column in self._columns or ())

    @on(SizesRead)
    def show_size(self, event: SizesRead) -> None:
        event.stop()
        self._looked_at.take(event)

    @property
    def _is_narrow(self) -> bool:
        return self.screen.has_class("-narrow")

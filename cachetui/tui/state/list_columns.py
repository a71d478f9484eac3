"""The columns of the lists of packages and of their folded specs, fitted to what a query takes.

Few rows are looked at one by one, so that their lists take no more room than they need; for many the columns are as
wide as the catalogue needs. They stay until the next query is kept: nothing moves while one is typed or steps through.
"""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.search.results import Results
from cachetui.search.row_values import versions_of
from cachetui.tui.rows.layout import Column
from cachetui.tui.rows.packages import PACKAGE_COLUMNS, package_columns
from cachetui.tui.rows.spec_columns import folded_columns

FEW = 10_000
"""Rows up to which each of them is looked at: a millisecond or two."""


class ListColumns:
    """The columns for the results that they were fitted to last."""

    def __init__(self) -> None:
        self._results: Results | None = None
        self._packages: Sequence[Column] | None = None
        self._folded: tuple[Sequence[str], Sequence[Column]] | None = None

    def fit(self, results: Results) -> None:
        """Fits the columns to these results as soon as they are asked for."""
        self._results, self._packages, self._folded = results, None, None

    @property
    def packages(self) -> Sequence[Column]:
        """The columns of the packages."""
        if self._results is None:
            return PACKAGE_COLUMNS
        if self._packages is None:
            results, index = self._results, self._results.index
            is_few = 0 < len(results) <= FEW
            names = [package.name for package in results.packages] if is_few else index.packages
            versions = versions_of(index, results.rows) if is_few else index.columns.tables["version"]
            self._packages = package_columns(names, versions)
        return self._packages

    def folded(self, titles: Sequence[str]) -> Sequence[Column]:
        """Those of these columns that folded specs have."""
        if self._results is None:
            return ()
        if self._folded is None or self._folded[0] != titles:
            rows = self._results.rows if 0 < len(self._results) <= FEW else None
            self._folded = titles, folded_columns(titles, self._results.index, rows)
        return self._folded[1]

"""The columns of the lists of packages and of their folded specs, fitted to what a query takes.

Few rows are looked at one by one, so that their lists take no more room than they need; for many the columns are as
wide as the catalogue needs. They stay until the next query is kept, so that as little as can be moves while one is
typed: they only grow, as soon as rows are shown that need it.
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
    """The columns for the results that they were fitted to last, and for those that were shown since."""

    def __init__(self) -> None:
        self._shown: list[Results] = []
        """The results that they are for: each has rows that those before it have not."""
        self._packages: list[Sequence[Column]] = []
        """The columns of the packages for each of these, as far as they were asked for."""
        self._folded: tuple[Sequence[str], list[Sequence[Column]]] = ((), [])

    def fit(self, results: Results) -> None:
        """Fits the columns to these results as soon as they are asked for."""
        self._shown, self._packages, self._folded = [results], [], ((), [])

    def widen(self, results: Results) -> None:
        """Lets the columns grow to what these results need too, which are shown as long as a query is typed."""
        if all(_is_few(each) and not results.rows <= each.rows for each in self._shown):
            self._shown.append(results)

    @property
    def fitted_to(self) -> int:
        """How many results they are for by now."""
        return len(self._shown)

    def narrow(self, count: int) -> None:
        """Takes back what was shown since they were for so many results."""
        del self._shown[count:], self._packages[count:], self._folded[1][count:]

    @property
    def packages(self) -> Sequence[Column]:
        """The columns of the packages."""
        self._packages += map(packages_of, self._shown[len(self._packages) :])
        return _widest(self._packages) if self._packages else PACKAGE_COLUMNS

    def folded(self, titles: Sequence[str]) -> Sequence[Column]:
        """Those of these columns that folded specs have."""
        if self._folded[0] != titles:
            self._folded = titles, []
        found = self._folded[1]
        found += (_folded(titles, results) for results in self._shown[len(found) :])
        return _widest(found) if found else ()


def _is_few(results: Results) -> bool:
    """Whether each row is looked at; else, as where there is none, what the catalogue needs is enough for all."""
    return 0 < len(results) <= FEW


def packages_of(results: Results) -> Sequence[Column]:
    """The columns of the packages, as wide as these results need."""
    index, is_few = results.index, _is_few(results)
    names = [package.name for package in results.packages] if is_few else index.packages
    versions = versions_of(index, results.rows) if is_few else index.columns.tables["version"]
    return package_columns(names, versions)


def _folded(titles: Sequence[str], results: Results) -> Sequence[Column]:
    return folded_columns(titles, results.index, results.rows if _is_few(results) else None)


def _widest(columns: Sequence[Sequence[Column]]) -> Sequence[Column]:
    """The columns, each as wide as the widest of those that stand in its place."""
    if len(columns) == 1:
        return columns[0]
    return [_wider(alike) for alike in zip(*columns, strict=True)]


def _wider(columns: Sequence[Column]) -> Column:
    most = 0 if any(not column.most for column in columns) else max(column.most for column in columns)
    return columns[0]._replace(width=max(column.width for column in columns), most=most)

"""The packages of a result as rows of a list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from cachetui.model.version import sort_key
from cachetui.safe_text import visible
from cachetui.search.index import Index
from cachetui.search.names import matched_spans
from cachetui.search.results import FoundPackage, Results
from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.lines import Cell, KeyedRows, Line, measure

PACKAGE_ORDERS = ("package", "specs", "newest")
"""The columns that packages can be sorted by, by themselves by the first."""


def package_columns(index: Index) -> list[Column]:
    """The columns of packages, as wide as the longest names and versions of the catalogue need."""
    names, versions = index.packages, index.columns.tables["version"]
    return [
        as_wide_as(Column("package", 12, weight=3, middle=True), (measure(visible(name)) for name in names)),
        Column("specs", max(7, len(f"{len(index):,}")), right=True),
        as_wide_as(Column("newest", 8, weight=1, rank=1), (min(12, measure(visible(each))) for each in versions)),
    ]


class PackageRows(KeyedRows, frozen=True, dict=True):
    """The packages of a result: by name or as well as they match, else by a column."""

    results: Results
    order: str | None = None
    """One of `PACKAGE_ORDERS`; None for the order of the results."""
    reverse: bool = False

    @cached_property
    def packages(self) -> Sequence[FoundPackage]:
        """Them in their order."""
        packages = list(self.results.packages)
        if self.order == "specs":
            packages.sort(key=lambda package: -self.results.specs_of(package.number))
        elif self.order == "newest":
            packages.sort(key=lambda package: sort_key(self._newest(package)), reverse=True)
        elif self.order == "package":
            packages.sort(key=lambda package: package.name)
        return packages[::-1] if self.reverse else packages

    @cached_property
    def keys(self) -> Sequence[str]:
        return [package.name for package in self.packages]

    def _newest(self, package: FoundPackage) -> str:
        return next(iter(self.results.versions(package.number)), "")

    def made(self, k: int) -> Line:
        package = self.packages[k]
        return Line(
            (self._name(package.name), f"{self.results.specs_of(package.number):,}", visible(self._newest(package)))
        )

    def _name(self, name: str) -> Cell | str:
        """The name with the letters that were typed; one letter says too little to be shown."""
        named, shown = self.results.query.package, visible(name)
        if named is None or not named.fuzzy or len(named.text) < 2 or shown != name:
            return shown
        return Cell(shown, "", [(start, end, "match") for start, end in matched_spans(named.text, name)])

"""The packages of a result as rows of a table.

Frozen; a row is made once, when it is first painted. Text of a page goes through `visible`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property

from cachetui.model.version import sort_key
from cachetui.safe_text import visible
from cachetui.search.names import matched_spans
from cachetui.search.results import FoundPackage, Results
from cachetui.tui.rows.layout import Cell, Column, LazyRows, Line, figure, measure

SPECS = 6
"""The width of the figure that says how many specs a package has."""

PACKAGE_COLUMNS = (
    Column("package", 8, share=4, ends=True),
    Column("specs", SPECS, right=True),
    Column("newest", 7, share=1, drop=1),
)

WHOLE_NAME = 16
"""Cells of a name before the newest version has any."""

WHOLE_VERSION = 10
"""Cells of a version before it has any: a date is shown whole or not at all."""

LONGEST_VERSION = 16
"""Cells that a version takes at most, where others have it shorter."""


def package_columns(names: Iterable[str], versions: Iterable[str]) -> list[Column]:
    """The columns of packages, each as wide as the longest of these names and versions at most."""
    name, specs, newest = PACKAGE_COLUMNS
    longest = max(map(measure, map(visible, names)), default=0) or name.width
    version = min(max(map(measure, map(visible, versions)), default=0) or newest.width, LONGEST_VERSION)
    return [
        name._replace(width=max(name.width, min(longest, WHOLE_NAME)), most=longest),
        specs,
        newest._replace(width=max(newest.width, min(version, WHOLE_VERSION)), most=version),
    ]


class PackageRows(LazyRows, frozen=True, dict=True):
    """The packages of a result."""

    results: Results
    order: str | None = None
    """The title of the column that they are sorted by; None for the order of the results."""
    reverse: bool = False
    kept: FoundPackage | None = None
    """One that stands there too though the results have no spec of it."""

    @cached_property
    def packages(self) -> Sequence[FoundPackage]:
        packages = self._found
        if self.order == "package":
            packages = tuple(sorted(packages, key=lambda package: package.name))
        elif self.order == "specs":
            packages = tuple(sorted(packages, key=lambda package: -self.results.specs_of(package.number)))
        elif self.order == "newest":
            newest = {package.number: self._newest(package) for package in packages}
            packages = tuple(sorted(packages, key=lambda package: sort_key(newest[package.number]), reverse=True))
        return packages[::-1] if self.reverse else packages

    @property
    def _found(self) -> Sequence[FoundPackage]:
        """The packages in the order of the results; one that is kept in its place by name, or behind best matches."""
        found, named = self.results.packages, self.results.query.package
        if self.kept is None:
            return found
        if named is not None and named.fuzzy:
            return (*found, self.kept)
        return tuple(sorted((*found, self.kept), key=lambda package: package.number))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {package.name: k for k, package in enumerate(self.packages)}

    def _newest(self, package: FoundPackage) -> str:
        return next(iter(self.results.versions(package.number)), "")

    def __len__(self) -> int:
        return len(self.packages)

    def made(self, k: int) -> Line:
        package = self.packages[k]
        specs = figure(self.results.specs_of(package.number), SPECS)
        return Line((self._name(package.name), specs, visible(self._newest(package))))

    def _name(self, name: str) -> Cell | str:
        """The name with what was typed of it; one letter says too little to be shown."""
        named, shown = self.results.query.package, visible(name)
        if named is None or not named.fuzzy or len(named.text) < 2 or shown != name:
            return shown
        return Cell(shown, "", [(start, end, "match") for start, end in matched_spans(named.text, name)])

    def key(self, k: int) -> str:
        return self.packages[k].name

    def find(self, key: Hashable) -> int | None:
        return self._places.get(key) if isinstance(key, str) else None

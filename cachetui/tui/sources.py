"""What the lists of the browser show: results of the engine as rows of a table.

Every source is frozen and asks the engine for a row only when it is painted. All text of a page goes through
`visible`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from cachetui.index import FacetValue, Index, PackageCount, Results
from cachetui.query import ValueKey
from cachetui.spec import FACETS, Problem
from cachetui.text import visible
from cachetui.tui.columns import Cell, Column, Line, Tone, measure
from cachetui.version import sort_key

SpecKey = tuple[str, str, str]
"""A row whatever index it is in: tag, package, and the hash or else the place on its page."""

PACKAGE_COLUMNS = (
    Column("package", 12, share=4, most=32, ends=True),
    Column("specs", 6, right=True),
    Column("newest", 9, share=1, drop=1, most=14, ends=True),
)

SPEC_COLUMNS = (
    Column("hash", 7),
    Column("version", 10, share=1, ends=True),
    Column("compiler", 12, share=6, ends=True),
    Column("os", 11, ends=True),
    Column("target", 11, share=1, drop=1, ends=True),
    Column("stacks", 20, share=2, drop=2),
    Column("tag", 12, ends=True),
)


def spec_key(index: Index, row: int) -> SpecKey:
    """The key of a row, the same in every index of the catalogue as long as its page has it."""
    page = index.page(row)
    text = index.columns.hashes[index.columns.hash[row]]
    place = f"row {row - index.columns.page_start[page]}"
    return index.tag_of(row), index.packages[index.columns.page_package[page]], text or place


def rows_of_key(index: Index, key: SpecKey) -> list[int]:
    """The rows with this key: one, or none if the catalogue no longer has it."""
    tag, package, _ = key
    number = index.package_number(package)
    if number is None:
        return []
    rows = index.package_rows(number) & index.value_rows("tag", tag)
    return [row for row in rows if spec_key(index, row) == key][:1]


@dataclass(frozen=True)
class PackageRows:
    """The packages of a result."""

    results: Results
    order: int | None = None
    """The column that they are sorted by; None for the order of the results."""
    reverse: bool = False

    @cached_property
    def packages(self) -> Sequence[PackageCount]:
        packages = self.results.packages
        if self.order == 0:
            packages = tuple(sorted(packages, key=lambda package: package.name))
        elif self.order == 1:
            packages = tuple(sorted(packages, key=lambda package: -package.specs))
        elif self.order == 2:
            newest = {package.number: self._newest(package) for package in packages}
            packages = tuple(sorted(packages, key=lambda package: sort_key(newest[package.number]), reverse=True))
        return packages[::-1] if self.reverse else packages

    @cached_property
    def _places(self) -> dict[str, int]:
        return {package.name: k for k, package in enumerate(self.packages)}

    def _newest(self, package: PackageCount) -> str:
        return next(iter(self.results.versions(package.number)), "")

    def __len__(self) -> int:
        return len(self.packages)

    def row(self, k: int) -> Line:
        package = self.packages[k]
        return Line((visible(package.name), str(package.specs), visible(self._newest(package))))

    def key(self, k: int) -> str:
        return self.packages[k].name

    def find(self, key: Hashable) -> int | None:
        return self._places.get(key) if isinstance(key, str) else None


@dataclass(frozen=True)
class SpecRows:
    """Some rows of an index, in the order that they have here."""

    index: Index
    rows: Sequence[int]
    marks: frozenset[SpecKey]

    @cached_property
    def _places(self) -> dict[SpecKey, int]:
        return {spec_key(self.index, row): k for k, row in reversed(list(enumerate(self.rows)))}

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, k: int) -> Line:
        spec = self.index.spec(self.rows[k])
        hash_cell = visible(spec.hash[:7]) if spec.hash else "no hash"
        texts = (spec.version, spec.compiler, spec.os, spec.target, ",".join(spec.stacks), spec.tag)
        return Line((hash_cell, *(visible(text or "-") for text in texts)), marked=self.key(k) in self.marks)

    def key(self, k: int) -> SpecKey:
        return spec_key(self.index, self.rows[k])

    def find(self, key: Hashable) -> int | None:
        return self._places.get(key)  # type: ignore[call-overload, no-any-return]  # any key may be asked for


def fitted(columns: Sequence[Column], index: Index, rows: Iterable[int]) -> list[Column]:
    """The columns of specs, each as wide as its longest value in these rows at most."""
    rows = list(rows)
    version, table = index.columns.rows["version"], index.columns.tables["version"]
    profiles = [index.profiles[number] for number in set(map(index.columns.rows["profile"].__getitem__, rows))]
    values: Mapping[str, Iterable[str | None]] = {
        "version": (table[number] for number in set(map(version.__getitem__, rows))),
        "compiler": (profile.compiler for profile in profiles),
        "os": (profile.os for profile in profiles),
        "target": (profile.target for profile in profiles),
        "stacks": (",".join(profile.stacks) for profile in profiles),
    }
    return [_fitted(column, values.get(column.title, ())) for column in columns]


def _fitted(column: Column, values: Iterable[str | None]) -> Column:
    longest = max((measure(visible(value)) for value in values if value), default=0)
    most = max(longest, len(column.title) + 1)
    return column._replace(width=min(column.width, most), most=most) if longest else column


def sorted_specs(results: Results, rows: Sequence[int], order: int | None, reverse: bool) -> list[int]:
    """Rows that stand as the results have them, sorted by a column of `SPEC_COLUMNS` where one is given."""
    index = results.index
    found = list(rows) if order is None else index.newest_first(rows)
    if order is not None and order != 1:
        field = ("hash", "version", "compiler", "os", "target", "stacks", "tag")[order]
        place = {tag: k for k, tag in enumerate(index.tags)}
        texts = {row: getattr(index.spec(row), field) for row in found}
        found.sort(key=lambda row: place[texts[row]] if field == "tag" else sort_key(str(texts[row] or "")))
    return found[::-1] if reverse else found


FacetKey = tuple[ValueKey, str | None]
"""A value of a facet, or with None its heading, or with an empty text the line that says that there are more."""


@dataclass(frozen=True)
class FacetRows:
    """The five facets, each a heading and its values; a facet with one value takes one line."""

    results: Results
    room: int
    """Lines that there are: where they do not do for all values, the longest facets are folded."""
    unfolded: frozenset[ValueKey] = frozenset()
    wanted: str = ""
    """Only values that contain this text."""
    kept: FacetKey | None = None
    """The value under the cursor, which folding never hides."""

    @cached_property
    def lines(self) -> list[tuple[FacetKey, Line]]:
        lines: list[tuple[FacetKey, Line]] = []
        found = {facet: self._values(facet) for facet in FACETS}
        most = _most_of_each([len(values) for values in found.values()], self.room)
        for facet, values in found.items():
            if self.wanted and not values:
                continue
            if len(values) == 1 and not self.wanted:
                cell = _facet_cell(values[0])
                lines.append(((facet, values[0].value), self._line(values[0], f"{facet} {cell}")))
                continue
            lines.append(((facet, None), Line((Cell(f"{facet}", "title"), str(len(values))))))
            shown = values if facet in self.unfolded or self.wanted else self._few(facet, values, most)
            lines += [((facet, value.value), self._line(value, _facet_cell(value))) for value in shown]
            if len(shown) < len(values):
                more = f"    {len(values) - len(shown)} more"
                lines.append(((facet, ""), Line((more, ""))))
        return lines

    def _values(self, facet: ValueKey) -> list[FacetValue]:
        return [value for value in self.results.facet(facet) if self.wanted in value.value.lower()]

    def _few(self, facet: ValueKey, values: Sequence[FacetValue], most: int) -> Sequence[FacetValue]:
        """The first values that would give something, and every one that is ticked, left out or under the cursor."""
        if len(values) <= most + 1:  # a line that says "1 more" is no shorter
            return values
        wanted = [value for value in values if value.specs][:most]
        wanted += [value for value in values if not value.specs][: most - len(wanted)]
        return [
            value
            for value in values
            if value in wanted or value.ticked or value.excluded or (facet, value.value) == self.kept
        ]

    @staticmethod
    def _line(value: FacetValue, text: str) -> Line:
        tone: Tone = "tick" if value.ticked else "cross" if value.excluded else "" if value.specs else "dim"
        return Line((Cell(text, tone), Cell(str(value.specs), "" if value.specs else "dim")))

    @cached_property
    def _places(self) -> dict[FacetKey, int]:
        return {key: k for k, (key, _) in enumerate(self.lines)}

    def __len__(self) -> int:
        return len(self.lines)

    def row(self, k: int) -> Line:
        return self.lines[k][1]

    def key(self, k: int) -> FacetKey:
        return self.lines[k][0]

    def find(self, key: Hashable) -> int | None:
        return self._places.get(key)  # type: ignore[call-overload, no-any-return]  # any key may be asked for


def _most_of_each(sizes: Sequence[int], room: int) -> int:
    """The greatest number of values of each facet, at least three, with which all of them have room."""

    def lines(most: int) -> int:
        folded = [min(size, most) + (size > most + 1) + (size == most + 1) for size in sizes]
        return sum(lines + (size != 1) for lines, size in zip(folded, sizes, strict=True))

    return max((most for most in range(3, max(sizes, default=0) + 1) if lines(most) <= room), default=3)


def _facet_cell(value: FacetValue) -> str:
    sign = "+" if value.ticked else "-" if value.excluded else " "
    return f"{sign} {visible(value.value)}"


PROBLEM_COLUMNS = (
    Column("", 5),
    Column("page", 20, share=1),
    Column("line", 5, right=True, drop=1),
    Column("what is wrong", 24, share=2),
)


def problem_line(problem: Problem) -> Line:
    """One problem found while reading."""
    cells = (
        Cell(problem.level, "fault" if problem.level == "fault" else ""),
        visible(problem.path),
        str(problem.line or ""),
        visible(problem.message),
    )
    return Line(cells)

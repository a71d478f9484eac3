"""The storage of a catalogue: columns of integers, each a number in a table of distinct strings.

A `Segment` is what some pages gave; `merge` makes `Columns` of columns that exist and of new segments. Rows stand
by package, tag and page, so that a package is one run of rows. All of it is flat arrays and bytes, so the saved
index is these columns, mapped into memory. Invariant: columns never change once they are made.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from mmap import mmap
from typing import Any, TypeAlias

import msgspec

from cachetui.pages import FileStamp, Reading
from cachetui.spec import Problem, Row, tag_order

Ints: TypeAlias = "array[int] | memoryview[int]"
"""A column: unsigned 32-bit integers (64-bit for the sizes and times of files)."""

ROW_COLUMNS = ("profile", "version", "variants", "extra")
"""The columns with one entry a row, beside the hash."""

RACY = 1 << 63
"""Added to the size of a file whose time cannot be relied on: it changed just before it was read."""

_encode = msgspec.json.Encoder().encode


class Strings(Sequence[str]):
    """An immutable table of strings in one buffer; no Python object for an entry until it is asked for."""

    __slots__ = ("base", "buffer", "offsets")

    def __init__(self, buffer: bytes | mmap, offsets: Ints, base: int = 0) -> None:
        self.buffer = buffer
        self.offsets = offsets
        self.base = base

    @classmethod
    def of(cls, values: Iterable[str]) -> Strings:
        encoded = [value.encode("utf-8", "surrogatepass") for value in values]
        return cls(b"".join(encoded), array("I", accumulate(map(len, encoded), initial=0)))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def raw(self, k: int) -> bytes:
        """Entry k in UTF-8; raises IndexError beyond the end."""
        start, end = self.offsets[k], self.offsets[k + 1]
        return self.buffer[self.base + start : self.base + end]

    def __getitem__(self, k: int) -> str:  # type: ignore[override]  # no slices: nothing takes one
        return self.raw(k).decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        for k in range(len(self)):
            yield self[k]

    def bisect(self, text: bytes, lo: int = 0) -> int:
        """The first k whose entry is not below the text, in a table that is sorted by its bytes."""
        hi = len(self)
        while lo < hi:
            middle = (lo + hi) // 2
            if self.raw(middle) < text:
                lo = middle + 1
            else:
                hi = middle
        return lo

    def containing(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Each (k, offset) where the text stands within entry k."""
        end = self.base + self.offsets[-1]
        at = self.buffer.find(text, self.base, end)
        while at >= 0:
            place = at - self.base
            k = bisect_left(self.offsets, place + 1) - 1
            if place + len(text) <= self.offsets[k + 1]:
                yield k, place - self.offsets[k]
            at = self.buffer.find(text, at + 1, end)


class Postings:
    """For each value of a column the rows that hold it, in ascending order."""

    __slots__ = ("offsets", "rows")

    def __init__(self, rows: Ints, offsets: Ints) -> None:
        self.rows = rows
        self.offsets = offsets

    @classmethod
    def of(cls, column: Ints, values: int) -> Postings:
        counts = [0] * (values + 1)
        for value in column:
            counts[value + 1] += 1
        rows = sorted(range(len(column)), key=column.__getitem__)
        return cls(array("I", rows), array("I", accumulate(counts)))

    def __getitem__(self, value: int) -> Ints:
        return self.rows[self.offsets[value] : self.offsets[value + 1]]

    def count(self, value: int) -> int:
        return self.offsets[value + 1] - self.offsets[value]


@dataclass(frozen=True, slots=True)
class Segment:
    """What some pages gave, encoded with its own tables; rows in the order of the pages."""

    readings: tuple[tuple[str, str, str, int], ...]
    """Path, package, tag and number of rows of each page."""
    tables: dict[str, list[str]]
    """For each of the row columns the distinct values, as JSON."""
    rows: dict[str, Ints]
    hashes: list[str]
    """One a row; empty where a row has none."""
    files: tuple[FileStamp, ...]
    problems: tuple[Problem, ...]


class Encoder:
    """Turns readings into a segment, one after the other."""

    def __init__(self) -> None:
        self._readings: list[tuple[str, str, str, int]] = []
        self._profiles: dict[tuple[object, ...], int] = {}
        self._versions: dict[tuple[str, ...], int] = {}
        self._variants: dict[tuple[str, ...], int] = {}
        self._extras: dict[tuple[object, ...], int] = {}
        self._rows: dict[str, array[int]] = {name: array("I") for name in ROW_COLUMNS}
        self._hashes: list[str] = []
        self._files: list[FileStamp] = []
        self._problems: list[Problem] = []

    def add_file(self, file: FileStamp) -> None:
        self._files.append(file)

    def add_problem(self, problem: Problem) -> None:
        self._problems.append(problem)

    def add(self, reading: Reading, stamped: Callable[[FileStamp], FileStamp] = lambda file: file) -> None:
        """Takes over a reading, the stamps of its files as `stamped` gives them."""
        self._files += map(stamped, reading.files)
        self._problems += reading.problems
        page = reading.page
        if page is not None:
            self._readings.append((page.path, page.package, page.tag, len(page.rows)))
            self._add_rows(page.rows)

    def _add_rows(self, rows: tuple[Row, ...]) -> None:
        profiles, versions, variants, extras = self._profiles, self._versions, self._variants, self._extras
        columns = self._rows
        add_profile, add_version = columns["profile"].append, columns["version"].append
        add_variants, add_extra = columns["variants"].append, columns["extra"].append
        add_hash = self._hashes.append
        for row in rows:
            profile = (row.compiler, row.os, row.platform, row.target, row.stacks)
            add_profile(profiles.setdefault(profile, len(profiles)))
            add_version(versions.setdefault(row.versions, len(versions)))
            add_variants(variants.setdefault(row.variants, len(variants)))
            extra = (row.size, row.tarball, row.dependencies)
            add_extra(extras.setdefault(extra, len(extras)))
            add_hash(row.hash or "")

    def segment(self) -> Segment:
        return Segment(
            readings=tuple(self._readings),
            tables={
                "profile": [_encode(profile).decode() for profile in self._profiles],
                "version": [",".join(versions) for versions in self._versions],
                "variants": [_encode(variants).decode() for variants in self._variants],
                "extra": [_encode(extra).decode() for extra in self._extras],
            },
            rows=dict(self._rows),
            hashes=self._hashes,
            files=tuple(self._files),
            problems=tuple(self._problems),
        )


@dataclass(frozen=True, slots=True)
class Columns:
    """A whole catalogue. Row r belongs to page p where `page_start[p] <= r < page_start[p + 1]`."""

    packages: Strings
    """Sorted, each with at least one page."""
    tags: Strings
    """In their true order."""
    tables: dict[str, Strings]
    rows: dict[str, Ints]
    hashes: Strings
    """Distinct and sorted; the empty string first, where a row has no hash."""
    hash: Ints
    """The hash of each row, by its place in `hashes`."""
    page_path: Strings
    page_package: Ints
    page_tag: Ints
    page_start: Ints
    """One longer than the pages."""
    file_path: Strings
    """Every file that was read, also those that are no pages, and every folder, with `/` at its end; sorted."""
    file_size: Ints
    file_time: Ints
    """Modification times in nanoseconds."""
    upper_folders: tuple[str, ...]
    """The folders that hold folders, the content folder (the empty path) among them."""
    problems: tuple[Problem, ...]
    duplicates: tuple[str, ...]
    """Paths of the pages that are left out because another has their package and tag."""
    postings: dict[str, Postings] = field(default_factory=dict)
    """Made when first asked for; the only thing here that is filled later, each entry once."""

    def __len__(self) -> int:
        return len(self.hash)

    def file_stamp(self, path: str) -> tuple[int, int] | None:
        """Size and time of a file or folder when it was read; None for one that was not."""
        at = self.file_path.bisect(path.encode("utf-8", "surrogatepass"))
        if at == len(self.file_path) or self.file_path[at] != path:
            return None
        return self.file_size[at], self.file_time[at]

    def posting(self, name: str) -> Postings:
        """The rows of each value of a row column, `hash`, or (pages, not rows) `page_tag`."""
        found = self.postings.get(name)
        if found is None:
            column, values = {
                "hash": (self.hash, len(self.hashes)),
                "page_tag": (self.page_tag, len(self.tags)),
            }.get(name) or (self.rows[name], len(self.tables[name]))
            found = self.postings.setdefault(name, Postings.of(column, values))
        return found


@dataclass(frozen=True, slots=True)
class _Source:
    """One of the things that are merged, its columns in the numbers of the merged tables."""

    pages: Sequence[tuple[str, str, str]]
    """Path, package, tag."""
    starts: Sequence[int]
    rows: dict[str, Ints]
    """The row columns and `hash`."""


def merge(base: Columns | None, segments: Sequence[Segment], dropped: frozenset[str] = frozenset()) -> Columns:
    """The columns of `base` without the files that are dropped (paths), and with what the segments hold."""
    tables, all_hashes, sources = _united(base, segments)
    order, duplicates = _page_order(sources, dropped)
    rows: dict[str, Ints] = {name: _gathered(order, sources, name) for name in ROW_COLUMNS}
    hashes, hash_column = _without_unused(all_hashes, _gathered(order, sources, "hash"))
    packages = sorted({package for package, _, _, _, _ in order})
    tags = tag_order(tag for _, tag, _, _, _ in order)
    package_number = {package: k for k, package in enumerate(packages)}
    tag_number = {tag: k for k, tag in enumerate(tags)}
    lengths = (sources[s].starts[p + 1] - sources[s].starts[p] for _, _, _, s, p in order)
    files = _files(base, segments, dropped)
    return Columns(
        packages=Strings.of(packages),
        tags=Strings.of(tags),
        tables={name: Strings.of(table) for name, table in tables.items()},
        rows=rows,
        hashes=Strings.of(hashes),
        hash=hash_column,
        page_path=Strings.of(path for _, _, path, _, _ in order),
        page_package=array("I", [package_number[package] for package, _, _, _, _ in order]),
        page_tag=array("I", [tag_number[tag] for _, tag, _, _, _ in order]),
        page_start=array("I", accumulate(lengths, initial=0)),
        file_path=Strings.of(file.path for file in files),
        file_size=array("Q", [file.size for file in files]),
        file_time=array("Q", [file.mtime_ns for file in files]),
        upper_folders=_upper_folders(file.path for file in files),
        problems=_problems(base, segments, dropped) + tuple(duplicates),
        duplicates=tuple(problem.path for problem in duplicates),
    )


def _united(
    base: Columns | None, segments: Sequence[Segment]
) -> tuple[dict[str, dict[str, int]], list[str], list[_Source]]:
    """One table for each row column, the sorted hashes of all, and every source in the numbers of these."""
    tables = {name: {} if base is None else _numbered(base.tables[name]) for name in ROW_COLUMNS}
    new = set(chain.from_iterable(segment.hashes for segment in segments))
    hashes = sorted(new.union(base.hashes if base else ()))
    number = _numbered(hashes)
    sources = []
    if base is not None:
        renumbered = array("I", [number[text] for text in base.hashes])
        packages, tags = list(base.packages), list(base.tags)
        pages = [
            (path, packages[package], tags[tag])
            for path, package, tag in zip(base.page_path, base.page_package, base.page_tag, strict=True)
        ]
        hash_column = _mapped(renumbered, base.hash)
        sources.append(_Source(pages, base.page_start, {**base.rows, "hash": hash_column}))
    for segment in segments:
        rows: dict[str, Ints] = {"hash": _mapped(number, segment.hashes)}
        for name, table in tables.items():
            renumbered = array("I", [table.setdefault(text, len(table)) for text in segment.tables[name]])
            rows[name] = _mapped(renumbered, segment.rows[name])
        starts = list(accumulate((reading[3] for reading in segment.readings), initial=0))
        sources.append(_Source([reading[:3] for reading in segment.readings], starts, rows))
    return tables, hashes, sources


def _numbered(table: Iterable[str]) -> dict[str, int]:
    return {text: k for k, text in enumerate(table)}


def _mapped(numbers: Any, column: Iterable[Any]) -> array[int]:
    return array("I", map(numbers.__getitem__, column))


_Place: TypeAlias = tuple[str, str, str, int, int]
"""Package, tag, path, source, page of the source."""


def _page_order(sources: Sequence[_Source], dropped: frozenset[str]) -> tuple[list[_Place], list[Problem]]:
    """The pages in the order of the rows, and a problem for each that repeats a package and tag."""
    places = []
    for s, source in enumerate(sources):
        for p, (path, package, tag) in enumerate(source.pages):
            # Only the pages of the base can have been dropped: a segment is newer than the drop.
            if s or path not in dropped:
                places.append((package, tag, path, s, p))
    rank = _numbered(tag_order({place[1] for place in places}))
    places.sort(key=lambda place: (place[0], rank[place[1]], place[2]))
    order: list[_Place] = []
    duplicates: list[Problem] = []
    for place in places:
        if order and order[-1][:2] == place[:2]:
            message = f"a second page for {place[0]} in {place[1]}, left out: the first is {order[-1][2]}"
            duplicates.append(Problem(path=place[2], kind="duplicate-page", message=message))
        else:
            order.append(place)
    return order, duplicates


def _gathered(order: Sequence[_Place], sources: Sequence[_Source], name: str) -> array[int]:
    """A column in the new order; pages that stood side by side are copied as one piece."""
    out = array("I")
    columns = [memoryview(source.rows[name]) for source in sources]
    starts = [source.starts for source in sources]
    at = first = last = 0
    for _, _, _, s, p in order:
        start = starts[s][p]
        if s != at or start != last:
            out.frombytes(columns[at][first:last].tobytes())
            at, first = s, start
        last = starts[s][p + 1]
    if order:
        out.frombytes(columns[at][first:last].tobytes())
    return out


def _without_unused(hashes: Sequence[str], column: array[int]) -> tuple[Sequence[str], array[int]]:
    used = set(column)
    if len(used) == len(hashes):
        return hashes, column
    kept = sorted(used)
    number = dict(zip(kept, range(len(kept)), strict=True))
    return [hashes[k] for k in kept], _mapped(number, column)


def _files(base: Columns | None, segments: Sequence[Segment], dropped: frozenset[str]) -> list[FileStamp]:
    files = {file.path: file for segment in segments for file in segment.files}
    if base is not None:
        for path, size, time in zip(base.file_path, base.file_size, base.file_time, strict=True):
            if path not in dropped and path not in files:
                files[path] = FileStamp(path=path, size=size, mtime_ns=time)
    return [files[path] for path in sorted(files)]


def _upper_folders(paths: Iterable[str]) -> tuple[str, ...]:
    folders = (path for path in paths if path.endswith("/"))
    return tuple(sorted({"", *(path[: path.rfind("/", 0, -1) + 1] for path in folders)}))


def _problems(base: Columns | None, segments: Sequence[Segment], dropped: frozenset[str]) -> tuple[Problem, ...]:
    kept = [
        problem
        for problem in (base.problems if base else ())
        if problem.path not in dropped and problem.kind != "duplicate-page"
    ]
    found = chain(kept, *(segment.problems for segment in segments))
    return tuple(sorted(found, key=lambda problem: (problem.path, problem.line or 0)))

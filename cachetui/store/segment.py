"""A segment: what some pages gave, each column encoded with a table of its own.

Segments are what the processes that read pages hand over; `merge` makes one catalogue of them.
Input: pages, stamps of files and folders, and problems, in any order.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from cachetui.model.facets import profile_fields
from cachetui.model.problem import Problem
from cachetui.model.spec import Page, Row
from cachetui.store.arrays import Ints, Once, mapped, numbered
from cachetui.store.stamps import FileStamp
from cachetui.store.tag_graph import RecordedGraph, TagGraph

RACY = 1 << 63
"""Added to the size of a file that changed just before it was read, so that its time cannot be relied on."""

RACY_TIME = 2_000_000_000
"""Nanoseconds: a file that was changed so shortly before it was read may change again and show the same time."""

_encode = msgspec.json.Encoder().encode


class PageColumns(Struct, frozen=True):
    """Some pages with their rows, in the order of the pages, as columns with tables of their own."""

    paths: list[str]
    packages: list[str]
    tags: list[str]
    lengths: Ints
    """Of each page its path, package, tag and number of rows."""
    tables: dict[str, list[str]]
    """For each of the row columns the distinct values, sorted; lists and tuples as JSON."""
    rows: dict[str, Ints]


class Segment(PageColumns, frozen=True):
    """What some pages gave, and the files that were read for them."""

    file_paths: list[str]
    """Sorted."""
    file_sizes: Ints
    file_times: Ints
    upper_folders: tuple[str, ...]
    """The folders that hold folders among these."""
    problems: tuple[Problem, ...]
    graph: TagGraph | RecordedGraph | None = None
    """The dependencies, where the content records them."""
    caches: tuple[str, ...] = ()
    """Folders with build caches in them that were come across, and not read."""


class Encoder:
    """Gathers pages, stamps and problems, and makes a segment of them."""

    def __init__(self) -> None:
        self._paths: list[str] = []
        self._packages: list[str] = []
        self._tags: list[str] = []
        self._lengths = array("I")
        self._hashes: list[str] = []
        """Of each row; empty where it has none."""
        self._builds: list[Row] = []
        self._build_numbers: dict[int, int] = {}
        """By identity: rows that are written alike mostly share a build."""
        self._row_builds = array("I")
        self._files: list[FileStamp] = []
        self._read_at: list[int] = []
        """When each of the files was read, in nanoseconds."""
        self._problems: list[Problem] = []
        self._caches: list[str] = []

    def add_file(self, file: FileStamp, now: int) -> None:
        """Adds the stamp of a file or folder that was read at this time (`now`), in nanoseconds."""
        self._files.append(file)
        self._read_at.append(now)

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Adds what is wrong with the content."""
        self._problems += problems

    def add_cache(self, folder: str) -> None:
        """Adds a folder that holds a build cache, for whoever reads these."""
        self._caches.append(folder)

    def add_page(self, page: Page) -> None:
        """Adds a page with its rows."""
        self._paths.append(page.path)
        self._packages.append(page.package)
        self._tags.append(page.tag)
        self._lengths.append(len(page.hashes))
        self._hashes += [found or "" for found in page.hashes]
        self._row_builds.extend(map(self._build_number, page.builds))

    def _build_number(self, build: Row) -> int:
        number = self._build_numbers.setdefault(id(build), len(self._builds))
        if number == len(self._builds):
            self._builds.append(build)
        return number

    def segment(self, graph: TagGraph | RecordedGraph | None = None, pages: PageColumns | None = None) -> Segment:
        """What was taken over, with the dependencies where the content records them; `pages` instead of those added."""
        pages = pages or self._page_columns()
        read = sorted(zip(self._files, self._read_at, strict=True), key=lambda each: each[0].path)
        paths = [file.path for file, _ in read]
        return Segment(
            **msgspec.structs.asdict(pages),
            file_paths=paths,
            file_sizes=array(
                "Q", [file.size | RACY if file.mtime_ns > at - RACY_TIME else file.size for file, at in read]
            ),
            file_times=array("Q", [file.times for file, _ in read]),
            upper_folders=tuple({path[: path.rfind("/", 0, -1) + 1] for path in paths if path[-1:] == "/"}),
            problems=tuple(self._problems),
            graph=graph,
            caches=tuple(self._caches),
        )

    def _page_columns(self) -> PageColumns:
        json = Once[object, str](_json).of
        columns = {
            "profile": json(map(profile_fields, self._builds)),
            "version": [",".join(build.versions) for build in self._builds],
            "variants": [_json(build.variants) for build in self._builds],
            "extra": json((build.size, build.tarball, build.dependencies) for build in self._builds),
        }
        tables: dict[str, list[str]] = {}
        rows: dict[str, Ints] = {}
        for name, values in columns.items():
            tables[name], numbers = _distinct(values)
            rows[name] = mapped(numbers.__getitem__, self._row_builds)
        tables["hash"], numbers = _distinct(self._hashes)
        rows["hash"] = array("I", numbers)
        return PageColumns(self._paths, self._packages, self._tags, self._lengths, tables, rows)


def _json(value: object) -> str:
    return _encode(value).decode()


def _distinct(values: Sequence[str]) -> tuple[list[str], list[int]]:
    """The distinct values, sorted, and the number of each of the values."""
    table = sorted(set(values))
    return table, list(map(numbered(table).__getitem__, values))

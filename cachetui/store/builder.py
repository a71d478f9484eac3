"""A segment: what some pages gave, each column encoded with a table of its own.

Segments are what the processes that read pages hand over; `merge` makes one catalogue of them.
Input: pages, sizes and times of files and folders, and problems, in any order.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain, compress, islice
from operator import ne

import msgspec
from msgspec import Struct

from cachetui.model.facets import profile_fields
from cachetui.model.problem import Problem
from cachetui.model.spec import Page
from cachetui.store.arrays import Ints, Numbering, Once, numbered, ranked, values_at
from cachetui.store.mtimes import FileMtimes, times_of
from cachetui.store.string_table import StringTable
from cachetui.store.tag_graph import RawGraph, TagGraph

RACY = 1 << 63
"""Added to the size of a file that changed just before it was read, so that its time cannot be relied on."""

RACY_TIME = 2_000_000_000
"""Nanoseconds: a file that was changed so shortly before it was read may change again and show the same time."""

_encode = msgspec.json.Encoder().encode


class PageColumns(Struct, frozen=True):
    """Some pages with their rows, in the order of the pages, as columns with tables of their own."""

    paths: StringTable
    packages: StringTable
    tags: StringTable
    """All that these pages have, in any order."""
    page_package: Ints
    page_tag: Ints
    """Of each page the places of its package and tag among these."""
    lengths: Ints
    """Of each page the number of its rows."""
    tables: dict[str, StringTable]
    """For each of the row columns the distinct values, sorted; lists and tuples as JSON."""
    rows: dict[str, Ints]


class Files(Struct, frozen=True):
    """Sizes and times of some files and folders."""

    paths: StringTable
    """Sorted, each of them once."""
    sizes: Ints
    times: Ints


class Segment(PageColumns, frozen=True):
    """What some pages gave, and the files that were read for them."""

    files: Files
    problems: tuple[Problem, ...]
    graph: TagGraph | RawGraph | None = None
    """The dependencies, where the content records them."""
    caches: tuple[str, ...] = ()
    """Folders with build caches in them that were come across, and not read."""


class SegmentBuilder:
    """Builds a segment of pages, sizes and times of files, and problems."""

    def __init__(self) -> None:
        self._pages: list[Page] = []
        self._files: list[FileMtimes] = []
        self._read_at: list[int] = []
        """When each of the files was read, in nanoseconds."""
        self._problems: list[Problem] = []
        self._caches: list[str] = []

    def add_file(self, file: FileMtimes, now: int) -> None:
        """Add the size and times of a file or folder that was read at this time (`now`), in nanoseconds."""
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
        self._pages.append(page)

    def segment(self, graph: TagGraph | RawGraph | None = None, pages: PageColumns | None = None) -> Segment:
        """What was taken over, with the dependencies where the content records them; `pages` instead of those added."""
        paths = [file.path for file in self._files]
        return Segment(
            **msgspec.structs.asdict(pages or _page_columns(self._pages)),
            files=_sorted_files(paths, self._files, self._read_at),
            problems=tuple(self._problems),
            graph=graph,
            caches=tuple(self._caches),
        )


def _sorted_files(paths: Sequence[str], files: Sequence[FileMtimes], read_at: Sequence[int]) -> Files:
    """The files of these paths; of one that was read several times the last one."""
    order = sorted(range(len(paths)), key=paths.__getitem__)
    ordered = values_at(order)(paths)
    is_last = [*map(ne, ordered, islice(ordered, 1, None)), True]
    if not all(is_last):
        order, ordered = list(compress(order, is_last)), list(compress(ordered, is_last))
    in_order = values_at(order)
    read = zip(files, read_at, strict=True)
    sizes = [file.size | RACY if file.mtime_ns > at - RACY_TIME else file.size for file, at in read]
    return Files(
        paths=StringTable.of(ordered),
        sizes=array("Q", in_order(sizes)),
        times=array("Q", in_order([times_of(file.mtime_ns, file.ctime_ns) for file in files])),
    )


def _page_columns(pages: Sequence[Page]) -> PageColumns:
    packages, tags = Numbering[str](), Numbering[str]()
    tables: dict[str, StringTable] = {}
    rows: dict[str, Ints] = {}
    hashes, rows["hash"] = ranked([found or "" for page in pages for found in page.hashes])
    tables["hash"] = StringTable.of(hashes)
    # Rows that are written alike mostly share a build.
    of_rows = list(chain.from_iterable([page.builds for page in pages]))
    keys = list(map(id, of_rows))
    builds = dict(zip(keys, of_rows, strict=True))
    at_rows = values_at(list(map(numbered(builds).__getitem__, keys)))
    json = Once[object, str](_json).of
    columns = {
        "profile": json(map(profile_fields, builds.values())),
        "version": [",".join(build.versions) for build in builds.values()],
        "variants": [_json(build.variants) for build in builds.values()],
        "extra": json((build.size, build.tarball, build.dependencies) for build in builds.values()),
    }
    for name, values in columns.items():
        tables[name], numbers = _distinct(values)
        rows[name] = array("I", at_rows(numbers))
    return PageColumns(
        paths=StringTable.of([page.path for page in pages]),
        page_package=packages.of([page.package for page in pages]),
        page_tag=tags.of([page.tag for page in pages]),
        packages=StringTable.of(list(packages)),
        tags=StringTable.of(list(tags)),
        lengths=array("I", [len(page.hashes) for page in pages]),
        tables=tables,
        rows=rows,
    )


def _json(value: object) -> str:
    return _encode(value).decode()


def _distinct(values: Sequence[str]) -> tuple[StringTable, Sequence[int]]:
    """The distinct values, sorted, and the number of each of the values."""
    table = sorted(set(values))
    number = numbered(table)
    return StringTable.of(table), [number[value] for value in values]

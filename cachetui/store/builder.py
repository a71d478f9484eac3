"""A segment: what some pages gave, each column encoded with a table of its own.

Segments are what the processes that read pages hand over; `merge` makes one catalogue of them.
Input: pages, sizes and times of files and folders, and problems, in any order.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain

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


class SegmentBuilder(Struct):
    """What a segment is made of, as it comes."""

    pages: list[Page] = []
    files: list[tuple[FileMtimes, int]] = []
    """Each with the time at which it was read, in nanoseconds."""
    problems: list[Problem] = []
    caches: list[str] = []

    def segment(self, graph: TagGraph | RawGraph | None = None, pages: PageColumns | None = None) -> Segment:
        """The segment, with the dependencies where the content records them; `pages` instead of those that came."""
        return Segment(
            **msgspec.structs.asdict(pages or _page_columns(self.pages)),
            files=_sorted_files(self.files),
            problems=tuple(self.problems),
            graph=graph,
            caches=tuple(self.caches),
        )


def _sorted_files(files: Iterable[tuple[FileMtimes, int]]) -> Files:
    """The files by their paths; of one that was read several times the last one."""
    last = {file.path: (file, read_at) for file, read_at in files}
    paths = sorted(last)
    ordered = [last[path] for path in paths]
    sizes = [file.size | RACY if file.mtime_ns > read_at - RACY_TIME else file.size for file, read_at in ordered]
    return Files(
        paths=StringTable.of(paths),
        sizes=array("Q", sizes),
        times=array("Q", [times_of(file.mtime_ns, file.ctime_ns) for file, _ in ordered]),
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

"""Build a segment: some pages as columns, each with a table of its own values.

The processes that read pages send segments; `merge` makes one catalogue of them.
Input: pages, sizes and times of files and folders, and problems, in any order.
"""

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain

import msgspec
from msgspec import Struct

from cachetui.mappings import Once
from cachetui.model.problem import Problem
from cachetui.model.spec import Page, profile_fields
from cachetui.store.arrays import Ints, Numbering, numbered, ranked, values_at
from cachetui.store.mtimes import Mtimes
from cachetui.store.string_table import StringTable
from cachetui.store.tag_graph import TagGraph

_encode = msgspec.json.Encoder().encode


class PageColumns(Struct, frozen=True):
    """Some pages, and their rows in the order of the pages, as columns."""

    paths: StringTable
    packages: StringTable
    tags: StringTable
    """The distinct packages and tags of these pages, in any order."""
    page_package: Ints
    page_tag: Ints
    """The number of each page's package and tag in these tables."""
    lengths: Ints
    """The number of rows of each page."""
    tables: dict[str, StringTable]
    """The distinct values of each row column, sorted; lists and tuples as JSON."""
    rows: dict[str, Ints]


class Segment(PageColumns, frozen=True):
    """Some pages, and the files that were read for them."""

    file_path: StringTable
    """Every file and folder that was read; sorted and distinct."""
    file_size: Ints
    file_time: Ints
    """See `store.mtimes`."""
    upper_folders: tuple[str, ...]
    """The folders that hold one of these folders."""
    problems: tuple[Problem, ...]
    graph: TagGraph | None = None
    """The dependencies, if the content records them."""
    caches: tuple[str, ...] = ()
    """Folders of build caches that were found among the pages, and are still to be read."""


class SegmentBuilder(Struct):
    """Collects the parts of a segment."""

    pages: list[Page] = []
    files: dict[str, Mtimes] = {}
    """Size and times of each file and folder before it was read; the paths of folders end in `/`."""
    problems: list[Problem] = []
    caches: list[str] = []

    def segment(self, graph: TagGraph | None = None, pages: PageColumns | None = None) -> Segment:
        """Return the segment; `pages` take the place of those that were collected."""
        paths = sorted(self.files)
        sizes, times = (array("Q", [self.files[path][k] for path in paths]) for k in (0, 1))
        return Segment(
            **msgspec.structs.asdict(pages or _page_columns(self.pages)),
            file_path=StringTable.of(paths),
            file_size=sizes,
            file_time=times,
            upper_folders=tuple(upper_folders_of(paths)),
            problems=tuple(self.problems),
            graph=graph,
            caches=tuple(self.caches),
        )


def upper_folders_of(paths: Iterable[str]) -> set[str]:
    """Return the folders that hold one of these folders, whose paths end in `/`."""
    return {path[: path.rfind("/", 0, -1) + 1] for path in paths if path.endswith("/")}


def _page_columns(pages: Sequence[Page]) -> PageColumns:
    packages, tags = Numbering[str](), Numbering[str]()
    tables: dict[str, StringTable] = {}
    rows: dict[str, Ints] = {}
    hashes, rows["hash"] = ranked([found or "" for page in pages for found in page.hashes])
    tables["hash"] = StringTable.of(hashes)
    # Equal rows mostly share one `Row`, so each is encoded once.
    of_rows = list(chain.from_iterable([page.builds for page in pages]))
    keys = list(map(id, of_rows))
    builds = dict(zip(keys, of_rows, strict=True))
    at_rows = values_at(list(map(numbered(builds).__getitem__, keys)))
    json = Once[object, str](lambda value: _encode(value).decode()).of
    columns = {
        "profile": json(map(profile_fields, builds.values())),
        "version": [",".join(build.versions) for build in builds.values()],
        "variants": json(build.variants for build in builds.values()),
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


def _distinct(values: Sequence[str]) -> tuple[StringTable, Sequence[int]]:
    """Return the distinct values, sorted, and the number of each value."""
    table = sorted(set(values))
    number = numbered(table)
    return StringTable.of(table), [number[value] for value in values]

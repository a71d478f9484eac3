"""Build segments. A segment contains the data of some pages in columns, each with a table of its distinct values.

Several processes read pages and send segments. `store.merge` then combines all segments.
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
from cachetui.store.arrays import Ints, Numbering, StringTable, distinct, encoded, numbered, ranked, values_at
from cachetui.store.graph import TagGraph
from cachetui.store.mtimes import Mtimes

_encode = msgspec.json.Encoder().encode


class PageColumns(Struct, frozen=True):
    """The columns of some pages and of their rows. The rows are in the order of the pages."""

    paths: StringTable
    packages: StringTable
    tags: StringTable
    """The distinct tags of these pages. Tags and packages are in any order."""
    page_package: Ints
    page_tag: Ints
    """For each page, the index of its tag in `tags`. Likewise, `page_package` contains indexes in `packages`."""
    lengths: Ints
    """The number of rows of each page."""
    tables: dict[str, StringTable]
    """The sorted distinct values of each row column. Lists and tuples are encoded as JSON."""
    rows: dict[str, Ints]


class Segment(PageColumns, frozen=True):
    """The columns of some pages, and of the files that were read for these pages."""

    file_path: StringTable
    """The sorted distinct paths of all read files and folders."""
    file_size: Ints
    file_time: Ints
    """The times of each file (see `store.mtimes`)."""
    upper_folders: tuple[str, ...]
    """The parent folders of all folders that were read."""
    problems: tuple[Problem, ...]
    graph: TagGraph | None = None
    """The dependency graph, if the content records dependencies."""
    caches: tuple[str, ...] = ()
    """The folders of build caches that were found among the pages, but are not read yet."""


class SegmentBuilder(Struct):
    """Collects the data for a segment."""

    pages: list[Page] = []
    files: dict[str, Mtimes] = {}
    """The size and times of each file and folder before it was read. The paths of folders end in `/`."""
    problems: list[Problem] = []
    caches: list[str] = []

    def segment(self, graph: TagGraph | None = None, pages: PageColumns | None = None) -> Segment:
        """Return a segment with the collected data. `pages` replaces the collected pages."""
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
    """Return the parent folders of all folders in these paths. The paths of folders end in `/`."""
    return {path[: path.rfind("/", 0, -1) + 1] for path in paths if path.endswith("/")}


def _page_columns(pages: Sequence[Page]) -> PageColumns:
    packages, tags = Numbering[str](), Numbering[str]()
    tables: dict[str, StringTable] = {}
    rows: dict[str, Ints] = {}
    hashes, rows["hash"] = ranked([found or "" for page in pages for found in page.hashes])
    tables["hash"] = StringTable.of(hashes)
    # Most equal rows share one `Row`, so each `Row` is encoded only once.
    of_rows = list(chain.from_iterable([page.builds for page in pages]))
    keys = list(map(id, of_rows))
    builds = dict(zip(keys, of_rows, strict=True))
    at_rows = values_at(list(map(numbered(builds).__getitem__, keys)))
    json = Once[object, bytes](_encode).of
    columns = {
        "profile": json(map(profile_fields, builds.values())),
        "version": [encoded(",".join(build.versions)) for build in builds.values()],
        "variants": json(build.variants for build in builds.values()),
        "extra": json((build.size, build.tarball, build.dependencies) for build in builds.values()),
    }
    for name, values in columns.items():
        tables[name], numbers = distinct(values)
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

"""The columns that store an index. A column contains numbers, which are indexes in a table of distinct strings.

A page contains the binaries of one package in one tag. Each binary is a row. Rows are sorted by package, tag and page,
so the rows of a package follow each other. All columns are flat arrays, so they can be mapped into memory from the
index cache.
Invariant: columns never change, and tables are sorted and contain only used values.

Several processes read pages, and send segments to the main process. A segment contains the data of some pages in
columns. Each column has a table of its distinct values. `store.merge` then combines all segments.
Input, in any order: pages, problems, and the sizes and times of files and folders.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress, count, repeat

import msgspec
from msgspec import Struct
from msgspec.json import Decoder
from pyroaring import BitMap

from cachetui.mappings import Once
from cachetui.model.dependency import State
from cachetui.model.installed import HIDDEN, Installed
from cachetui.model.problem import Problem
from cachetui.model.spec import Page, Profile, address, decode_profile, profile_fields
from cachetui.store.arrays import (
    NONE,
    Ints,
    Numbering,
    Postings,
    StringTable,
    distinct,
    encoded,
    mapped,
    marks,
    numbered,
    ranked,
    values_at,
)
from cachetui.store.graph import NO_GRAPH, Graph, TagGraph, needing
from cachetui.store.mtimes import Mtimes

_encode = msgspec.json.Encoder().encode


class PageColumns(Struct, frozen=True):
    """The columns of pages and their rows, in the same order. A page has the rows of one package in one tag."""

    paths: StringTable
    packages: StringTable
    tags: StringTable
    """The distinct tags of these pages. Tags and packages are in any order."""
    page_package: Ints
    page_tag: Ints
    """For each page, the index of its tag in `tags`. Likewise, `page_package` has the index of its package."""
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
    """Return the parent folder of each folder in `paths`. A path that ends in `/` is a folder. Ignore other paths."""
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


SNAPSHOT_PAGES = "#recorded/"
"""The separator of tag and package in the paths of pages that come from snapshots (`store.snapshots`)."""

ROW_COLUMNS = ("profile", "version", "variants", "extra", "hash")
"""The names of the columns with one entry for each row."""


UNRECORDED, NO, YES = COMPLETE = range(3)
"""Whether all dependencies of a spec are available. `UNRECORDED` means that the dependencies are unknown."""


class RowExtra(Struct, frozen=True, array_like=True):
    """The values of a row that the column `extra` stores together, as JSON."""

    size: str | int | None
    tarball: str | tuple[str, ...] | None
    """The address of the tarball, in the form of `address_parts`."""
    dependencies: tuple[str, ...]
    record: Installed | None = None
    """The data of an installed spec; None for a row of a build cache."""


decode_extra = Decoder(RowExtra).decode
"""A function that decodes a string of the column `extra`. Raises msgspec.MsgspecError for an invalid string."""


class Duplicate(Struct, frozen=True, order=True):
    """A page that is ignored because another page has the same package and tag."""

    path: str
    package: str
    tag: str


class Columns(Struct, frozen=True, eq=False, dict=True):
    """The columns of an index. The rows of page p are `page_start[p]` up to, but not including, `page_start[p + 1]`."""

    packages: StringTable
    """The sorted names of all packages that have a page."""
    tags: StringTable
    """The tags, in the order of `model.tags.tag_order`."""
    tables: Mapping[str, StringTable]
    """The sorted distinct values of each row column. A row without a hash has the empty string in the column `hash`."""
    rows: Mapping[str, Ints]
    page_path: StringTable
    page_package: Ints
    page_tag: Ints
    page_start: Ints
    """The first row of each page, followed by the total number of rows."""
    file_path: StringTable
    """The sorted paths of all folders and files that were read, including files that are not pages.

    The paths of folders end in `/`.
    """
    file_size: Ints
    """The size of each file in bytes, 0 for folders. If the flag `RACY` is set, the times may hide a later change."""
    file_time: Ints
    """The times of each file (see `store.mtimes`)."""
    upper_folders: tuple[str, ...]
    """The folders that contain folders, and the content folder (the empty path)."""
    problems: tuple[Problem, ...]
    duplicates: tuple[Duplicate, ...]
    graph: Graph = NO_GRAPH
    """The dependency graph. Its truth value is false if the content contains no dependencies."""
    postings: dict[str, Postings] = {}
    """The cache of `posting`, by column name."""
    links: dict[str, Ints] = {}
    """The cache of `hash_of_nodes` and `complete`."""
    keep: Callable[[], object] = bool
    """A function that saves the columns. It is called after `complete` was computed."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Columns):
            return NotImplemented
        fields = (name for name in self.__struct_fields__ if name not in ("postings", "links", "keep"))
        return all(getattr(self, name) == getattr(other, name) for name in fields)

    def __len__(self) -> int:
        return len(self.rows["hash"])

    @property
    def hashes(self) -> StringTable:
        """All distinct hashes, sorted."""
        return self.tables["hash"]

    @property
    def hash(self) -> Ints:
        """For each row, the index of its hash in `hashes`."""
        return self.rows["hash"]

    def page(self, row: int) -> int:
        """Return the index of a row's page in the columns of pages."""
        return bisect_right(self.page_start, row) - 1

    def package_of(self, row: int) -> int:
        """Return the index of a row's package in `packages`."""
        return self.page_package[self.page(row)]

    def extra(self, row: int) -> RowExtra:
        """Return the values of a row in the column `extra`."""
        return decode_extra(self.tables["extra"][self.rows["extra"][row]])

    def tarball(self, row: int, parts: str | tuple[str, ...] | None) -> str | None:
        """Return the full address of a row's tarball, or None if `parts` is None.

        `parts` is the field `tarball` of the row's `RowExtra`.
        """
        return address(parts, self.hashes[self.hash[row]], self.tags[self.page_tag[self.page(row)]])

    def file_mtimes(self, path: str, entry: Callable[[int], bytes] | None = None) -> tuple[int, int] | None:
        """Return the size and times that a file or folder had when it was read.

        Return None if the file or folder is unknown. `entry` is a function that returns the entry of `file_path`
        with a given index. By default, it is `file_path.raw`.
        """
        text, entry = encoded(path), entry or self.file_path.raw
        at = bisect_left(range(len(self.file_path)), text, key=entry)
        there = at < len(self.file_path) and entry(at) == text
        return (self.file_size[at], self.file_time[at]) if there else None

    def duplicate_problems(self) -> list[Problem]:
        """Return a `Problem` for each duplicate page."""
        found = []
        for left_out in self.duplicates:
            package, _ = self.packages.find(encoded(left_out.package))
            pages = range(bisect_left(self.page_package, package), bisect_right(self.page_package, package))
            first = next(self.page_path[page] for page in pages if self.tags[self.page_tag[page]] == left_out.tag)
            message = f"a second page for {left_out.package} in {left_out.tag} was not read: the first is {first}"
            found.append(Problem(path=left_out.path, kind="duplicate_page", message=message))
        return found

    def hash_number(self, spec_hash: str) -> int | None:
        """Return the index of a full hash in `hashes`, or None if the hash is unknown."""
        return self.hashes.number(spec_hash) if spec_hash else None

    # Rows of profiles and tags

    @cached_property
    def profiles(self) -> tuple[Profile, ...]:
        """The distinct combinations of facet values (profiles). The number of a profile is its index in this tuple."""
        return tuple(map(decode_profile, self.tables["profile"]))

    def rows_of_profiles(self, numbers: Iterable[int]) -> BitMap:
        """Return the rows with these profiles. `numbers` contains the number of each profile."""
        return BitMap.union(BitMap(), *map(self._of_profile.__getitem__, numbers))

    @cached_property
    def _of_profile(self) -> Sequence[BitMap]:
        postings = self.posting("profile")
        return [BitMap(array("I", postings[number].tobytes())) for number in range(len(self.profiles))]

    def rows_of_states(self, states: Collection[str]) -> BitMap:
        """Return the rows whose installation record has one of these states."""
        return self.rows_of_profiles(number for number, each in enumerate(self.profiles) if each.state in states)

    def rows_of_tags(self, tags: Iterable[str]) -> BitMap:
        """Return the rows of these tags. Ignore unknown tags."""
        rows, pages, numbers = BitMap(), self.posting("page_tag"), numbered(self.tags)
        for page in chain.from_iterable(pages[numbers[tag]] for tag in tags if tag in numbers):
            rows.add_range(self.page_start[page], self.page_start[page + 1])
        return rows

    # The rows and the graph

    @property
    def hash_of_nodes(self) -> Ints:
        """For each graph node, the index of its hash in `hashes`, or `NONE` if the hash is unknown."""
        if "hash" not in self.links:
            numbers = dict(zip(self.hashes.raws(), count()))
            numbers.pop(b"", None)
            hashes = chain.from_iterable(part.hashes.raws() for part in self.graph.parts)
            self.links["hash"] = array("I", map(numbers.get, hashes, repeat(NONE)))
        return self.links["hash"]

    def hashes_of_nodes(self, nodes: Iterable[int]) -> Iterator[int]:
        """Yield the hashes of these graph nodes, as indexes in `hashes`. Skip nodes without a row."""
        return filter(NONE.__ne__, map(self.hash_of_nodes.__getitem__, nodes))

    def rows_of_nodes(self, nodes: Iterable[int]) -> BitMap:
        """Return the rows, in all tags, that have the hash of one of these graph nodes."""
        posting, numbers = self.posting("hash"), self.hashes_of_nodes(nodes)
        if len(posting.rows) == len(self.hashes):  # each hash has one row
            return BitMap(mapped(posting.rows.__getitem__, numbers))
        return self.rows_of_hashes(numbers)

    def rows_of_hashes(self, numbers: Iterable[int]) -> BitMap:
        """Return the rows with these hashes. `numbers` contains the index of each hash in `hashes`."""
        return BitMap(array("I", chain.from_iterable(map(self.posting("hash").__getitem__, numbers))))

    def nodes_of_hashes(self, numbers: Iterable[int]) -> BitMap:
        """Return the graph nodes with these hashes, in all tags.

        `numbers` contains the index of each hash in `hashes`.
        """
        return BitMap(array("I", compress(count(), map(set(numbers).__contains__, self.hash_of_nodes))))

    def hash_numbers(self, rows: Iterable[int]) -> set[int]:
        """Return the hashes of these rows, as indexes in `hashes`. Skip rows without a hash."""
        return {number for number in set(values_at(list(rows))(self.hash)) if number or self.hashes.raw(0)}

    @property
    def complete(self) -> Ints:
        """For each row, whether all dependencies are available.

        `YES`: every dependency has a binary or is external. `NO`: a binary is missing. `UNRECORDED`: this is unknown,
        because some dependencies are not recorded.
        """
        if "complete" not in self.links:
            self.links["complete"] = array("B", self._complete())
            self.keep()
        return self.links["complete"]

    def _complete(self) -> bytearray:
        graph, found = self.graph, bytearray(len(self))
        for row in self.rows_of_tags(graph.tags):
            found[row] = YES
        recorded = bytes(found)
        is_shown = [profile.state not in HIDDEN for profile in self.profiles] if graph.trees else ()
        shown = set(compress(self.hash, marks(self.rows["profile"], is_shown))) if is_shown else range(len(self.hashes))
        lacking = BitMap(range(len(graph))) - self.nodes_of_hashes(shown) - graph.of_state(State.EXTERNAL)
        missing = (node for node in lacking if graph.state(graph.with_data(node)) != State.EXTERNAL)
        for row in self.rows_of_nodes(needing(graph, graph.of_state(State.NAMED))):
            found[row] = UNRECORDED
        for row in self.rows_of_nodes(needing(graph, missing)):
            found[row] = min(recorded[row], NO)
        return found

    def posting(self, name: str) -> Postings:
        """Return the rows, grouped by their value in a column. For the column `page_tag`, group the pages instead."""
        found = self.postings.get(name)
        if found is None:
            column, values = (self.page_tag, self.tags) if name == "page_tag" else (self.rows[name], self.tables[name])
            found = self.postings.setdefault(name, Postings.of(column, len(values)))
        return found

"""The storage of a catalogue: columns of integers, each a number in a table of distinct strings.

Rows stand by package, tag and page, so that a package is one run of rows. Invariant: columns never change once they
are made; tables are sorted and hold only what is used. All of it is flat, so the saved index is these columns, mapped
into memory. `merge` makes them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.json import Decoder

from cachetui.model.problem import Problem
from cachetui.model.spec import address
from cachetui.store.arrays import Ints, Postings
from cachetui.store.graph import NO_GRAPH, Graph
from cachetui.store.string_table import StringTable, encoded

ROW_COLUMNS = ("profile", "version", "variants", "extra", "hash")
"""The columns with one entry a row."""


_decode_extra = Decoder(tuple[str | int | None, str | tuple[str, ...] | None, tuple[str, ...]]).decode
"""Of the text in the column `extra`; of the tarball see `address_parts`."""


class Duplicate(Struct, frozen=True, order=True):
    """A page that is left out because another one has its package and tag."""

    path: str
    package: str
    tag: str


class Columns(Struct, frozen=True, eq=False):
    """A whole catalogue. Row r belongs to page p where `page_start[p] <= r < page_start[p + 1]`."""

    packages: StringTable
    """Sorted, each with at least one page."""
    tags: StringTable
    """In their true order."""
    tables: Mapping[str, StringTable]
    """For each row column its distinct values, sorted; the empty hash first, where a row has none."""
    rows: Mapping[str, Ints]
    page_path: StringTable
    page_package: Ints
    page_tag: Ints
    page_start: Ints
    """One longer than the pages."""
    file_path: StringTable
    """Every file that was read, also those that are no pages, and every folder, with `/` at its end; sorted."""
    file_size: Ints
    """In bytes, 0 for a folder, with `RACY` where the time cannot be relied on."""
    file_time: Ints
    """Modification times in nanoseconds, modulo 2**64."""
    upper_folders: tuple[str, ...]
    """The folders that hold folders, the content folder (the empty path) among them."""
    problems: tuple[Problem, ...]
    duplicates: tuple[Duplicate, ...]
    graph: Graph = NO_GRAPH
    """The dependencies; falsy where the content records none."""
    postings: dict[str, Postings] = {}
    """Made when first asked for; the only thing here that is filled later, each entry once."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Columns):
            return NotImplemented
        fields = (name for name in self.__struct_fields__ if name != "postings")
        return all(getattr(self, name) == getattr(other, name) for name in fields)

    def __len__(self) -> int:
        return len(self.rows["hash"])

    @property
    def hashes(self) -> StringTable:
        """All distinct hashes, sorted."""
        return self.tables["hash"]

    @property
    def hash(self) -> Ints:
        """The hash of each row, by its place in `hashes`."""
        return self.rows["hash"]

    def page(self, row: int) -> int:
        """The number of the page that a row stands on."""
        return bisect_right(self.page_start, row) - 1

    def package_of(self, row: int) -> int:
        """The number of the package of a row."""
        return self.page_package[self.page(row)]

    def extra(self, row: int) -> tuple[str | int | None, str | None, tuple[str, ...]]:
        """The size of a row, its tarball and its dependencies."""
        size, tarball, dependencies = _decode_extra(self.tables["extra"][self.rows["extra"][row]])
        return (
            size,
            address(tarball, self.hashes[self.hash[row]], self.tags[self.page_tag[self.page(row)]]),
            dependencies,
        )

    def file_mtimes(self, path: str, entry: Callable[[int], bytes] | None = None) -> tuple[int, int] | None:
        """Size and time of a file or folder when it was read; None for one that was not.

        `entry` gives the entries of `file_path`; it may keep those that every look-up begins with.
        """
        text, entry = encoded(path), entry or self.file_path.raw
        at = bisect_left(range(len(self.file_path)), text, key=entry)
        there = at < len(self.file_path) and entry(at) == text
        return (self.file_size[at], self.file_time[at]) if there else None

    def duplicate_problems(self) -> list[Problem]:
        """A problem for each page that is left out."""
        found = []
        for left_out in self.duplicates:
            package, _ = self.packages.place(encoded(left_out.package))
            pages = range(bisect_left(self.page_package, package), bisect_right(self.page_package, package))
            first = next(self.page_path[page] for page in pages if self.tags[self.page_tag[page]] == left_out.tag)
            message = f"a second page for {left_out.package} in {left_out.tag}, left out: the first is {first}"
            found.append(Problem(path=left_out.path, kind="duplicate-page", message=message))
        return found

    def posting(self, name: str) -> Postings:
        """The rows of each value of a row column, or (pages, not rows) of `page_tag`."""
        found = self.postings.get(name)
        if found is None:
            column, values = (self.page_tag, self.tags) if name == "page_tag" else (self.rows[name], self.tables[name])
            found = self.postings.setdefault(name, Postings.of(column, len(values)))
        return found

"""Segments are merged into columns that exist: what was read again takes the place of what it was.

Where little changes, joining is copying. Invariant: the columns are the same for the same pages, in whatever order
and in however many steps they were read.
Input: segments, in any order.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import chain, takewhile

from cachetui.model.spec import tag_order
from cachetui.store.arrays import Ints, mapped, numbered
from cachetui.store.columns import ROW_COLUMNS, Columns, Duplicate
from cachetui.store.gathering import graphs_of, joined_graph, merge_all, sorted_problems
from cachetui.store.joining import Run, joined_column, joined_ints, joined_offsets, joined_strings, runs
from cachetui.store.segment import Segment
from cachetui.store.strings import Strings, encoded
from cachetui.store.tag_graph import RecordedGraph, TagGraph


def merge(base: Columns | None, segments: Sequence[Segment], dropped: frozenset[str] = frozenset()) -> Columns:
    """The columns of `base` without the files that are dropped (paths), and with what the segments hold.

    What was read again is dropped too. The pages that the base left out have to be among what was read again.
    """
    new = merge_all(list(segments))
    return new if base is None else _joined(base, new, dropped, graphs_of(segments))


def _joined(
    base: Columns, new: Columns, dropped: frozenset[str], graphs: Sequence[TagGraph | RecordedGraph]
) -> Columns:
    """The base without the files that are dropped, and all of the new columns; mostly copying where little changed."""
    tags = list(base.tags)
    if not set(tags).issuperset(new.tags):
        tags = tag_order([*tags, *new.tags])
    base_tag, new_tag = _renumbered_tags(base, tags), _renumbered_tags(new, tags)
    order, repeated = _joined_order(base, new, dropped, (base_tag, new_tag))
    starts = base.page_start, new.page_start
    row_order = [(source, starts[source][first], starts[source][last]) for source, first, last in order]
    tables, rows = {}, {}
    for name in ROW_COLUMNS:
        tables[name], rows[name] = joined_column(
            (base.tables[name], new.tables[name]), (base.rows[name], new.rows[name]), row_order
        )
    packages, page_package = joined_column((base.packages, new.packages), (base.page_package, new.page_package), order)
    postings = {
        name: posting
        for name, posting in base.postings.items()
        if name in tables and tables[name] is base.tables[name] and _same(rows[name], base.rows[name])
    }
    page_tag = joined_ints((base_tag, new_tag), order)
    used_tags = sorted(set(page_tag))
    files = _file_order(base, new, dropped)
    file_path = joined_strings((base.file_path, new.file_path), files)
    kept = (problem for problem in base.problems if problem.path not in dropped)
    return Columns(
        packages=packages,
        tags=Strings.of([tags[k] for k in used_tags]),
        tables=tables,
        rows=rows,
        page_path=joined_strings((base.page_path, new.page_path), order),
        page_package=page_package,
        page_tag=page_tag if len(used_tags) == len(tags) else mapped(numbered(used_tags).__getitem__, page_tag),
        page_start=joined_offsets((base.page_start, new.page_start), order),
        file_path=file_path,
        file_size=joined_ints((base.file_size, new.file_size), files),
        file_time=joined_ints((base.file_time, new.file_time), files),
        upper_folders=_joined_upper_folders(base, new, dropped, file_path),
        problems=sorted_problems(chain(kept, new.problems)),
        duplicates=tuple(sorted([*repeated, *new.duplicates])),
        graph=joined_graph(base.graph, graphs, dropped),
        postings=postings,
    )


def _same(one: Ints, other: Ints) -> bool:
    """Whether two columns of the same numbers are equal; as bytes, since numbers are compared one by one."""
    return memoryview(one).tobytes() == memoryview(other).tobytes()


def _joined_order(
    base: Columns, new: Columns, dropped: frozenset[str], page_tags: tuple[Ints, Ints]
) -> tuple[list[Run], list[Duplicate]]:
    """The pages in the order of the rows, and those of either that now repeat a package and tag of the other."""
    removed = set(base.page_path.places_of(dropped))
    packages = [base.packages.place(new.packages.raw(k)) for k in range(len(new.packages))]
    inserted: list[tuple[int, int]] = []
    repeated: list[Duplicate] = []
    for k, (package, tag, path) in enumerate(zip(new.page_package, page_tags[1], new.page_path, strict=True)):
        number, known = packages[package]
        start = bisect_left(base.page_package, number)
        end = bisect_right(base.page_package, number, start) if known else start
        place = bisect_left(page_tags[0], tag, start, end)
        left_out = None
        if place < end and page_tags[0][place] == tag and place not in removed:
            left_out = max(path, base.page_path[place])
            repeated.append(Duplicate(left_out, new.packages[package], new.tags[new.page_tag[k]]))
        if left_out != path:
            inserted.append((place, k))
            if left_out is not None:
                removed.add(place)
    return runs(len(base.page_path), sorted(removed), inserted), repeated


def _renumbered_tags(columns: Columns, tags: Sequence[str]) -> Ints:
    """The tag of each page, by its place among these tags."""
    number = numbered(tags)
    own = [number[tag] for tag in columns.tags]
    return columns.page_tag if own == list(range(len(own))) else mapped(own.__getitem__, columns.page_tag)


def _file_order(base: Columns, new: Columns, dropped: Iterable[str]) -> list[Run]:
    """The files that are not dropped, and the new ones, in place of those of the same path."""
    removed = {at for at, there in (base.file_path.place(encoded(path)) for path in dropped) if there}
    inserted = []
    for k in range(len(new.file_path)):
        at, there = base.file_path.place(new.file_path.raw(k))
        inserted.append((at, k))
        if there:
            removed.add(at)
    return runs(len(base.file_path), sorted(removed), inserted)


def _joined_upper_folders(base: Columns, new: Columns, dropped: Iterable[str], files: Strings) -> tuple[str, ...]:
    """Known from what came and went, so that not every path has to be looked at."""
    came = {_parent(path) for path in new.file_path if path.endswith("/")}
    went = {_parent(path) for path in dropped if path.endswith("/")}
    without = {folder for folder in went - came if not _holds_folder(files, folder)}
    return tuple(sorted({*base.upper_folders, *came} - without | {""}))


def _holds_folder(files: Strings, folder: str) -> bool:
    start = files.bisect(encoded(folder))
    below = takewhile(lambda path: path.startswith(folder), map(files.__getitem__, range(start, len(files))))
    return any(path.endswith("/") and path != folder for path in below)


def _parent(folder: str) -> str:
    return folder[: folder.rfind("/", 0, -1) + 1]

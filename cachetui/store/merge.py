"""Segments become columns: of nothing, or of columns that exist and what was read again.

Where little changes, joining is copying. Invariant: the columns are the same for the same pages, in whatever order
and in however many steps they were read.
Input: segments, in any order.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import accumulate, chain, compress, count, pairwise, repeat, takewhile
from operator import ne
from typing import TypeAlias

from cachetui.model.problem import Problem
from cachetui.model.spec import tag_order
from cachetui.store.arrays import Ints, Strings, encoded, mapped, numbered
from cachetui.store.columns import ROW_COLUMNS, Columns, Duplicate
from cachetui.store.graph import NO_GRAPH, Graph
from cachetui.store.joining import Run, joined_column, joined_ints, joined_offsets, joined_strings, runs
from cachetui.store.segment import Segment
from cachetui.store.tag_graph import RecordedGraph, TagGraph

REPEATED = 4
"""Where each value of a column stands in so many of its rows, on average, a list of their numbers pays."""


def merge(base: Columns | None, segments: Sequence[Segment], dropped: frozenset[str] = frozenset()) -> Columns:
    """The columns of `base` without the files that are dropped (paths), and with what the segments hold.

    What was read again is dropped too. The pages that the base left out have to be among what was read again.
    """
    new = merge_all(list(segments))
    return new if base is None else _joined(base, new, dropped, _graphs(segments))


# Segments, from nothing


def merge_all(segments: list[Segment]) -> Columns:
    """The columns of these segments; of a file that is in several, its last stamp.

    Empties the list: what nobody else holds of a segment leaves memory as soon as it is merged.
    """
    packages = sorted(set(chain.from_iterable(segment.packages for segment in segments)))
    tags = tag_order(chain.from_iterable(segment.tags for segment in segments))
    order, repeated = _page_order(segments, numbered(packages), numbered(tags))
    starts = [list(accumulate(segment.lengths, initial=0)) for segment in segments]
    cuts = _joined_cuts((s, starts[s][p], starts[s][p + 1]) for _, _, _, s, p in order)
    page_package, page_tag = array("I", [place[0] for place in order]), array("I", [place[1] for place in order])
    page_start = array("I", accumulate((segments[s].lengths[p] for _, _, _, s, p in order), initial=0))
    page_path = Strings.of([place[2] for place in order])
    duplicates = sorted(Duplicate(path, packages[package], tags[tag]) for package, tag, path, _, _ in repeated)
    upper_folders = {"", *chain.from_iterable(segment.upper_folders for segment in segments)}
    problems = _sorted_problems(chain.from_iterable(segment.problems for segment in segments))
    graph = _joined_graph(NO_GRAPH, _graphs(segments), frozenset())
    columns = {name: [(segment.tables[name], segment.rows[name]) for segment in segments] for name in ROW_COLUMNS}
    stamps = [(segment.file_paths, segment.file_sizes, segment.file_times) for segment in segments]
    del order, starts
    segments.clear()
    tables, rows = {}, {}
    for name in sorted(ROW_COLUMNS):  # `hash` early, by far the largest: the others and the files fit into its place
        tables[name], rows[name] = _gathered_column(columns.pop(name), cuts, complete=not repeated)
    file_path, file_size, file_time = _gathered_files(stamps)
    return Columns(
        packages=Strings.of(packages),
        tags=Strings.of(tags),
        tables=tables,
        rows=rows,
        page_path=page_path,
        page_package=page_package,
        page_tag=page_tag,
        page_start=page_start,
        file_path=file_path,
        file_size=file_size,
        file_time=file_time,
        upper_folders=tuple(sorted(upper_folders)),
        problems=problems,
        duplicates=tuple(duplicates),
        graph=graph,
    )


def _graphs(segments: Sequence[Segment]) -> list[TagGraph | RecordedGraph]:
    """The dependencies of these segments; of a part that several have, the last one."""
    return list({segment.graph.path: segment.graph for segment in segments if segment.graph is not None}.values())


_Cut: TypeAlias = tuple[int, int, int]
"""A segment, the first and the last (exclusive) of some of its rows."""


def _joined_cuts(cuts: Iterable[_Cut]) -> list[_Cut]:
    """The same rows in fewer cuts: pages are mostly read in about the order in which they stand here."""
    joined: list[_Cut] = []
    last = (-1, 0, 0)
    for cut in cuts:
        if cut[0] == last[0] and cut[1] == last[2]:
            joined[-1] = last = (cut[0], last[1], cut[2])
        else:
            joined.append(cut)
            last = cut
    return joined


def _gathered_files(stamps: Sequence[tuple[Sequence[str], Ints, Ints]]) -> tuple[Strings, array[int], array[int]]:
    """Paths, sorted, with sizes and times."""
    sizes, times = array("Q"), array("Q")
    for _, some_sizes, some_times in stamps:
        sizes.extend(some_sizes)
        times.extend(some_times)
    order, ordered = _sorted(list(chain.from_iterable(paths for paths, _, _ in stamps)))
    is_last = [*map(ne, ordered, ordered[1:]), True]
    files = list(compress(order, is_last))
    return (
        Strings.of(list(compress(ordered, is_last))),
        array("Q", map(sizes.__getitem__, files)),
        array("Q", map(times.__getitem__, files)),
    )


def _sorted(texts: Sequence[str]) -> tuple[list[int], list[str]]:
    """The places of these texts in sorted order, and the sorted texts; fast where long parts are sorted already."""
    order = sorted(range(len(texts)), key=texts.__getitem__)
    return order, list(map(texts.__getitem__, order))


_Place: TypeAlias = tuple[int, int, str, int, int]
"""Package, tag, path, segment, page of the segment."""


def _page_order(
    segments: Sequence[Segment], package: Mapping[str, int], tag: Mapping[str, int]
) -> tuple[list[_Place], list[_Place]]:
    """The pages in the order of the rows, and those that repeat a package and tag."""
    places: list[_Place] = []
    for s, segment in enumerate(segments):
        packages, tags = map(package.__getitem__, segment.packages), map(tag.__getitem__, segment.tags)
        places += zip(packages, tags, segment.paths, repeat(s), count())
    places.sort()
    repeated = {k for k, (one, other) in enumerate(pairwise(places), 1) if one[1] == other[1] and one[0] == other[0]}
    if not repeated:
        return places, []
    return [place for k, place in enumerate(places) if k not in repeated], [places[k] for k in repeated]


def _gathered_column(
    columns: Sequence[tuple[Sequence[str], Ints]], cuts: Sequence[_Cut], *, complete: bool
) -> tuple[Strings, array[int]]:
    """A row column in the order of these cuts, and the table of its values, of the same column of each segment.

    Only where the cuts are not complete can there be values that no row has.
    """
    tables = [table for table, _ in columns if table]
    if len(tables) == 1:
        (values,), pieces = tables, [memoryview(column) for _, column in columns]
    else:
        values, pieces = _united(columns)
    column = array("I")
    column.frombytes(b"".join([pieces[s][first:last] for s, first, last in cuts]))
    if not complete:
        used = sorted(set(column))
        column = mapped(numbered(used).__getitem__, column)
        values = [values[k] for k in used]
    return Strings.of(values), column


def _united(columns: Sequence[tuple[Sequence[str], Ints]]) -> tuple[list[str], list[memoryview[int]]]:
    """The distinct values of all these tables, sorted, and each column in their numbers."""
    order, ordered = _sorted(list(chain.from_iterable(table for table, _ in columns)))
    is_other = list(map(ne, ordered[1:], ordered))
    numbers = array("I", bytes(4 * len(order)))
    deque(map(numbers.__setitem__, order, accumulate(is_other, initial=0)), maxlen=0)
    found = []
    start = 0
    for table, column in columns:
        end = start + len(table)
        # A list gives the same few numbers again and again faster than an array, which makes each anew.
        own = numbers[start:end].tolist() if len(table) * REPEATED < len(column) else numbers[start:end]
        found.append(memoryview(mapped(own.__getitem__, column)))
        start = end
    return list(compress(ordered, chain([True], is_other))), found


# New columns into old ones


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
    page_tag = joined_ints(base_tag, new_tag, order)
    used_tags = sorted(set(page_tag))
    files = _file_order(base, new, dropped)
    file_path = joined_strings(base.file_path, new.file_path, files)
    kept = (problem for problem in base.problems if problem.path not in dropped)
    return Columns(
        packages=packages,
        tags=Strings.of([tags[k] for k in used_tags]),
        tables=tables,
        rows=rows,
        page_path=joined_strings(base.page_path, new.page_path, order),
        page_package=page_package,
        page_tag=page_tag if len(used_tags) == len(tags) else mapped(numbered(used_tags).__getitem__, page_tag),
        page_start=joined_offsets(base.page_start, new.page_start, order),
        file_path=file_path,
        file_size=joined_ints(base.file_size, new.file_size, files),
        file_time=joined_ints(base.file_time, new.file_time, files),
        upper_folders=_joined_upper_folders(base, new, dropped, file_path),
        problems=_sorted_problems(chain(kept, new.problems)),
        duplicates=tuple(sorted([*repeated, *new.duplicates])),
        graph=_joined_graph(base.graph, graphs, dropped),
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


def _sorted_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: (problem.path, problem.line or 0)))


def _joined_graph(graph: Graph, new: Sequence[TagGraph | RecordedGraph], dropped: Container[str]) -> Graph:
    """The graph without the parts whose path is dropped, and with the new ones in place of those of the same path."""
    replaced = {part.path for part in new}
    kept = [path for path in graph.paths if path not in dropped and path not in replaced]
    if not new and len(kept) == len(graph.paths):
        return graph
    parts = [*(part for part in (graph.parts if kept else ()) if part.path in kept), *new]
    order = tag_order(part.tag for part in parts)
    return Graph(sorted(parts, key=lambda part: (order.index(part.tag), part.path)))

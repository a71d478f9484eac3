"""Segments become columns, from nothing.

Invariant: the columns are the same for the same pages, in whatever order they were read. Input: segments, in any order.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import accumulate, chain, compress, count, pairwise, repeat
from operator import ne
from typing import TypeAlias

from cachetui.model.problem import Problem
from cachetui.model.spec import tag_order
from cachetui.store.arrays import Ints, Strings, mapped, numbered
from cachetui.store.columns import ROW_COLUMNS, Columns, Duplicate
from cachetui.store.graph import NO_GRAPH, Graph
from cachetui.store.segment import Segment
from cachetui.store.tag_graph import RecordedGraph, TagGraph

REPEATED = 4
"""Where each value of a column stands in so many of its rows, on average, a list of their numbers pays."""


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
    problems = sorted_problems(chain.from_iterable(segment.problems for segment in segments))
    graph = joined_graph(NO_GRAPH, graphs_of(segments), frozenset())
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


def graphs_of(segments: Sequence[Segment]) -> list[TagGraph | RecordedGraph]:
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


def sorted_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """By path and line."""
    return tuple(sorted(problems, key=lambda problem: (problem.path, problem.line or 0)))


def joined_graph(graph: Graph, new: Sequence[TagGraph | RecordedGraph], dropped: Container[str]) -> Graph:
    """The graph without the parts whose path is dropped, and with the new ones in place of those of the same path."""
    replaced = {part.path for part in new}
    kept = [path for path in graph.paths if path not in dropped and path not in replaced]
    if not new and len(kept) == len(graph.paths):
        return graph
    parts = [*(part for part in (graph.parts if kept else ()) if part.path in kept), *new]
    order = tag_order(part.tag for part in parts)
    return Graph(sorted(parts, key=lambda part: (order.index(part.tag), part.path)))

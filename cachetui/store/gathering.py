"""Segments become columns, from nothing.

Invariant: the columns are the same for the same pages, in whatever order they were read. Input: segments, in any order.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from itertools import accumulate, chain, compress, islice, repeat
from operator import add, eq, ne, not_

from cachetui.model.problem import Problem
from cachetui.model.spec import tag_order
from cachetui.store.arrays import Ints, mapped, numbered
from cachetui.store.columns import ROW_COLUMNS, Columns, Duplicate
from cachetui.store.graph import NO_GRAPH, Graph
from cachetui.store.joining import Run, joined_ints, joined_strings
from cachetui.store.segment import Segment
from cachetui.store.strings import Strings
from cachetui.store.tag_graph import RecordedGraph, TagGraph
from cachetui.store.united import united_column, united_files
from cachetui.workers.beside import Beside

MANY = 50_000
"""From so many rows on a copy of this process is worth the while."""


def merge_all(segments: list[Segment]) -> Columns:
    """The columns of these segments; of a file that is in several, its last stamp.

    Empties the list: what nobody else holds of a segment leaves memory once it is merged, the hashes at the end.
    """
    # Hashes are half of all work. The processes that read the segments have none now, so that a core is free.
    hashes = _column("hash", segments)
    with Beside(partial(united_column, hashes), is_long=sum(len(rows) for _, rows in hashes) > MANY) as beside:
        return _merged(segments, beside.result)


def _merged(segments: list[Segment], united_hashes: Callable[[], tuple[Strings, list[Ints]]]) -> Columns:
    packages = sorted(set(chain.from_iterable(segment.packages for segment in segments)))
    tags = tag_order(chain.from_iterable(segment.tags for segment in segments))
    paths = [segment.paths for segment in segments]
    order, titles, left_out = _page_order(paths, _titles(segments, packages, tags))
    page_package = array("I", [title // len(tags) for title in titles])
    page_tag = array("I", [title % len(tags) for title in titles])
    del titles
    lengths = [segment.lengths for segment in segments]
    page_start = array("I", accumulate(joined_ints(lengths, order), initial=0))
    row_order = _row_order(lengths, order)
    named = [(paths[s][page], divmod(title, len(tags))) for (s, page), title in left_out]
    upper_folders = {"", *chain.from_iterable(segment.upper_folders for segment in segments)}
    problems = sorted_problems(chain.from_iterable(segment.problems for segment in segments))
    graph = joined_graph(NO_GRAPH, graphs_of(segments), frozenset())
    columns = {name: _column(name, segments) for name in ROW_COLUMNS if name != "hash"}
    files = [segment.files for segment in segments]
    segments.clear()
    tables, rows = {}, {}
    all_files = united_files(files)
    del files
    for name in ROW_COLUMNS:
        tables[name], united = united_hashes() if name == "hash" else united_column(columns.pop(name))
        rows[name] = joined_ints(united, row_order)
        if left_out:  # only then can there be values that no row has
            used = sorted(set(rows[name]))
            rows[name] = mapped(numbered(used).__getitem__, rows[name])
            tables[name] = Strings.of([tables[name][k] for k in used])
    return Columns(
        packages=Strings.of(packages),
        tags=Strings.of(tags),
        tables=tables,
        rows=rows,
        page_path=joined_strings(paths, order),
        page_package=page_package,
        page_tag=page_tag,
        page_start=page_start,
        file_path=all_files.paths,
        file_size=all_files.sizes,
        file_time=all_files.times,
        upper_folders=tuple(sorted(upper_folders)),
        problems=problems,
        duplicates=tuple(sorted(Duplicate(path, packages[package], tags[tag]) for path, (package, tag) in named)),
        graph=graph,
    )


def _column(name: str, segments: Iterable[Segment]) -> list[tuple[Strings, Ints]]:
    """A row column of each segment: its table, and its numbers."""
    return [(segment.tables[name], segment.rows[name]) for segment in segments]


def graphs_of(segments: Sequence[Segment]) -> list[TagGraph | RecordedGraph]:
    """The dependencies of these segments; of a part that several have, the last one."""
    return list({segment.graph.path: segment.graph for segment in segments if segment.graph is not None}.values())


def _titles(segments: Iterable[Segment], packages: Iterable[str], tags: Sequence[str]) -> list[list[int]]:
    """For each page of each segment its package and tag as one number, in the order of the rows."""
    package, tag = numbered(packages), numbered(tags)
    found = []
    for segment in segments:
        packages_here = [package[name] * len(tags) for name in segment.packages]
        tags_here = [tag[name] for name in segment.tags]
        pages = zip(segment.page_package, segment.page_tag, strict=True)
        found.append([packages_here[p] + tags_here[t] for p, t in pages])
    return found


def _page_order(
    paths: Sequence[Strings], titles: Sequence[Sequence[int]]
) -> tuple[list[Run], list[int], list[tuple[tuple[int, int], int]]]:
    """The pages in the order of the rows, and the title of each; then those that repeat a title, as (segment, page)
    with the title."""
    # All pages are numbered, with a number left out behind each segment: then a run of numbers is of one segment.
    starts = list(accumulate((len(some) + 1 for some in titles), initial=0))
    title_at = list(chain.from_iterable([*some, -1] for some in titles))
    pages = chain.from_iterable(range(start, start + len(some)) for start, some in zip(starts, titles, strict=False))
    order = sorted(pages, key=title_at.__getitem__)
    ordered = [title_at[k] for k in order]
    is_repeated = [False, *map(eq, ordered, islice(ordered, 1, None))] if order else []
    left_out = []

    def place(k: int) -> tuple[int, int]:
        segment = bisect_right(starts, k) - 1
        return segment, k - starts[segment]

    if any(is_repeated):
        repeated = set(compress(ordered, is_repeated))

        def rank(k: int) -> tuple[int, str]:
            segment, page = place(k)
            return title_at[k], paths[segment][page] if title_at[k] in repeated else ""

        order.sort(key=rank)
        left_out = [(place(k), title_at[k]) for k in compress(order, is_repeated)]
        order = list(compress(order, map(not_, is_repeated)))
        ordered = [title_at[k] for k in order]
    is_first = [True, *map(ne, islice(order, 1, None), map(add, order, repeat(1)))] if order else []
    lasts = compress(order, [*is_first[1:], True])
    runs = [(*place(first), last + 1) for first, last in zip(compress(order, is_first), lasts, strict=True)]
    return [(s, first, last - starts[s]) for s, first, last in runs], ordered, left_out


def _row_order(lengths: Sequence[Sequence[int]], order: Iterable[Run]) -> list[Run]:
    """The rows of these runs of pages."""
    starts = [list(accumulate(some, initial=0)) for some in lengths]
    return [(s, starts[s][first], starts[s][last]) for s, first, last in order]


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

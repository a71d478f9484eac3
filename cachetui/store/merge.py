"""Build columns from segments, and update existing columns with new segments. A segment has the data of some pages.

The result depends only on the pages. The order of the segments and the number of updates do not matter.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import accumulate, chain, compress, count, groupby, pairwise, takewhile

from cachetui.model.problem import Problem
from cachetui.model.tags import tag_order
from cachetui.store.arrays import Ints, StringTable, encoded, mapped, numbered, ranked
from cachetui.store.columns import ROW_COLUMNS, Columns, Duplicate, Segment, upper_folders_of
from cachetui.store.graph import NO_GRAPH, Graph, TagGraph

PART_ENTRIES = 1 << 14
"""Approximate number of entries that are merged at a time, in all tables together."""

SAMPLE_ENTRIES = 32
"""Number of sample entries from each table. They determine where the tables are divided into parts."""

Range = tuple[int, int, int]
"""Consecutive entries of one table: the number of the table, the first entry, and the entry after the last entry."""


def updated(base: Columns, segments: Sequence[Segment], dropped: frozenset[str] = frozenset()) -> Columns:
    """Remove the pages and files in `dropped` from `base`, add the segments, and return the new columns.

    `dropped` contains paths, including the paths of pages that were read again. The caller must also read the duplicate
    pages of `base` again, because one of them may replace a dropped page. If there are few changes, the function is
    fast, because it mostly copies long ranges of entries.
    """
    new = built(list(segments))
    tags = tag_order([*base.tags, *new.tags])
    base_tag, new_tag = _renumbered_tags(base, tags), _renumbered_tags(new, tags)
    order, repeated = _merged_order(base, new, dropped, (base_tag, new_tag))
    starts = base.page_start, new.page_start
    row_order = [(source, starts[source][first], starts[source][last]) for source, first, last in order]
    tables, rows = {}, {}
    for name in ROW_COLUMNS:
        tables[name], rows[name] = update_column(
            (base.tables[name], new.tables[name]), (base.rows[name], new.rows[name]), row_order
        )
    packages, page_package = update_column((base.packages, new.packages), (base.page_package, new.page_package), order)
    page_tag = concatenated_ints((base_tag, new_tag), order)
    used_tags = sorted({*page_tag, *map(tags.index, new.tags)})  # a snapshot may have no rows
    files = _file_order(base, new, dropped)
    file_path = concatenated_strings((base.file_path, new.file_path), files)
    # Only a folder with a dropped path may have lost its last subfolder.
    left = upper_folders_of(dropped).difference(new.upper_folders)
    emptied = {folder for folder in left if not _holds_folder(file_path, folder)}
    kept = (problem for problem in base.problems if problem.path not in dropped)
    return Columns(
        packages=packages,
        tags=StringTable.of([tags[k] for k in used_tags]),
        tables=tables,
        rows=rows,
        page_path=concatenated_strings((base.page_path, new.page_path), order),
        page_package=page_package,
        page_tag=mapped(numbered(used_tags).__getitem__, page_tag),
        page_start=concatenated_offsets((base.page_start, new.page_start), order),
        file_path=file_path,
        file_size=concatenated_ints((base.file_size, new.file_size), files),
        file_time=concatenated_ints((base.file_time, new.file_time), files),
        upper_folders=tuple(sorted({*base.upper_folders, *new.upper_folders} - emptied)),
        problems=sorted_problems(chain(kept, new.problems)),
        duplicates=tuple(sorted([*repeated, *new.duplicates])),
        graph=merged_graph(base.graph, graphs_of(segments), dropped),
        postings={
            name: posting
            for name, posting in base.postings.items()
            if name in rows and tables[name] is base.tables[name] and rows[name] == base.rows[name]
        },
    )


def _merged_order(
    base: Columns, new: Columns, dropped: frozenset[str], page_tags: tuple[Ints, Ints]
) -> tuple[list[Range], list[Duplicate]]:
    """Merge the pages of `base` and `new`. Return the merged order as ranges, and the duplicate pages.

    Omit the pages of `base` whose paths are in `dropped`. `page_tags` contains the tags of the pages in `base` and in
    `new`, as indexes in one common list of tags.
    """
    removed = set(compress(count(), map(dropped.__contains__, base.page_path)) if dropped else ())
    packages = [base.packages.find(new.packages.raw(k)) for k in range(len(new.packages))]
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
    return ranges(len(base.page_path), sorted(removed), inserted), repeated


def _renumbered_tags(columns: Columns, tags: Sequence[str]) -> Ints:
    """Return, for each page, the index of its tag in `tags`."""
    number = numbered(tags)
    own = [number[tag] for tag in columns.tags]
    return columns.page_tag if own == list(range(len(own))) else mapped(own.__getitem__, columns.page_tag)


def _file_order(base: Columns, new: Columns, dropped: Iterable[str]) -> list[Range]:
    """Merge the files of `base` and `new`. Return the merged order as ranges.

    Omit the files of `base` whose paths are in `dropped`. If both have the same path, use the file in `new`.
    """
    removed = {at for at, there in (base.file_path.find(encoded(path)) for path in dropped) if there}
    inserted = []
    for k, (at, there) in enumerate(map(base.file_path.find, new.file_path.raws())):
        inserted.append((at, k))
        if there:
            removed.add(at)
    return ranges(len(base.file_path), sorted(removed), inserted)


def _holds_folder(files: StringTable, folder: str) -> bool:
    start = files.bisect(encoded(folder))
    below = takewhile(lambda path: path.startswith(folder), map(files.__getitem__, range(start, len(files))))
    return any(path.endswith("/") and path != folder for path in below)


# Building


def built(segments: list[Segment]) -> Columns:
    """Return the columns of these segments. If several segments contain the same file, use the last entry.

    The function empties the list of segments, to free the memory of each column as soon as it is merged.
    """
    packages = sorted(set(chain.from_iterable(segment.packages for segment in segments)))
    tags = tag_order(chain.from_iterable(segment.tags for segment in segments))
    many = len(tags)
    paths = [segment.paths for segment in segments]
    order, titles, repeated = _page_order(paths, _titles(segments, packages, tags))
    lengths = [segment.lengths for segment in segments]
    starts = [list(accumulate(some, initial=0)) for some in lengths]
    row_order = [(s, starts[s][first], starts[s][last]) for s, first, last in order]
    problems = sorted_problems(chain.from_iterable(segment.problems for segment in segments))
    graph = merged_graph(NO_GRAPH, graphs_of(segments), frozenset())
    unmerged = {name: [(segment.tables[name], segment.rows[name]) for segment in segments] for name in ROW_COLUMNS}
    files = [(segment.file_path, segment.file_size, segment.file_time) for segment in segments]
    upper_folders = {"", *chain.from_iterable(segment.upper_folders for segment in segments)}
    segments.clear()
    file_path, file_size, file_time = build_files(files)
    files.clear()
    tables, rows = {}, {}
    for name in ROW_COLUMNS:
        tables[name], columns = build_column(unmerged.pop(name))
        rows[name] = concatenated_ints(columns, row_order)
        if repeated:  # remove values that are no longer used
            used = sorted(set(rows[name]))
            rows[name] = mapped(numbered(used).__getitem__, rows[name])
            tables[name] = StringTable.of([tables[name][k] for k in used])
    return Columns(
        packages=StringTable.of(packages),
        tags=StringTable.of(tags),
        tables=tables,
        rows=rows,
        page_path=concatenated_strings(paths, order),
        page_package=array("I", [title // many for title in titles]),
        page_tag=array("I", [title % many for title in titles]),
        page_start=array("I", accumulate(concatenated_ints(lengths, order), initial=0)),
        file_path=file_path,
        file_size=file_size,
        file_time=file_time,
        upper_folders=tuple(sorted(upper_folders)),
        problems=problems,
        duplicates=tuple(
            sorted(Duplicate(path, packages[title // many], tags[title % many]) for path, title in repeated)
        ),
        graph=graph,
    )


def graphs_of(segments: Sequence[Segment]) -> list[TagGraph]:
    """Return the graphs of these segments. If several graphs have the same path, return only the last one."""
    return list({segment.graph.path: segment.graph for segment in segments if segment.graph is not None}.values())


def _titles(segments: Iterable[Segment], packages: Iterable[str], tags: Sequence[str]) -> list[list[int]]:
    """For each page in each segment, return a number that represents the package and the tag (a title).

    A sort by title sorts the pages by package, then by tag.
    """
    package, tag = numbered(packages), numbered(tags)
    found = []
    for segment in segments:
        packages_here = [package[name] * len(tags) for name in segment.packages]
        tags_here = [tag[name] for name in segment.tags]
        pages = zip(segment.page_package, segment.page_tag, strict=True)
        found.append([packages_here[p] + tags_here[t] for p, t in pages])
    return found


def _page_order(
    paths: Sequence[StringTable], titles: Sequence[Sequence[int]]
) -> tuple[list[Range], list[int], list[tuple[str, int]]]:
    """Sort pages by package, then by tag, and separate the duplicate pages.

    `titles` contains the title of each page (see `_titles`). Return the order of the pages as ranges, the sorted
    titles, and (path, title) for each duplicate page.
    """
    order: list[Range] = []
    repeated: list[tuple[str, int]] = []
    flat = list(chain.from_iterable(titles))
    starts = list(accumulate(map(len, titles), initial=0))
    for title, pages in groupby(sorted(range(len(flat)), key=flat.__getitem__), flat.__getitem__):
        (s, k), *others = ((s, page - starts[s]) for page in pages for s in [bisect_right(starts, page) - 1])
        if others:
            (s, k), *others = sorted([(s, k), *others], key=lambda page: paths[page[0]][page[1]])
            repeated += ((paths[other][place], title) for other, place in others)
        if order and order[-1][0] == s and order[-1][2] == k:
            order[-1] = s, order[-1][1], k + 1
        else:
            order.append((s, k, k + 1))
    return order, sorted(set(flat)), repeated


def sorted_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems, sorted by path and line."""
    return tuple(sorted(problems, key=lambda problem: (problem.path, problem.line or 0)))


def merged_graph(graph: Graph, new: Sequence[TagGraph], dropped: Container[str]) -> Graph:
    """Return the graph without the parts whose path is in `dropped`, and with the new parts.

    A new part replaces an old part with the same path.
    """
    replaced = {part.path for part in new}
    kept = [path for path in graph.paths if path not in dropped and path not in replaced]
    if not new and len(kept) == len(graph.paths):
        return graph
    parts = [*(part for part in graph.of_tags if part.path in kept), *new]
    order = tag_order(part.tag for part in parts)
    return Graph(sorted(parts, key=lambda part: (order.index(part.tag), part.path)))


def build_column(columns: Sequence[tuple[StringTable, Ints]]) -> tuple[StringTable, list[Ints]]:
    """Merge the tables of a column from several segments. Return the table, and the renumbered columns."""
    some = [table for table, _ in columns if len(table)]
    if all(table == some[0] for table in some[1:]):
        return some[0] if some else StringTable.of([]), [column for _, column in columns]
    table, places = build_table([table for table, _ in columns])
    return table, [mapped(list(own).__getitem__, column) for own, (_, column) in zip(places, columns, strict=True)]


def build_table(tables: Sequence[StringTable]) -> tuple[StringTable, list[array[int]]]:
    """Merge sorted tables into one table. For each old table, also return the new index of each entry.

    The tables are merged in parts, so that Python objects never exist for all entries at the same time.
    """
    samples = sorted(table.raw(k) for table in tables for k in range(0, len(table), len(table) // SAMPLE_ENTRIES + 1))
    limits = samples[:: len(samples) * PART_ENTRIES // (sum(map(len, tables)) + 1) + 1][1:]
    bounds = [[0, *map(table.bisect, limits), len(table)] for table in tables]
    places = [array("I") for _ in tables]

    def merged() -> Iterator[Sequence[str]]:
        first = 0
        for cuts in zip(*map(pairwise, bounds), strict=True):
            parts = [table.part(*cut) for table, cut in zip(tables, cuts, strict=True)]
            texts, ranks = ranked(list(chain.from_iterable(parts)), first)
            first += len(texts)
            for own, part in zip(places, parts, strict=True):
                own.extend(ranks[: len(part)])
                ranks = ranks[len(part) :]
            yield texts

    return StringTable.of(chain.from_iterable(merged())), places


def build_files(files: Sequence[tuple[StringTable, Ints, Ints]]) -> tuple[StringTable, Ints, Ints]:
    """Merge tables of files with their sizes and times. If several tables have the same path, use the last entry."""
    path, places = build_table([paths for paths, _, _ in files])
    size, time = (array("Q", bytes(8 * len(path))) for _ in range(2))
    for own, (_, sizes, times) in zip(places, files, strict=True):
        for place, own_size, own_time in zip(own, sizes, times, strict=True):
            size[place], time[place] = own_size, own_time
    return path, size, time


# Ranges


def ranges(length: int, removed: Iterable[int], inserted: Iterable[tuple[int, int]]) -> list[Range]:
    """Remove entries of table 0, and insert entries of table 1. Return the ranges that form the resulting table.

    `length` is the length of table 0. `removed` contains indexes in table 0. A pair (place, k) in `inserted` means that
    entry k of table 1 is inserted before entry `place` of table 0. `removed` and `inserted` must be in ascending order.
    """
    found: list[Range] = []
    at = 0
    for place, k in sorted([*((place, -1) for place in removed), *inserted]):
        if at < place:
            found.append((0, at, place))
            at = place
        if k < 0:
            at = place + 1
        elif found and found[-1][0] and found[-1][2] == k:
            found[-1] = (1, found[-1][1], k + 1)
        else:
            found.append((1, k, k + 1))
    if at < length:
        found.append((0, at, length))
    return found


def concatenated_ints(columns: Sequence[Ints], order: Iterable[Range]) -> array[int]:
    """Concatenate ranges of several columns into one column."""
    views = [memoryview(column) for column in columns]
    out = array("Q" if any(view.itemsize == 8 for view in views) else "I")
    out.frombytes(b"".join([views[source][first:last] for source, first, last in order]))
    return out


def concatenated_strings(tables: Sequence[StringTable], order: Iterable[Range]) -> StringTable:
    """Concatenate ranges of several tables into one table."""
    views = [memoryview(table.buffer)[table.base :] for table in tables]
    pieces = [
        views[source][tables[source].offsets[first] : tables[source].offsets[last]] for source, first, last in order
    ]
    return StringTable(b"".join(pieces), concatenated_offsets([table.offsets for table in tables], order))


def concatenated_offsets(columns: Sequence[Ints], order: Iterable[Range]) -> array[int]:
    """Concatenate ranges of several columns. A column contains the offsets of the strings in a table.

    The result contains the offsets of the same strings after the tables were concatenated.
    """
    views = [memoryview(column) for column in columns]
    out = array("I", [0])
    for source, first, last in order:
        ends = views[source][first + 1 : last + 1]
        moved = out[-1] - views[source][first]
        if moved:
            out.extend([end + moved for end in ends])
        else:
            out.frombytes(ends.tobytes())
    return out


def merged_numbers(one: StringTable, other: StringTable) -> tuple[array[int], list[tuple[int, int]]]:
    """Assign a number to each entry of `other`, and list the entries that `one` lacks.

    Both tables must be sorted. If `one` contains the entry, the number is the index in `one`. If `one` lacks entry k,
    the number is `len(one) + k`, and the list contains (place, k). To keep the order, insert entry k before entry
    `place` of `one`.
    """
    numbers = array("I")
    new = []
    at, length = 0, len(one)
    for k in range(len(other)):
        at, there = one.find(other.raw(k), at)
        numbers.append(at if there else length + k)
        if not there:
            new.append((at, k))
    return numbers, new


def update_column(
    tables: tuple[StringTable, StringTable], columns: tuple[Ints, Ints], order: Sequence[Range]
) -> tuple[StringTable, array[int]]:
    """Concatenate ranges of two columns, and merge the two tables of their values.

    Return a sorted table without unused values, and the new column with indexes in this table.
    """
    one, other = tables
    numbers, new = merged_numbers(one, other)
    added = mapped(numbers.__getitem__, columns[1])
    column = concatenated_ints((columns[0], added), order)
    length = len(one)
    came = set(chain.from_iterable(added[first:last] for source, first, last in order if source))
    went = set(_left_out(columns[0], order)) - came
    removed = sorted(went.difference(column) if went else went)
    kept = [(place, k) for place, k in new if length + k in came]
    if not removed and not kept:
        return one, column
    pieces = ranges(length, removed, kept)
    renumbered = array("I", bytes(4 * (length + len(other))))
    at = 0
    for source, first, last in pieces:
        start = source * length
        renumbered[start + first : start + last] = array("I", range(at, at + last - first))
        at += last - first
    return concatenated_strings(tables, pieces), mapped(renumbered.__getitem__, column)


def _left_out(column: Ints, order: Iterable[Range]) -> Iterator[int]:
    """Yield the entries of a column that are outside all ranges of table 0."""
    at = 0
    for source, first, last in order:
        if source == 0:
            yield from column[at:first]
            at = last
    yield from column[at:]

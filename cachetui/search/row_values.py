"""Of some rows the versions and variants, the newest first, their pages, and those that are alike but for the hash.

Input: an index, and rows of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from pyroaring import BitMap

from cachetui.model.version import sort_key
from cachetui.search.index import Index
from cachetui.store.arrays import values_at
from cachetui.store.strings import decode_variants


def newest_first(index: Index, rows: Iterable[int]) -> Iterator[int]:
    """By version, the newest first, then by hash, then by tag; those of a version are sorted when it is reached."""
    version, hash_number = index.columns.rows["version"], index.columns.hash
    table = index.columns.tables["version"]
    by_version: defaultdict[int, list[int]] = defaultdict(list)
    ordered = in_order(rows)
    for row, value in zip(ordered, values_at(ordered)(version), strict=True):
        by_version[value].append(row)
    for value in sorted(by_version, key=lambda value: sort_key(table[value]), reverse=True):
        yield from sorted(by_version[value], key=hash_number.__getitem__)


def versions_of(index: Index, rows: Iterable[int]) -> list[str]:
    """Their distinct versions, the newest first."""
    table = index.columns.tables["version"]
    numbers = set(values_at(in_order(rows))(index.columns.rows["version"]))
    return newest_versions(map(table.__getitem__, numbers))


def newest_versions(versions: Iterable[str]) -> list[str]:
    """These versions, the newest first; without the empty text, which is none."""
    return sorted(filter(None, versions), key=sort_key, reverse=True)


def variants_of(index: Index, rows: Iterable[int]) -> list[tuple[str, ...]]:
    """Their distinct lists of variants."""
    table = index.columns.tables["variants"]
    numbers = set(values_at(in_order(rows))(index.columns.rows["variants"]))
    return [decode_variants(table[value]) for value in sorted(numbers)]


def pages_of(index: Index, rows: Iterable[int]) -> list[int]:
    """The numbers of the pages that they stand on."""
    pages: list[int] = []
    ordered, at = in_order(rows), 0
    while at < len(ordered):
        pages.append(index.page(ordered[at]))
        at = bisect_left(ordered, index.columns.page_start[pages[-1] + 1], at)
    return pages


def twins_of(index: Index, row: int) -> list[int]:
    """The other rows of a row's page that are equal to it in every field but the hash."""
    columns = index.columns
    page = index.page(row)
    like = [columns.rows[name] for name in ("profile", "version", "variants")]
    wanted = [column[row] for column in like]
    rows = range(columns.page_start[page], columns.page_start[page + 1])
    return [other for other in rows if other != row and [column[other] for column in like] == wanted]


def in_order(rows: Iterable[int]) -> Sequence[int]:
    """Rows in the order of the index."""
    return rows.to_array() if isinstance(rows, BitMap) else sorted(rows)

"""What rows have in common and in what order they stand: their versions and variants, the newest first.

Input: an index, and rows of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from cachetui.model.version import sort_key
from cachetui.search.index import Index, decode_list, in_order
from cachetui.store.arrays import values_at


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
    return [decode_list(table[value]) for value in sorted(numbers)]

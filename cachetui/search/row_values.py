"""Collect the versions, variants, tags and pages of rows, and sort rows by version and tag."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pyroaring import BitMap

from cachetui.mappings import Once, grouped
from cachetui.model.tags import series
from cachetui.model.version import sort_key
from cachetui.search.index import Index
from cachetui.store.arrays import numbered, values_at
from cachetui.store.string_table import decode_variants


def newest_first(
    index: Index, rows: Iterable[int], *, before_hash: Callable[[int], Any] | None = None
) -> Iterator[int]:
    """Yield rows by version, newest first, then by hash, then by tag.

    If `before_hash` is given, rows of one version are sorted by this key before the hash. The rows of a version are
    sorted only when the caller reaches this version.
    """
    version, hash_number = index.columns.rows["version"], index.columns.hash
    table = index.columns.tables["version"]
    ordered = in_order(rows)
    by_version = grouped(zip(values_at(ordered)(version), ordered, strict=True))
    for value in sorted(by_version, key=lambda value: sort_key(table[value]), reverse=True):
        found = sorted(by_version[value], key=hash_number.__getitem__)
        if before_hash is not None and len(found) > 1:
            found.sort(key=before_hash)
        yield from found


def newest_tag_order(index: Index) -> Callable[[int], tuple[int, int]]:
    """Return a sort key that orders rows by tag, and rows in the same tag by the newest tag with the same hash.

    Weekly tags come first, newest first, then all other tags. For a row in a weekly tag, this tag may itself be the
    newest tag with the hash. For a row in any other tag, such as `develop`, only the other tags of the hash count.
    """
    columns, tags = index.columns, index.tags
    is_other = [series(tag) != "weekly" for tag in tags]
    place_of = numbered(sorted(range(len(tags)), key=is_other.__getitem__))
    weekly, nowhere = is_other.count(False), (len(tags), len(tags))
    hash_of, rows_of = columns.hash, columns.posting("hash")
    page_tag, page_start = columns.page_tag, columns.page_start.tolist()

    def own(row: int) -> int:
        return place_of[page_tag[bisect_right(page_start, row) - 1]]

    def newest_of(number: int) -> tuple[int, int]:
        rows = rows_of[number]
        places = sorted(set(map(own, rows))) if len(rows) > 1 else ()
        return (places[0], places[1]) if len(places) > 1 else nowhere

    newest_two = Once[int, tuple[int, int]](newest_of)
    if columns.hashes.place(b"")[1]:  # rows with the empty hash, number 0, are different specs
        newest_two[0] = nowhere

    def order(row: int) -> tuple[int, int]:
        here = own(row)
        newest, second = newest_two[hash_of[row]]
        other = second if newest == here else newest
        return here, here if here < weekly and here < other else other

    return order


def versions_of(index: Index, rows: Iterable[int]) -> list[str]:
    """Return the distinct versions of some rows, newest first."""
    table = index.columns.tables["version"]
    return newest_versions(map(table.__getitem__, set(values_at(in_order(rows))(index.columns.rows["version"]))))


def newest_versions(versions: Iterable[str]) -> list[str]:
    """Sort versions, newest first. Omit the empty version."""
    return sorted(filter(None, versions), key=sort_key, reverse=True)


def variant_counts(index: Index, rows: BitMap) -> Counter[str]:
    """Return the number of rows with each variant, in the spelling of the pages."""
    table = index.columns.tables["variants"]
    counts: Counter[str] = Counter()
    for value, count in Counter(values_at(rows.to_array())(index.columns.rows["variants"])).items():
        for variant in decode_variants(table[value]):
            counts[variant] += count
    return counts


def tags_of(index: Index, rows: BitMap) -> list[str]:
    """Return the tags of some rows, in the order of `Index.tags`."""
    return [tag for tag in index.tags if rows.intersect(index.value_rows("tag", tag))]


def pages_of(index: Index, rows: Iterable[int]) -> list[int]:
    """Return the numbers of the pages that contain these rows."""
    return list(dict.fromkeys(map(index.columns.page, rows)))


def in_order(rows: Iterable[int]) -> Sequence[int]:
    """Return the rows in ascending order."""
    return rows.to_array() if isinstance(rows, BitMap) else sorted(rows)

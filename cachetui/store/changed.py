"""What is not the same in a catalogue as it was and as it is now: pages, and the hashes on them.

A page that is a file of its own has changed where its file has. One of a build cache, all of whose pages are read again
at any change, has changed where its rows have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain

from cachetui.store.columns import Columns
from cachetui.store.segment import Segment


def changed_pages(
    before: Columns, now: Columns, again: Sequence[Segment], different: Collection[str]
) -> dict[str, set[str]]:
    """The pages that are new, gone or different, by their paths, each with the packages that it was and is of.

    `again` is what was read again, `different` are the paths that are surely not as they were.
    """
    read = {
        path: segment.packages[package]
        for segment in again
        for path, package in zip(segment.paths, segment.page_package, strict=True)
    }
    changed = {
        page: {package} for page, package in read.items() if page in different or before.file_stamp(page) is None
    }
    if suspects := changed.keys() | (set(different) - read.keys()):
        left_out = ((page.path, page.package) for page in before.duplicates if page.path in suspects)
        places = before.page_path.places_of(suspects)
        pages = ((before.page_path[place], before.packages[before.page_package[place]]) for place in places)
        for page, package in chain(pages, left_out):
            changed.setdefault(page, set()).add(package)
    old, new = ({path: set(rows) for path, rows in _rows_of(each, changed)} for each in (before, now))
    same = {path for path in old.keys() & new.keys() if before.file_stamp(path) is None and old[path] == new[path]}
    return {path: packages for path, packages in changed.items() if path not in same}


def specs_between(before: Columns, now: Columns, pages: Collection[str]) -> tuple[int, int]:
    """How many hashes these pages have now and had not, and how many they had and have not."""
    old, new = ({found for _, rows in _rows_of(each, pages) for found, _ in rows} for each in (before, now))
    return len(new - old), len(old - new)


def _rows_of(columns: Columns, pages: Collection[str]) -> Iterator[tuple[str, Iterable[tuple[str, str]]]]:
    """For each of these pages that there are its path, and of each of its rows the hash and what the facets say."""
    if not pages:
        return
    hashes, profiles = columns.hashes, list(columns.tables["profile"])
    hash_of, profile_of = columns.hash, columns.rows["profile"]
    for page in columns.page_path.places_of(pages):
        rows = range(columns.page_start[page], columns.page_start[page + 1])
        yield columns.page_path[page], [(hashes[hash_of[row]], profiles[profile_of[row]]) for row in rows]

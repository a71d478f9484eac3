"""A fresh index: of all that a source reads, or of an index before with what changed read again.

While everything is read for the first time, indexes of what there is so far are made on the way.
Input: the segments of a source (see `sources.source`). Nothing is saved here.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Struct

from cachetui.search.index import Index
from cachetui.sources.source import Difference, Progress, Source
from cachetui.store.segment import Segment
from cachetui.workers.cancelling import Cancelled

GROWTH = 3
"""While content is read, an index of it is made again each time that it has grown by this factor."""

LARGE_SHARE = 5
"""It is made until one of so many parts of the work is done: later it would keep a core from reading for too long."""

Grown: TypeAlias = "Callable[[Index, Progress], None]"
Progressed: TypeAlias = "Callable[[Progress], None]"


class Refresh(Struct, frozen=True):
    """What a comparison with the content gave."""

    index: Index
    changed: int
    """Pages that are new, gone or different."""
    packages: tuple[str, ...] = ()
    """The packages of these pages, sorted."""
    specs_new: int = 0
    """Hashes that none of these pages had before."""
    specs_gone: int = 0
    """Hashes that none of them has any more."""
    tags_gone: tuple[str, ...] = ()
    """Tags that no page has any more, in their order."""
    tags_new: tuple[str, ...] = ()
    """Tags that no page had before, in their order."""


def read_all(source: Source, grown: Grown | None, cancelled: Cancelled, progressed: Progressed | None) -> Index:
    """The index of everything; `grown` and `progressed` are called as `Catalogue.load` says."""
    collecting = gc.isenabled()
    gc.disable()  # millions of objects are made here, and none is part of a cycle
    try:
        return _read_all(source, grown, cancelled, progressed)
    finally:
        if collecting:
            gc.enable()


def _read_all(source: Source, grown: Grown | None, cancelled: Cancelled, progressed: Progressed | None) -> Index:
    from cachetui.store.merge import merge, merge_all  # late, as is all that only reading needs

    read: list[Segment] = []
    wanted = 0
    for segment, progress in source.read(cancelled):
        if progressed:
            progressed(progress)
        if segment is None:
            continue
        if progress.is_preview:
            if grown:
                grown(Index(merge(None, [*read, segment])), progress)
            continue
        read.append(segment)
        if grown and segment.paths and wanted <= progress.done <= progress.total // LARGE_SHARE:
            grown(Index(merge(None, read)), progress)
            wanted = GROWTH * max(1, progress.done)
    segment = None
    index = Index(merge_all(read))
    if grown:
        grown(index, Progress(progress.total, progress.total))
    return index


def read_again(
    source: Source, index: Index, difference: Difference, cancelled: Cancelled
) -> tuple[Refresh, Sequence[str]]:
    """The outcome of reading again what differs from the index, and the files that were read for that."""
    from cachetui.store.changed import changed_pages, specs_between
    from cachetui.store.merge import merge

    known = index.columns
    # A page that was left out may have to come in again.
    left_out = {page.path for page in known.duplicates} - difference.dropped
    again = source.read_again({*difference.unread, *left_out}, cancelled)
    fresh = Index(merge(known, [difference.listed, *again], difference.dropped | left_out))
    changed = changed_pages(known, fresh.columns, again, difference.changed)
    came, went = specs_between(known, fresh.columns, changed)
    found = Refresh(
        fresh,
        len(changed),
        packages=tuple(sorted(set().union(*changed.values()))),
        specs_new=came,
        specs_gone=went,
        tags_gone=tuple(tag for tag in index.tags if tag not in fresh.tags),
        tags_new=tuple(tag for tag in fresh.tags if tag not in index.tags),
    )
    return found, [path for segment in again for path in segment.files.paths]

"""Build caches as segments, one for each tag: which tag and stack a cache is, and the caches of a tag read.

A cache that was opened by itself is one tag without stacks. Of caches below a folder the first part of the path is the
tag, the rest the stack; the cache at the tag itself is the stack `root`, as in the public mirrors. A tag is the unit:
whatever changes in one of its caches, all of them are read again, because a row of the tag is made of all.
Input: paths relative to a local folder: those of folders end in `/`, the folder itself is the empty one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from msgspec import Struct

from cachetui.model.spec import ROOT
from cachetui.sources.buildcache.index_document import IndexStream
from cachetui.sources.buildcache.reader import Cache, CacheReader
from cachetui.sources.buildcache.tag_builder import TagBuilder
from cachetui.store.segment import Encoder, Segment
from cachetui.workers.cancelling import Cancelled, Interrupted, never


class TagCaches(Struct, frozen=True):
    """The caches of one tag."""

    path: str
    """What they lie below; empty for the folder itself, else with `/` at its end."""
    tag: str
    stacks: Mapping[str, str]
    """For each path of a cache its stack, empty where it is none; the ones that tell of a node first come first."""


def tag_path(cache: str, *, within_cache: bool) -> str:
    """Return what the caches of a cache's tag lie below; `within_cache` says that the folder itself is a cache."""
    return "" if within_cache or not cache else cache[: cache.index("/") + 1]


def by_tag(root_name: str, caches: Iterable[str]) -> list[TagCaches]:
    """Return these caches by tag; `root_name` is the tag of what lies at the folder itself."""
    found = sorted(set(caches))
    by_path: dict[str, dict[str, str]] = {}
    for cache in found:
        path = tag_path(cache, within_cache="" in found)
        by_path.setdefault(path, {})[cache] = cache[len(path) :].rstrip("/") or (ROOT if found != [""] else "")
    return [TagCaches(path, path.rstrip("/") or root_name, stacks) for path, stacks in by_path.items()]


def read_caches(
    path: str,
    tag: str,
    caches: Iterable[Cache],
    cancelled: Cancelled = never,
    *,
    encoder: Encoder | None = None,
    stream: IndexStream | None = None,
) -> Segment:
    """Return the caches of one tag as one segment; `path` is what its pages and its graph are known by.

    `encoder` has what else belongs to the segment; `stream` may have read some of the indexes. Raises Interrupted.
    """
    encoder = encoder or Encoder()
    builder = TagBuilder(path, tag)
    mirrors: dict[str, str] = {}
    for cache in caches:
        for found in CacheReader(cache, encoder, builder.known, cancelled, stream).read():
            above = f"{cache.stack}/" if cache.stack not in ("", ROOT) else ""
            stack = above + found.view if found.view else cache.stack
            builder.add(found.nodes, stack, found.binaries)
            mirrors.setdefault(stack, cache.url or os.path.abspath(cache.root))
            if cancelled():
                raise Interrupted
    pages, graph = builder.finished(mirrors)
    return encoder.segment(graph, pages)

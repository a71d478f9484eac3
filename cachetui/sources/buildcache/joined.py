"""The caches of one tag joined: rows for what has a binary in one of them, and one dependency graph.

A hash that several caches hold is one row with all of their stacks; the first cache that knows a node tells of it.
Externals, and dependencies without a binary, are nodes of the graph alone.
Input: the entries of indexes and spec files, the ones that count first come first.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping

from cachetui.model.spec import Page
from cachetui.sources.buildcache.database import Entry
from cachetui.sources.buildcache.flat import flat_nodes, rows_of
from cachetui.sources.buildcache.node import Node
from cachetui.sources.buildcache.places import graph_path, view_stack
from cachetui.sources.buildcache.reader import Cache, CacheReader
from cachetui.store.nodes import Part, part_of
from cachetui.store.segment import Encoder, Segment
from cachetui.workers import Cancelled, Interrupted, never


def read_caches(
    path: str,
    tag: str,
    caches: Iterable[Cache],
    cancelled: Cancelled = never,
    *,
    encoder: Encoder | None = None,
) -> Segment:
    """The caches of one tag as one segment; `path` is what its pages and its graph are known by.

    `encoder` has what else belongs to the segment.
    """
    encoder = encoder or Encoder()
    joined = Joined(path, tag)
    mirrors: dict[str, str] = {}
    for cache in caches:
        for found in CacheReader(cache, encoder, cancelled).read():
            stack = view_stack(cache.stack, found.view) if found.view else cache.stack
            joined.add(found.entries, stack, found.binaries)
            mirrors.setdefault(stack, cache.url or os.path.abspath(cache.root))
            del found  # which would keep the whole index in memory
            if cancelled():
                raise Interrupted
    pages, part = joined.finished(mirrors)
    for page in pages:
        encoder.add_page(page)
    return encoder.segment(part)


class Joined:
    """Gathers the caches of one tag."""

    def __init__(self, path: str, tag: str) -> None:
        """`path` is what the caches of the tag lie below, in the source."""
        self._path = path
        self._tag = tag
        self._nodes: dict[str, Node] = {}
        self._masks: dict[str, int] = {}
        """For each hash that has a binary the stacks that it is in: bit k for the stack k."""
        self._stacks: list[str] = []

    def add(self, entries: Mapping[str, Entry], stack: str, binaries: Collection[str] | None = None) -> None:
        """Takes up the entries of a cache; `binaries` are the hashes with a binary where the entries do not say."""
        if stack not in self._stacks:
            self._stacks.append(stack)
        bit = 1 << self._stacks.index(stack)
        nodes, masks = self._nodes, self._masks
        for node_hash, entry in entries.items():
            nodes.setdefault(node_hash, entry.spec)
            if entry.in_buildcache if binaries is None else node_hash in binaries:
                masks[node_hash] = masks.get(node_hash, 0) | bit

    def finished(self, mirrors: Mapping[str, str]) -> tuple[list[Page], Part]:
        """The pages, one for each package, and the graph; `mirrors` says for each stack where its cache is."""
        hashes = list(self._nodes)
        masks = [self._masks.get(node_hash, 0) for node_hash in hashes]
        nodes, self._nodes = list(self._nodes.values()), {}
        flat = flat_nodes(hashes, nodes, masks)
        del nodes  # and with them the index that they were read from
        stacks = {mask: self._stacks_of(mask) for mask in set(masks)}
        pages = rows_of(flat, masks, stacks, self._path, self._tag)
        # last, as it adds nodes to the lists: those that edges alone name
        return pages, part_of(graph_path(self._path), self._tag, flat.lists, mirrors)

    def _stacks_of(self, mask: int) -> tuple[str, ...]:
        return tuple(sorted(stack for k, stack in enumerate(self._stacks) if stack and mask >> k & 1))

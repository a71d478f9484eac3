"""The caches of one tag joined: rows for what has a binary in one of them, and one dependency graph.

A hash that several caches hold is one row with all of their stacks; the first cache that knows a node tells of it.
Externals, and dependencies without a binary, are nodes of the graph alone.
Input: the entries of indexes and spec files, the ones that count first come first.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping

import msgspec

from cachetui.model.spec import NO_COMPILER, Page, Row
from cachetui.sources.buildcache.database import Entry
from cachetui.sources.buildcache.node import Architecture, Node, Texts, external_of, mixed_compiler, spliced_from
from cachetui.sources.buildcache.places import graph_path, view_stack
from cachetui.sources.buildcache.reader import Cache, CacheReader
from cachetui.store.graph import LANGUAGES
from cachetui.store.nodes import NodeLists, Part, State, part_of
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
            mirrors.setdefault(stack, os.path.abspath(cache.root))
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
        self._stacks: dict[str, list[str]] = {}
        """For each hash that has a binary the stacks that it is in."""

    def add(self, entries: Mapping[str, Entry], stack: str, binaries: Collection[str] | None = None) -> None:
        """Takes up the entries of a cache; `binaries` are the hashes with a binary where the entries do not say."""
        nodes, stacks = self._nodes, self._stacks
        for node_hash, entry in entries.items():
            nodes.setdefault(node_hash, entry.spec)
            if entry.in_buildcache if binaries is None else node_hash in binaries:
                stacks.setdefault(node_hash, []).append(stack)

    def finished(self, mirrors: Mapping[str, str]) -> tuple[list[Page], Part]:
        """The pages, one for each package, and the graph; `mirrors` says for each stack where its cache is."""
        return _Finisher(self._path, self._tag, self._nodes, self._stacks).finished(mirrors)


class _Finisher:
    """Turns the nodes of a tag into pages and a graph."""

    def __init__(self, path: str, tag: str, nodes: Mapping[str, Node], stacks: Mapping[str, list[str]]) -> None:
        self._path, self._tag, self._nodes, self._stacks = path, tag, nodes, stacks
        self._texts = Texts()
        self._lists = NodeLists()
        self._rows: dict[tuple[object, ...], Row] = {}
        self._json: dict[int, str] = {}
        """By identity of a tuple that `Texts` keeps."""
        self._compilers: dict[tuple[tuple[str, str], ...], str | None] = {}
        self._stack_lists: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._packages: dict[str, list[tuple[str, Row]]] = {}

    def finished(self, mirrors: Mapping[str, str]) -> tuple[list[Page], Part]:
        """See `Joined.finished`."""
        for node_hash in sorted(self._nodes):
            self._add(node_hash, self._nodes[node_hash])
        pages = [
            Page(
                path=f"{self._path}#{package}",
                package=package,
                tag=self._tag,
                hashes=tuple(spec_hash for spec_hash, _ in rows),
                builds=tuple(row for _, row in rows),
            )
            for package, rows in sorted(self._packages.items())
        ]
        return pages, part_of(graph_path(self._path), self._tag, self._lists, mirrors)

    def _add(self, node_hash: str, node: Node) -> None:
        texts, lists = self._texts, self._lists
        compiled_by = self._add_edges(node)
        compiler = texts.recorded_compiler(node)
        if compiler is None and compiled_by:
            compiler = self._compiler(tuple(compiled_by))
        architecture, variants = texts.architecture(node), texts.variants(node)
        stacks = self._stacks.get(node_hash)
        external = external_of(node)
        lists.hashes.append(node_hash)
        lists.names.append(node.name)
        lists.versions.append(node.version)
        lists.profiles.append(self._profile(compiler, architecture))
        lists.variants.append(self._variants(variants))
        lists.extras.append(_extra(node, external))
        lists.states.append(State.BINARY if stacks else State.HOLE if external is None else State.EXTERNAL)
        if stacks:
            row = self._row(node.version, compiler, architecture, variants, tuple(stacks))
            self._packages.setdefault(node.name, []).append((node_hash, row))

    def _add_edges(self, node: Node) -> list[tuple[str, str]]:
        """Takes up the edges; returns the compilers among them: language and hash."""
        lists, texts, kinds = self._lists, self._texts, self._texts.kinds
        hashes, names, of_kind = lists.edge_hashes, lists.edge_names, lists.edge_kinds
        compiled_by: list[tuple[str, str]] = []
        before = len(hashes)
        for edge in node.edges:
            text = bytes(edge.parameters)
            if text == b"null":
                text = bytes(edge.type)
            kind = kinds.get(text) or texts.kind(text)
            needed = edge.hash or edge.build_hash
            if needed:
                hashes.append(needed)
                names.append(edge.name)
                of_kind.append(kind)
                if kind[1] and kind[0][:1] == ("build",):
                    compiled_by += [(language, needed) for language in LANGUAGES if language in kind[1]]
        lists.edge_counts.append(len(hashes) - before)
        return compiled_by

    def _compiler(self, compiled_by: tuple[tuple[str, str], ...]) -> str | None:
        """The text for these compilers, by language and hash."""
        if compiled_by not in self._compilers:
            by_language: dict[str, str] = {}
            for language, node_hash in compiled_by:
                node = self._nodes.get(node_hash)
                if node is not None:
                    by_language.setdefault(language, f"{node.name}@{node.version}" if node.version else node.name)
            self._compilers[compiled_by] = mixed_compiler(by_language)
        return self._compilers[compiled_by]

    def _profile(self, compiler: str | None, architecture: Architecture) -> str:
        return _encoded((compiler, architecture.os, architecture.platform, architecture.target))

    def _variants(self, variants: tuple[str, ...]) -> str:
        found = self._json.get(id(variants))
        if found is None:
            found = self._json[id(variants)] = _encoded(variants)
        return found

    def _row(
        self,
        version: str,
        compiler: str | None,
        architecture: Architecture,
        variants: tuple[str, ...],
        stacks: tuple[str, ...],
    ) -> Row:
        key = version, compiler, id(architecture), id(variants), stacks
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = Row(
                compiler=compiler or NO_COMPILER,
                versions=(version,) if version else (),
                os=architecture.os,
                platform=architecture.platform,
                target=architecture.target,
                variants=variants,
                stacks=tuple(sorted({stack for stack in stacks if stack})),
            )
        return row


def _extra(node: Node, external: tuple[str, tuple[str, ...]] | None) -> str:
    path, modules = external or (None, ())
    return _encoded((node.namespace or "builtin", path, node.package_hash, spliced_from(node), modules))


def _encoded(value: object) -> str:
    return _encode(value).decode()


_encode = msgspec.json.Encoder().encode

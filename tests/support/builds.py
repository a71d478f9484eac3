"""Builds with dependencies, for tests of graphs; as in Spack, the hash follows from all other values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

from cachetui.model.dependency import EdgeKind
from cachetui.model.spec import Page, Row
from cachetui.search.index import Index
from cachetui.store.columns import SegmentBuilder
from cachetui.store.graph import Graph, TagGraph
from cachetui.store.merge import built
from tests.support.cache_writer import Node, edge, tag_graph

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"

LINK: EdgeKind = (("build", "link"), ())
RUN: EdgeKind = (("run",), ())
BUILD: EdgeKind = (("build",), ())


@dataclass(frozen=True)
class Build:
    """A node of a graph. Nodes with the same hash are equal."""

    name: str
    version: str = "1"
    variants: tuple[str, ...] = ()
    needs: tuple[tuple[Build, EdgeKind], ...] = ()
    target: str = "x86_64_v3"
    compiler: str = "gcc@13.2.0"
    os: str = "ubuntu24.04"
    package_hash: str | None = None
    external: str | None = field(default=None, kw_only=True)
    provides: tuple[str, ...] = field(default=(), kw_only=True)

    @cached_property
    def hash(self) -> str:
        own = (self.name, self.version, self.variants, self.target, self.compiler, self.os)
        below = [(needed.hash, kind) for needed, kind in self.needs]
        text = json.dumps([own, self.package_hash, self.external, below])
        return "".join(ALPHABET[byte % 32] for byte in sha256(text.encode()).digest())

    def all(self, types: frozenset[str] = frozenset({"build", "link", "run", "test"})) -> dict[str, Build]:
        """Return the build and all dependencies that edges of these types reach, by hash."""
        found = {self.hash: self}
        waiting = [self]
        for build in waiting:
            for needed, kind in build.needs:
                if needed.hash not in found and not types.isdisjoint(kind[0]):
                    found[needed.hash] = needed
                    waiting.append(needed)
        return found


def together(builds: Iterable[Build]) -> dict[str, Build]:
    """Return these builds and all their dependencies."""
    return {node_hash: build for each in builds for node_hash, build in each.all().items()}


def part(path: str, tag: str, builds: Iterable[Build], binaries: Iterable[str] | None = None) -> TagGraph:
    """Return the graph of these builds and their dependencies.

    By default, all of them have binaries, but externals have none.
    """
    known = together(builds)
    held = {node_hash for node_hash, build in known.items() if build.external is None}
    return tag_graph(path, tag, map(_written, known.values()), held if binaries is None else held & set(binaries))


def _written(build: Build) -> Node:
    """Return a build in the format of a build cache's index."""
    name, version = build.compiler.split("@")
    return {
        "hash": build.hash,
        "name": build.name,
        "version": build.version,
        "arch": {"platform": "linux", "platform_os": build.os, "target": build.target},
        "compiler": {"name": name, "version": version},
        "parameters": dict(map(_parameter, build.variants)),
        "package_hash": build.package_hash,
        "provided_virtuals": list(build.provides),
        "external": None if build.external is None else {"path": build.external},
        "dependencies": [edge(needed.name, needed.hash, *kind) for needed, kind in build.needs],
    }


def _parameter(variant: str) -> tuple[str, bool | str]:
    if variant[0] in "+~":
        return variant[1:], variant[0] == "+"
    name, _, value = variant.partition("=")
    return name, value.strip("'")


def graph_of(builds: Iterable[Build]) -> Graph:
    """Return the graph of a lock file with these roots."""
    return Graph([part("spack.lock", "", builds)])


def index_of_builds(
    held: Mapping[tuple[str, str], Iterable[Build]], known: Sequence[Build] = (), *, graph: bool = True
) -> Index:
    """Return an index with a binary of each build in `held`, which maps (tag, stack) to builds.

    The index has the dependencies of these builds and the builds in `known`, but without binaries. Externals never have
    binaries. Without `graph`, the index has no dependencies, like an index of web pages.
    """
    stacks: dict[tuple[str, str], tuple[Build, list[str]]] = {}
    for (tag, stack), builds in held.items():
        for build in builds:
            if build.external is None:
                stacks.setdefault((tag, build.hash), (build, []))[1].append(stack)
    segments = []
    for tag in dict.fromkeys(tag for tag, _ in held):
        own = {node_hash: pair for (each, node_hash), pair in stacks.items() if each == tag}
        by_package: dict[str, list[Row]] = {}
        for build, names in own.values():
            by_package.setdefault(build.name, []).append(_row(build, names))
        encoder = SegmentBuilder()
        for package, rows in by_package.items():
            encoder.pages.append(Page.of(path=f"{tag}#{package}", package=package, tag=tag, rows=rows))
        builds = [*(build for build, _ in own.values()), *known]
        segments.append(encoder.segment(part(tag, tag, builds, own) if graph else None))
    return Index(built(list(segments)))


def _row(build: Build, stacks: Sequence[str]) -> Row:
    return Row(
        hash=build.hash,
        compiler=build.compiler,
        versions=(build.version,),
        os=build.os,
        platform="linux",
        target=build.target,
        variants=build.variants,
        stacks=tuple(sorted(filter(None, stacks))),
    )

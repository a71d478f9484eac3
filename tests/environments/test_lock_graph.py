"""The graph of a lock is the one that the reader of build caches makes of the same nodes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from cachetui.environments.lock import lock_graph
from cachetui.sources.buildcache.columns import nodes_of
from cachetui.sources.buildcache.edges import Dependency
from cachetui.sources.buildcache.node import Entry, WrittenNode, read_node
from cachetui.sources.buildcache.tag_builder import TagBuilder
from cachetui.store.tag_graph import TagGraph
from tests.support.caches import CACHES

LOCKS = ("spack-0.16/btest", "spack-0.23/btest", "spack-0.23/splice", "spack-1.1/btest", "spack-1.1/splice")


def as_of_a_cache(nodes: dict[str, WrittenNode]) -> TagGraph:
    """What the reader of build caches makes of these nodes."""
    joined = TagBuilder("spack.lock", "")
    joined.add([nodes_of({node_hash: Entry(node) for node_hash, node in nodes.items()})], "")
    _, graph = joined.finished({})
    return msgspec.structs.replace(graph.joined, path="spack.lock")


def hashes_of(edges: Sequence[Dependency]) -> list[str | None]:
    return [edge.hash or edge.build_hash for edge in edges]


@pytest.fixture(params=LOCKS)
def written(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The nodes of a lock that Spack wrote."""
    text = (CACHES / "oracle" / "envs" / str(request.param) / "spack.lock").read_text()
    specs: dict[str, Any] = json.loads(text)["concrete_specs"]
    return specs


def read(written: dict[str, Any]) -> dict[str, WrittenNode]:
    return {key: read_node(json.dumps(node).encode()) for key, node in written.items()}


def test_of_what_spack_wrote(written: dict[str, Any]) -> None:
    nodes = read(written)
    assert lock_graph(nodes, hashes_of) == as_of_a_cache(nodes)


def test_with_nodes_that_edges_alone_name(written: dict[str, Any]) -> None:
    nodes = read(dict(list(written.items())[::2]))
    graph = lock_graph(nodes, hashes_of)
    assert len(graph) > len(nodes)
    assert graph == as_of_a_cache(nodes)

"""Random dependency graphs with every special case: cycles, edges to unknown nodes, a hash in several tags."""

from collections.abc import Container

from hypothesis import settings
from hypothesis import strategies as st

from cachetui.model.dependency import EdgeKind, State
from cachetui.model.spec import Page, Row
from cachetui.store.columns import Columns, SegmentBuilder
from cachetui.store.graph import TagGraph
from cachetui.store.merge import built
from tests.support.cache_writer import Node, edge, tag_graph

many = settings(max_examples=3 * (settings.default or settings()).max_examples)
"""Settings for tests that need three times as many graphs as usual: 3,000 in `make soak`."""

HASHES = [letter * 32 for letter in "abcdefghij"]

KINDS: list[EdgeKind] = [
    (("build",), ()),
    (("link",), ("mpi",)),
    (("build", "link"), ()),
    (("run",), ("blas", "lapack")),
    (("test",), ()),
    ((), ()),
]

Nodes = dict[str, tuple[State, list[tuple[str, EdgeKind]]]]
"""The state and the edges of each hash."""


def node_tables(*, least: int = 0, most_edges: int = 4) -> st.SearchStrategy[Nodes]:
    """Generate at least this number of nodes of a tag; edges may lead to hashes without nodes."""
    edges = st.lists(st.tuples(st.sampled_from(HASHES), st.sampled_from(KINDS)), max_size=most_edges)
    states = st.sampled_from([State.HOLE, State.EXTERNAL, State.BINARY])
    return st.dictionaries(st.sampled_from(HASHES), st.tuples(states, edges), min_size=least, max_size=max(8, least))


def written(nodes: Nodes) -> list[Node]:
    """Return these nodes in the format of a build cache's index."""
    return [
        {
            "hash": node_hash,
            "name": f"name-{node_hash[0]}",
            "version": "1.0",
            "arch": {"platform": "linux", "platform_os": "ubuntu24.04", "target": "x86_64"},
            "external": {} if state == State.EXTERNAL else None,
            "dependencies": [edge(f"name-{needed[0]}", needed, *kind) for needed, kind in edges],
        }
        for node_hash, (state, edges) in nodes.items()
    ]


def part(tag: str, nodes: Nodes) -> TagGraph:
    """Return the graph of a tag with these nodes."""
    binaries = {each for each, (state, _) in nodes.items() if state == State.BINARY}
    return tag_graph(tag, tag, written(nodes), binaries)


def columns_of(tables: tuple[Nodes, Nodes], held: Container[str]) -> Columns:
    """Return the columns of an index with two tags, one for each table of nodes. `held`: the hashes with binaries."""
    segments = []
    for tag, nodes in zip(("develop", "v1"), tables, strict=True):
        encoder = SegmentBuilder()
        rows = [Row(hash=each) for each in sorted(nodes) if each in held]
        encoder.pages.append(Page.of(path=f"{tag}#all", package="all", tag=tag, rows=rows))
        segments.append(encoder.segment(part(tag, nodes)))
    return built(list(segments))


def steps(*tables: Nodes) -> set[tuple[str, str, frozenset[str]]]:
    """Return every edge of these tables as (from, to, types)."""
    return {
        (needs, needed, frozenset(types))
        for nodes in tables
        for needs, (_, edges) in nodes.items()
        for needed, (types, _) in edges
    }


def walked(start: list[str], steps: set[tuple[str, str, frozenset[str]]], types: frozenset[str]) -> set[str]:
    """Return all nodes that a naive walk reaches by edges of these types, including the first nodes."""
    found = set(start)
    while more := {to for source, to, kind in steps if source in found and kind & types} - found:
        found |= more
    return found

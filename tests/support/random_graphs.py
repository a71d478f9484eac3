"""Random dependency graphs, with everything that a graph may have: cycles, edges to nothing, a hash in several tags."""

from __future__ import annotations

from hypothesis import strategies as st

from cachetui.model.dependency import EdgeKind, State
from cachetui.store.tag_graph import NodeLists, TagGraph, tag_graph_of

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
"""For each hash its state and its edges."""


def node_tables() -> st.SearchStrategy[Nodes]:
    """The nodes of one tag; edges may lead to hashes that are no nodes."""
    edges = st.lists(st.tuples(st.sampled_from(HASHES), st.sampled_from(KINDS)), max_size=4)
    states = st.sampled_from([State.HOLE, State.EXTERNAL, State.BINARY])
    return st.dictionaries(st.sampled_from(HASHES), st.tuples(states, edges), max_size=8)


def part(tag: str, nodes: Nodes) -> TagGraph:
    """The flat part of these nodes."""
    lists = NodeLists()
    for node_hash, (state, edges) in nodes.items():
        found = [(needed, f"name-{needed[0]}", kind) for needed, kind in edges]
        lists.add(node_hash, f"name-{node_hash[0]}", "1.0", state=state, edges=found)
    return tag_graph_of(f"{tag}/index.json", tag, lists)

"""The dependencies or dependents of a spec. Each node occurs once, with its edges.

A node is available (as a binary or installed), external (the host must provide the spec), or missing.
Input: an index with a dependency graph.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from cachetui.model.dependency import ALL_TYPES, LINK_RUN, State
from cachetui.search.index import Index
from cachetui.store.graph import all_dependents, closure

NodeState = Literal["here", "external", "missing"]


class EdgeRecord(Struct, frozen=True):
    """A dependency of a node; with `--dependents`, a dependent."""

    hash: str
    types: Sequence[str]
    virtuals: Sequence[str]


class NodeRecord(Struct, frozen=True):
    """A spec and its edges."""

    hash: str
    name: str = field(name="package")
    version: str
    state: NodeState
    edges: Sequence[EdgeRecord] = field(name="dependencies")


class Dependencies(Struct, frozen=True):
    root: str
    nodes: tuple[NodeRecord, ...]
    """The nodes, the root first; empty if the dependencies of the root are not recorded."""
    of_dependents: bool
    """Whether the edges lead from a node to its dependents."""

    def walk(self, deepest: int) -> Iterator[tuple[int, EdgeRecord | None, NodeRecord, bool]]:
        """Yield the nodes as a tree. Each item has the depth, the edge to the node, the node, and a flag.

        The flag is true if the node was yielded before. Then the nodes below it are not yielded again. `deepest`: the
        depth of the last level. The root has depth 0.
        """
        known = {node.hash: node for node in self.nodes}
        seen: set[str] = set()
        waiting: list[tuple[int, EdgeRecord | None, str]] = [(0, None, self.root)] if self.nodes else []
        while waiting:
            depth, edge, node_hash = waiting.pop()
            node = known[node_hash]
            yield depth, edge, node, node_hash in seen
            if node_hash not in seen and depth < deepest:
                seen.add(node_hash)
                waiting += [(depth + 1, each, each.hash) for each in reversed(node.edges) if each.hash in known]

    def of_levels(self, deepest: int) -> set[str]:
        """Return the hashes of the nodes in the levels from 0 (the root) to `deepest`."""
        return {node.hash for _, _, node, _ in self.walk(deepest)}

    def only(self, hashes: Collection[str]) -> "Dependencies":
        """Return a copy with only these nodes, in the same order."""
        return replace(self, nodes=tuple(node for node in self.nodes if node.hash in hashes))


def dependencies(
    index: Index, spec_hash: str, types: frozenset[str] = ALL_TYPES, *, dependents: bool = False, near: bool = False
) -> Dependencies:
    """Return all dependencies of a spec, or all dependents if `dependents` is true. Follow only edges of these types.

    With `near`, return only the node of the spec itself, with its edges.
    """
    graph = index.graph
    root = graph.number(spec_hash) if graph else None
    if root is None or (is_bare(index, root) and not dependents):
        return Dependencies(spec_hash, (), dependents)
    numbers = [root] if near else all_dependents(graph, [root], types) if dependents else closure(graph, [root], types)
    nodes = []
    for number in numbers:
        edges = graph.dependents(number, types) if dependents else graph.edges(number, types)
        node, state = graph.node(number), node_state(index, number)
        records = [EdgeRecord(graph.hash(edge.number), edge.types, edge.virtuals) for edge in edges]
        nodes.append(NodeRecord(node.hash, node.name, node.version, state, records))
    return Dependencies(spec_hash, tuple(nodes), dependents)


def node_state(index: Index, number: int) -> NodeState:
    """Return the state of a node. `here` means that the content has a binary, or that the spec is installed."""
    node_hash, profile = index.graph.hash(number), index.columns.rows["profile"]
    is_here = any(index.profiles[profile[row]].state != "external" for row in index.rows_of(node_hash))
    if is_here and not index.is_hidden(node_hash):
        return "here"
    return "external" if index.graph.state(number) == State.EXTERNAL else "missing"


def is_bare(index: Index, number: int) -> bool:
    """Return whether a node is known only from an image tag of a registry. Then its dependencies are not recorded."""
    return index.graph.state(number) == State.NAMED


# Dependents that would break


def breaking(index: Index, spec_hash: str, types: frozenset[str] = LINK_RUN) -> list[str]:
    """Return the hashes of the available or installed specs that depend on this spec, direct dependents first.

    `types`: the types of dependencies to follow. By default, the result is the specs that cannot install or run without
    this spec.
    """
    graph = index.graph
    hashes = map(graph.hash, all_dependents(graph, graph.numbers([spec_hash]), types))
    return [each for each in hashes if each != spec_hash and index.rows_of(each) and not index.is_hidden(each)]

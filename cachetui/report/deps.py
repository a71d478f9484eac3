"""What a spec needs, or what needs it: as a tree, as a graph for Graphviz, and in every other format."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from cachetui.analysis.deps import Dependencies, NodeRecord, is_bare, node_state
from cachetui.model.dependency import Edge, State
from cachetui.model.installed import PRESENT
from cachetui.model.spec import at_version
from cachetui.query.query import Query
from cachetui.report.detail import Field
from cachetui.report.formats import Block, TableBlock, cell_text
from cachetui.report.places import Place, Places
from cachetui.safe_text import plural, size_text, visible
from cachetui.search.availability import Availability, CacheName, mirror_name
from cachetui.search.index import Index
from cachetui.store.graph import Graph, closure, libc_of

COLUMNS = ("spec", "hash", "state", "types", "virtuals")

NOT_RECORDED = "not known: nothing records what it needs"

DEPTH = 50
"""Most levels of a tree unless `--depth` says otherwise, as every level is indented further."""


class DepsDocument(Struct, frozen=True, tag_field="schema", tag="cachetui/deps/1"):
    """What a spec needs, or what needs it: itself first, each spec once."""

    hash: str
    nodes: Sequence[NodeRecord]


class BinaryRow(Struct, frozen=True):
    """A binary that would not install without another one."""

    hash: str
    package: str
    version: str | None
    bytes: int | None
    found_in: tuple[Place, ...]


class BreakingDocument(Struct, frozen=True, tag_field="schema", tag="cachetui/deps-all/1"):
    """Every binary that would not install without a spec."""

    hash: str
    nodes: Sequence[BinaryRow]

    def document(self) -> "BreakingDocument":
        return self

    def records(self) -> TableBlock:
        rows = [
            [
                *map(cell_text, (each.hash, each.package, each.version, each.bytes)),
                ", ".join(mirror_name(CacheName(place.tag, place.stack)) for place in each.found_in),
            ]
            for each in self.nodes
        ]
        return TableBlock(BinaryRow.__struct_fields__, rows, right=(3,), shrinking=(4,))

    def blocks(self, width: int | None) -> Iterable[Block]:
        return [self.records()]


def binary_rows(
    index: Index, hashes: Iterable[str], size: Callable[[str], int | None], places: Places
) -> Iterator[BinaryRow]:
    """Yield what is known of these binaries, in this order."""
    availability = Availability(index, Query())
    for spec_hash in hashes:
        spec = index.spec(index.rows_of(spec_hash)[0])
        found_in = tuple(map(places.of, availability.mirrors(spec_hash)))
        yield BinaryRow(spec_hash, spec.package, spec.version, size(spec_hash), found_in)


class DependencyReport(Struct, frozen=True):
    """The answer of `deps`: a tree of at most `deepest` levels below the root; JSON and CSV have each node once."""

    found: Dependencies
    deepest: int = DEPTH

    def document(self) -> DepsDocument:
        return DepsDocument(self.found.root, self.found.nodes)

    def records(self) -> TableBlock:
        rows = (
            (node.name, node.version, node.hash, node.state, edge.hash, ",".join(edge.types), ",".join(edge.virtuals))
            for node in self.found.nodes
            for edge in node.edges
        )
        return TableBlock(("package", "version", "hash", "state", "dependency", "types", "virtuals"), rows)

    def blocks(self, width: int | None) -> Iterator[Block]:
        length = None if width is None else 7
        rows = []
        for depth, edge, node, again in self.found.walk(self.deepest):
            types, virtuals = (",".join(edge.types), ",".join(edge.virtuals)) if edge else ("", "")
            state = "see above" if again and node.edges else node.state
            rows.append((f"{'    ' * depth}{_name(node)}", f"/{node.hash[:length]}", state, types, virtuals))
        if rows:
            yield TableBlock(COLUMNS, rows, headed=False)


def _name(node: NodeRecord) -> str:
    return at_version(node.name, node.version)


def dot(found: Dependencies) -> Iterator[str]:
    """The graph in Graphviz's language, line by line, as `spack graph --dot` writes it."""
    yield 'digraph G {\n  labelloc = "b"\n  rankdir = "TB"\n  ranksep = "1"\n'
    yield "  edge [penwidth=2]\n  node [fontname=Monaco, penwidth=2, fontsize=12, margin=.2, shape=box]\n\n"
    known = {node.hash for node in found.nodes}
    for node in found.nodes:
        style = "" if node.state == "here" else ", style=dashed"
        yield f"  {_quoted(node.hash)} [label={_quoted(f'{_name(node)}/{node.hash[:7]}')}{style}]\n"
    yield "\n"
    for node in found.nodes:
        for edge in node.edges:
            if edge.hash in known:
                label = f" [label={_quoted('virtuals=' + ','.join(edge.virtuals))}]" if edge.virtuals else ""
                ends = (edge.hash, node.hash) if found.of_dependents else (node.hash, edge.hash)
                yield f"  {_quoted(ends[0])} -> {_quoted(ends[1])}{label}\n"
    yield "}\n"


def _quoted(text: str) -> str:
    escaped = visible(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def needs_fields(index: Index, node_hash: str | None) -> list[Field]:
    """Return the fields on the dependencies of the node of a hash; none if they are not recorded."""
    root = index.graph.number(node_hash or "")
    if root is None:
        return []
    if is_bare(index, root):
        return [Field("needs", (NOT_RECORDED,))]
    needs = _counted(index.graph, index.graph.edges(root)) or ("nothing",)
    return [Field("closure", (closure_text(index, root),)), Field("needs", needs, is_list=True)]


def _counted(graph: Graph, edges: Iterable[Edge]) -> tuple[str, ...]:
    """Return the names of the nodes at the ends of edges, with their number where several have one name and version."""
    counts = Counter(_named(graph, edge.number) for edge in edges)
    return tuple(f"{name} ({count:,})" if count > 1 else name for name, count in sorted(counts.items()))


def _named(graph: Graph, number: int) -> str:
    return visible(f"{graph.name(number)}@{graph.node(number).version}")


def needed_binaries(index: Index, root: int) -> list[str]:
    """Return the hashes of a node and all that it needs, without what is installed and externals without a binary."""
    graph, installed = index.graph, index.state_rows(PRESENT)
    hashes = {number: graph.hash(number) for number in closure(graph, [root])}
    return [
        each
        for number, each in hashes.items()
        if not any(row in installed for row in index.rows_of(each))
        and (graph.state(number) != State.EXTERNAL or index.rows_of(each))
    ]


def closure_text(index: Index, root: int, size: int | None = None) -> str:
    """Return in one line what a node needs to be installed and to run, with its C library and compiler runtimes.

    `size` is that of `needed_binaries` in bytes, None where it is not known.
    """
    if is_bare(index, root):
        return NOT_RECORDED
    graph = index.graph
    needed = closure(graph, [root])[1:]
    externals = [number for number in needed if graph.state(number) == State.EXTERNAL]
    missing = sum(node_state(index, number) == "missing" for number in needed)
    libc = libc_of(graph, root)
    named = [*([] if libc is None else [libc]), *(each for each in needed if graph.name(each).endswith("-runtime"))]
    said = [
        f"{plural(len(needed), 'spec') if needed else 'nothing'} to link and run",
        f"{missing:,} not here" if missing else "",
        f"{len(externals):,} external" if externals else "",
        f"{size_text(size)} to download" if size else "",
        *(_named(graph, number) for number in named),
    ]
    return ", ".join(filter(None, said))

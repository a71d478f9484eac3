"""The output of `deps`: the dependencies or dependents of a spec, as a tree, a Graphviz graph or another format."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from cachetui.analysis.deps import Dependencies, NodeRecord
from cachetui.model.spec import at_version
from cachetui.query.query import Query
from cachetui.report.formats import Block, OwnDocument, TableBlock, cell_text, quoted
from cachetui.report.specs import Place, Places
from cachetui.search.availability import Availability, CacheName, mirror_name
from cachetui.search.index import Index

COLUMNS = ("spec", "hash", "state", "types", "virtuals")

MAX_LEVELS = 50
"""Default of `--depth`, the maximum number of levels of a tree. Deeper levels would be indented too far."""


class DepsDocument(Struct, frozen=True, tag_field="schema", tag="cachetui/deps/1"):
    """The dependencies or dependents of a spec. The first node is the spec itself. Each node appears once."""

    hash: str
    nodes: Sequence[NodeRecord]


class BinaryRow(Struct, frozen=True):
    """A binary that cannot install without a certain spec."""

    hash: str
    package: str
    version: str | None
    bytes: int | None
    found_in: tuple[Place, ...]


class BreakingDocument(OwnDocument, frozen=True, tag_field="schema", tag="cachetui/deps-all/1"):
    """All binaries that cannot install without a certain spec."""

    hash: str
    nodes: Sequence[BinaryRow]

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
    """Yield a row for each binary, in the order of `hashes`. `size` returns the size of a binary in bytes."""
    availability = Availability(index, Query())
    for spec_hash in hashes:
        spec = index.spec(index.rows_of(spec_hash)[0])
        yield BinaryRow(
            spec_hash,
            spec.package,
            spec.version,
            size(spec_hash),
            tuple(map(places.of, availability.mirrors(spec_hash))),
        )


class DependencyReport(Struct, frozen=True):
    """The output of `deps` in all formats. JSON contains each node once, and CSV has a row for each edge."""

    found: Dependencies
    deepest: int = MAX_LEVELS
    """The maximum number of levels of a tree."""

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
    """Yield the graph in Graphviz's language, line by line, in the layout of `spack graph --dot`."""
    yield 'digraph G {\n  labelloc = "b"\n  rankdir = "TB"\n  ranksep = "1"\n'
    yield "  edge [penwidth=2]\n  node [fontname=Monaco, penwidth=2, fontsize=12, margin=.2, shape=box]\n\n"
    known = {node.hash for node in found.nodes}
    for node in found.nodes:
        style = "" if node.state == "here" else ", style=dashed"
        yield f"  {quoted(node.hash)} [label={quoted(f'{_name(node)}/{node.hash[:7]}')}{style}]\n"
    yield "\n"
    for node in found.nodes:
        for edge in node.edges:
            if edge.hash in known:
                label = f" [label={quoted('virtuals=' + ','.join(edge.virtuals))}]" if edge.virtuals else ""
                ends = (edge.hash, node.hash) if found.of_dependents else (node.hash, edge.hash)
                yield f"  {quoted(ends[0])} -> {quoted(ends[1])}{label}\n"
    yield "}\n"

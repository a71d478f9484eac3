"""What a spec needs and what needs it, as fields and as a tree."""

from __future__ import annotations

import re

import pytest

from cachetui.analysis.deps import Dependencies, DependencyNode
from cachetui.catalogue import Catalogue
from cachetui.model.dependency import Edge
from cachetui.report.deps import DEEPEST, DependencyReport, dependency_fields
from cachetui.report.formats import TableBlock
from cachetui.search.index import Index
from tests.support.caches import CACHES


@pytest.fixture(scope="module")
def index() -> Index:
    return Catalogue(str(CACHES / "v3"), {}, snapshot=False).load()


def test_the_counts_beside_names_add_up_to_what_the_tree_counts(index: Index) -> None:
    seen = set()
    for row in index.all_rows:
        spec = index.spec(row)
        root = index.graph.number(spec.hash or "")
        if root is None:
            continue
        fields = {field.label: field.lines for field in dependency_fields(index, root)}
        for label, edges in (("needs", index.graph.edges(root)), ("needed by", index.graph.dependents(root))):
            named = [line for line in fields[label] if "@" in line]
            counts = [int(found[1]) if (found := re.search(r" \((\d+)\)$", line)) else 1 for line in named]
            assert sum(counts) == len(edges)
            seen.add(max(counts, default=0) > 1)
    assert seen == {True, False}


def test_a_long_chain_stands_as_a_tree_that_is_no_wider_than_its_deepest_level() -> None:
    nodes = [
        DependencyNode(f"h{k}", f"p{k}", "1", "here", ((f"h{k + 1}", Edge(k + 1, ("link",), ())),) if k < 99 else ())
        for k in range(100)
    ]
    (table,) = DependencyReport(Dependencies("h0", tuple(nodes), False)).blocks(80)
    assert isinstance(table, TableBlock)
    cells = [row[0] for row in table.rows]
    assert (cells[2], cells[99]) == (" " * 8 + "p2@1", " " * 4 * DEEPEST + "p99@1")

"""The dependencies of a spec, as fields."""

import re

import pytest

from cachetui.catalogue import Catalogue
from cachetui.report.deps import needs_fields
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from tests.support.caches import CACHES


@pytest.fixture(scope="module")
def index() -> Index:
    return Catalogue(str(CACHES / "v3"), Settings(), snapshot=False).load()


def test_counts_next_to_names_add_up_to_the_tree(index: Index) -> None:
    for row in index.all_rows:
        spec = index.spec(row)
        root = index.graph.number(spec.hash or "")
        if root is None:
            continue
        fields = {field.label: field.lines for field in needs_fields(index, spec.hash)}
        named = [line for line in fields["needs"] if "@" in line]
        counts = [int(found[1]) if (found := re.search(r" \((\d+)\)$", line)) else 1 for line in named]
        assert sum(counts) == len(index.graph.edges(root))

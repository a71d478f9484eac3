"""The variants of some rows, and their counts."""

from collections import Counter

import pytest
from pyroaring import BitMap

from cachetui.search.index import Index, variant_counts
from tests.support.rows import VARIED, index_of


@pytest.fixture(scope="module")
def index() -> Index:
    return index_of(VARIED)


def counted(index: Index, rows: BitMap) -> Counter[str]:
    return Counter(variant for row in rows for variant in index.spec(row).variants)


def test_variant_counts_equal_naive_count(index: Index) -> None:
    for rows in (BitMap(), BitMap([2]), BitMap([0, 1, 4, 6]), index.all_rows):
        assert variant_counts(index, rows) == counted(index, rows)
    assert sorted(index.variants) == sorted(counted(index, index.all_rows))

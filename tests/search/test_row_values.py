"""What some rows have: their variants, counted."""

from __future__ import annotations

from collections import Counter

import pytest
from pyroaring import BitMap

from cachetui.search import row_values
from cachetui.search.index import Index
from cachetui.search.row_values import variant_counts, variants_of
from tests.support.rows import VARIED, index_of


@pytest.fixture(scope="module")
def index() -> Index:
    return index_of(VARIED)


def counted(index: Index, rows: BitMap) -> Counter[str]:
    return Counter(variant for row in rows for variant in index.spec(row).variants)


def test_variants_are_counted_in_some_rows_and_in_all(index: Index) -> None:
    for rows in (BitMap(), BitMap([2]), BitMap([0, 1, 4, 6]), index.all_rows):
        assert variant_counts(index, rows) == counted(index, rows)
        assert {each for variants in variants_of(index, rows) for each in variants} == set(counted(index, rows))


def test_no_row_is_looked_at_for_the_variants_of_all(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def values_of(rows: BitMap, column: object) -> object:
        raise AssertionError(rows)

    monkeypatch.setattr(row_values, "values_of", values_of)
    assert variant_counts(index, index.all_rows) == counted(index, index.all_rows)

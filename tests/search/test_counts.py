"""Values are counted the same by what rows say of themselves and by the rows of each value."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from cachetui.model.facets import FACETS
from cachetui.model.spec import Page
from cachetui.query.query import Query
from cachetui.search.counts import FEW, values_of
from cachetui.search.index import Index
from cachetui.search.results import Results
from tests.support.random_catalogues import columns_of, pages


@given(some=pages())
def test_values_are_counted_the_same_before_and_after_somebody_filters(some: list[Page]) -> None:
    index, filtered = Index(columns_of(some)), Index(columns_of(some))
    filtered.value_counts.prepare()
    assert filtered.has_value_rows or not len(filtered)
    for text in ("tag=develop", "hdf5 tag=develop", "hdf5", ""):
        results, others = (Results.of(each, Query.parse(text)) for each in (index, filtered))
        for facet in FACETS:
            assert index.value_counts.of(facet, results.rows) == filtered.value_counts.of(facet, others.rows)
            assert index.value_counts.totals(facet, results.query) == filtered.value_counts.totals(facet, others.query)
            assert not index.has_value_rows or text in ("hdf5", "")
            assert results.facet(facet) == others.facet(facet)


@given(some=pages())
def test_what_is_counted_in_a_tag_needs_no_rows_of_values(some: list[Page]) -> None:
    index = Index(columns_of(some))
    results = Results.of(index, Query.parse("tag=develop"))
    assert all(value.specs <= len(results.rows) for facet in FACETS for value in results.facet(facet))
    assert not index.has_value_rows


@given(spans=st.lists(st.tuples(st.integers(0, 300), st.integers(1, 3 * FEW)), max_size=9))
def test_what_a_column_has_is_the_same_by_runs_and_by_rows(spans: list[tuple[int, int]]) -> None:
    rows = BitMap(row for start, length in spans for row in range(start, start + length))
    column = memoryview(array("I", (row * 7 % 11 for row in range(400))))
    assert list(values_of(rows, column)) == [column[row] for row in rows]

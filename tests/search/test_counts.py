"""The number of specs in some rows: both ways of counting, compared with a naive loop."""

from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from cachetui.model.spec import Page
from cachetui.search.index import DistinctHashes
from tests.support.random_catalogues import columns_of, pages, used_pages


@given(pages(), st.sets(st.integers(0, 31)))
def test_spec_count_is_correct_for_few_and_many_rows(some: list[Page], chosen: set[int]) -> None:
    columns = columns_of(some)
    every = BitMap(range(len(columns)))
    rows = every & BitMap(chosen)
    few, many = DistinctHashes(columns), DistinctHashes(columns)
    few_specs = few.count(rows)
    found = [row_hash for page in used_pages(some) for row_hash in page.hashes]
    assert many.count(every) == many.count_whole(every) == len({*found} - {None}) + found.count(None)
    assert few_specs == many.count(rows)

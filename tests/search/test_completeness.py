"""`complete=`, compared with the closures of all binaries in random graphs, and refused queries."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cachetui.model.dependency import State
from cachetui.query.parser import QueryError
from cachetui.query.query import Query
from cachetui.search.availability import Availability, Closures
from cachetui.search.computed import complete_rows
from cachetui.search.index import Index
from cachetui.search.results import Results
from tests.support.builds import LINK, Build, index_of_builds
from tests.support.random_graphs import HASHES, Nodes, columns_of, many, node_tables

A, B = HASHES[:2]

YES, NO = (Query.parse(f"complete={word}", has_graph=True) for word in ("yes", "no"))


@many
@example(
    tables=({B: (State.EXTERNAL, [])}, {A: (State.BINARY, [(B, LINK)])}),  # an external that only another tag records
    held={A},
)
@given(tables=st.tuples(node_tables(), node_tables()), held=st.sets(st.sampled_from(HASHES)))
def test_term_complete_agrees_with_computed_closures(tables: tuple[Nodes, Nodes], held: set[str]) -> None:
    index = Index(columns_of(tables, held))
    hashes = {index.spec(row).hash or "" for row in index.all_rows}
    closures = Closures(index.graph, Availability(index, Query()), hashes)
    complete = {each for each in hashes if closures.of(each).complete}
    if not set(tables[0]) & set(tables[1]):
        assert {index.spec(row).hash for row in index.rows(YES)} == complete
    assert index.rows(YES) | index.rows(NO) == index.all_rows
    assert not index.rows(YES) & index.rows(NO)


def test_term_complete_selects_complete_or_incomplete_specs() -> None:
    zlib = Build("zlib")
    hdf5 = Build("hdf5", needs=((zlib, LINK),))
    index = index_of_builds({("develop", "e4s"): [hdf5, Build("cmake")]})
    assert [index.spec(row).package for row in index.rows(YES)] == ["cmake"]
    assert [index.spec(row).package for row in index.rows(NO)] == ["hdf5"]
    assert str(Query.parse("hdf5 complete='yes' stack=e4s", has_graph=True)) == "hdf5 stack=e4s complete=yes"
    pages = index_of_builds({("develop", "e4s"): [hdf5]}, graph=False)
    assert not pages.rows(YES)
    assert not pages.rows(NO)


def test_term_complete_adds_facet_with_counts_of_both_values() -> None:
    hdf5, cmake = Build("hdf5", needs=((Build("zlib"), LINK),)), Build("cmake")
    index = index_of_builds({("develop", "e4s"): [hdf5, cmake], ("v1", "e4s"): [cmake]})

    def counted(text: str) -> list[tuple[str, int, bool]]:
        found = Results.of(index, Query.parse(text, has_graph=True)).facet("complete")
        return [(each.value, each.specs, each.selected) for each in found]

    assert "complete" not in Results.of(index, Query()).facets
    assert Results.of(index, NO).facets[-1] == "complete"
    assert counted("tag=develop complete=no") == [("no", 1, True), ("yes", 1, False)]
    assert counted("cmake tag=develop complete=no") == [("no", 0, True), ("yes", 1, False)]
    assert counted("tag=v1 complete=yes") == [("yes", 1, True)]
    assert counted("complete!=no") == [("no", 1, False), ("yes", 1, False)]
    values = index.values("complete")
    assert [str(NO.toggled("complete", value, values)) for value in values] == ["", "complete=no,yes"]
    pages = index_of_builds({("develop", "e4s"): [hdf5]}, graph=False)
    assert not complete_rows(pages.columns)
    assert not pages.values("complete")


def test_term_complete_is_refused_on_pages() -> None:
    with pytest.raises(QueryError, match="only build caches record"):
        Query.parse("complete=yes")

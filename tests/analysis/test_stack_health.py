"""The health of build caches: the complete binaries of each cache, and the missing dependencies of the others."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from cachetui.analysis.check import StackHealth, stack_health
from cachetui.model.dependency import LINK_RUN
from cachetui.query.query import Query
from cachetui.query.terms import ValueTerm
from cachetui.search.availability import Availability, CacheName, Closures
from cachetui.search.index import Index
from tests.support.builds import BUILD, LINK, Build, index_of_builds
from tests.support.random_graphs import HASHES, Nodes, columns_of, many, node_tables

SSL = Build("ssl", external="/usr")
CMAKE = Build("cmake")
ZLIB = Build("zlib", needs=((SSL, LINK), (CMAKE, BUILD)))
HDF5 = Build("hdf5", needs=((ZLIB, LINK),))
APP = Build("app", needs=((HDF5, LINK),))
ALL = [CMAKE, ZLIB, HDF5, APP]


def health(index: Index, query: str = "") -> list[StackHealth]:
    return list(stack_health(index, Query.parse(query), dict.fromkeys([build.hash for build in ALL], 10).get))


def test_missing_dependencies_are_reported_for_each_cache_separately() -> None:
    index = index_of_builds({("develop", "e4s"): [HDF5, APP], ("develop", "hep"): [HDF5, ZLIB], ("v1", ""): [ZLIB]})
    first, second, third = health(index)
    assert first.mirror == CacheName("develop", "e4s")
    assert (first.binaries, first.complete_binaries, first.bytes) == (2, 0, 20)
    assert [(each.name, each.spoils) for each in first.missing or ()] == [("zlib", 2)]
    assert (second.mirror, second.complete_binaries, second.missing) == (CacheName("develop", "hep"), 2, ())
    assert third.mirror == CacheName("v1", "")
    assert [each.mirror.stack for each in health(index, "stack=hep")] == ["hep"]
    assert [each.mirror.tag for each in health(index, "tag=v1")] == ["v1"]


@given(held=st.sets(st.sampled_from(range(4))))
def test_numbers_of_complete_and_missing_specs_equal_naive_counts(held: set[int]) -> None:
    builds = [ALL[number] for number in sorted(held)]
    found = health(index_of_builds({("develop", "e4s"): builds}))
    here = {build.hash for build in builds}
    missing = {
        build.hash: {each for each in build.all(LINK_RUN) if each not in here and each != SSL.hash} for build in builds
    }
    if not builds:
        assert found == []
        return
    assert found[0].complete_binaries == sum(not each for each in missing.values())
    assert {each.hash: each.spoils for each in found[0].missing or ()} == {
        node: sum(node in each for each in missing.values()) for each in missing.values() for node in each
    }


@many
@given(tables=st.tuples(node_tables(), node_tables()), held=st.sets(st.sampled_from(HASHES)))
def test_missing_dependencies_of_each_stack_are_listed_exactly(tables: tuple[Nodes, Nodes], held: set[str]) -> None:
    first, second = tables
    second = {each: node for each, node in second.items() if each not in first}  # all tags agree about a hash
    index = Index(columns_of((first, second), held))
    for stack in stack_health(index, Query(), lambda _: None):
        availability = Availability(index, Query((ValueTerm.of("tag", [stack.mirror.tag]),)))
        closures = Closures(index.graph, availability, availability.hashes)
        found = list(map(closures.of, availability.hashes))
        lacking = Counter(closures.hashes[each] for closure in found for each in closure.missing)
        assert stack.complete_binaries == sum(each.complete for each in found)
        assert {each.hash: each.spoils for each in stack.missing or ()} == lacking

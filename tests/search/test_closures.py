"""Closures, compared with a naive walk. The smallest set of caches, compared with all sets."""

from collections.abc import Mapping
from itertools import chain, combinations

from hypothesis import given
from hypothesis import strategies as st

from cachetui.model.dependency import LINK_RUN, WITH_BUILD, State
from cachetui.model.host import Host
from cachetui.model.installed import LOCAL, PRESENT, STATES
from cachetui.model.spec import Page, Row
from cachetui.query.query import Query
from cachetui.search.availability import Availability, CacheName, Closures, fewest_mirrors, fits, total_size
from cachetui.search.index import Index
from cachetui.store.columns import SegmentBuilder
from cachetui.store.graph import Graph, TagGraph
from cachetui.store.merge import built
from tests.support.builds import BUILD, LINK, RUN, Build, graph_of, index_of_builds
from tests.support.random_graphs import HASHES, Nodes, many, node_tables, part, steps, walked

PLACES = [("develop", "e4s"), ("develop", "hep"), ("v1", "e4s"), ("v1", "root")]

HELD = st.dictionaries(st.sampled_from(HASHES), st.lists(st.sampled_from(PLACES), min_size=1, max_size=3), max_size=8)

RECORDS = st.dictionaries(st.sampled_from(HASHES), st.sampled_from(STATES), max_size=6)
"""The states of the records of an installation."""

QUERIES = st.sampled_from(["", "tag=develop", "stack=e4s", "tag=v1 stack=root", "stack=hep,root"])

LIBC = (("link",), ("libc",))

SSL = Build("ssl", external="/usr")
ZLIB = Build("zlib", needs=((SSL, LINK),))
CMAKE = Build("cmake")
HDF5 = Build("hdf5", needs=((ZLIB, LINK), (CMAKE, BUILD)))


def catalogue(nodes: Nodes, held: dict[str, list[tuple[str, str]]], records: Mapping[str, str] = {}) -> Index:
    """Return an index of one graph. `held` maps each binary to its tags and stacks. `records` adds an installation."""
    encoder = SegmentBuilder()
    for tag in ("develop", "v1"):
        rows = [
            Row(hash=spec_hash, stacks=tuple(sorted({stack for other, stack in places if other == tag})))
            for spec_hash, places in held.items()
            if any(other == tag for other, _ in places)
        ]
        encoder.pages.append(Page.of(path=f"{tag}#all", package="all", tag=tag, rows=rows))
    segments = [encoder.segment(part("develop", nodes))]
    if records:
        tree = SegmentBuilder()
        rows = [Row(hash=each, stacks=(LOCAL,), state=state, explicit="no") for each, state in records.items()]
        tree.pages.append(Page.of(path="tree#all", package="all", tag="tree", rows=rows))
        segments.append(tree.segment(TagGraph("tree", "tree", lambda: part("tree", in_tree(records)).nodes, {}, {})))
    return Index(built(list(segments)))


def in_tree(records: Mapping[str, str]) -> Nodes:
    """Return the nodes of an installation with these records."""
    states = {**dict.fromkeys(PRESENT, State.BINARY), "external": State.EXTERNAL}
    return {each: (states.get(state, State.HOLE), []) for each, state in records.items()}


@many
@given(nodes=node_tables(), held=HELD, query=QUERIES, types=st.sampled_from([LINK_RUN, WITH_BUILD]))
def test_closure_agrees_with_naive_walk(
    nodes: Nodes, held: dict[str, list[tuple[str, str]]], query: str, types: frozenset[str]
) -> None:
    index = catalogue(nodes, held)
    asked = Query.parse(query)
    availability = Availability(index, asked)
    here = {index.spec(row).hash for row in index.rows(asked)}
    known = set(nodes) | {needed for _, edges in nodes.values() for needed, _ in edges}
    closures = Closures(index.graph, availability, HASHES, types)
    assert availability.have_binaries(HASHES) == [availability.row(each) is not None for each in HASHES]
    for root in HASHES:
        found = closures.of(root)
        assert found.recorded is (root in known)
        needed = walked([root], steps(nodes), types)
        externals = {each for each in needed if nodes.get(each, (0, 0))[0] == State.EXTERNAL} - here
        assert set(closures.named(found.here)) == needed & here
        assert set(closures.named(found.externals)) == externals
        assert set(closures.named(found.missing)) == needed - here - externals
        assert found.complete is (root in known and not found.missing)
        assert found.needs == len(needed - externals)


@many
@given(nodes=node_tables(), held=HELD, records=RECORDS, query=QUERIES, types=st.sampled_from([LINK_RUN, WITH_BUILD]))
def test_installed_spec_needs_no_binary_but_its_dependencies_do(
    nodes: Nodes, held: dict[str, list[tuple[str, str]]], records: dict[str, str], query: str, types: frozenset[str]
) -> None:
    index = catalogue(nodes, held, records)
    availability = Availability(index, Query.parse(query))
    selected = Availability(catalogue(nodes, held), Query.parse(query))
    both = in_tree(records) | nodes
    here = set(selected.hashes)
    externals = {each for each, (state, _) in both.items() if state == State.EXTERNAL} - here
    installed = {each for each, state in records.items() if state in PRESENT} - externals
    closures = Closures(index.graph, availability, HASHES, types, availability.installed)
    for root in HASHES:
        found = closures.of(root)
        needed = walked([root], {step for step in steps(both) if step[0] not in installed or step[2] & LINK_RUN}, types)
        assert set(closures.named(found.installed)) == needed & installed
        assert set(closures.named(found.externals)) == needed & externals
        assert set(closures.named(found.here)) == (needed & here) - installed
        assert set(closures.named(found.missing)) == needed - here - installed - externals
        assert found.complete is (found.recorded and not found.missing)
        assert found.needs == len(needed - externals - installed)
    for each in HASHES:
        assert availability.mirrors(each) == selected.mirrors(each), "an installation is not a mirror"
        assert availability.mirrors(each, everywhere=True) == selected.mirrors(each, everywhere=True)
        there = each in here or records.get(each) in PRESENT
        assert (availability.row(each) is not None) is there
        assert availability.knows(each) >= there
    assert availability.have_binaries(HASHES) == selected.have_binaries(HASHES) == [each in here for each in HASHES]


@given(nodes=node_tables(), held=HELD, query=QUERIES, wanted=st.lists(st.sampled_from(HASHES)))
def test_smallest_set_of_caches_with_all_specs_is_selected(
    nodes: Nodes, held: dict[str, list[tuple[str, str]]], query: str, wanted: list[str]
) -> None:
    availability = Availability(catalogue(nodes, held), Query.parse(query))
    found = fewest_mirrors(wanted, availability)
    places = {CacheName(*place) for places in held.values() for place in places}
    needed = {each for each in wanted if each in held}

    def holds_all(mirrors: tuple[CacheName, ...]) -> bool:
        return all(not {CacheName(*place) for place in held[each]}.isdisjoint(mirrors) for each in needed)

    assert holds_all(tuple(found))
    choices = chain.from_iterable(combinations(places, number) for number in range(len(places) + 1))
    assert len(found) == min(len(choice) for choice in choices if holds_all(choice))


def dependency_names(
    graph: Graph, availability: Availability, root: Build, types: frozenset[str] = LINK_RUN
) -> list[set[str]]:
    """Return the package names of the available, missing and external dependencies of a build."""
    closures = Closures(graph, availability, [root.hash], types)
    found = closures.of(root.hash)
    names = {node_hash: build.name for node_hash, build in root.all().items()}
    return [{names[each] for each in closures.named(nodes)} for nodes in (found.here, found.missing, found.externals)]


def test_build_dependencies_are_needed_only_on_request() -> None:
    index = index_of_builds({("develop", "e4s"): [HDF5, ZLIB]}, [HDF5])
    availability = Availability(index, Query())
    assert dependency_names(index.graph, availability, HDF5) == [{"hdf5", "zlib"}, set(), {"ssl"}]
    assert dependency_names(index.graph, availability, HDF5, WITH_BUILD) == [{"hdf5", "zlib"}, {"cmake"}, {"ssl"}]
    closure = Closures(index.graph, availability, [HDF5.hash], WITH_BUILD).of(HDF5.hash)
    assert (closure.needs, closure.complete) == (3, False)


def test_dependencies_of_specs_on_pages_are_known_only_from_lock() -> None:
    index = index_of_builds({("develop", "e4s"): [HDF5, ZLIB]}, graph=False)
    availability = Availability(index, Query())
    assert not Closures(index.graph, availability, [HDF5.hash]).of(HDF5.hash).recorded
    assert Closures(graph_of([HDF5]), availability, [HDF5.hash]).of(HDF5.hash).complete
    run = Build("run", needs=((Build("gone"), RUN),))
    assert dependency_names(graph_of([run]), availability, run) == [set(), {"run", "gone"}, set()]


def test_closure_follows_dependency_into_another_tag() -> None:
    index = index_of_builds({("develop", "e4s"): [HDF5], ("v1", "e4s"): [ZLIB]})
    availability = Availability(index, Query())
    assert dependency_names(index.graph, availability, HDF5) == [{"hdf5", "zlib"}, set(), {"ssl"}]
    assert dependency_names(index.graph, Availability(index, Query.parse("tag=v1")), HDF5)[1] == {"hdf5"}


def test_more_than_three_caches_are_selected_if_necessary() -> None:
    builds = [Build(f"b{k}") for k in range(6)]
    index = index_of_builds({("develop", f"s{k}"): [build] for k, build in enumerate(builds)})
    assert len(fewest_mirrors([build.hash for build in builds], Availability(index, Query()))) == 6
    assert Availability(index, Query.parse("stack=s1")).mirrors(builds[1].hash) == [CacheName("develop", "s1")]
    assert Availability(index, Query.parse("stack=s1")).mirrors(builds[2].hash) == []


def test_total_size_is_unknown_if_any_size_is_missing() -> None:
    sizes = {"a": 3, "b": 4}
    assert total_size(["a", "b", "a"], sizes.get) == 7
    assert total_size(["a", "c"], sizes.get) is None


def test_binary_that_does_not_run_on_host_has_a_reason() -> None:
    glibc = Build("glibc", "2.39", external="/usr")
    old = Build("old", os="rhel9", needs=((Build("glibc", "2.28", external="/usr"), LIBC),))
    new = Build("new", os="rhel8", needs=((glibc, LIBC),))
    zen = Build("zen", target="zen4")
    odd = Build("odd", target="unknown")
    availability = Availability(index_of_builds({("develop", "e4s"): [old, new, zen, odd]}), Query())
    found = list(fits(availability, [old.hash, new.hash, zen.hash, odd.hash, "z" * 32], Host.parse("linux-rhel8-zen3")))
    assert [spec_hash for spec_hash, fit in found if not fit.is_unfit] == [old.hash, odd.hash]
    assert [spec_hash for spec_hash, fit in found if not fit.is_known] == [odd.hash]
    assert {spec_hash: fit.reason for spec_hash, fit in found if fit.is_unfit} == {
        new.hash: "needs glibc 2.39, the host has 2.28",
        zen.hash: "needs zen4",
    }

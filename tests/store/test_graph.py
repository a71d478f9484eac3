"""The dependency graph: walks, compared with naive walks, and the values of nodes and edges."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from cachetui.model.dependency import ALL_TYPES, LINK_RUN, Edge, State
from cachetui.model.spec import Page
from cachetui.store.columns import Segment, SegmentBuilder
from cachetui.store.graph import NO_GRAPH, Graph, all_dependents, closure, compilers_of, libc_of
from cachetui.store.index_cache import IndexCache, read_index, write_index
from cachetui.store.merge import built, updated
from tests.support.cache_writer import external, node, tag_graph
from tests.support.random_graphs import HASHES, Nodes, many, node_tables, part, steps, walked

CONTENT = "/mirror"
A, B, C, HUB = "a" * 32, "b" * 32, "c" * 32, "h" * 32
TYPES = st.sets(st.sampled_from(sorted(ALL_TYPES))).map(frozenset)


def graph_of(*tables: Nodes) -> Graph:
    return Graph([part(f"tag{k}", nodes) for k, nodes in enumerate(tables)])


def numbers(graph: Graph, hashes: list[str]) -> list[int]:
    return [number for number in map(graph.number, hashes) if number is not None]


@many
@given(nodes=node_tables(), roots=st.lists(st.sampled_from(HASHES), max_size=3), types=TYPES)
def test_graph_closure_agrees_with_naive_walk(nodes: Nodes, roots: list[str], types: frozenset[str]) -> None:
    graph = graph_of(nodes)
    start = numbers(graph, roots)
    known = [graph.hash(number) for number in start]
    found = [graph.hash(number) for number in closure(graph, start, types)]
    assert len(found) == len(set(found))
    assert found[: len(set(known))] == list(dict.fromkeys(known))
    assert set(found) == walked(known, steps(nodes), types)
    turned = {(to, source, kind) for source, to, kind in steps(nodes)}
    above = [graph.hash(number) for number in all_dependents(graph, start, types)]
    assert len(above) == len(set(above))
    assert set(above) == walked(known, turned, types)


@many
@given(nodes=node_tables(), types=TYPES)
def test_dependencies_and_dependents_have_only_the_requested_types(nodes: Nodes, types: frozenset[str]) -> None:
    graph = graph_of(nodes)
    for node_hash, (state, edges) in nodes.items():
        (number,) = numbers(graph, [node_hash])
        assert graph.state(number) == graph.node(number).state == state
        expected = [(needed, kind) for needed, kind in edges if types & set(kind[0])]
        assert [(graph.hash(edge.number), (edge.types, edge.virtuals)) for edge in graph.edges(number, types)] == (
            expected
        )
        assert graph.direct_dependencies(number, types) == [edge.number for edge in graph.edges(number, types)]
        above = {graph.hash(edge.number) for edge in graph.dependents(number, types)}
        assert above == {
            needs
            for needs, (_, edges) in nodes.items()
            for needed, kind in edges
            if needed == node_hash and types & set(kind[0])
        }


@many
@given(tables=st.tuples(node_tables(), node_tables()), roots=st.lists(st.sampled_from(HASHES), max_size=3))
def test_closure_includes_dependency_found_only_in_another_tag(tables: tuple[Nodes, Nodes], roots: list[str]) -> None:
    graph = graph_of(*tables)
    own, other = tables
    # Nodes of the first tag override those of the second tag.
    start = numbers(graph, roots)
    joined = {**{h: node for h, node in other.items() if h not in own}, **own}
    found = {graph.hash(number) for number in closure(graph, start)}
    if not set(own) & set(other):
        assert found == walked([graph.hash(number) for number in start], steps(joined), LINK_RUN)
    assert len(closure(graph, start)) == len(found)
    for node_hash in joined:
        number = graph.number(node_hash)
        assert number is not None
        assert graph.state(number) != State.UNKNOWN
        expected = {needs for needs, needed, kind in steps(*tables) if needed == node_hash and kind & LINK_RUN}
        assert {graph.hash(edge.number) for edge in graph.dependents(number, LINK_RUN)} == expected


def test_closure_and_dependents_include_nodes_of_other_tags() -> None:
    link = (("link",), ())
    graph = graph_of({A: (State.BINARY, [(B, link)])}, {B: (State.BINARY, [(C, link)]), C: (State.EXTERNAL, [])})
    assert [graph.hash(number) for number in closure(graph, numbers(graph, [A]))] == [A, B, C]
    assert [graph.hash(number) for number in all_dependents(graph, numbers(graph, [C]))] == [C, B, A]
    (start,) = numbers(graph, [A])
    assert graph.node(graph.edges(start)[0].number).tag == "tag1"
    assert graph.direct_dependencies(start) == [edge.number for edge in graph.edges(start)]


def test_graph_node_contains_every_recorded_value() -> None:
    glibc = external("glibc", "2.36") | {"hash": B, "external": {"path": "/usr", "module": ["glibc/2.36"]}}
    gcc = {"name": "gcc", "hash": C}
    hdf5 = node(
        "hdf5",
        "1.14.3",
        [(glibc, ["link"], ["libc"]), (gcc, ["build"], ["c", "cxx"])],
        parameters={"mpi": True, "api": "default"},
        compiler={"name": "gcc", "version": "13.2.0"},
        build_spec={"name": "hdf5", "hash": "bbbb"},
    )
    graph = Graph([tag_graph("m", "m", [hdf5 | {"hash": A}, glibc], {A})])
    (number,) = numbers(graph, [A])
    found = graph.node(number)
    assert (found.name, found.version, found.compiler, found.os) == ("hdf5", "1.14.3", "gcc@13.2.0", "ubuntu24.04")
    assert (found.variants, found.package_hash) == (("+mpi", "api=default"), hdf5["package_hash"])
    assert (found.spliced_from, found.external, found.state, found.tag) == ("bbbb", None, State.BINARY, "m")
    libc = libc_of(graph, number)
    assert libc is not None
    assert (graph.node(libc).external, graph.node(libc).modules) == ("/usr", ("glibc/2.36",))
    compilers = compilers_of(graph, number)
    assert list(compilers) == ["c", "cxx"]
    named = graph.node(compilers["c"])
    assert (named.hash, named.name, named.version, named.state) == (C, "gcc", "", State.UNKNOWN)
    assert list(graph.where("name", lambda name: name.startswith("g"))) == numbers(graph, [B, C])
    assert graph.number("d" * 32) is None
    assert graph.dependents(libc) == [Edge(number, ("link",), ("libc",))]


def test_long_chains_and_nodes_with_many_dependencies_are_walked() -> None:
    link = (("link",), ())
    chain: Nodes = {
        f"{k:032}": (State.BINARY, [(f"{k + 1:032}", link), (HUB, link)])  # the last one leads to an unknown node
        for k in range(10_000)
    }
    graph = graph_of(chain | {HUB: (State.BINARY, [(HUB, link)] * 10_000)})
    first, hub = numbers(graph, [f"{0:032}", HUB])
    assert len(closure(graph, [first])) == 10_002
    assert len(all_dependents(graph, [hub])) == 10_001
    assert len(graph.dependents(hub)) == 10_001


# Next to the rows


def segment(tag: str, nodes: Nodes) -> Segment:
    encoder = SegmentBuilder()
    encoder.pages.append(Page.of(path=f"{tag}#zlib", package="zlib", tag=tag, rows=()))
    return encoder.segment(part(tag, nodes))


NODES: Nodes = {A: (State.BINARY, [(B, (("link",), ("mpi",)))]), B: (State.HOLE, [])}


def test_updated_tag_leaves_graphs_of_other_tags_unchanged() -> None:
    columns = built([segment("one", NODES), segment("two", {C: (State.BINARY, [])})])
    assert sorted(columns.graph.tags) == ["one", "two"]
    again = updated(columns, [segment("two", {A: (State.EXTERNAL, [])})])
    assert [list(each.nodes.hashes) for each in again.graph.of_tags if each.tag == "two"] == [[A]]
    left = updated(again, [], frozenset({"one#", "one#zlib"}))
    assert left.graph.tags == ("two",)
    assert built([SegmentBuilder().segment()]).graph == NO_GRAPH


def test_loaded_graph_equals_saved_graph(tmp_path: Path) -> None:
    columns = built([segment("one", NODES), segment("two", {C: (State.BINARY, [])})])
    write_index(str(tmp_path / "x.index"), CONTENT, columns, 1.0, "")
    index = IndexCache(str(tmp_path / "x.index"), CONTENT)
    saved = index.load()
    assert saved is not None
    assert "complete" not in saved.links
    # the index cache also has the links that a query derives
    assert saved.complete == columns.complete
    saved = index.load()
    assert saved == columns
    assert saved is not None
    assert saved.links == columns.links
    assert [each.nodes.stored for each in saved.graph.of_tags] == [each.nodes.stored for each in columns.graph.of_tags]
    # A change elsewhere keeps the saved graph.
    write_index(str(tmp_path / "y.index"), CONTENT, updated(saved, [], frozenset({"one#zlib"})), 1.0, "")
    again, *_ = read_index(str(tmp_path / "y.index"), CONTENT)
    assert again.graph == columns.graph

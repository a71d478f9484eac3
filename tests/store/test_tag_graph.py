"""The graph of a tag: its nodes are built once, at the first use."""

from threading import Barrier, Thread

from cachetui.model.dependency import State
from cachetui.model.spec import Page
from cachetui.store.columns import Segment, SegmentBuilder
from cachetui.store.graph import Graph, NodeColumns, TagGraph
from cachetui.store.merge import built, updated
from tests.support.random_graphs import part

A, B = "a" * 32, "b" * 32


def segment(graph: TagGraph) -> Segment:
    encoder = SegmentBuilder()
    encoder.pages.append(Page.of(path=f"{graph.tag}#zlib", package="zlib", tag=graph.tag, rows=()))
    return encoder.segment(graph)


class Counted:
    """A function that makes a graph and counts its calls."""

    def __init__(self) -> None:
        self.times = 0
        self.nodes = part("develop", {A: (State.BINARY, [(B, (("link",), ()))])}).nodes

    def __call__(self) -> NodeColumns:
        self.times += 1
        return self.nodes

    def raw(self) -> TagGraph:
        return TagGraph("develop#", "develop", self, {"": "/mirror"})


def test_graph_is_built_only_at_first_use() -> None:
    counted = Counted()
    columns = built([segment(counted.raw())])
    columns = updated(columns, [segment(counted.raw())])
    assert (columns.graph.tags, columns.graph.mirror("develop", ())) == (("develop",), "/mirror")
    assert counted.times == 0
    assert [list(each.hashes) for each in columns.graph.parts] == [[A, B]]
    assert counted.times == 1
    assert columns.graph == Graph([Counted().raw()])
    assert counted.times == 1


def test_parallel_requests_build_the_graph_only_once() -> None:
    counted = Counted()
    raw, all_there = counted.raw(), Barrier(4)

    def ask() -> None:
        all_there.wait()
        assert raw.nodes == counted.nodes

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted.times == 1

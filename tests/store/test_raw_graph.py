"""A graph is joined when somebody first asks for it, once, and holds what it would have held at once."""

from __future__ import annotations

from threading import Barrier, Thread

import msgspec

from cachetui.model.dependency import State
from cachetui.model.spec import Page
from cachetui.store.builder import Segment, SegmentBuilder
from cachetui.store.graph import Graph
from cachetui.store.merge import merge
from cachetui.store.tag_graph import Joining, RawGraph, TagGraph
from tests.support.random_graphs import part

A, B = "a" * 32, "b" * 32


def segment(graph: TagGraph | RawGraph) -> Segment:
    encoder = SegmentBuilder()
    encoder.pages.append(Page.of(path=f"{graph.tag}#zlib", package="zlib", tag=graph.tag, rows=()))
    return encoder.segment(graph)


class Counted:
    """Makes a graph, and counts how often."""

    def __init__(self) -> None:
        self.times = 0
        self.graph = part("develop", {A: (State.BINARY, [(B, (("link",), ()))])})
        self.graph = msgspec.structs.replace(self.graph, mirrors={"": "/mirror"})

    def __call__(self) -> TagGraph:
        self.times += 1
        return self.graph

    def raw(self) -> RawGraph:
        return RawGraph(self.graph.path, self.graph.tag, self.graph.mirrors, Joining(self))


def test_nothing_is_joined_before_somebody_asks() -> None:
    counted = Counted()
    columns = merge(None, [segment(counted.raw())])
    columns = merge(columns, [segment(counted.raw())])
    assert (columns.graph.tags, columns.graph.mirror("develop", ())) == (("develop",), "/mirror")
    assert counted.times == 0
    assert [list(each.hashes) for each in columns.graph.parts] == [[A, B]]
    assert counted.times == 1
    assert columns.graph == Graph([counted.graph])
    assert counted.times == 1


def test_however_many_ask_it_is_joined_once() -> None:
    counted = Counted()
    raw, all_there = counted.raw(), Barrier(4)

    def ask() -> None:
        all_there.wait()
        assert raw.joined == counted.graph

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted.times == 1

"""What was learned from the edges of one node never changes what is read of another's."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from cachetui.sources.buildcache.edges import EdgeReader, edges_of

HASHES = st.sampled_from(["a" * 32, "b" * 32, "c" * 31, 'q"' + "a" * 30, "b\\" + "a" * 29, "", "é" * 16])
NAMES = st.sampled_from(["zlib", "%b%s", "hash", 'x","hash":"y', "é"])
TYPES = st.sampled_from([["build"], ["link"], ["build", "link"]])


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    edges = [
        {"name": name, "hash": node_hash, "parameters": {"deptypes": types, "virtuals": ["c"]}}
        for name, node_hash, types in draw(st.lists(st.tuples(NAMES, HASHES, TYPES), min_size=1, max_size=2))
    ]
    separators = draw(st.sampled_from([(",", ":"), (", ", ": ")]))
    return json.dumps(edges, separators=separators, ensure_ascii=draw(st.booleans())).encode()


@given(st.lists(texts(), max_size=12))
def test_many_are_read_as_one_by_one(written: list[bytes]) -> None:
    reader = EdgeReader(["a" * 32])
    for text in written:
        hashes, shape = reader.read("node", text)
        edges = [edge for edge in edges_of(text) if edge.hash]
        assert list(hashes) == [edge.hash for edge in edges]
        assert list(shape.names) == [edge.name for edge in edges]
        assert list(shape.kinds) == [edge.kind for edge in edges]


def test_a_quote_in_the_place_of_a_hash_is_no_hash() -> None:
    reader = EdgeReader()
    assert reader.read("node", b'[{"hash":"aaaaaa"}]')[0] == ["aaaaaa"]
    assert list(reader.read("node", b'[{"hash":"bbbbbb"}]')[0]) == ["bbbbbb"]
    assert list(reader.read("node", b'[{"hash":"","x":"}]')[0]) == []
    assert list(reader.read("node", b'[{"hash":"a\\u0062"}]')[0]) == ["ab"]


def test_edges_to_one_known_node_share_its_hash() -> None:
    known = "k" * 32
    reader = EdgeReader([known])
    for _ in range(3):
        (found,) = reader.read("node", b'[{"hash":"%b"}]' % known.encode())[0]
    assert found is known

"""What was learned from the edges of one node never changes what is read of another's."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from cachetui.sources.buildcache.edges import EdgeReader, edges_of, hash_key

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


def hashes_read(reader: EdgeReader, written: bytes) -> list[str]:
    """The hashes that the edges in this text lead to."""
    numbers, _ = reader.read("node", Raw(written))
    hashes = [key.decode() if isinstance(key, bytes) else key for key in reader.hashes]
    return [hashes[number] for number in numbers]


@given(st.lists(texts(), max_size=12))
def test_many_are_read_as_one_by_one(written: list[bytes]) -> None:
    reader = EdgeReader()
    for text in written:
        _, shape = reader.read("node", Raw(text))
        edges = [edge for edge in edges_of(text) if edge.hash]
        assert hashes_read(reader, text) == [edge.hash for edge in edges]
        assert list(shape.names) == [edge.name for edge in edges]
        assert list(shape.kinds) == [edge.kind for edge in edges]


def test_a_quote_in_the_place_of_a_hash_is_no_hash() -> None:
    reader = EdgeReader()
    assert hashes_read(reader, b'[{"hash":"aaaaaa"}]') == ["aaaaaa"]
    assert hashes_read(reader, b'[{"hash":"bbbbbb"}]') == ["bbbbbb"]
    assert hashes_read(reader, b'[{"hash":"","x":"}]') == []
    assert hashes_read(reader, b'[{"hash":"a\\u0062"}]') == ["ab"]


def test_a_hash_with_a_backslash_is_not_the_one_that_looks_so() -> None:
    reader = EdgeReader()
    odd = reader.hashes[hash_key("a\\tcdef")]
    assert hashes_read(reader, b'[{"hash":"aabcdef"}]') == ["aabcdef"]
    assert reader.read("node", Raw(b'[{"hash":"a\\tcdef"}]'))[0] != [odd]
    assert hashes_read(reader, b'[{"hash":"a\\tcdef"}]') == ["a\tcdef"]


def test_equal_shapes_are_one_object() -> None:
    reader = EdgeReader()
    texts = (("x", b'[{"hash":"a"}]'), ("y", b'[{"hash":"b"}]'), ("y", b"null"), ("z", b"[]"))
    shapes = [reader.read(name, Raw(text))[1] for name, text in texts]
    assert shapes[0] is shapes[1]
    assert shapes[2] is shapes[3]

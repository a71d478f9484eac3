"""What was learned from the edges of one node never changes what is read of another's."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from cachetui.sources.buildcache.columns import EdgeReader, edges_of
from cachetui.store.tag_graph import HASH_LENGTH, stand_in

HASHES = st.sampled_from(
    ["a" * 32, "b" * 32, "0" * 32, "c" * 31, 'q"' + "a" * 30, "b\\" + "a" * 29, "", "é" * 16, "\uffff" * 10]
)
NAMES = st.sampled_from(["zlib", "%b%s", "hash", 'x","hash":"y', "é"])
TYPES = st.sampled_from([["build"], ["link"], ["build", "link"]])


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    edges = [
        {
            draw(st.sampled_from(["name", "x", 'x"hash'])): name,
            "hash": node_hash,
            "parameters": {"deptypes": types, "virtuals": ["c"]},
        }
        for name, node_hash, types in draw(st.lists(st.tuples(NAMES, HASHES, TYPES), min_size=1, max_size=2))
    ]
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (",", " : ")]))
    return json.dumps(edges, separators=separators, ensure_ascii=draw(st.booleans())).encode()


def hashes_read(reader: EdgeReader, written: bytes) -> list[str]:
    """The hashes that the edges in this text lead to."""
    together, _, _ = reader.read(Raw(written))
    others = {stand_in(k): each for k, each in enumerate(reader.others)}
    keys = [together[at : at + HASH_LENGTH] for at in range(0, len(together), HASH_LENGTH)]
    return [others.get(key, key).decode() for key in keys]


@given(st.lists(texts(), max_size=12))
def test_many_are_read_as_one_by_one(written: list[bytes]) -> None:
    reader = EdgeReader()
    for text in written:
        _, number, _ = reader.read(Raw(text))
        shape = reader.shapes[number]
        edges = [edge for edge in edges_of(text) if edge.hash]
        assert hashes_read(reader, text) == [edge.hash for edge in edges]
        assert list(shape.names) == [edge.name for edge in edges]
        types = [json.loads(bytes(edge.parameters))["deptypes"] for edge in edges]
        assert [list(kind[0]) for kind in shape.kinds] == types


def hashed(*hashes: str, **more: object) -> bytes:
    """The text of edges with these hashes."""
    return json.dumps([{"hash": each, **more} for each in hashes], separators=(",", ":")).encode()


def test_a_quote_in_the_place_of_a_hash_is_no_hash() -> None:
    reader = EdgeReader()
    for letter in "abc":
        assert hashes_read(reader, hashed(letter * 32)) == [letter * 32]
    assert hashes_read(reader, b'[{"hash":"","x":"%b"}]' % (b"y" * 26)) == []
    assert hashes_read(reader, b'[{"hash":"%b\\u0062"}]' % (b"a" * 26)) == ["a" * 26 + "b"]
    assert hashes_read(reader, b'[{"hash":"aaaaaa"}]') == ["aaaaaa"]


def test_a_hash_with_a_backslash_is_not_the_one_that_looks_so() -> None:
    reader = EdgeReader()
    escaped, plain = b'[{"hash":"a\\t%b"}]' % (b"c" * 29), hashed("at" + "c" * 29)
    for _ in range(3):
        assert hashes_read(reader, escaped) == ["a\t" + "c" * 29]
        assert hashes_read(reader, plain) == ["at" + "c" * 29]


def test_compilers_are_found_however_the_edges_are_read() -> None:
    reader = EdgeReader()
    builds = {"parameters": {"deptypes": ["build"], "virtuals": ["cxx", "c"]}}
    for first, second in (("a" * 32, "b" * 32), ("c" * 32, "d" * 32), ("e" * 32, "f" * 32), ("short", "g" * 32)):
        _, _, compilers = reader.read(Raw(hashed(first, second, **builds)))
        assert compilers == ((first.encode(), ("c", "cxx")), (second.encode(), ("c", "cxx")))
        _, _, compilers = reader.read(Raw(hashed(first, **builds)))
        assert compilers == ((first.encode(), ("c", "cxx")),)

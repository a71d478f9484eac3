"""The edges of one node never affect another node."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from cachetui.sources.buildcache.columns import HASH_LENGTH, Compilers, EdgeReader, edges_of

HASH = re.compile("[a-z2-7]{32}")

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


def edges_read(reader: EdgeReader, written: bytes) -> tuple[bytes, int, Compilers]:
    found = reader.read(Raw(written))
    assert found is not None
    return found


def hashes_read(reader: EdgeReader, written: bytes) -> list[str]:
    """Return the hashes of the edges in this text."""
    together, _, _ = edges_read(reader, written)
    return [together[at : at + HASH_LENGTH].decode() for at in range(0, len(together), HASH_LENGTH)]


def is_hash(text: str) -> bool:
    return len(text) == HASH_LENGTH and text.isascii() and text.isalnum()


@given(st.lists(texts(), max_size=12))
def test_fast_reader_finds_same_dependencies_as_json_parser(written: list[bytes]) -> None:
    reader = EdgeReader()
    for text in written:
        _, number, _ = edges_read(reader, text)
        shape = reader.shapes[number]
        edges = [edge for edge in edges_of(text) or () if edge.hash]
        for found, edge in zip(hashes_read(reader, text), edges, strict=True):
            assert is_hash(found)
            assert (found == edge.hash) == is_hash(edge.hash or "")
        assert list(shape.names) == [edge.name for edge in edges]
        types = [json.loads(bytes(edge.parameters))["deptypes"] for edge in edges]
        assert [list(kind[0]) for kind in shape.kinds] == types


def hashed(*hashes: str, **more: object) -> bytes:
    """Return the text of edges with these hashes."""
    return json.dumps([{"hash": each, **more} for each in hashes], separators=(",", ":")).encode()


def test_dependency_with_empty_hash_is_skipped() -> None:
    reader = EdgeReader()
    for letter in "abc":
        assert hashes_read(reader, hashed(letter * 32)) == [letter * 32]
    assert hashes_read(reader, b'[{"hash":"","x":"%b"}]' % (b"y" * 26)) == []
    assert hashes_read(reader, b'[{"hash":"%b\\u0062"}]' % (b"a" * 31)) == ["a" * 31 + "b"]


def test_invalid_hash_of_a_dependency_is_never_accepted() -> None:
    for text in ("aaaaaa", "a" * 33, "é" * 32, ""):
        assert not any(HASH.fullmatch(each) for each in hashes_read(EdgeReader(), hashed(text)))


def test_hash_with_json_escape_differs_from_hash_without_backslash() -> None:
    reader = EdgeReader()
    escaped, plain = b'[{"hash":"a\\t%b"}]' % (b"c" * 30), hashed("at" + "c" * 30)
    for _ in range(3):
        assert hashes_read(reader, escaped) != ["at" + "c" * 30]
        assert hashes_read(reader, plain) == ["at" + "c" * 30]


def test_compilers_are_read_from_new_and_repeated_dependencies() -> None:
    reader = EdgeReader()
    builds = {"parameters": {"deptypes": ["build"], "virtuals": ["cxx", "c"]}}
    for first, second in (("a" * 32, "b" * 32), ("c" * 32, "d" * 32), ("e" * 32, "f" * 32), ("short", "g" * 32)):
        for text in (hashed(first, second, **builds), hashed(first, **builds)):
            _, _, compilers = edges_read(reader, text)
            assert [each.decode() for each, _ in compilers] == hashes_read(reader, text)
            assert {languages for _, languages in compilers} == {("c", "cxx")}

"""An index that is read in chunks equals a whole index, or is refused."""

import json
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cachetui.sources.buildcache.columns import Nodes, nodes_of
from cachetui.sources.buildcache.index_document import (
    MIN_PROCESS_CHUNKS,
    ChunkReader,
    IndexStream,
    UncutError,
    cut,
    has_repeats,
    marks_binaries,
    newer_key,
    read_database,
    read_in_chunks,
    read_index,
)
from cachetui.sources.buildcache.manifests import INDEX_TYPE, read_manifest
from cachetui.sources.buildcache.tag_builder import TagBuilder
from cachetui.store.columns import PageColumns
from cachetui.store.graph import NodeColumns
from cachetui.workers.cancelling import never
from tests.support.cache_writer import compact
from tests.support.caches import CACHES

BTEST = CACHES / "v2" / "spack-0.23.1" / "develop" / "btest" / "build_cache" / "index.json"
INDEX = BTEST.read_bytes()
ENTRIES: dict[str, Any] = json.loads(INDEX)["database"]["installs"]
INDEXES = [
    path
    for path in (*CACHES.rglob("index.json"), *CACHES.rglob("blobs/sha256/*/*"))
    if b'"installs"' in path.read_bytes()
]


Merged: TypeAlias = tuple[tuple[PageColumns, NodeColumns], list[str]]
"""The rows and the graph, and the errors of single entries."""


def merged(*nodes: Nodes) -> tuple[PageColumns, NodeColumns]:
    builder = TagBuilder("./", "tag")
    builder.add(nodes, "")
    return finished(builder)


def finished(builder: TagBuilder) -> tuple[PageColumns, NodeColumns]:
    """Return the rows, and the graph after its first use."""
    pages, part = builder.finished({})
    return pages, part.nodes


def whole(data: bytes) -> Merged:
    database = read_database(data)
    nodes = nodes_of(database.entries)
    return merged(nodes), sorted([*database.faults, *nodes.faults])


def in_chunks(path: Path, size: int) -> Merged:
    content = read_in_chunks(str(path), (), never, None, size)
    return merged(*content.nodes), list(content.faults)


def written(folder: Path, data: bytes) -> Path:
    path = folder / "index.json"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("path", INDEXES, ids=str)
def test_index_read_in_chunks_equals_index_read_at_once(path: Path) -> None:
    data = path.read_bytes()
    if not marks_binaries(read_database(data).version):
        with pytest.raises(UncutError):
            in_chunks(path, len(data) // 4)
        return
    for parts in (2, 5, MIN_PROCESS_CHUNKS + 1):
        assert in_chunks(path, len(data) // parts) == whole(data)


def test_index_cut_into_many_small_chunks_is_read_completely() -> None:
    size = len(INDEX) // (2 * MIN_PROCESS_CHUNKS)
    assert len(list(cut(str(BTEST), size))) >= MIN_PROCESS_CHUNKS
    assert in_chunks(BTEST, size) == whole(INDEX)


def test_index_smaller_than_chunk_is_read_at_once() -> None:
    with pytest.raises(UncutError):
        list(cut(str(BTEST), len(INDEX)))
    assert len(read_index(str(BTEST)).nodes) == 1


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_damaged_index_gives_same_errors_with_or_without_chunks(tmp_path: Path, data: st.DataObject) -> None:
    text = bytearray(INDEX)
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.integers(0, len(text) - 1))
        text[place : place + data.draw(st.integers(0, 2))] = data.draw(
            st.sampled_from([b"{", b"}", b"[", b'"', b"\\", b",", b"1", b"}}}", b"null", b'",', b"\xff"])
        )
    path = written(tmp_path, bytes(text))
    try:
        found = in_chunks(path, len(text) // 7)
    except UncutError:
        return
    assert found == whole(bytes(text))


def installs(*entries: dict[str, Any], **more: Any) -> str:
    """Return the JSON of an index with these entries in this order."""
    inside = ",".join(json.dumps(each)[1:-1] for each in entries)
    return f'{{"database":{{"version":"8","installs":{{{inside}}}' + "".join(f",{json.dumps(more)[1:-1]}") + "}}"


HALF = dict(list(ENTRIES.items())[:20])
REST = dict(list(ENTRIES.items())[20:])
FIRST = {key: {"spec": entry["spec"] | {"name": "other"}} for key, entry in list(ENTRIES.items())[:1]}

ODD = {
    "repeated entry": installs(HALF, REST, FIRST),
    "two keys installs": f'{{"database":{{"installs":{json.dumps(HALF)},"installs":{json.dumps(REST)}}}}}',
    "two databases": installs(HALF)[:-1] + "," + installs(REST)[1:],
    "entries under another key": f'{{"database":{{"installs":{{}},"more":{json.dumps(ENTRIES)}}}}}',
    "entries inside an entry": installs({"a" * 32: {"spec": {"name": "x", "external": ENTRIES}}}),
    "index of another form": json.dumps({"installs": ENTRIES}),
    "text after the index": INDEX.decode() + "}",
    "text like the end of a chunk": installs(HALF, {"the end of a chunk": {"spec": {"name": "x"}}}, REST),
    "old version after the entries": f'{{"database":{{"installs":{json.dumps(ENTRIES)},"version":"5"}}}}',
}


@pytest.mark.parametrize("what", ODD)
def test_unusual_index_is_read_correctly_in_chunks_or_refused(tmp_path: Path, what: str) -> None:
    text = ODD[what].encode()
    path = written(tmp_path, text)
    for parts in range(2, 9):
        try:
            found = in_chunks(path, len(text) // parts)
        except UncutError:
            continue
        assert found == whole(text)


def test_entries_next_to_damaged_entry_in_chunk_are_read(tmp_path: Path) -> None:
    no_edges = {"spec": {"name": "zlib", "hash": "d" * 32, "dependencies": [{"hash": 1}]}}
    damaged = ENTRIES | {"b" * 32: {"spec": {"name": 1}}, "c" * 32: {"spec": []}, "d" * 32: no_edges}
    data = compact({"database": {"version": "8", "installs": damaged}})
    found, faults = in_chunks(written(tmp_path, data), len(data) // 5)
    assert (found, faults) == whole(data)
    assert found == whole(INDEX)[0]
    assert len(faults) == 3


def test_chunk_of_replaced_index_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, INDEX)
    chunks = list(cut(str(path), len(INDEX) // 4))
    path.unlink()
    written(tmp_path, INDEX)
    with pytest.raises(UncutError):
        ChunkReader().add(chunks[1], never)


def test_growing_index_file_is_read_once(tmp_path: Path) -> None:
    stream = IndexStream(len(INDEX) // 6)
    path = tmp_path / "index.part"
    with path.open("wb") as file:
        for part in range(10):
            file.write(INDEX[part * len(INDEX) // 10 : (part + 1) * len(INDEX) // 10])
            file.flush()
            stream.advance(str(path))
            if part in (3, 6):
                assert stream.results()
    path = path.rename(tmp_path / "index.json")
    read, found = stream.beginning(str(path))
    assert len(INDEX) / 3 < read < len(INDEX)
    assert sum(len(nodes.hashes) for some in found for nodes in some.nodes) > len(ENTRIES) / 4


@pytest.mark.parametrize("again", [{}, FIRST])
def test_repeated_entry_in_growing_index_is_detected(tmp_path: Path, again: dict[str, Any]) -> None:
    path = written(tmp_path, installs(HALF, again, REST).encode())
    stream = IndexStream(len(INDEX) // 20)
    for _ in range(30):
        stream.advance(str(path))
    assert has_repeats(nodes for some in stream.results() for nodes in some.nodes) == bool(again)


@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("is_other", [False, True])
def test_index_read_during_download_equals_index_read_afterwards(tmp_path: Path, share: float, is_other: bool) -> None:
    stream = IndexStream(len(INDEX) // 6)
    begun = INDEX.replace(b'"name":"', b'"name":"x', 1) if is_other else INDEX
    path = written(tmp_path, begun[: int(share * len(INDEX))])
    for _ in range(4):
        stream.advance(str(path))
    path.write_bytes(INDEX)  # in the same inode
    content = read_in_chunks(str(path), (), never, stream, len(INDEX) // 6)
    assert (merged(*content.nodes), list(content.faults)) == whole(INDEX)
    assert len(content.nodes) == (1 if is_other else 2)


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_index_is_parsed_only_once_during_download(tmp_path: Path, is_cancelled: bool) -> None:
    text = compact({"database": {"version": "8", "installs": HALF | {"c" * 32: {"spec": []}} | REST}})
    middle = len(text) // 2 + 9
    stream = IndexStream(len(text) // 6)
    path = written(tmp_path, text[:middle])
    stream.advance(str(path))
    with pytest.raises(ValueError, match="truncated"):
        stream.check(str(path))
    with path.open("ab") as file:
        file.write(text[middle:])
    stream.cancelled = lambda: is_cancelled
    stream.check(str(path))
    path = path.rename(tmp_path / "index.json")
    content = read_index(str(path), stream=stream)
    assert (stream.beginning(str(path))[0] == len(text)) != is_cancelled
    assert (merged(*content.nodes), list(content.faults)) == whole(text)


def test_nodes_read_from_another_cache_are_reused() -> None:
    database = read_database(INDEX)
    first, second = TagBuilder("./", "tag"), TagBuilder("./", "tag")
    for builder in (first, second):
        builder.add([nodes_of({key: database.entries[key] for key in HALF})], "one")
    assert len(first.places) == len(HALF)
    marked = nodes_of(database.entries, first.places)
    assert len(marked.hashes_in_columns) == len(REST)
    first.add([marked], "two")
    second.add([nodes_of(database.entries)], "two")
    assert finished(first) == finished(second)


@pytest.mark.parametrize(("written", "taken"), [("8 9", "9"), ("9 8", "9"), ("8 10", "8"), ("11 10", "10"), ("5", "5")])
def test_newest_known_index_version_in_manifest_is_selected(written: str, taken: str) -> None:
    data = [{"mediaType": f"{INDEX_TYPE}{each}+json", "checksum": each} for each in written.split()]
    found = read_manifest(json.dumps({"data": data}).encode()).of_type(INDEX_TYPE)
    assert found is not None
    assert found.checksum == taken


@pytest.mark.parametrize(
    ("version", "key", "unknown"), [("9", "frob", "frob"), ("9", "namespace", ""), ("8", "frob", "")]
)
def test_unknown_key_of_newer_database_version_is_reported(
    tmp_path: Path, version: str, key: str, unknown: str
) -> None:
    entries = {each: {**entry, "spec": {**entry["spec"], key: "x"}} for each, entry in ENTRIES.items()}
    path = written(tmp_path, json.dumps({"database": {"installs": entries, "version": version}}).encode())
    assert newer_key(str(path), version) == unknown
    assert read_index(str(path)).faults == []

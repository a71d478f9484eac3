"""An index that is read in pieces holds what it holds when it is read whole, or is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cachetui.sources.buildcache.ahead import Ahead
from cachetui.sources.buildcache.database import DatabaseError, read_database
from cachetui.sources.buildcache.flat import Nodes, nodes_of
from cachetui.sources.buildcache.joined import Joined
from cachetui.sources.buildcache.pieces import MANY, PieceReader, UncutError, cut, read_in_pieces
from cachetui.store.segment import PageColumns
from cachetui.store.tag_graph import TagGraph
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


def joined(*nodes: Nodes) -> tuple[PageColumns, TagGraph]:
    found = Joined("./", "tag")
    found.add(nodes, "")
    return finished(found)


def finished(joined: Joined) -> tuple[PageColumns, TagGraph]:
    """The rows, and the graph when somebody has asked for it."""
    pages, part = joined.finished({})
    return pages, part.joined


def whole(data: bytes) -> tuple[tuple[PageColumns, TagGraph], list[str]]:
    database = read_database(data)
    return joined(nodes_of(database.entries)), sorted(database.faults)


def in_pieces(path: Path, size: int) -> tuple[tuple[PageColumns, TagGraph], list[str]]:
    nodes, faults = read_in_pieces(str(path), size=size)
    return joined(*nodes), list(faults)


def written(folder: Path, data: bytes) -> Path:
    path = folder / "index.json"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("path", INDEXES, ids=str)
def test_every_index_of_spack_holds_the_same(path: Path) -> None:
    data = path.read_bytes()
    if not read_database(data).marks_binaries:
        with pytest.raises(UncutError):
            in_pieces(path, len(data) // 4)
        return
    for parts in (2, 5, MANY + 1):
        assert in_pieces(path, len(data) // parts) == whole(data)


def test_many_pieces_are_shared_by_processes() -> None:
    size = len(INDEX) // (2 * MANY)
    assert len(list(cut(str(BTEST), size))) >= MANY
    assert in_pieces(BTEST, size) == whole(INDEX)


def test_nothing_is_cut_of_what_is_short() -> None:
    with pytest.raises(UncutError):
        read_in_pieces(str(BTEST))


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_damage_anywhere_is_told_as_it_is_of_the_whole(tmp_path: Path, data: st.DataObject) -> None:
    text = bytearray(INDEX)
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.integers(0, len(text) - 1))
        text[place : place + data.draw(st.integers(0, 2))] = data.draw(
            st.sampled_from([b"{", b"}", b"[", b'"', b"\\", b",", b"1", b"}}}", b"null", b'",', b"\xff"])
        )
    path = written(tmp_path, bytes(text))
    try:
        found = in_pieces(path, len(text) // 7)
    except UncutError:
        return
    assert found == whole(bytes(text))


def installs(*entries: dict[str, Any], **more: Any) -> str:
    """An index with these entries one after the other, as JSON."""
    inside = ",".join(json.dumps(each)[1:-1] for each in entries)
    return f'{{"database":{{"version":"8","installs":{{{inside}}}' + "".join(f",{json.dumps(more)[1:-1]}") + "}}"


HALF = dict(list(ENTRIES.items())[:20])
REST = dict(list(ENTRIES.items())[20:])
FIRST = {key: {"spec": entry["spec"] | {"name": "other"}} for key, entry in list(ENTRIES.items())[:1]}

ODD = {
    "an entry twice": installs(HALF, REST, FIRST),
    "two of installs": f'{{"database":{{"installs":{json.dumps(HALF)},"installs":{json.dumps(REST)}}}}}',
    "two of databases": installs(HALF)[:-1] + "," + installs(REST)[1:],
    "entries in another place": f'{{"database":{{"installs":{{}},"more":{json.dumps(ENTRIES)}}}}}',
    "entries within an entry": installs({"a" * 32: {"spec": {"name": "x", "external": ENTRIES}}}),
    "another form of index": json.dumps({"installs": ENTRIES}),
    "text behind it": INDEX.decode() + "}",
    "text that fills the places": installs(HALF, {"the end of a piece": {"spec": {"name": "x"}}}, REST),
    "an old version behind": f'{{"database":{{"installs":{json.dumps(ENTRIES)},"version":"5"}}}}',
}


@pytest.mark.parametrize("what", ODD)
def test_an_odd_index_is_refused_or_holds_the_same(tmp_path: Path, what: str) -> None:
    text = ODD[what].encode()
    path = written(tmp_path, text)
    for parts in range(2, 9):
        try:
            found = in_pieces(path, len(text) // parts)
        except UncutError:
            continue
        assert found == whole(text)


def test_a_damaged_entry_costs_itself_alone(tmp_path: Path) -> None:
    damaged = ENTRIES | {"b" * 32: {"spec": {"name": 1}}, "c" * 32: {"spec": []}}
    data = compact({"database": {"version": "8", "installs": damaged}})
    found, faults = in_pieces(written(tmp_path, data), len(data) // 5)
    assert (found, faults) == whole(data)
    assert found == whole(INDEX)[0]
    assert len(faults) == 2


def test_an_index_that_is_another_one_meanwhile_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, INDEX)
    pieces = list(cut(str(path), len(INDEX) // 4))
    path.unlink()
    written(tmp_path, INDEX)
    from cachetui.sources.buildcache.pieces import read_piece

    with pytest.raises((UncutError, DatabaseError)):
        read_piece(pieces[1], bytearray(pieces[1].room))


def test_what_is_read_while_a_file_grows_is_not_read_again(tmp_path: Path) -> None:
    ahead = Ahead(len(INDEX) // 6)
    path = tmp_path / "index.part"
    with path.open("wb") as file:
        for part in range(10):
            file.write(INDEX[part * len(INDEX) // 10 : (part + 1) * len(INDEX) // 10])
            file.flush()
            ahead.advance(str(path))
    path = path.rename(tmp_path / "index.json")
    read, (found,) = ahead.beginning(str(path))
    assert len(INDEX) / 3 < read < len(INDEX)
    assert len(found[0].hashes) > len(ENTRIES) / 4


@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("is_other", [False, True])
def test_with_the_beginning_of_a_file_the_rest_is_the_whole(tmp_path: Path, share: float, is_other: bool) -> None:
    ahead = Ahead(len(INDEX) // 6)
    begun = INDEX.replace(b'"name":"', b'"name":"x', 1) if is_other else INDEX
    path = written(tmp_path, begun[: int(share * len(INDEX))])
    for _ in range(4):
        ahead.advance(str(path))
    path.write_bytes(INDEX)  # in the same inode
    start, found = ahead.beginning(str(path))
    nodes, faults = read_in_pieces(str(path), size=len(INDEX) // 6, start=start, found=found)
    assert (joined(*nodes), list(faults)) == whole(INDEX)
    assert len(nodes) == (1 if is_other else 2)


def test_what_another_cache_told_of_is_only_marked() -> None:
    database = read_database(INDEX)
    first, second = Joined("./", "tag"), Joined("./", "tag")
    for joining in (first, second):
        joining.add([nodes_of({key: database.entries[key] for key in HALF})], "one")
    assert len(first.known) == len(HALF)
    marked = nodes_of(database.entries, first.known)
    assert len(marked.hashes_in_columns) == len(REST)
    first.add([marked], "two")
    second.add([nodes_of(database.entries)], "two")
    assert finished(first) == finished(second)


def test_what_was_read_of_a_piece_does_not_change_with_the_next_one() -> None:
    reader = PieceReader()
    for piece in cut(str(BTEST), len(INDEX) // 7):
        reader.add(piece, never)
    nodes, _ = reader.result()
    assert joined(nodes) == whole(INDEX)[0]

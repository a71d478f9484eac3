"""The local copy of a mirror: what it holds, what is asked for again, and what stands in for a server."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cachetui.sources.transport.cache import Copy, keep_within, remove, stored_copies
from cachetui.sources.transport.client import Client, Patience
from cachetui.sources.transport.errors import AwayError, FetchError
from tests.support.mirror_server import MirrorServer, falls_silent, serving, status

QUICK = Patience(connect=2.0, silence=1.0, attempts=2, backoff=0.01)

BLOB = b"a blob " * 1000
CHECKSUM = hashlib.sha256(BLOB).hexdigest()
BLOB_PATH = f"blobs/sha256/{CHECKSUM[:2]}/{CHECKSUM}"


@pytest.fixture
def server() -> Iterator[MirrorServer]:
    with serving({"a/index.json": b"one", BLOB_PATH: BLOB}) as running:
        yield running


def copy_of(server: MirrorServer, folder: Path, *, asks: bool = True) -> Copy:
    return Copy(server.url, folder, Client(os.environ, patience=QUICK) if asks else None)


def text(copy: Copy) -> bytes:
    return copy.latest("a/index.json", 1000).keep().read_bytes()


# Files that change


def test_a_file_is_sent_once_and_asked_for_every_time(server: MirrorServer, tmp_path: Path) -> None:
    assert text(copy_of(server, tmp_path)) == b"one"
    before = time.time()
    assert text(copy_of(server, tmp_path)) == b"one"
    assert server.paths == ["a/index.json"] * 2
    assert "If-None-Match" in server.requests[1][1]
    fetched = copy_of(server, tmp_path).fetched("a/index.json")
    assert fetched is not None
    assert before <= fetched.asked <= time.time()


# Blobs


def test_a_blob_is_never_asked_for_again(server: MirrorServer, tmp_path: Path) -> None:
    assert copy_of(server, tmp_path).blob("", CHECKSUM, len(BLOB)).read_bytes() == BLOB
    assert copy_of(server, tmp_path).blob("", CHECKSUM, len(BLOB)).read_bytes() == BLOB
    assert server.paths == [BLOB_PATH]


@pytest.mark.parametrize("checksum", ["../../etc/passwd", "", "A" * 64, "a" * 63, "a" * 64 + "\n", "\x1b[31m"])
def test_a_checksum_that_is_none_is_refused(server: MirrorServer, tmp_path: Path, checksum: str) -> None:
    with pytest.raises(FetchError, match="names a blob that cannot be one") as raised:
        copy_of(server, tmp_path).blob("", checksum, 10)
    assert str(raised.value).isprintable()
    assert server.requests == []


@pytest.mark.parametrize(
    "path", ["../a", "/etc/passwd", "a/../../b", "a//b", "a/.", ".", "", "a/\r\nHost: b", "a\\b", "a\0", "x" * 251]
)
def test_a_path_that_leaves_the_copy_is_refused(server: MirrorServer, tmp_path: Path, path: str) -> None:
    with pytest.raises(FetchError, match="names a file that cannot be one"):
        copy_of(server, tmp_path).latest(path, 1000)
    assert server.requests == []


# Without a server


@pytest.mark.parametrize("fault", [status(500), status(429), falls_silent()])
def test_a_server_that_is_away_is_asked_once(server: MirrorServer, tmp_path: Path, fault: object) -> None:
    text(copy_of(server, tmp_path))
    server.misbehaves("a/index.json", fault)  # type: ignore[arg-type]
    copy, asked = copy_of(server, tmp_path), []
    for _ in range(2):
        with pytest.raises(AwayError):
            copy.latest("a/index.json", 1000, patient=False)
        asked.append(len(server.requests))
    assert asked[0] == asked[1]


# Several at once, and the disk


def test_what_several_want_at_once_is_sent_once(server: MirrorServer, tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        copies = [copy_of(server, tmp_path) for _ in range(8)]
        assert [path.read_bytes() for path in pool.map(lambda each: each.blob("", CHECKSUM, len(BLOB)), copies)] == [
            BLOB
        ] * 8
    assert server.paths == [BLOB_PATH]


def test_a_file_in_the_place_of_the_folder_is_a_line(server: MirrorServer, tmp_path: Path) -> None:
    (tmp_path / "mirrors").write_text("")
    with pytest.raises(FetchError, match=r"cannot be written \(File exists\): CACHETUI_CACHE_DIR names another"):
        text(copy_of(server, tmp_path))


# All copies


def test_copies_are_listed_and_removed(server: MirrorServer, tmp_path: Path) -> None:
    assert stored_copies(tmp_path) == []
    copy_of(server, tmp_path).blob("", CHECKSUM, len(BLOB))
    Copy("https://mirror.example.org/a", tmp_path, None).make()
    newer, older = stored_copies(tmp_path)
    assert (newer.url, older.url) == ("https://mirror.example.org/a", server.url)
    assert older.bytes > len(BLOB) > newer.bytes
    remove(older)
    assert stored_copies(tmp_path) == [newer]


def test_copies_keep_within_their_bytes(server: MirrorServer, tmp_path: Path) -> None:
    for number, name in enumerate(("old", "older", "new")):
        copy = Copy(f"{server.url}/{name}", tmp_path, Client(os.environ, patience=QUICK))
        server.files[f"{name}/{BLOB_PATH}"] = BLOB
        copy.blob("", CHECKSUM, len(BLOB))
        if name != "new":
            hours_ago = time.time() - 7200 * (1 + number)
            os.utime(copy.root / "mirror.json", (hours_ago, hours_ago))
    assert keep_within(tmp_path) == []
    assert [copy.url for copy in keep_within(tmp_path, 2 * len(BLOB) + 4000)] == [f"{server.url}/older"]
    assert [copy.url for copy in keep_within(tmp_path, 0)] == [f"{server.url}/old"]  # the new one is in use


def test_a_beginning_that_is_a_week_old_goes(tmp_path: Path) -> None:
    copy = Copy("https://mirror.example.org/a", tmp_path, None)
    copy.make()
    old, new = copy.root / "parts" / "old", copy.root / "parts" / "new"
    for part in (old, new):
        part.write_bytes(b"beginning")
    week_ago = time.time() - 8 * 86400
    os.utime(old, (week_ago, week_ago))
    keep_within(tmp_path)
    assert (old.exists(), new.exists()) == (False, True)

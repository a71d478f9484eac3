"""The local copy of a mirror: its files, repeated requests, and limits."""

import hashlib
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cachetui.sources.transport.cache import Copy, keep_within, stored_copies
from cachetui.sources.transport.client import Client, Patience
from cachetui.sources.transport.errors import AwayError, FetchError, WrongContentError
from tests.support.mirror_server import Fault, MirrorServer, falls_silent, serving, status

QUICK = Patience(attempts=2, backoff=0.01)

BLOB = b"a blob " * 1000
CHECKSUM = hashlib.sha256(BLOB).hexdigest()
BLOB_PATH = f"blobs/sha256/{CHECKSUM[:2]}/{CHECKSUM}"


@pytest.fixture
def server() -> Iterator[MirrorServer]:
    with serving({"a/index.json": b"one", BLOB_PATH: BLOB}) as running:
        yield running


def copy_of(server: MirrorServer, folder: Path) -> Copy:
    return Copy(server.url, folder, Client(os.environ, patience=QUICK))


def text(copy: Copy) -> bytes:
    return copy.bring("a/index.json", 1000, Path.read_bytes).read_bytes()


def blob(copy: Copy) -> bytes:
    return copy.bring(BLOB_PATH, len(BLOB), Path.read_bytes, checksum=CHECKSUM).read_bytes()


# Files that change


def test_unchanged_file_is_requested_twice_but_downloaded_once(server: MirrorServer, tmp_path: Path) -> None:
    assert text(copy_of(server, tmp_path)) == b"one"
    before = time.time()
    assert text(copy_of(server, tmp_path)) == b"one"
    assert server.paths == ["a/index.json"] * 2
    assert "If-None-Match" in server.requests[1][1]
    asked = copy_of(server, tmp_path).confirmed("a/index.json")
    assert asked is not None
    assert before - 0.1 <= asked <= time.time()


# Blobs


def test_blob_is_requested_only_once(server: MirrorServer, tmp_path: Path) -> None:
    assert blob(copy_of(server, tmp_path)) == BLOB
    assert blob(copy_of(server, tmp_path)) == BLOB
    assert server.paths == [BLOB_PATH]


def test_truncated_blob_in_local_copy_is_downloaded_again(server: MirrorServer, tmp_path: Path) -> None:
    copy = copy_of(server, tmp_path)
    blob(copy)
    os.truncate(copy.place(BLOB_PATH), 0)
    assert blob(copy_of(server, tmp_path)) == BLOB


def test_refused_download_keeps_old_local_copy(server: MirrorServer, tmp_path: Path) -> None:
    text(copy_of(server, tmp_path))
    server.files["a/index.json"] = b"<html>"

    def refuse(file: Path) -> None:
        raise WrongContentError(file.read_text())

    copy = copy_of(server, tmp_path)
    with pytest.raises(WrongContentError, match="<html>"):
        copy.bring("a/index.json", 1000, refuse)
    assert copy.place("a/index.json").read_bytes() == b"one"
    assert {each.suffix for each in (copy.root / "parts").iterdir()} == {".lock"}


def test_damaged_file_of_local_copy_is_fetched_again(server: MirrorServer, tmp_path: Path) -> None:
    text(copy_of(server, tmp_path))
    copy_of(server, tmp_path).place("a/index.json").write_bytes(b"")

    def accept(file: Path) -> None:
        if not file.stat().st_size:
            raise WrongContentError("empty")

    with pytest.raises(WrongContentError):
        copy_of(server, tmp_path).bring("a/index.json", 1000, accept)
    assert copy_of(server, tmp_path).bring("a/index.json", 1000, accept).read_bytes() == b"one"


@pytest.mark.parametrize(
    "path", ["../a", "/etc/passwd", "a/../../b", "a//b", "a/.", ".", "", "a/\r\nHost: b", "a\\b", "a\0", "x" * 251]
)
def test_path_outside_local_copy_is_refused(server: MirrorServer, tmp_path: Path, path: str) -> None:
    with pytest.raises(FetchError, match="refers to a file with an invalid name"):
        copy_of(server, tmp_path).bring(path, 1000, Path.read_bytes)
    assert server.requests == []


# Without a server


@pytest.mark.parametrize("fault", [status(500), status(429), falls_silent()])
def test_unreachable_server_gets_no_further_requests(server: MirrorServer, tmp_path: Path, fault: Fault) -> None:
    text(copy_of(server, tmp_path))
    server.misbehaves("a/index.json", fault)
    copy, asked = copy_of(server, tmp_path), []
    for _ in range(2):
        with pytest.raises(AwayError):
            copy.bring("a/index.json", 1000, Path.read_bytes, until=time.monotonic() + 0.1)
        asked.append(len(server.requests))
    assert asked[0] == asked[1]


# Parallel readers, and the disk


def test_parallel_readers_download_blob_only_once(server: MirrorServer, tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        copies = [copy_of(server, tmp_path) for _ in range(8)]
        assert list(pool.map(blob, copies)) == [BLOB] * 8
    assert server.paths == [BLOB_PATH]


def test_file_in_place_of_cache_folder_gives_one_line_error(server: MirrorServer, tmp_path: Path) -> None:
    (tmp_path / "mirrors").write_text("")
    with pytest.raises(FetchError, match=r"is a link or a file, not a folder\): set CACHETUI_CACHE_DIR to another"):
        text(copy_of(server, tmp_path))


# All copies


def test_local_copies_are_listed_newest_first(server: MirrorServer, tmp_path: Path) -> None:
    assert stored_copies(tmp_path) == []
    blob(copy_of(server, tmp_path))
    Copy("https://mirror.example.org/a", tmp_path, None).make()
    newer, older = stored_copies(tmp_path)
    assert (newer.url, older.url) == ("https://mirror.example.org/a", server.url)
    assert older.bytes > len(BLOB) > newer.bytes


def test_abandoned_downloads_are_removed(server: MirrorServer, tmp_path: Path) -> None:
    copy = copy_of(server, tmp_path)
    blob(copy)
    parts = copy.root / "parts"
    before = set(parts.iterdir())
    assert [part.suffix for part in before] == [".lock"]
    young, old = "a" * 20, "b" * 20
    for name, days in ((young, 6), (old, 8), (f"{old}.strong", 8), ("payroll.db", 8)):
        (parts / name).touch()
        os.utime(parts / name, (time.time() - days * 86_400,) * 2)
    keep_within(tmp_path)
    assert set(parts.iterdir()) == before | {parts / young, parts / "payroll.db"}


def test_oldest_local_copies_are_removed_above_size_limit(server: MirrorServer, tmp_path: Path) -> None:
    for number, name in enumerate(("old", "older", "new")):
        copy = Copy(f"{server.url}/{name}", tmp_path, Client(os.environ, patience=QUICK))
        server.files[f"{name}/{BLOB_PATH}"] = BLOB
        blob(copy)
        if name != "new":
            hours_ago = time.time() - 7200 * (1 + number)
            os.utime(copy.root / "mirror.json", (hours_ago, hours_ago))

    def left(most: int) -> set[str]:
        keep_within(tmp_path, most)
        return {each.url.rpartition("/")[2] for each in stored_copies(tmp_path)}

    assert left(4 * len(BLOB)) == {"old", "older", "new"}
    assert left(2 * len(BLOB) + 4000) == {"old", "new"}
    assert left(0) == {"new"}  # it is in use

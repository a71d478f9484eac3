"""The index of a build cache on a server and in its local copy: both layouts, changes, damage, removal."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cachetui.sources.buildcache.fetched_index import bring_index
from cachetui.sources.buildcache.layouts import V2_INDEX, V3_INDEX
from cachetui.sources.transport.cache import Copy
from cachetui.sources.transport.client import Client, Patience
from cachetui.sources.transport.errors import WrongContentError
from tests.support.mirror_server import MirrorServer, sends, serving, status

QUICK = Patience(attempts=2, backoff=0.01)

BOTH = (V3_INDEX, V2_INDEX)

ONE, TWO, OLD = (b'{"database": {"version": "%b", "installs": {}}}' % name for name in (b"8", b"7", b"6"))
"""Indexes."""


def push(server: MirrorServer, index: bytes, **changed: object) -> str:
    """Put an index of layout v3 on the server; return the path of its blob."""
    digest = hashlib.sha256(index).hexdigest()
    record = {
        "contentLength": len(index),
        "mediaType": "application/vnd.spack.db.v8+json",
        "compression": "none",
        "checksumAlgorithm": "sha256",
        "checksum": digest,
    }
    server.files[V3_INDEX] = json.dumps({"version": 3, "data": [record | changed]}).encode()
    path = f"blobs/sha256/{digest[:2]}/{digest}"
    server.files[path] = index
    return path


@pytest.fixture
def server() -> Iterator[MirrorServer]:
    with serving({}) as running:
        yield running


def copy_of(server: MirrorServer, folder: Path) -> Copy:
    return Copy(server.url, folder, Client(os.environ, patience=QUICK))


def content(folder: Path) -> dict[str, bytes]:
    """Return the files of the only local copy, by path."""
    (files,) = folder.glob("mirrors/*/files")
    return {str(path.relative_to(files)): path.read_bytes() for path in files.rglob("*") if path.is_file()}


def test_new_index_replaces_old_blob_in_local_copy(server: MirrorServer, tmp_path: Path) -> None:
    for index in (ONE, TWO):
        blob = push(server, index)
        server.requests.clear()
        for asked in ({*BOTH, blob}, {*BOTH}):  # both layouts in parallel: one round trip
            bring_index(copy_of(server, tmp_path), "")
            assert set(server.paths) == asked
            assert content(tmp_path) == {V3_INDEX: server.files[V3_INDEX], blob: index}
            server.requests.clear()


def test_index_removed_from_server_is_removed_from_local_copy(server: MirrorServer, tmp_path: Path) -> None:
    blob = push(server, ONE)
    server.files[V2_INDEX] = OLD
    bring_index(copy_of(server, tmp_path), "")
    assert content(tmp_path) == {V3_INDEX: server.files[V3_INDEX], blob: ONE, V2_INDEX: OLD}
    del server.files[V2_INDEX]
    bring_index(copy_of(server, tmp_path), "")
    assert V2_INDEX not in content(tmp_path)


# Pushed during a download


def test_index_replaced_during_download_is_fetched_again(server: MirrorServer, tmp_path: Path) -> None:
    old = push(server, ONE)
    manifest = server.files[V3_INDEX]
    new = push(server, TWO)
    server.misbehaves(V3_INDEX, sends(manifest), None)
    del server.files[old]
    bring_index(copy_of(server, tmp_path), "", [V3_INDEX])
    assert content(tmp_path) == {V3_INDEX: server.files[V3_INDEX], new: TWO}


@pytest.mark.parametrize("changed", [{}, {"contentLength": 4}, {"checksum": "0" * 64}])
def test_index_blob_with_wrong_content_never_replaces_local_copy(
    server: MirrorServer, tmp_path: Path, changed: dict[str, object]
) -> None:
    push(server, ONE)
    bring_index(copy_of(server, tmp_path), "")
    before = content(tmp_path)
    blob = push(server, TWO, **changed)
    server.files[blob] = b"x" * len(TWO)
    (old,) = bring_index(copy_of(server, tmp_path), "")
    assert isinstance(old.why, WrongContentError)
    assert content(tmp_path) == before
    assert server.paths.count(V3_INDEX) == 3


@pytest.mark.parametrize(
    "manifest",
    [
        *({"checksum": "../../../../etc/passwd"}, {"checksum": 5}, {"checksumAlgorithm": "md5"}),
        *({"contentLength": -1}, {"contentLength": 2**62}, {"mediaType": "application/pgp-keys"}),
        *(b"", b"{", b"[" * 100_000, b'{"data": 5}', b"\xff\xfe", b"<html></html>"),
    ],
)
def test_invalid_index_manifest_is_an_error(
    server: MirrorServer, tmp_path: Path, manifest: dict[str, object] | bytes
) -> None:
    if isinstance(manifest, bytes):
        server.files[V3_INDEX] = manifest
    else:
        push(server, ONE, **manifest)
    with pytest.raises(WrongContentError, match=r"index\.manifest\.json is not the manifest of an index"):
        bring_index(copy_of(server, tmp_path), "")
    assert content(tmp_path) == {}


# Missing, or unreachable for now


def test_forbidden_index_of_layout_v3_falls_back_to_v2(server: MirrorServer, tmp_path: Path) -> None:
    server.misbehaves(V3_INDEX, status(403))
    server.files[V2_INDEX] = ONE
    bring_index(copy_of(server, tmp_path), "")
    assert content(tmp_path) == {V2_INDEX: ONE}


def test_index_of_layout_v2_with_invalid_content_is_an_error(server: MirrorServer, tmp_path: Path) -> None:
    push(server, ONE)
    server.misbehaves(V2_INDEX, sends(b"x", Content_Encoding="gzip"))
    for _ in range(2):
        with pytest.raises(WrongContentError):
            bring_index(copy_of(server, tmp_path), "")

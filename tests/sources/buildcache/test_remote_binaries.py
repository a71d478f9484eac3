"""Sizes of binaries on servers: single parallel requests, each only once, and faulty servers."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from cachetui.catalogue import Catalogue
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.remote_binaries import RemoteBinaries, Sizes, has_urls
from cachetui.sources.source import Asking
from cachetui.workers.cancelling import never
from tests.support.caches import CACHES, files_of
from tests.support.mirror_server import (
    Fault,
    MirrorServer,
    breaks_off,
    falls_silent,
    redirect,
    sends,
    serving,
    status,
)
from tests.support.sample_mirror import CACHE, FOLDER

V2 = CACHES / "v2/spack-0.23.1/develop/btest"


@pytest.fixture
def server() -> Iterator[MirrorServer]:
    """Serve the build cache of the sample."""
    with serving(files_of(FOLDER / CACHE)) as running:
        yield running


def index_at(url: str) -> Index:
    return Catalogue(url, Settings(os.environ), index_cache=False).load()


def sizes(index: Index, *, offline: bool = False) -> Sizes:
    return Sizes(index, RemoteBinaries(Settings(os.environ), Asking(offline=offline)))


def hashes(index: Index) -> list[str]:
    return sorted({index.spec(row).hash or "" for row in index.all_rows})


def manifests(server: MirrorServer) -> list[str]:
    return [path for path in server.paths if "/manifests/spec/" in path]


def manifest_of(server: MirrorServer, spec_hash: str) -> str:
    return next(path for path in server.files if path.endswith(f"-{spec_hash}.spec.manifest.json"))


def test_size_of_each_binary_is_requested_only_once(server: MirrorServer) -> None:
    index = index_at(server.url)
    assert has_urls(index.graph)
    wanted = hashes(index)
    here = Catalogue(str(FOLDER), Settings(), index_cache=False).load()
    assert dict(sizes(index).each(wanted)) == {each: Sizes(here)(each) for each in wanted}
    assert len(manifests(server)) == len(wanted)
    assert sizes(index)(wanted[0]) == 43
    assert len(manifests(server)) == len(wanted)
    server.shutdown()
    assert sizes(index, offline=True)(wanted[0]) == 43


def test_requests_for_sizes_stop_soon_after_cancellation(server: MirrorServer) -> None:
    index = index_at(server.url)
    for path in list(server.files):
        server.misbehaves(path, falls_silent())
    given_up = threading.Event()
    asked = Sizes(index, RemoteBinaries(Settings(os.environ), Asking()), given_up.is_set)
    threading.Timer(0.1, given_up.set).start()
    assert not [size for _, size in asked.each(hashes(index)) if size is not None]
    assert given_up.is_set()


@pytest.mark.parametrize(
    "fault",
    [
        status(404),
        status(403),
        status(500),
        redirect("file:///etc/passwd"),
        breaks_off(20),
        sends(b"{}"),
        sends(b'{"data": [{"mediaType": "application/vnd.spack.install.v2.tar+gzip", "checksum": "x"}]}'),
        sends(b"[" * 100_000),
        sends(b"\x00" * 2_000_000),
    ],
)
def test_faulty_server_response_hides_only_the_size_of_one_binary(server: MirrorServer, fault: Fault) -> None:
    index = index_at(server.url)
    first, second, *_ = hashes(index)
    server.misbehaves(manifest_of(server, first), fault)
    asked = sizes(index)
    assert asked(first) is None
    assert sizes(index)(second) == 43


def test_layout_v2_reports_length_of_tarball_as_size() -> None:
    with serving(files_of(V2)) as server:
        index = index_at(server.url)
        tarballs = {path[-38:-6]: path for path in server.files if path.endswith(".spack")}
        (spec_hash, path), *_ = tarballs.items()
        assert sizes(index)(spec_hash) == len(server.files[path])
        assert server.paths.count(path) == 1
        other = next(each for each in hashes(index) if each not in tarballs)
        assert sizes(index)(other) is None


@pytest.mark.parametrize("name", ["../../x", "..", "/etc/passwd", "x\r\nHost: y", "a?b#c", "\x1b"])
def test_requests_for_hostile_package_name_stay_below_cache_url(server: MirrorServer, homes: Path, name: str) -> None:
    spec = replace(index_at(server.url).spec(0), package=name, compiler=name)
    server.requests.clear()
    copies = set(homes.glob("cache/mirrors/*"))
    assert RemoteBinaries(Settings(os.environ), Asking()).size(server.url, spec, never) is None
    folders = ("v3/manifests/spec/", "build_cache/linux-")
    assert all(path.startswith(folders) and ".." not in path.split("/") for path in server.paths)
    assert len(set(homes.glob("cache/mirrors/*")) - copies) <= 1

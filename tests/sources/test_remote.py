"""Build caches on a server equal those in folders; changes on the server are detected."""

import os
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cachetui.catalogue import Catalogue
from cachetui.model.spec import Spec
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from cachetui.sources.source import Asking, ContentError, Progress
from tests.support.cache_list import LISTING, listed_files, listing
from tests.support.caches import CACHES, files_of, index_of_folder, large_index, specs_of
from tests.support.certificates import Authority
from tests.support.mirror_server import MirrorServer, dawdles, serving
from tests.support.proxy import tunnelling
from tests.support.registries import registry_files

V3 = "v3/spack-1.1.0/develop"


@pytest.fixture
def server() -> Iterator[MirrorServer]:
    """Serve all caches that Spack wrote."""
    with serving(files_of(CACHES)) as running:
        yield running


@pytest.fixture
def listed() -> Iterator[MirrorServer]:
    """Serve two tags, and a list of their build caches."""
    with serving(listed_files("develop", "develop-2026-01-04")) as running:
        yield running


def opened(url: str, **asking: bool | tuple[str, ...]) -> Catalogue:
    return Catalogue(url, Settings(os.environ), asking=Asking(**asking))  # type: ignore[arg-type]  # a field each


def specs(index: Index) -> list[tuple[str | None, Spec]]:
    return sorted(((spec.hash, spec) for spec in specs_of(index)), key=lambda each: str(each[0]))


def as_tag(found: list[tuple[str | None, Spec]]) -> list[tuple[object, ...]]:
    return [
        (spec_hash, spec.package, spec.version, spec.compiler, spec.variants, spec.stacks) for spec_hash, spec in found
    ]


@pytest.mark.parametrize(
    "cache",
    [
        f"{V3}/btest",
        f"{V3}/tools",
        "v3/migrated-by-1.1.0/tools-v2-and-v3",
        "v2/spack-0.23.1/develop/btest",
        "v2/spack-0.23.1/spliced",
        "v2/spack-0.18/signed",
    ],
)
def test_cache_on_server_gives_same_specs_as_local_folder(server: MirrorServer, cache: str) -> None:
    index = opened(f"{server.url}/{cache}").current()
    assert specs(index)
    assert as_tag(specs(index)) == as_tag(specs(index_of_folder(CACHES / cache)))
    (tag,) = index.tags
    assert tag == cache.rpartition("/")[2]
    assert index.graph.mirror(tag, ()) == f"{server.url}/{cache}"  # the URL that a user gives to Spack


@pytest.mark.parametrize("last", ["v3", "site/build_cache"])
@pytest.mark.parametrize("cache", [f"{V3}/tools", "v2/spack-0.23.1/develop/tools"])
def test_cache_in_folder_with_name_of_a_layout_is_copied(last: str, cache: str) -> None:
    files = {f"{last}/{path}": data for path, data in files_of(CACHES / cache).items()}
    with serving(files) as server:
        found = specs(opened(url := f"{server.url}/{last}").current())
        asked = len(server.requests)
        assert specs(opened(url).current()) == found
        assert len(server.requests) - asked <= 3
    assert specs(opened(url, offline=True).current()) == found
    away = Catalogue(url, Settings(os.environ), asking=Asking(until=0))
    assert specs(away.current()) == found
    assert [stale.url for stale in away.stale] == [url]
    assert {spec.tag for _, spec in found} == {last.rpartition("/")[2]}


@pytest.mark.parametrize("inside", ["v3", "build_cache"])
def test_url_of_folder_inside_cache_opens_cache(server: MirrorServer, inside: str) -> None:
    cache = f"{server.url}/{V3}/tools"
    found = opened(f"{cache}/{inside}").current()
    assert specs(found) == specs(opened(cache).current())
    assert found.graph.mirror("tools", ()) == cache
    assert specs(opened(f"{cache}/{inside}", offline=True).current()) == specs(found)
    for place, offline in (("nowhere", False), ("never-seen", True)):
        with pytest.raises(ContentError, match=f"{place}/{inside}"):
            opened(f"{server.url}/{place}/{inside}", offline=offline).current()


def test_all_specs_of_old_index_without_binary_flags_are_listed(server: MirrorServer) -> None:
    index = opened(f"{server.url}/v2/spack-0.16/signed").current()
    of_folder = index_of_folder(CACHES / "v2/spack-0.16/signed")
    assert {spec_hash for spec_hash, _ in specs(of_folder)} <= {spec_hash for spec_hash, _ in specs(index)}


def test_second_start_downloads_only_changes(server: MirrorServer) -> None:
    url = f"{server.url}/{V3}/btest"
    first = opened(url).current()
    server.requests.clear()
    assert specs(opened(url).current()) == specs(first)
    assert len(server.requests) == 2  # both layouts in parallel
    server.requests.clear()
    offline = opened(url, offline=True)
    assert specs(offline.current()) == specs(first)
    assert server.requests == []
    assert offline.notes == [
        f"using the local copy of {url} from less than a minute ago, because --offline allows no request"
    ]


def test_refresh_reads_new_specs_of_server(server: MirrorServer) -> None:
    url = f"{server.url}/{V3}/btest"
    catalogue = opened(url)
    index = catalogue.current()
    for path, data in files_of(CACHES / V3 / "tools").items():
        server.files[f"{V3}/btest/{path}"] = data
    refreshed = catalogue.refresh(index)
    assert refreshed is not index
    assert as_tag(specs(refreshed)) == as_tag(specs(index_of_folder(CACHES / V3 / "tools")))
    assert as_tag(specs(opened(url).current())) == as_tag(specs(refreshed))


def test_url_without_cache_leaves_no_local_copy(server: MirrorServer, home: Path) -> None:
    with pytest.raises(ContentError, match="is not a build cache: "):
        opened(f"{server.url}/nowhere").current()
    assert list(home.rglob("mirror.json")) == []


def test_unusable_cache_folder_gives_one_line_error(server: MirrorServer) -> None:
    environ = {**os.environ, "CACHETUI_CACHE_DIR": "/tmp/" + "x" * 300}
    with pytest.raises(ContentError, match=r"cannot be used \(File name too long\): set CACHETUI_CACHE_DIR to another"):
        Catalogue(f"{server.url}/{V3}/btest", Settings(environ), index_cache=False).current()


@pytest.mark.parametrize("scheme", ["", "oci+"])
def test_first_specs_appear_during_download(server: MirrorServer, scheme: str) -> None:
    index = large_index(3000)
    server.files |= {"large/build_cache/index.json": index, **registry_files(index, name="large")}
    is_shown = threading.Event()
    for path in [path for path, content in server.files.items() if content == index]:
        server.misbehaves(path, dawdles(3 * len(index) // 4, is_shown))
    seen: list[tuple[int, str]] = []

    def progressed(so_far: Index, progress: Progress) -> None:
        seen.append((len(so_far), progress.transfer))
        is_shown.set()

    whole = opened(f"{scheme}{server.url}/large", previews=True).load(progressed)
    assert len(whole) == 3000
    assert 0 < seen[0][0] < len(whole) == seen[-1][0]
    assert f" of {len(index) / 1e6:.1f} MB, " in seen[0][1]
    assert specs(whole) == specs(opened(f"{scheme}{server.url}/large").current())


def test_index_in_place_of_cache_list_is_an_error(server: MirrorServer) -> None:
    server.files[f"large/{LISTING}"] = large_index(3000)
    server.rate = 10e6
    with pytest.raises(ContentError, match="the file is not a list of build caches"):
        opened(f"{server.url}/large", previews=True).load(lambda so_far, progress: None)


# A server that lists its caches


def test_only_first_listed_tag_is_read_by_default(listed: MirrorServer) -> None:
    catalogue = opened(listed.url)
    index = catalogue.current()
    assert list(index.tags) == ["develop"]
    assert {stack for _, spec in specs(index) for stack in spec.stacks} == {"btest", "tools"}
    assert index.graph.mirror("develop", ("tools",)) == f"{listed.url}/develop/tools"
    assert catalogue.notes == [
        f"opened only develop of {listed.url}; 1 other tag: select one with --tag, or all with --all-tags"
    ]
    assert not [path for path in listed.paths if path.startswith("develop-2026-01-04")]


@pytest.mark.parametrize("asking", [{"tags": ("develop-2026-01-04",)}, {"all_tags": True}])
def test_requested_tags_of_server_are_read(listed: MirrorServer, asking: dict[str, bool | tuple[str, ...]]) -> None:
    opened(listed.url).current()
    assert list(opened(listed.url, **asking).current().tags) == ["develop", "develop-2026-01-04"]


def test_tag_removed_from_the_server_disappears(listed: MirrorServer) -> None:
    opened(listed.url, all_tags=True).current()
    listed.files[LISTING] = listing("develop")
    assert list(opened(listed.url).current().tags) == ["develop"]


def test_parallel_readers_of_a_list_of_caches_all_succeed(listed: MirrorServer) -> None:
    with ThreadPoolExecutor(4) as pool:
        indexes = list(pool.map(lambda _: opened(listed.url).current(), range(4)))
    for index in indexes:
        assert {stack for _, spec in specs(index) for stack in spec.stacks} == {"btest", "tools"}


def test_missing_cache_in_list_does_not_affect_other_caches(listed: MirrorServer) -> None:
    for path in [path for path in listed.files if path.startswith("develop/tools/")]:
        del listed.files[path]
    catalogue = opened(listed.url)
    index = catalogue.current()
    assert {stack for _, spec in specs(index) for stack in spec.stacks} == {"btest"}
    assert "develop/tools is in the server's list, but cannot be read" in catalogue.notes[0]


def test_url_scheme_spack_opens_public_server(
    listed: MirrorServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = Authority(tmp_path)
    with (
        serving(listed.files, authority.context("binaries.spack.io")) as public,
        tunnelling(public.server_address[1]) as (proxy, asked),
    ):
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.trusted))
        monkeypatch.setenv("https_proxy", proxy)
        assert list(opened("spack:").current().tags) == ["develop"]
        assert all(head.startswith("CONNECT binaries.spack.io:443 ") for head in asked)
        of_tag = opened("spack:develop-2026-01-04").current()
        assert list(of_tag.tags) == ["develop-2026-01-04"]
        assert {stack for _, spec in specs(of_tag) for stack in spec.stacks} == {"btest", "tools"}
        of_stack = opened("spack:develop/tools").current()
        assert as_tag(specs(of_stack)) == as_tag(specs(index_of_folder(CACHES / V3 / "tools")))


def test_file_url_opens_local_folder(tmp_path: Path) -> None:
    shutil.copytree(CACHES / V3 / "btest", tmp_path / "my mirror")
    index = Catalogue(f"file://{tmp_path}/my%20mirror", Settings(os.environ)).current()
    assert list(index.tags) == ["my mirror"]


def test_requested_tags_of_several_servers_are_fetched(listed: MirrorServer) -> None:
    with serving(listed_files("develop", "develop-2026-01-04", "v1.0")) as other:
        ours, theirs = (server.url.rpartition("/")[2] for server in (listed, other))
        catalogue = Catalogue((listed.url, other.url), Settings(os.environ))
        index = catalogue.load()
        more = catalogue.source
        assert set(index.tags) == {f"{ours}/develop", f"{theirs}/develop"}
        unread = [f"{ours}/develop-2026-01-04", f"{theirs}/develop-2026-01-04", f"{theirs}/v1.0"]
        assert sorted(more.unread_tags(index.tags)) == sorted(unread)
        for tag in (f"{theirs}/v1.0", f"{theirs}/develop-2026-01-04"):
            more.ask_for(tag)
            before, index = index, catalogue.refresh(index)
            assert set(index.tags) - set(before.tags) == {tag}
            unread.remove(tag)
            assert sorted(more.unread_tags(index.tags)) == sorted(unread)

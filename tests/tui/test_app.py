"""The app gives a newer index to all open screens, and ends if the content is unreadable."""

import hashlib
import json
import os
import shutil
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

import pytest
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.catalogue import Catalogue
from cachetui.cli.session import checked_tag
from cachetui.query.query import Query
from cachetui.settings.settings import Settings
from cachetui.sources.source import Asking
from cachetui.store.graph import Graph
from cachetui.tui.app import BrowserApp, ContentReading, first_view
from cachetui.tui.frame import TagAsked
from tests.support.aged import aged
from tests.support.caches import CACHES, files_of, index_of_folder
from tests.support.drive import HOST, WIDE, Drive
from tests.support.large_cache import write_large_cache
from tests.support.mirror_server import serving
from tests.support.registries import registry_files
from tests.support.rows import row, write

ROWS = [row(), row(target="zen4"), row("zlib", "1.3"), row("zlib", "1.3", stacks=["hep"])]


def opened(folder: Path) -> BrowserApp:
    catalogue = Catalogue(str(folder), Settings(), index_cache=False)
    return BrowserApp(catalogue, first_view(catalogue, Settings(fits=HOST)), content=str(folder))


def test_newer_index_reaches_all_open_screens(drive: Drive, tmp_path: Path) -> None:
    folder = aged(write(tmp_path / "content", ROWS))
    pilot = drive(opened(folder), WIDE)
    pilot.press("j", "enter", "space", "c")
    assert "1 packages" not in pilot.text
    write(folder, [*ROWS, row("adios2", "2.10")])
    pilot.press("r")
    assert "adios2" in pilot.text
    pilot.press("escape")
    assert "5 of 5 specs" in pilot.text
    assert "zlib · 2 specs" in pilot.text
    assert "1 marked" in pilot.text


def test_slow_graph_walks_never_run_in_main_thread(
    drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Queries, the key `w` and a newer index walk the graph in threads. If keys come fast, only the last one counts."""
    walked: list[bool] = []

    def walk(graph: Graph, *words: Any) -> BitMap:
        walked.append(current_thread() is main_thread())
        return dependents(graph, *words)

    dependents = Graph.dependents_in_tag
    monkeypatch.setattr(Graph, "dependents_in_tag", walk)
    monkeypatch.setattr("cachetui.search.index.QUICK_ROWS", 0)
    folder = aged(write_large_cache(tmp_path / "cache", 100))
    index_of_folder(folder).rows(Query.parse("^cxx", has_graph=True))
    once = len(walked)
    walked.clear()
    pilot = drive(opened(folder), WIDE)
    pilot.press("slash", *"^cxx", "enter")
    pilot.wait_until(lambda: "/ ^cxx " in pilot.text and "counting" not in pilot.text)
    assert len(walked) == once
    pilot.press("w")
    pilot.wait_until(lambda: "counting" not in pilot.text)
    pilot.press("escape")
    walked.clear()
    shutil.rmtree(folder)
    write_large_cache(folder, 120)
    pilot.press("r")
    pilot.wait_until(lambda: "of 120 specs" in pilot.text)
    assert walked
    assert not any(walked)


@pytest.mark.parametrize("is_saved", [False, True])
def test_browser_ends_if_content_is_unreadable(drive: Drive, tmp_path: Path, is_saved: bool) -> None:
    folder = write(tmp_path / "content", ROWS)
    catalogue = Catalogue(str(folder), Settings({"CACHETUI_CACHE_DIR": str(tmp_path / "cache")}))
    if is_saved:
        catalogue.load()
    app = BrowserApp(catalogue, first_view(catalogue, Settings(fits=HOST)))
    assert bool(len(app._first.state.view.index)) == is_saved
    shutil.rmtree(folder)
    drive(app, WIDE)
    assert str(folder) in str(app.refusal)


def test_failed_reload_leaves_content_on_screen(drive: Drive, tmp_path: Path) -> None:
    folder = write(tmp_path / "content", ROWS)
    app = opened(folder)
    pilot = drive(app, WIDE)
    shutil.rmtree(folder)
    pilot.press("r")
    assert "cannot be read" in pilot.text
    assert "4 of 4 specs" in pilot.lines[0]
    assert app.refusal is None


@pytest.mark.parametrize(("tag", "refusal"), [("develop", "None"), ("v1.0.0", "no tag v1.0.0; tags: develop")])
def test_tag_from_command_line_is_checked_only_at_start(drive: Drive, tmp_path: Path, tag: str, refusal: str) -> None:
    folder = aged(write(tmp_path / "content", ROWS))
    catalogue = Catalogue(str(folder), Settings(), index_cache=False)
    app = BrowserApp(catalogue, first_view(catalogue, Settings(fits=HOST)), check=lambda index: checked_tag(index, tag))
    pilot = drive(app, WIDE)
    assert str(app.refusal) == refusal
    if app.refusal is None:
        shutil.rmtree(folder)
        write(folder, [row(tag="other")])
        pilot.press("r")
        assert "1 of 1 specs" in pilot.lines[0]


def test_possibly_outdated_local_copy_is_a_warning(drive: Drive, tmp_path: Path) -> None:
    environ = {"CACHETUI_CACHE_DIR": str(tmp_path)}
    with serving(files_of(CACHES / "v3/spack-1.1.0/develop/tools")) as server:
        Catalogue(server.url, Settings(environ)).load()
    catalogue = Catalogue(server.url, Settings(environ), asking=Asking(offline=True))
    pilot = drive(BrowserApp(catalogue, first_view(catalogue, Settings(fits=HOST))), WIDE)
    assert "! offline" in pilot.lines[1]
    pilot.press("exclamation_mark")
    assert (
        f"using the local copy of {server.url} from less than a minute ago, because --offline allows no request"
        in pilot.text
    )


def test_details_of_selected_registry_spec_are_downloaded(drive: Drive) -> None:
    spec_hash = "a" * 32
    tag = f"zlib-1.3-{spec_hash}.spack"
    arch = {"platform": "linux", "platform_os": "rhel8", "target": "zen4"}
    node = {"name": "zlib", "version": "1.3", "hash": spec_hash, "arch": arch}
    config = json.dumps({"architecture": "amd64", "spec": {"_meta": {"version": 5}, "nodes": [node]}}).encode()
    digest = hashlib.sha256(config).hexdigest()
    layers = [{"digest": f"sha256:{'0' * 64}", "size": 1234}]
    manifest = {"config": {"digest": f"sha256:{digest}", "size": len(config)}, "layers": layers}
    files = registry_files(b"", [tag, "latest"])
    del files["v2/site/cache/manifests/index.spack"]
    files |= {f"v2/site/cache/manifests/{tag}": json.dumps(manifest).encode()}
    files |= {f"v2/site/cache/blobs/sha256:{digest}": config}
    with serving(files) as server:
        asking, settings = Asking(list_tags=True), Settings(os.environ, fits=HOST)
        catalogue = Catalogue(f"oci+{server.url}/site/cache", settings, asking=asking)
        pilot = drive(BrowserApp(catalogue, first_view(catalogue, settings), asking=asking), WIDE)
        assert "! from tag names" in pilot.lines[1]
        assert not any(tag in path for path in server.paths)
        pilot.press("enter")
        pilot.wait_until(lambda: "arch=linux-rhel8-zen4" in pilot.text)
        assert [path for path in server.paths if tag in path] == [f"v2/site/cache/manifests/{tag}"]
        pilot.press("escape", "enter")
        assert len([path for path in server.paths if tag in path or digest in path]) == 2


def test_progress_is_shown_only_during_first_reading() -> None:
    reading = ContentReading("reading", is_first=True)
    shown = [(reading := reading.arrived(each)).progress for each in ("reading 5 %", "", "comparing", "")]
    assert shown == ["reading 5 %", "", "", ""]


def test_requested_tag_is_shown_after_all_updates_have_ended() -> None:
    tag = TagAsked(["v1.0.0"])
    reading = replace(ContentReading(), tag=tag).asked(False).asked(True).asked(False)
    assert reading.again is True
    assert (reading.ended().tag, reading.ended().again, reading.ended().ended().tag) == (tag, None, None)

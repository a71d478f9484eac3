"""Machine faults while an index is saved or read: all data are kept, all answers are right, a line reports them."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from cachetui.catalogue import Catalogue
from cachetui.settings.folders import CHECKED
from cachetui.settings.settings import Settings
from cachetui.sources.source import Asking
from cachetui.store.columns import Columns
from cachetui.store.index_cache import read_index, write_index
from tests.support.aged import aged
from tests.support.caches import CACHES, files_of, packages_of
from tests.support.mirror_server import serving
from tests.support.places import CACHETUI
from tests.support.rows import index_of, row, write

CONTENT = "/content"

OLD = index_of([row("hdf5", tag=f"v{number}") for number in range(5)]).columns
NEW = index_of([row("zlib", tag=f"v{number}") for number in range(50)]).columns

Environ = dict[str, str]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An index cache."""
    path = tmp_path / "cache" / "x.index"
    write_index(str(path), CONTENT, OLD, 1.0, "")
    return path


def save_until(file: Path, size: int, action: signal.Handlers) -> int:
    """Save the index in a process that may write only this number of bytes; return its status from `os.waitpid`."""
    child = os.fork()
    if not child:
        signal.signal(signal.SIGXFSZ, action)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        try:
            write_index(str(file), CONTENT, NEW, 2.0, "")
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def saved(file: Path) -> Columns:
    return read_index(str(file), CONTENT)[0]


def size_of(columns: Columns, folder: Path) -> int:
    write_index(str(folder / "whole"), CONTENT, columns, 2.0, "")
    return (folder / "whole").stat().st_size


@pytest.mark.parametrize("step", [199, pytest.param(1, marks=pytest.mark.soak)])
def test_killed_save_keeps_old_index_cache(file: Path, tmp_path: Path, step: int) -> None:
    whole = size_of(NEW, tmp_path)
    for size in range(0, whole, step):
        assert save_until(file, size, signal.SIG_DFL) == signal.SIGXFSZ
        assert saved(file) == OLD
        for left in file.parent.glob("*.new"):
            left.unlink()
    assert save_until(file, whole, signal.SIG_DFL) == 0
    assert saved(file) == NEW


@pytest.mark.parametrize("step", [997, pytest.param(1, marks=pytest.mark.soak)])
def test_full_disk_leaves_the_old_index_cache_unchanged(file: Path, tmp_path: Path, step: int) -> None:
    whole = size_of(NEW, tmp_path)
    for size in range(0, whole, step):
        assert os.waitstatus_to_exitcode(save_until(file, size, signal.SIG_IGN)) == 1
        assert saved(file) == OLD
        assert {*os.listdir(file.parent)} - {file.name + CHECKED} == {file.name}


# Content


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return aged(write(tmp_path / "content", [row(name) for name in ("hdf5", "zlib")]))


@pytest.fixture
def environ(tmp_path: Path) -> Environ:
    return {"CACHETUI_CACHE_DIR": str(tmp_path / "cache")}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a file system can only be mounted by root")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_full_disk_during_save_is_only_a_warning(content: Path, small_disk: Path) -> None:
    environ = {"CACHETUI_CACHE_DIR": str(small_disk / "cache")}
    assert packages_of(Catalogue(str(content), Settings(environ)).load()) == ["hdf5", "zlib"]
    (small_disk / "rest").write_bytes(b"x" * 40 * 2**10)
    write(content, [row(f"p{number}", variants=[f"v={number}{'x' * 100}"]) for number in range(300)])
    catalogue = Catalogue(str(content), Settings(environ))
    assert len(packages_of(catalogue.load())) == 300
    assert len(catalogue.notes) == 1
    assert "the index cache was not saved: No space left on device" in catalogue.notes[0]
    assert not list((small_disk / "cache").glob("*.new"))
    after = Catalogue(str(content), Settings(environ))
    assert len(packages_of(after.current())) == 300


@pytest.mark.parametrize("layout", ["v2/spack-0.23.1/develop/btest", "v3/spack-1.1.0/develop/btest"])
@pytest.mark.parametrize("refuses", ["full", "read-only"])
def test_local_copy_is_read_on_a_read_only_disk(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch, layout: str, refuses: str
) -> None:
    subprocess.run(["mount", "-o", "remount,size=1m", str(small_disk)], check=True)
    monkeypatch.setenv("CACHETUI_CACHE_DIR", str(small_disk / "cache"))
    with serving(files_of(CACHES / layout)) as server:
        before = packages_of(Catalogue(server.url, Settings(os.environ), index_cache=False).load())
        files = {path for path in small_disk.rglob("*") if path.is_file()}
        (part,) = small_disk.glob("cache/mirrors/*/parts")
        (part / "old").touch()
        os.utime(part / "old", (0, 0))
        if refuses == "full":
            with suppress(OSError):
                (small_disk / "rest").write_bytes(b"x" * 2**20)
        else:
            subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
        catalogue = Catalogue(server.url, Settings(os.environ), index_cache=False)
        assert packages_of(catalogue.load()) == before
        assert "cannot be used" in catalogue.notes[0]
        offline = Catalogue(server.url, Settings(os.environ), asking=Asking(offline=True))
        assert packages_of(offline.load()) == before
        assert [stale.sign for stale in offline.stale] == ["offline"]
        subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
        (small_disk / "rest").unlink(missing_ok=True)
        after = Catalogue(server.url, Settings(os.environ), index_cache=False)
        assert (packages_of(after.load()), after.stale) == (before, [])
        assert files <= {path for path in small_disk.rglob("*") if path.is_file()}


def test_read_only_file_system_is_only_a_warning(content: Path, small_disk: Path) -> None:
    environ = {"CACHETUI_CACHE_DIR": str(small_disk / "cache")}
    Catalogue(str(content), Settings(environ)).load()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    again = Catalogue(str(content), Settings(environ))
    assert packages_of(again.current()) == ["hdf5", "zlib"]
    assert again.notes == []
    write(content, [row("new")])
    changed = Catalogue(str(content), Settings(environ))
    assert packages_of(changed.current(fresh=True)) == ["new", "zlib"]
    assert "Read-only file system" in changed.notes[0]


def test_changes_are_detected_after_clock_goes_back(
    content: Path, environ: Environ, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    Catalogue(str(content), Settings(environ)).load()
    for days in (1, 400, 20_000):
        monkeypatch.setattr(time, "time", lambda days=days: now - days * 86_400)
        monkeypatch.setattr(time, "time_ns", lambda days=days: int((now - days * 86_400) * 1e9))
        write(content, [row("hdf5"), row(f"new{days}")])
        at = now - days * 86_400
        for path in (content, *content.iterdir()):
            os.utime(path, (at, at))
        assert packages_of(Catalogue(str(content), Settings(environ)).current()) == ["hdf5", f"new{days}"]


def test_parallel_commands_print_the_same_output(content: Path, environ: Environ) -> None:
    command = [*CACHETUI, "find", str(content), "--format", "json"]
    running = [
        subprocess.Popen(command, env={**os.environ, **environ}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    answers = [process.communicate() for process in running]
    assert {err for _, err in answers} == {b"cachetui: 2 specs; searched: develop\n"}
    assert [[spec["package"] for spec in json.loads(out)] for out, _ in answers] == [["hdf5", "zlib"]] * 4
    assert len(list(Path(environ["CACHETUI_CACHE_DIR"]).iterdir())) == 1


def test_refresh_reads_all_pages_after_git_pull(tmp_path: Path, environ: Environ) -> None:
    pages = [row(f"p{number}", tag=f"v{number % 7}") for number in range(600)]
    content = write(tmp_path / "content", pages)
    opened = Catalogue(str(content), Settings(environ))
    index = opened.load()
    assert len(index) == 600
    changed = [{**each, "os": "rhel9"} for each in pages[:590]] + [row(f"new{number}") for number in range(10)]
    later = write(tmp_path / "later", changed)
    for path in later.iterdir():
        (content / path.name).unlink(missing_ok=True)  # git replaces files in the same way
        path.rename(content / path.name)
    refreshed = opened.refresh(index)
    assert len(refreshed) == 600
    assert sorted(packages_of(refreshed)) == sorted(each["package"] for each in changed)
    assert {refreshed.spec(at).os for at in range(600)} == {"rhel9", "ubuntu22.04"}
    assert {index.spec(at).os for at in range(600)} == {"ubuntu22.04"}, "the old index is unchanged"

"""The index cache: loading returns the saved columns, and a damaged or foreign file is not used."""

import os
import resource
import stat
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from cachetui.model.spec import Page, Row
from cachetui.settings.folders import CHECKED, index_cache_path
from cachetui.settings.settings import Settings
from cachetui.store import index_cache
from cachetui.store.columns import Columns
from cachetui.store.index_cache import POSTINGS, IndexCache
from tests.support.random_catalogues import columns_of, pages

CONTENT = "/home/user/\udc80 content"
PAGES = [
    Page.of(path=f"x/{name}/p.md", package=name, tag="develop", rows=(Row(hash=letter * 32, versions=("1.2",)),))
    for name, letter in (("zlib", "a"), ("hdf5", "b"))
]
OTHERS = [Page.of(path="x/1/p.md", package="cmake", tag="v1.0.0", rows=())]


def save(path: Path, some: list[Page], compared: float = 1_700_000_000.0, revision: str = "7 8") -> Columns:
    index = IndexCache(str(path), CONTENT)
    index.compared, index.revision = compared, revision
    columns = columns_of(some)
    index.save(columns)
    assert index.notes == []
    return columns


def loaded(path: Path) -> Columns:
    index = IndexCache(str(path), CONTENT)
    columns = index.load()
    assert columns is not None, index.notes
    return columns


def refused(path: Path, reason: str, content: str = CONTENT) -> None:
    index = IndexCache(str(path), content)
    assert index.load() is None
    (note,) = index.notes
    assert note.startswith(f"the index cache {path} ")
    assert reason in note


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cache" / f"{1:016x}.index"
    save(path, PAGES)
    return path


@given(some=pages())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_loaded_index_cache_equals_saved_index(tmp_path: Path, some: list[Page]) -> None:
    columns = save(tmp_path / "any.index", some, 12.0, "7")
    index = IndexCache(str(tmp_path / "any.index"), CONTENT)
    saved = index.load()
    assert saved == columns
    assert (index.compared, index.revision) == (12.0, "7")
    for name in POSTINGS:
        assert list(saved.posting(name).rows) == list(columns.posting(name).rows)
        assert list(saved.posting(name).offsets) == list(columns.posting(name).offsets)


def test_index_cache_is_readable_only_by_owner(file: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_missing_index_cache_is_not_reported(tmp_path: Path) -> None:
    for path in (None, str(tmp_path / "none.index")):
        index = IndexCache(path, CONTENT)
        assert (index.load(), index.notes) == (None, [])


def test_each_damaged_byte_of_index_cache_is_detected(file: Path) -> None:
    whole = file.read_bytes()
    with file.open("r+b", buffering=0) as opened:
        for place in range(0, len(whole), 3):
            os.pwrite(opened.fileno(), bytes([whole[place] ^ 0x20]), place)
            refused(file, "cannot be used")
            os.pwrite(opened.fileno(), whole[place : place + 1], place)
    assert loaded(file) == columns_of(PAGES)


def test_impossible_length_in_index_cache_is_refused(file: Path) -> None:
    whole, start = file.read_bytes(), len(index_cache.MAGIC)
    file.write_bytes(whole[:start] + b"9" * 10 + whole[start + 10 :])
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, limits[1]))
    try:
        refused(file, "cannot be used")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def test_index_cache_truncated_anywhere_is_refused(file: Path) -> None:
    whole = file.read_bytes()
    for length in (*range(0, len(whole), 97), len(whole) - 1):
        file.write_bytes(whole[:length])
        refused(file, "cannot be used")


def renamed_version(file: Path, _: pytest.MonkeyPatch) -> None:
    file.write_bytes(file.read_bytes().replace(index_cache.MAGIC, b"cachetui index 99\n", 1))


def of_another_user(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)


def of_another_machine(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "byteorder", "middle")


def replaced(make: Callable[[Path], None]) -> Callable[[Path, pytest.MonkeyPatch], None]:
    def replace(file: Path, _: pytest.MonkeyPatch) -> None:
        file.unlink()
        make(file)

    return replace


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (renamed_version, "it was written by another version"),
        (of_another_user, "must belong to you"),
        (of_another_machine, "it was written on another machine"),
        (replaced(os.mkdir), "cannot be read"),
        (replaced(os.mkfifo), "it is not a regular file"),
        (lambda file, _: os.truncate(file, 0), "it was written by another version"),
    ],
)
def test_index_cache_of_other_version_user_or_machine_is_refused(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path, pytest.MonkeyPatch], None],
    reason: str,
) -> None:
    change(file, monkeypatch)
    refused(file, reason)


def test_index_cache_of_other_content_is_refused(file: Path) -> None:
    refused(file, f"it belongs to {CONTENT}", content="/elsewhere")


def test_saving_new_comparison_time_leaves_index_cache_unchanged(file: Path) -> None:
    index = IndexCache(str(file), CONTENT)
    assert index.load() == columns_of(PAGES)
    index.compared = 1_800_000_000.0
    index.touch()
    again = IndexCache(str(file), CONTENT)
    assert again.load() == columns_of(PAGES)
    assert again.compared == 1_800_000_000.0


def test_checksum_of_changed_index_cache_is_verified_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_cache, "SETTLED_SECONDS", -1.0)
    loaded(file)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(zlib, "crc32", None)
        index = IndexCache(str(file), CONTENT)
        assert index.load() == columns_of(PAGES)
        index.touch()
        assert IndexCache(str(file), CONTENT).load() == columns_of(PAGES)
    before = file.stat()
    while file.stat().st_ctime_ns == before.st_ctime_ns:  # file times have a resolution of a few milliseconds
        file.write_bytes(file.read_bytes().replace(b"a" * 32, b"b" + b"a" * 31))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    refused(file, "its checksum is wrong")
    IndexCache(str(file), CONTENT).touch()
    refused(file, "its checksum is wrong")


def test_index_cache_loads_even_if_checksum_file_is_unwritable(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_cache, "SETTLED_SECONDS", -1.0)
    for make in (os.mkdir, os.mkfifo):
        make(f"{file}{CHECKED}")
        assert loaded(file) == columns_of(PAGES)
        os.rename(f"{file}{CHECKED}", f"{file}.{make.__name__}")


def test_unwritable_index_cache_is_a_warning(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"")
    index = IndexCache(str(file), CONTENT)
    assert index.load() is None
    file.unlink()
    file.parent.rmdir()
    file.parent.write_text("")
    index.save(columns_of(PAGES))
    assert len(index.notes) == 2
    assert index.notes[1] == f"the index cache was not saved: File exists ({file})"


# Parallel and interrupted writers


def interrupting(what: Callable[[], None]) -> Callable[..., None]:
    replace = os.replace

    def replaced(*names: str, **folders: Any) -> None:
        what()
        replace(*names, **folders)

    return replaced


def test_parallel_saves_leave_one_valid_index_cache(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other_writer() -> None:
        monkeypatch.undo()
        save(file, OTHERS)
        assert list(loaded(file).packages) == ["cmake"]

    monkeypatch.setattr(os, "replace", interrupting(other_writer))
    save(file, PAGES)
    assert list(loaded(file).packages) == ["hdf5", "zlib"]
    assert os.listdir(file.parent) == [file.name]


def test_loaded_index_is_unchanged_if_its_file_is_replaced(file: Path) -> None:
    before = loaded(file)
    save(file, OTHERS)
    assert before == columns_of(PAGES)


def test_interrupted_save_keeps_the_old_index_cache(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupting(interrupt))
    with pytest.raises(KeyboardInterrupt):
        save(file, OTHERS)
    assert loaded(file) == columns_of(PAGES)
    assert os.listdir(file.parent) == [file.name]


def test_old_temporary_file_of_killed_writer_is_removed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = file.with_name(f"{file.name}.{1:016x}.new")
    left.touch()
    save(file, OTHERS)
    assert left.exists()
    monkeypatch.setattr(index_cache, "ABANDONED_SECONDS", -1.0)
    save(file, OTHERS)
    assert os.listdir(file.parent) == [file.name]


# The path of the index cache


def test_each_content_has_its_own_index_cache() -> None:
    identities = ["/a", "/b", "/a/", "/ab", "/ba", "", "/a\n/b", "/b\n/a", "/\udc80"]
    paths = [index_cache_path("/folder", identity) for identity in identities]
    assert len(set(paths)) == len(identities)
    assert {os.path.dirname(path) for path in paths} == {"/folder"}


@pytest.mark.parametrize(
    ("base", "folder"),
    [("/base", "/base/cachetui"), *((base, "/home/somebody/.cache/cachetui") for base in ("", "relative"))],
)
def test_xdg_cache_home_contains_the_default_cache_folder(
    base: str, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert Settings({"XDG_CACHE_HOME": base}).cache_folder == folder
    assert Settings({"CACHETUI_CACHE_DIR": "chosen", "XDG_CACHE_HOME": base}).cache_folder == "chosen"

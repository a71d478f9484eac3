"""The saved index: what is read back is what was saved, and whatever else is in the file is refused."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from cachetui.model.spec import Page, Row
from cachetui.store import snapshot
from cachetui.store.saved_columns import POSTINGS
from cachetui.store.snapshot import Saved, SnapshotError, load, save, touch
from tests.support.random_catalogues import columns_of, pages

CONTENT = "/home/user/\udc80 content"
PAGES = [
    Page.of(path=f"x/{name}/p.md", package=name, tag="develop", rows=(Row(hash=letter * 32, versions=("1.2",)),))
    for name, letter in (("zlib", "a"), ("hdf5", "b"))
]
OTHERS = [Page.of(path="x/1/p.md", package="cmake", tag="v1.0.0", rows=())]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cache" / "one.index"
    save(path, CONTENT, Saved(columns_of(PAGES), 1_700_000_000.0, "7 8"))
    return path


def loaded(path: Path) -> Saved:
    saved = load(path, CONTENT)
    assert saved is not None
    return saved


@given(some=pages())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_index_is_read_back_as_it_was_saved(tmp_path: Path, some: list[Page]) -> None:
    columns = columns_of(some)
    save(tmp_path / "any.index", CONTENT, Saved(columns, 12.0, ""))
    saved = loaded(tmp_path / "any.index")
    assert saved.columns == columns
    assert (saved.compared, saved.revision) == (12.0, "")
    for name in POSTINGS:
        assert list(saved.columns.posting(name).rows) == list(columns.posting(name).rows)
        assert list(saved.columns.posting(name).offsets) == list(columns.posting(name).offsets)


def test_the_file_is_for_its_owner_alone(file: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert loaded(file).revision == "7 8"


def test_there_is_none_at_first(tmp_path: Path) -> None:
    assert load(tmp_path / "none.index", CONTENT) is None


def test_each_damaged_byte_is_found_out(file: Path) -> None:
    whole, expected = file.read_bytes(), columns_of(PAGES)
    header, base = snapshot._header(whole)
    start = len(snapshot.MAGIC) + 22
    checked = {*range(start + len(msgspec.json.encode(header)))}
    for section in header.sections.values():
        checked.update(range(base + section.offset, base + section.offset + section.length))
    # what fills the gaps between the sections may change
    assert len(checked) > 0.9 * len(whole)
    unnoticed = set()
    with file.open("r+b", buffering=0) as opened:
        for place in range(0, len(whole), 7):
            os.pwrite(opened.fileno(), bytes([whole[place] ^ 0x20]), place)
            try:
                assert loaded(file).columns == expected
                unnoticed.add(place)
            except SnapshotError:
                pass
            os.pwrite(opened.fileno(), whole[place : place + 1], place)
    assert unnoticed.isdisjoint(checked)


def test_a_file_cut_short_is_refused_wherever_it_is_cut(file: Path) -> None:
    whole = file.read_bytes()
    for length in (*range(0, len(whole), 97), len(whole) - 1):
        file.write_bytes(whole[:length])
        with pytest.raises(SnapshotError, match="not used"):
            load(file, CONTENT)


def renamed_version(file: Path, _: pytest.MonkeyPatch) -> None:
    file.write_bytes(file.read_bytes().replace(b"index 11", b"index 99", 1))


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
        (renamed_version, "another version"),
        (of_another_user, "another user"),
        (of_another_machine, "another machine"),
        (replaced(os.mkdir), "cannot be read"),
        (replaced(os.mkfifo), "cannot be read"),
    ],
)
def test_what_is_no_index_for_this_user_here_is_refused(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path, pytest.MonkeyPatch], None],
    reason: str,
) -> None:
    change(file, monkeypatch)
    with pytest.raises(SnapshotError, match=reason):
        load(file, CONTENT)


def test_another_catalogue_is_refused(file: Path) -> None:
    with pytest.raises(SnapshotError, match=f"it is of {CONTENT}"):
        load(file, "/elsewhere")


def interrupting(what: Callable[[], None]) -> Callable[..., None]:
    replace = os.replace

    def replaced(old: str, new: Path) -> None:
        what()
        replace(old, new)

    return replaced


def test_two_writers_at_once_leave_one_whole_index(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other_writer() -> None:
        monkeypatch.undo()
        save(file, CONTENT, Saved(columns_of(OTHERS), 2.0, ""))
        assert list(loaded(file).columns.packages) == ["cmake"]

    monkeypatch.setattr(os, "replace", interrupting(other_writer))
    save(file, CONTENT, Saved(columns_of(PAGES), 3.0, ""))
    assert list(loaded(file).columns.packages) == ["hdf5", "zlib"]
    assert os.listdir(file.parent) == [file.name]


def test_who_has_the_old_index_open_keeps_it_whole(file: Path) -> None:
    before = loaded(file).columns
    save(file, CONTENT, Saved(columns_of(OTHERS), 2.0, ""))
    assert before == columns_of(PAGES)


def test_interrupted_while_saving_the_old_index_stays(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupting(interrupt))
    with pytest.raises(KeyboardInterrupt):
        save(file, CONTENT, Saved(columns_of(OTHERS), 2.0, ""))
    assert loaded(file).columns == columns_of(PAGES)
    assert os.listdir(file.parent) == [file.name]


def test_killed_while_saving_the_old_index_stays_and_what_was_left_is_removed_later(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = os.fork()
    if not child:
        try:
            os.replace = lambda *_: os.kill(os.getpid(), 9)
            save(file, CONTENT, Saved(columns_of(OTHERS), 2.0, ""))
        finally:
            os._exit(1)  # never back into the tests
    assert os.waitpid(child, 0)[1] == 9
    assert loaded(file).columns == columns_of(PAGES)
    assert len(os.listdir(file.parent)) == 2
    left = next(path for path in file.parent.iterdir() if path != file)
    save(file, CONTENT, Saved(columns_of(OTHERS), 2.0, ""))
    assert left.exists()
    monkeypatch.setattr(snapshot, "ABANDONED", -1.0)
    save(file, CONTENT, Saved(columns_of(OTHERS), 2.0, ""))
    assert os.listdir(file.parent) == [file.name]


def test_touch_notes_the_time_of_a_comparison(file: Path) -> None:
    touch(file, 1234.5)
    assert loaded(file).compared == 1234.5
    touch(file.with_name("gone"), 1.0)

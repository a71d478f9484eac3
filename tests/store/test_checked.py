"""What was found whole once is not added up again, until the file or the machine is another one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cachetui.model.spec import Page, Row
from cachetui.store import checked
from cachetui.store.checked import CheckedParts, note_beside
from cachetui.store.snapshot import Saved, SnapshotError, load, save, touch
from tests.support.random_catalogues import columns_of

CONTENT = "/content"
HASH = "a" * 32
PAGE = Page.of(path="x/zlib/p.md", package="zlib", tag="develop", rows=(Row(hash=HASH, versions=("1.2",)),))


@pytest.fixture
def boot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What tells one start of the machine from another, on any system; no change of a file is too recent."""
    path = tmp_path / "boot"
    path.write_text("first start\n")
    monkeypatch.setattr(checked, "BOOT", str(path))
    monkeypatch.setattr(checked, "SETTLED", 0.0)
    return path


@pytest.fixture
def file(tmp_path: Path, boot: Path) -> Path:
    """A saved index that was found whole."""
    path = tmp_path / "one.index"
    save(path, CONTENT, Saved(columns_of([PAGE]), 1_700_000_000.0, ""))
    assert load(path, CONTENT)
    return path


def parts(path: Path) -> CheckedParts:
    return CheckedParts(path, path.stat())


def damage(path: Path) -> None:
    """Changes a letter of a hash."""
    path.write_bytes(path.read_bytes().replace(HASH.encode(), b"b" + HASH[1:].encode()))


def test_what_was_found_whole_is_not_checked_again(file: Path) -> None:
    damage(file)
    parts(file).add("columns")
    saved = load(file, CONTENT)
    assert saved is not None
    assert list(saved.columns.hashes) == ["b" + HASH[1:]]


def test_the_first_who_reads_a_file_notes_that_it_is_whole(file: Path) -> None:
    assert "columns" in parts(file)
    assert "graph" not in parts(file)


def test_after_any_change_it_is_checked_again(file: Path) -> None:
    damage(file)
    with pytest.raises(SnapshotError, match="damaged"):
        load(file, CONTENT)
    assert "columns" not in parts(file)


def test_a_change_that_leaves_size_and_time_as_they_were_is_found_too(file: Path) -> None:
    before = file.stat()
    damage(file)
    while file.stat().st_ctime_ns == before.st_ctime_ns:  # the clock of files stands still for a few milliseconds
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(SnapshotError, match="damaged"):
        load(file, CONTENT)


def test_after_another_start_of_the_machine_it_is_checked_again(file: Path, boot: Path) -> None:
    boot.write_text("second start\n")
    assert "columns" not in parts(file)
    boot.unlink()
    assert "columns" not in parts(file)
    note_beside(file).write_text("\ncolumns")
    assert "columns" not in parts(file)
    assert load(file, CONTENT)


def test_what_has_only_just_changed_is_not_noted(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checked, "SETTLED", 1000.0)
    damage(file)
    parts(file).add("columns")
    assert "columns" not in parts(file)


def test_it_stays_noted_when_all_is_compared_and_nothing_has_changed(file: Path) -> None:
    before = file.stat()
    touch(file, 1_800_000_000.0)
    assert file.stat().st_mtime_ns != before.st_mtime_ns
    assert "columns" in parts(file)


def test_what_was_not_noted_is_not_noted_then_either(file: Path) -> None:
    damage(file)
    touch(file, 1_800_000_000.0)
    assert "columns" not in parts(file)


def test_a_note_that_cannot_be_written_or_read_costs_time_alone(file: Path) -> None:
    note_beside(file).unlink()
    note_beside(file).mkdir()
    assert load(file, CONTENT)
    note_beside(file).rmdir()
    os.mkfifo(note_beside(file))
    assert load(file, CONTENT)

"""Files of the user: accepted and refused content."""

import os
from pathlib import Path

import pytest

from cachetui.environments import files
from cachetui.environments.files import FileError, read_text
from cachetui.environments.reader import read_expected
from cachetui.environments.wanted import Expectations
from cachetui.settings.settings import Settings


def read(path: str) -> Expectations:
    return read_expected(path, Settings(os.environ))


def test_missing_or_undecodable_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read: No such file"):
        read(str(tmp_path / "nosuch"))
    (tmp_path / "latin").write_bytes(b"\xe9")
    with pytest.raises(FileError, match="UTF-8"):
        read(str(tmp_path / "latin"))
    (tmp_path / "names").write_text("hdf5\n")
    assert [entry.text for entry in read(str(tmp_path / "names")).entries] == ["hdf5"]
    with pytest.raises(FileError, match="null"):
        read_text("a\0b")


def test_special_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path, tmp_path / "pipe"):
        with pytest.raises(FileError, match="is not a regular file"):
            read_text(str(path))


def test_huge_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(10 << 30)
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 1 << 20)
    with pytest.raises(FileError, match="larger than 1 MB"):
        read_text(str(tmp_path / "huge"))

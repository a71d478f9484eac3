"""The file that a view is exported to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cachetui.tui.screens.export_file import free_path, write_whole
from tests.support.places import ROOT

MEANWHILE = """
import sys
from pathlib import Path
from cachetui.tui.screens.export_file import write_whole

path = Path(sys.argv[1])

def make_another(event, _):
    if event == "os.rename":
        try:
            with open(path, "x") as file:
                file.write("another")
            print("made", end=" ")
        except FileExistsError:
            print("not made", end=" ")

sys.addaudithook(make_another)
write_whole(path, ["ours"])
print(path.read_text())
"""
"""Writes a file; just before the last step somebody else makes one of the same name."""


REFUSED = """
import sys
from pathlib import Path
from cachetui.tui.screens.export_file import write_whole

def refuse(event, _):
    if event == "os.rename":
        raise PermissionError("refused")

sys.addaudithook(refuse)
try:
    write_whole(Path(sys.argv[1]), ["ours"])
except PermissionError as error:
    print(error)
"""
"""Writes a file where the last step is refused."""


def test_where_the_last_step_is_refused_no_empty_file_is_left(tmp_path: Path) -> None:
    path = tmp_path / "found.csv"
    done = subprocess.run(
        [sys.executable, "-c", REFUSED, str(path)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "refused\n"
    assert not list(tmp_path.iterdir())


def test_no_file_of_the_same_name_comes_into_being_before_the_last_step(tmp_path: Path) -> None:
    path = tmp_path / "found.csv"
    done = subprocess.run(
        [sys.executable, "-c", MEANWHILE, str(path)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "not made ours\n"
    assert [each.name for each in tmp_path.iterdir()] == ["found.csv"]


def test_a_link_to_nothing_is_a_file_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "found.csv"
    path.symlink_to("nothing")
    with pytest.raises(FileExistsError):
        write_whole(path, ["ours"])
    assert [each.name for each in tmp_path.iterdir()] == ["found.csv"]
    assert path.is_symlink()
    monkeypatch.chdir(tmp_path)
    assert free_path("found", "csv") == Path("found-2.csv")


def test_lines_that_end_in_an_error_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "found.csv", ["a", "\ud800"])
    assert not list(tmp_path.iterdir())

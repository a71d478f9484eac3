"""`views`: the saved views, listed and changed."""

import json
import os
import shutil
from pathlib import Path

import pytest

from cachetui.catalogue import Catalogue
from cachetui.cli.views import ViewRow, view_list
from cachetui.report.formats import written
from cachetui.settings.saved_views import SavedView, read_views, save_view
from cachetui.settings.settings import Settings
from tests.support.commands import answered
from tests.support.places import SAMPLE_CONTENT

HDF5 = SavedView(query="hdf5 tag=develop", screen="specs", package="hdf5")


@pytest.fixture
def content(tmp_path: Path) -> str:
    folder = tmp_path / "pages"
    shutil.copytree(SAMPLE_CONTENT, folder)
    return str(folder)


def saved(content: str, *names: str) -> Path:
    identity = Catalogue(content, Settings(), index_cache=False).source.identity
    path = Settings(os.environ).views_path(identity)
    for name in names:
        save_view(path, identity, name, HDF5)
    return path


def test_command_views_lists_views_of_one_or_all_contents(content: str, capsys: pytest.CaptureFixture[str]) -> None:
    saved(content, "weekly", "all of it")
    saved(SAMPLE_CONTENT, "other")
    _, out, _ = answered(capsys, "views", content, "--format=json")
    assert [(each["view"], each["screen"], each["query"]) for each in json.loads(out)] == [
        ("all of it", "specs", "hdf5 tag=develop"),
        ("weekly", "specs", "hdf5 tag=develop"),
    ]
    status, out, err = answered(capsys, "views")
    assert (status, err) == (0, "")
    assert {line.split("  ")[0] for line in out.splitlines()} == {"view", "other", "'all of it'", "weekly"}


def test_command_views_removes_given_views(content: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(content, "a", "b", "c")
    assert answered(capsys, "views", content, "--remove", "a", "--remove", "b")[0] == 0
    assert set(read_views(path).named) == {"c"}
    assert answered(capsys, "views", content, "--remove", "a") == (2, "", "cachetui: no view a; views: c\n")
    assert answered(capsys, "views", "--remove", "c")[0] == 2
    status, out, err = answered(capsys, "views", content, "--remove", "c")
    assert (status, out, err) == (0, "", "cachetui: no saved views: to save one, press V in the browser\n")


def test_unknown_view_name_removes_nothing(content: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(content, "weekly", "all of it")
    for words, said in (
        (["--remove", "weekly", "--remove", "al of it"], "no view 'al of it'; nearest: 'all of it'"),
        (["--remove", "x"], "no view x; views: 'all of it', weekly"),
    ):
        assert answered(capsys, "views", content, *words) == (2, "", f"cachetui: {said}\n")
    assert set(read_views(path).named) == {"weekly", "all of it"}


def test_each_listed_view_fits_one_line_of_80_columns(content: str) -> None:
    saved(content, "all of it")
    views = read_views(saved(content, "weekly"))
    rows = [ViewRow(name, views.content, views.contents, "specs", HDF5.query * 3, "hdf5") for name in views.named]
    lines = "".join(written(view_list(rows), "table", 80)).splitlines()
    assert [line.split("  ")[0] for line in lines] == ["view", "'all of it'", "weekly"]
    assert all(len(line) <= 80 for line in lines)


def test_views_of_deleted_content_are_removable_by_listed_name(
    content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    saved(content, "a")
    shutil.rmtree(content)
    listed = json.loads(answered(capsys, "views", "--format=json")[1])[0]["content"]
    assert answered(capsys, "views", listed, "--remove", "a")[0] == 0
    assert answered(capsys, "views")[1] == ""
    assert answered(capsys, "views", "/nothing/there")[0] == 2


def test_unreadable_views_file_does_not_hide_other_files(content: str, capsys: pytest.CaptureFixture[str]) -> None:
    saved(SAMPLE_CONTENT, "other")
    path = saved(content)
    path.write_text("{")
    status, out, err = answered(capsys, "views")
    assert status == 0
    assert "other" in out
    assert err.startswith(f"cachetui: the saved views in {path} cannot be read, and stay unchanged: ")
    assert len(err.splitlines()) == 1


def test_hostile_text_in_view_is_escaped(content: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(content, "a")
    path.write_text(json.dumps({"views": {"a\x1b[31m": {"query": "\x1b]0;x\x07"}, "b": {"screen": "map\x1b"}}}))
    status, out, err = answered(capsys, "views", content)
    assert (status, "\x1b" in out + err) == (0, False)
    assert "a\\x1b[31m" in out

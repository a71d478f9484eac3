"""Saved views: preserved unchanged, even if several programs write the file at once."""

import fcntl
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.settings import saved_views
from cachetui.settings.saved_views import (
    SavedView,
    ViewsError,
    checked_name,
    read_views,
    remove_view,
    save_last,
    save_view,
    stored_views,
)
from cachetui.settings.settings import Settings

HDF5 = SavedView(query="=hdf5 os=rhel8 tag=develop", screen="specs", package="hdf5", words=("--sort=-target",))

SAVES = """
import sys
from pathlib import Path
from cachetui.settings.saved_views import SavedView, save_view
for number in range(40):
    save_view(Path(sys.argv[1]), "/content/", f"{sys.argv[2]} {number}", SavedView(query=f"@{number}"))
"""
"""A program that saves forty views one after the other."""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["views", "start", "last", "query", "screen", "a"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Settings({"XDG_CONFIG_HOME": str(tmp_path)}).views_path("/content/")


def test_loaded_views_equal_saved_views(path: Path) -> None:
    assert read_views(path).named == {}
    save_view(path, "/content/", "weekly", HDF5)
    save_view(path, "/content/", "all", SavedView())
    save_last(path, "/content/", HDF5)
    found = read_views(path)
    assert found.named == {"weekly": HDF5, "all": SavedView()}
    assert (found.content, found.last) == ("/content/", HDF5)
    remove_view(path, "/content/", "weekly")
    assert set(read_views(path).named) == {"all"}


def test_views_file_is_private_and_readable_as_text(path: Path, tmp_path: Path) -> None:
    save_view(path, "/content/", "weekly", HDF5)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.name.startswith("content-")
    assert '"query": "=hdf5 os=rhel8 tag=develop",\n' in path.read_text()
    settings = Settings({"XDG_CONFIG_HOME": str(tmp_path)})
    assert list(stored_views(settings.views_folder)) == [path]
    other = settings.views_path("https://host/../\x1b[31m/content/")
    assert (other.parent, other != path, other.name.isprintable()) == (path.parent, True, True)


def test_views_of_newer_program_version_are_preserved(path: Path) -> None:
    path.parent.mkdir(parents=True)
    newer = {
        "format": 2,
        "views": {"weekly": {"query": "hdf5", "colour": "red"}, "map": {"screen": "map"}, "odd": 3},
        "last": {"screen": "map", "zoom": 2},
    }
    path.write_text(json.dumps(newer))
    known = read_views(path)
    assert (set(known.named), known.last) == ({"weekly"}, None)
    save_view(path, "/content/", "weekly", HDF5)
    save_last(path, "/content/", SavedView(query="@2"))
    found = json.loads(path.read_text())
    assert found["format"] == 2
    assert found["views"]["map"] == {"screen": "map"}
    assert found["views"]["odd"] == 3
    assert found["views"]["weekly"]["query"] == HDF5.query
    assert found["last"] == {"query": "@2"}
    remove_view(path, "/content/", "map")
    assert "map" not in json.loads(path.read_text())["views"]


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff", b"[" * 50_000, b'{"views": ' + b" " * 1_100_000])
def test_unreadable_views_file_is_left_unchanged(path: Path, text: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(text)
    with pytest.raises(ViewsError, match="cannot be read, and stay unchanged"):
        read_views(path)
    with pytest.raises(ViewsError, match="stay unchanged"):
        save_view(path, "/content/", "weekly", HDF5)
    assert path.read_bytes() == text


def test_concurrent_saves_keep_all_views(path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", SAVES, str(path), name]) for name in ("a", "b")]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert set(read_views(path).named) == {f"{name} {number}" for name in ("a", "b") for number in range(40)}
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name, path.with_suffix(".lock").name]


def test_locked_views_file_is_an_error_after_timeout(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_view(path, "/content/", "weekly", HDF5)
    monkeypatch.setattr(saved_views, "LOCK_SECONDS", 0.05)
    with open(path.with_suffix(".lock")) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(ViewsError, match=r"cannot be saved in .*: Resource temporarily unavailable"):
            save_last(path, "/content/", HDF5)
    save_last(path, "/content/", HDF5)
    assert read_views(path).last == HDF5


def test_saving_a_view_keeps_symlink_of_views_file(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "elsewhere.json")
    save_view(path, "/content/", "weekly", HDF5)
    assert path.is_symlink()
    assert read_views(path).named == {"weekly": HDF5}


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "a\x1b[31m", "\u202eabc", "a\nb"])
def test_view_name_must_be_short_and_printable(name: str) -> None:
    with pytest.raises(ViewsError, match="needs a name"):
        checked_name(name)


def test_undecodable_view_text_is_an_error(path: Path) -> None:
    with pytest.raises(ViewsError, match="cannot be saved"):
        save_view(path, "/content/", "weekly", SavedView(query="\udcff"))
    save_view(path, "/\udcff/", "weekly", HDF5)
    assert read_views(path).content == "/\\udcff/"


@given(JSON, st.text(max_size=20))
def test_arbitrary_views_document_is_read_or_refused(document: object, text: str) -> None:
    for content in (json.dumps(document), text):
        path = Path(os.environ["HOME"]) / "odd.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
        try:
            before = read_views(path)
            save_view(path, "/content/", "weekly", HDF5)
        except ViewsError:
            assert path.read_bytes() == content.encode()
        else:
            kept = json.loads(path.read_text())
            assert read_views(path).named == {**before.named, "weekly": HDF5}
            assert isinstance(document, dict) or content == text
            if content != text:
                assert isinstance(document, dict)
                own = ("views", "content")
                assert {key: value for key, value in kept.items() if key not in own} == {
                    key: value for key, value in document.items() if key not in own
                }

"""Where saved indexes lie."""

from __future__ import annotations

import os

import pytest
from platformdirs import user_cache_dir

from cachetui.store.files import snapshot_folder, snapshot_path


def test_each_content_has_a_file_of_its_own() -> None:
    identities = ["/a", "/b", "/a/", "/ab", "/ba", "", "/a\n/b", "/b\n/a", "/\udc80"]
    paths = [snapshot_path("/folder", identity) for identity in identities]
    assert len(set(paths)) == len(identities)
    assert {os.path.dirname(path) for path in paths} == {"/folder"}


@pytest.mark.parametrize("base", [None, "/base", "", "relative"])
def test_the_folder_is_the_usual_one_of_the_system(base: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if base is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", base)
    monkeypatch.setenv("HOME", "/home/somebody")
    assert snapshot_folder(os.environ | {"CACHETUI_CACHE_DIR": ""}) == user_cache_dir("cachetui")


def test_the_folder_may_be_chosen() -> None:
    assert snapshot_folder({"CACHETUI_CACHE_DIR": "chosen", "XDG_CACHE_HOME": "/base"}) == "chosen"

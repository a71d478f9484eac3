"""Where the settings are."""

from __future__ import annotations

import sys
from pathlib import Path

import platformdirs
import pytest

from cachetui.settings.folders import settings_folder


def test_it_is_the_one_that_the_system_has_for_settings(home: Path) -> None:
    assert settings_folder({}) == platformdirs.user_config_dir("cachetui", appauthor=False)
    if sys.platform == "linux":
        assert settings_folder({}) == str(home / ".config" / "cachetui")


@pytest.mark.parametrize(
    ("chosen", "is_followed"), [("/there", True), ("  /there ", True), ("", False), ("here", False)]
)
def test_the_variable_decides_where_it_is_absolute(chosen: str, is_followed: bool) -> None:
    found = settings_folder({"XDG_CONFIG_HOME": chosen})
    assert found == ("/there/cachetui" if is_followed else settings_folder({}))

"""The config file: what it says, and what is wrong in it."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path

import platformdirs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.settings.config import COLUMNS, Config, ConfigError, parse_config, read_config
from cachetui.settings.folders import config_path, settings_folder

PATH = "/home/config.toml"

REMEDY = "mend it, or go on without it: --no-config"

WHOLE = """\
content = "~/content"
host = "linux-rhel9-zen4"
mirror = "https://mirror/{tag}"
theme = "plain"
columns = ["hash", "target", "version"]
[keys]
browse.filter = "ctrl+f"
"browse.clear" = ["X", "Y"]
[keys.rows]
up = "i"
"""

LINES = st.sampled_from(
    [*WHOLE.splitlines(), "", "# no", "x = [", "= 3", "[keys", '"""', "content = 3", "columns = []"]
)


def parsed(text: str) -> Config:
    return parse_config(PATH, text)


def test_everything_that_can_be_set() -> None:
    config = parsed(WHOLE)
    assert config.content == os.path.expanduser("~/content")
    assert (config.host, config.mirror, config.theme) == ("linux-rhel9-zen4", "https://mirror/{tag}", "plain")
    assert config.columns == ("hash", "target", "version")
    assert config.keys == {"browse.filter": ("ctrl+f",), "browse.clear": ("X", "Y"), "rows.up": ("i",)}
    assert config.lines["theme"] == 4
    assert config.lines["keys.browse.clear"] == 8
    assert config.lines["keys.rows.up"] == 10


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("content = 3", "content: needs a text in quotes"),
        ('host = "zen33"', "host: no target 'zen33': did you mean zen3 or zen6 or zen5?"),
        ('host = ""', "host: needs a text in quotes"),
        ("columns = 'hash'", f"columns: needs a list of names in quotes: {', '.join(COLUMNS)}"),
        ('columns = ["hash", "hsah"]', f"columns: no column hsah; there are {', '.join(COLUMNS)}"),
        ('colour = "red"', "colour: there is no such setting; there are content, host, mirror, theme, columns, keys"),
        ("keys = 3", 'keys: needs a table, as in [keys] and below it browse.filter = "ctrl+f"'),
        ("[keys]\nbrowse.filter = 3", "keys: browse.filter needs a key in quotes, or a list of keys"),
    ],
)
def test_what_a_setting_cannot_be_is_told_with_its_line(line: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        parsed(f'mirror = "https://mirror"\n{line}\n')
    assert str(error.value) == f"/home/config.toml:2: {said}; {REMEDY}"


@pytest.mark.parametrize("line", ["theme = ", 'columns = ["hash"', "so much for that", 'mirror = "a"', "\x1b[31m = 3"])
def test_what_is_no_toml_is_told_as_the_parser_does(line: str) -> None:
    text = f'mirror = "https://mirror"\n{line}\ntheme = "nord"\n'
    with pytest.raises(tomllib.TOMLDecodeError) as wrong:
        tomllib.loads(text)
    with pytest.raises(ConfigError) as error:
        parsed(text)
    assert str(error.value) == f"/home/config.toml: {wrong.value}; {REMEDY}"


@given(st.lists(LINES, max_size=12).map("\n".join) | st.text(max_size=200))
def test_no_text_is_too_much_for_it(text: str) -> None:
    try:
        found = parsed(text)
    except ConfigError as error:
        message = str(error)
        assert message.isprintable()  # text that is read is no error
    else:
        assert set(found.columns or ()) <= set(COLUMNS)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"host = 'zen3'\nmirror = '\xff'\n", ":2: no UTF-8"),
        (b"#" * 200_000, ": too large for settings"),
        (b"x = " + b"[" * 50_000, ": too deeply nested"),
        (None, ": cannot be read (Is a directory)"),
    ],
)
def test_a_file_that_is_no_config_is_one_line(tmp_path: Path, content: bytes | None, said: str) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    path = Path(config_path(environ))
    path.parent.mkdir()
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(ConfigError) as error:
        read_config(environ)
    assert str(error.value) == f"{path}{said}; {REMEDY}"


def test_where_no_file_is_nothing_is_set_and_a_pipe_does_not_block(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert read_config(environ) is None
    path = Path(config_path(environ))
    path.parent.mkdir()
    os.mkfifo(path)
    assert read_config(environ) == Config(path=str(path))


def test_it_stands_in_for_variables_that_are_not_set() -> None:
    config = parsed(WHOLE)
    variables = {"CACHETUI_HOST": "linux-rhel9-zen4", "CACHETUI_MIRROR": "https://mirror/{tag}"}
    assert config.variables({"CACHETUI_CONTENT": "/elsewhere", "CACHETUI_HOST": ""}) == variables


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

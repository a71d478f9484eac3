"""The config file: what it says, and what is wrong in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.settings.config import COLUMNS, Config, parse_config, read_config
from cachetui.settings.folder import config_path

PATH = "/home/config.toml"

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
    assert config.mistakes == ()
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
        ("keys.browse.filter = 3", "keys.browse.filter: needs a key in quotes, or a list of keys"),
        ("theme = ", "Invalid value: not used"),
        ('columns = ["hash"', "Unclosed array: not used"),
        ("so much for that", "Expected '=' after a key in a key/value pair: not used"),
        ('mirror = "https://mirror/again"', "Cannot overwrite a value: not used"),
        ("\x1b[31m = 3", "Invalid statement: not used"),
    ],
)
def test_a_mistake_is_one_line_with_its_place_and_costs_nothing_else(line: str, said: str) -> None:
    config = parsed(f'mirror = "https://mirror"\n{line}\ntheme = "nord"\n')
    assert config.mistakes == (f"/home/config.toml:2: {said}",)
    assert (config.mirror, config.theme) == ("https://mirror", "nord")
    assert config.columns == (("hash",) if "hsah" in line else None)


@given(st.lists(LINES, max_size=12).map("\n".join) | st.text(max_size=200))
def test_no_text_is_too_much_for_it(text: str) -> None:
    config = parsed(text)
    for mistake in config.mistakes:
        assert mistake.startswith("/home/config.toml")
        assert mistake.isprintable()
    assert set(config.columns or ()) <= set(COLUMNS)


def test_what_stands_in_no_file_is_not_set(tmp_path: Path) -> None:
    config = read_config({"XDG_CONFIG_HOME": str(tmp_path)})
    assert config == Config(path=str(tmp_path / "cachetui" / "config.toml"))
    assert config.variables({}) == {}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"host = 'zen3'\nmirror = '\xff'\n", ":2: no UTF-8: nothing of the file is used"),
        (b"#" * 200_000, ": too large for settings: not used"),
        (b"x = " + b"[" * 50_000, ":1: too deeply nested: not used"),
        (b"x\n" * 10_000, ":1: Expected '=' after a key in a key/value pair: nothing of the file is used"),
    ],
    ids=["encoding", "size", "depth", "lines"],
)
def test_a_file_that_is_no_config_is_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = Path(config_path({"XDG_CONFIG_HOME": str(tmp_path)}))
    path.parent.mkdir()
    path.write_bytes(content)
    assert read_config({"XDG_CONFIG_HOME": str(tmp_path)}).mistakes == (f"{path}{said}",)


def test_a_folder_or_a_pipe_in_its_place_is_one_line_at_once(tmp_path: Path) -> None:
    path = Path(config_path({"XDG_CONFIG_HOME": str(tmp_path)}))
    path.mkdir(parents=True)
    assert read_config({"XDG_CONFIG_HOME": str(tmp_path)}).mistakes == (
        f"{path}: cannot be read (Is a directory): not used",
    )
    path.rmdir()
    os.mkfifo(path)
    assert read_config({"XDG_CONFIG_HOME": str(tmp_path)}).mistakes == ()


def test_it_stands_in_for_variables_that_are_not_set() -> None:
    config = parsed(WHOLE)
    variables = {"CACHETUI_HOST": "linux-rhel9-zen4", "CACHETUI_MIRROR": "https://mirror/{tag}"}
    assert config.variables({"CACHETUI_CONTENT": "/elsewhere", "CACHETUI_HOST": ""}) == variables

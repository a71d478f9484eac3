"""The config file: its settings and its errors."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cachetui.settings.settings import COLUMNS, Config, ConfigError, Settings, keep_host, parse_config, read_config

REMEDY = "correct the file (see cachetui config --help), or ignore it with --no-config"

WHOLE = """\
content = "~/content"
host = "linux-rhel9-zen4"
mirror = "https://mirror/{tag}"
theme = "plain"
columns = ["hash", "target", "version"]
[keys]
browse.filter = "ctrl+o"
"browse.clear" = ["X", "Y"]
[keys.rows]
up = "i"
"""

LINES = st.sampled_from(
    [*WHOLE.splitlines(), "", "# no", "x = [", "= 3", "[keys", '"""', "content = 3", "columns = []"]
)


def parsed(text: str) -> Config:
    return parse_config(text.encode("utf-8", "surrogatepass"))


def test_all_settings_of_config_file_are_read() -> None:
    config = parsed(WHOLE)
    assert config.content == os.path.expanduser("~/content")
    assert (config.host, config.mirror, config.theme) == ("linux-rhel9-zen4", "https://mirror/{tag}", "plain")
    assert config.columns == ("hash", "target", "version")
    assert parsed('mirror = "$env/cache"').mirror == "$env/cache"
    assert config.keys == {"browse.filter": ("ctrl+o",), "browse.clear": ("X", "Y"), "rows.up": ("i",)}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("content = 3", r"`str.*`\$\.content`"),
        ('content = "\\u0000"', r"`\$\.content`"),
        ('host = "zen33"', "no target 'zen33': expected zen3 or zen or zen2"),
        ('host = ""', r"`\$\.host`"),
        ("columns = 'hash'", r"array.*`\$\.columns`"),
        ("columns = []", r"length.*`\$\.columns`"),
        ('columns = ["hash", "hsah"]', f"unknown column hsah, not one of {', '.join(COLUMNS)}"),
        ('colour = "red"', "unknown field `colour`"),
        ("keys = 3", r"`\$\.keys`"),
        ("[keys]\nbrowse.filter = 3", r"keys\.browse\.filter: .*array"),
        ("theme = ", "Invalid value"),
        ('mirror = "https://x/{foo}"', r"the setting mirror contains \{, but its only variables are \{tag\}"),
        ('mirror = "https://x/{tag}/{"', "the setting mirror contains {"),
        ('mirror = "https://$env/{tag}"', r"the setting mirror contains \$"),
        ('theme = "other"', r"Cannot overwrite a value \(at line 2, "),
    ],
)
def test_config_error_states_the_invalid_setting(line: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parsed(f'theme = "plain"\n{line}\n')


@pytest.mark.parametrize("before", ["", WHOLE, WHOLE.replace("host =", " host="), '# mine\n[keys]\nhost = "h"\n'])
def test_saving_a_host_keeps_rest_of_config_file(tmp_path: Path, before: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(before)
    keep_host(str(path), "linux-rhel8-zen3")
    assert read_config(str(path)) == replace(parsed(before), host="linux-rhel8-zen3")
    assert [each for each in before.splitlines() if "linux-rhel9" not in each] == [
        each for each in path.read_text().splitlines() if "linux-rhel8" not in each
    ]


@given(st.lists(LINES, max_size=12).map("\n".join) | st.text(max_size=200))
def test_arbitrary_config_text_is_read_or_refused(text: str) -> None:
    with suppress(ValueError):
        assert set(parsed(text).columns or ()) <= set(COLUMNS)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"x = '\xff'\n", ": 'utf-8' codec can't decode byte 0xff in position 5: invalid start byte"),
        (b"\x1b[31m = 3", ": Invalid statement (at line 1, column 1)"),
        (b'"\\u001b" = 3', ": Object contains unknown field `\\x1b`"),
        (b"#" * 200_000, ": File too large"),
        (b"x = " + b"[" * 50_000, ": it is nested too deeply"),
        (None, ": Is a directory"),
    ],
)
def test_invalid_config_file_gives_one_line_error(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "config.toml"
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(ConfigError) as error:
        read_config(str(path))
    assert str(error.value) == f"{path} cannot be used{said}; {REMEDY}"


def test_defaults_apply_if_config_file_is_missing_or_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert read_config(str(path)) == Config()
    os.mkfifo(path)
    assert read_config(str(path)) == Config()


def test_config_file_replaces_unset_environment_variables() -> None:
    found = Settings({"CACHETUI_CONTENT": "/elsewhere", "CACHETUI_HOST": ""}, parsed(WHOLE))
    assert (found.value("content"), str(found.host()), found.mirror) == (
        "/elsewhere",
        "linux-rhel9-zen4",
        "https://mirror/{tag}",
    )


def test_default_config_file_is_in_home_folder(home: Path) -> None:
    assert Settings().config_path == str(home / ".config" / "cachetui" / "config.toml")


@pytest.mark.parametrize(
    ("chosen", "is_followed"), [("/there", True), ("  /there ", True), ("", False), ("here", False)]
)
def test_absolute_path_in_xdg_config_home_moves_config_file(chosen: str, is_followed: bool) -> None:
    found = Settings({"XDG_CONFIG_HOME": chosen}).config_path
    assert found == ("/there/cachetui/config.toml" if is_followed else Settings().config_path)

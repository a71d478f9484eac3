"""`config`, and the effect of the config file on all commands."""

import json
from pathlib import Path

import pytest

from tests.support.commands import answered
from tests.support.places import SAMPLE_CONTENT

FILE = f"""\
content = "{SAMPLE_CONTENT}"
host = "linux-ubuntu22.04-zen3"
theme = "plain"
columns = ["hash", "target"]
[keys]
browse.filter = ["/", "ctrl+o"]
"""


@pytest.fixture
def config(home: Path) -> Path:
    path = home / ".config" / "cachetui" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(FILE)
    return path


def test_command_config_shows_each_setting_with_its_origin(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CACHETUI_HOST", "zen4")
    _, out, _ = answered(capsys, "config", "--format=json")
    found = {each["setting"]: (each["value"], each["origin"], each["source"]) for each in json.loads(out)}
    assert found["content"] == (SAMPLE_CONTENT, "file", "config.toml")
    assert found["host"] == ("zen4", "environment", "CACHETUI_HOST")
    assert found["theme"] == ("plain", "file", "config.toml")
    assert found["columns"] == ("hash target", "file", "config.toml")
    assert found["keys.browse.filter"] == ("slash ctrl+o", "file", "config.toml")
    assert found["mirror"][1:] == ("default", "")
    assert found["config file"] == (str(config), "default", "")
    assert answered(capsys, "config")[0] == 0


def test_each_config_error_is_reported_on_its_own_line(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text('theme = "xyz"\n[keys]\nbrowse.clear = "c"\nno = "x"\nrows.up = "nokey"\n')
    status, out, err = answered(capsys, "config")
    assert status == 1
    assert "browse.clear" not in out
    lines = err.splitlines()
    assert len(lines) == 4
    assert all(line.startswith(f"cachetui: {config}:") for line in lines)
    assert (
        f"{config}: theme: no theme xyz; choose one of plain, cachetui-dark, cachetui-light, cachetui-256, cachetui-16"
        in lines[0]
    )
    assert f"{config}: keys.browse.clear: this key is already used for browse.coverage (" in lines[-1]
    assert f"{config}: keys.rows.up: unknown key nokey: a key is a symbol or a name" in err


@pytest.mark.parametrize(
    ("changed", "taken_by"),
    [
        ('browse.coverage = "f"', "browse.facets"),
        ('facets.find = "f"', "browse.facets"),
        ('coverage.gaps = "l"', "matrix.right"),
        ('views.remove = "escape"', "prompt.leave"),
        ('browse.coverage = "f"\nbrowse.facets = "c"', ""),
        ('coverage.gaps = "f"', ""),
    ],
)
def test_config_refuses_keyboard_key_already_used_on_same_screen(
    config: Path, capsys: pytest.CaptureFixture[str], changed: str, taken_by: str
) -> None:
    config.write_text(f"[keys]\n{changed}\n")
    status, _, err = answered(capsys, "config")
    assert (status, f"this key is already used for {taken_by} (" in err) == ((1, True) if taken_by else (0, False))


def test_command_config_lists_keyboard_keys_by_setting_name(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = answered(capsys, "config", "--keys", "--format=json")
    keys = {each["id"]: each["keys"] for each in json.loads(out)}
    assert keys["browse.filter"] == ["/", "ctrl+o"]
    assert keys["browse.undo"] == ["u", "backspace"]
    assert keys["coverage.gaps"] == ["o"]


def test_commands_use_content_and_host_of_config_file(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_options = ("py-ml-dtypes", "--tag", "develop", "--count", "--content", SAMPLE_CONTENT)
    wanted = answered(capsys, "find", *with_options, "--fits", "linux-ubuntu22.04-zen3")
    assert wanted[0] == 0
    assert answered(capsys, "find", "py-ml-dtypes", "--tag", "develop", "--fits", "--count") == wanted


@pytest.mark.parametrize("broken", ["[oops\n", 'host = "zen33"\n'])
def test_broken_config_file_is_an_error_in_every_command(
    config: Path, capsys: pytest.CaptureFixture[str], broken: str
) -> None:
    config.write_text(broken)
    for command in ("find", "check", "config"):
        words = () if command == "config" else (SAMPLE_CONTENT, "py-ml-dtypes")
        status, out, err = answered(capsys, command, *words)
        assert (status, out, err.count("\n"), str(config) in err) == (2, "", 1, True)
        status, _, err = answered(capsys, command, *words, "--no-config")
        assert (status < 2, str(config) in err) == (True, False)


def test_completion_hides_errors_in_config_file(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answered(capsys, "find", "--count")  # saves the index cache that the completion reads
    assert answered(capsys, "__complete", "find", "py-ml-d") == (0, "files\npy-ml-dtypes\n", "")
    config.write_text("[oops")
    assert answered(capsys, "__complete", "find", "py-ml-d") == (0, "files\n", "")

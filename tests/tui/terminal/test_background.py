"""The query for the background of a terminal, without waiting: its colours if it answers, else neutral colours."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from cachetui.tui.terminal.lifecycle import BLACK, WHITE, answered_color, background_of, question
from cachetui.tui.theme import DARK, LIGHT, THEME, THEME_16, THEME_256, contrast, theme_on
from tests.support import palettes
from tests.support.places import CACHETUI
from tests.support.screens import ASK_BACKGROUND, Terminal

NIGHT, DAY, MIDDLE = "rgb:1c1c/1c1c/1c1c", "rgb:ffff/fbfb/eeee", "rgb:8080/8080/8080"

COLORS = {DARK.name: b"38;5;81", LIGHT.name: b"38;5;24", THEME_256.name: b"38;5;31", THEME_16.name: b"30;46"}
"""The colour of each theme's cursor or frames, as codes for a terminal."""


@pytest.mark.parametrize(
    ("answer", "color"),
    [
        ("rgb:0000/ffff/0000", (0, 1, 0)),
        ("rgb:f/0/f", (1, 0, 1)),
        ("rgba:ff/ff/ff/80", (1, 1, 1)),
        ("RGB:00/00/FF", (0, 0, 1)),
        ("rgb:fffff/0/0", None),
        ("rgb:0/0", None),
        ("black", None),
        ("", None),
    ],
)
def test_terminal_response_with_background_colour_is_parsed_or_ignored(answer: str, color: object) -> None:
    assert answered_color(answer) == color


@pytest.mark.parametrize(
    ("variable", "color"),
    [("15;0", BLACK), ("0;default;15", WHITE), ("0;7", WHITE), ("7;8", BLACK), ("15;default", None), ("", None)],
)
def test_colorfgbg_variable_gives_light_or_dark_background(variable: str, color: object) -> None:
    assert background_of({"COLORFGBG": variable}) == color
    assert background_of({"COLORFGBG": variable, "NO_COLOR": "1"}) is None


@pytest.mark.parametrize(
    ("environ", "asked"),
    [
        ({"TERM": "xterm-256color"}, "\x1b]11;?\x07"),
        ({"TERM": "screen", "STY": "1.a"}, "\x1bP\x1b]11;?\x07\x1b\\"),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/a"}, "\x1b]11;?\x07\x1bPtmux;\x1b\x1b]11;?\x07\x1b\\"),
        ({"TERM": "linux"}, ""),
        ({"TERM": "vt220"}, ""),
        ({}, ""),
    ],
)
def test_background_colour_is_queried_only_if_terminal_may_answer(environ: Mapping[str, str], asked: str) -> None:
    assert question(environ) == asked


@pytest.mark.parametrize("name", palettes.PALETTES)
def test_theme_is_readable_on_its_background(name: str) -> None:
    """The test computes contrast with another formula than the program."""
    background = palettes.PALETTES[name].background
    red, green, blue = (int(background[k : k + 2], 16) / 255 for k in (0, 2, 4))
    theme = theme_on((red, green, blue))
    assert contrast((red, green, blue), WHITE) == pytest.approx(palettes.contrast(background, "ffffff"), abs=0.01)
    assert theme is not THEME
    for color in (theme.primary, theme.accent, theme.success, theme.error, theme.warning):
        assert color is not None
        assert palettes.contrast(color.removeprefix("#"), background) >= 4.5


def test_theme_is_neutral_on_grey_or_unknown_background() -> None:
    assert theme_on((0.5, 0.5, 0.5)) is THEME
    assert theme_on(None) is THEME_256
    assert theme_on(BLACK, has_256=False) is THEME_16


def colors_shown(answer: str, *options: str, **env: str) -> tuple[set[str], bool]:
    """Return the themes with colours on the final screen, and whether the terminal was queried."""
    with Terminal([*CACHETUI, *options], env=env) as terminal:
        terminal.background = answer
        terminal.wait_for("q quit")
        terminal.send("jk")  # the answer is not read as keys: only these two are typed
        terminal.wait_for("▌  py-ml-dtypes")
        before = len(terminal.output)
        terminal.send("?")
        terminal.wait_for("Keys")
        terminal.send("qq")
        assert terminal.exitstatus() == 0
    shown = {name for name, code in COLORS.items() if re.search(code + rb"(?!\d)", terminal.output[before:])}
    return shown, ASK_BACKGROUND in terminal.output


CASES: dict[str, tuple[str, list[str], dict[str, str], str | None, bool]] = {
    "dark": (NIGHT, [], {}, DARK.name, True),
    "no answer": ("", [], {}, THEME_256.name, True),
    "COLORFGBG": ("", [], {"COLORFGBG": "15;0"}, DARK.name, True),
    "plain": (NIGHT, ["--theme", "plain"], {}, None, False),
    "light": (DAY, [], {}, LIGHT.name, True),
    "between": (MIDDLE, [], {}, None, True),
    "NO_COLOR": (NIGHT, [], {"NO_COLOR": "1"}, None, False),
    "16 colours": (NIGHT, [], {"TERM": "xterm"}, THEME_16.name, True),
}

QUICK = ("dark", "COLORFGBG", "plain")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.soak) for name in CASES]
)
def test_browser_colours_follow_terminal_background(name: str) -> None:
    answer, options, env, shown, asked = CASES[name]
    found, was_asked = colors_shown(answer, *options, **env)
    assert was_asked is asked
    assert found == ({shown} if shown else set())


@pytest.mark.parametrize("program", ["tmux", "screen"])
def test_outer_terminal_of_tmux_or_screen_is_queried(program: str, tmp_path: Path, sockets: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    (tmp_path / "tmux").write_text("set -g default-terminal screen-256color\nset -gq allow-passthrough on\n")
    (tmp_path / "screen").write_text("term screen-256color\n")
    tmux = ["tmux", "-u", "-S", str(sockets / "tmux"), "-f", str(tmp_path / "tmux")]
    if program == "tmux":
        command = [*tmux, "new-session", *CACHETUI]
    else:
        command = ["screen", "-U", "-c", str(tmp_path / "screen"), *CACHETUI]
    try:
        with Terminal(command, env={"SCREENDIR": str(sockets)}) as terminal:
            terminal.background = NIGHT
            terminal.wait_for("q quit")
            terminal.wait_for(lambda terminal: re.search(rb"38[;:]5[;:]81", terminal.output) is not None)
            terminal.send("?")
            terminal.wait_for("Keys")
            terminal.send("qq")
            terminal.exitstatus()
    finally:
        subprocess.run([*tmux, "kill-server"], capture_output=True, check=False)

"""The browser in terminals of every kind: the same screen in each, with the symbols and colours that it supports."""

import asyncio
import re
from contextlib import ExitStack
from functools import partial
from random import Random

import pytest
from textual import events
from textual.geometry import Size

from cachetui.model.host import Host
from tests.support.drive import driven, sample_browser
from tests.support.places import CACHETUI
from tests.support.screens import Terminal

LOOKS = {"", "0", "1", "2", "4", "7", "22", "24", "27"}
"""Bold, dim, underlined, reverse."""

COLORS = {"38", "48", "5", "16", "31", "64", "134", "136", "167", "244"}
"""The codes among 256 colours that are visible on every background."""

SIXTEEN = {"30", "31", "32", "33", "35", "46"}
"""The codes among sixteen for the cursor, symbols, missing specs and matches."""

KINDS = {
    "truecolor, another size exported": {"COLORTERM": "truecolor", "COLUMNS": "132", "LINES": "50"},
    "screen, no colour": {"TERM": "screen", "NO_COLOR": "1"},
    "tmux": {"TERM": "tmux-256color"},
    "console": {"TERM": "linux"},
    "16 colours, latin-1": {"TERM": "xterm", "LC_ALL": "de_DE.ISO-8859-1"},
}

PLAIN = ("console", "16 colours, latin-1")
"""Terminals that get only ASCII symbols."""

SIZES = ((60, 20), (300, 100))


def drawn_nowhere(cols: int, rows: int) -> list[str]:
    """Return the expected lines of the first screen, drawn inside the test."""

    with driven(sample_browser("", Host.parse("here")), (cols, rows)) as pilot:
        return pilot.lines


@pytest.fixture(scope="module")
def usual() -> list[str]:
    """The screen that all others are compared with."""
    return drawn_nowhere(80, 24)


def test_first_screen_looks_same_in_every_terminal(usual: list[str]) -> None:
    """All terminals run at the same time; each has to reach the same screen."""
    with ExitStack() as stack:
        terminals = {kind: stack.enter_context(Terminal(CACHETUI, env=env)) for kind, env in KINDS.items()}
        for kind, terminal in terminals.items():
            terminal.wait_for(partial(shows, [pattern(line, plain=kind in PLAIN) for line in usual]))
            terminal.send("q")
            assert terminal.exitstatus() == 0, kind
            output = terminal.output.decode()
            codes = {code for look in re.findall(r"\x1b\[([\d;]*)m", output) for code in look.split(";")}
            colors = set() if "NO_COLOR" in KINDS[kind] else SIXTEEN if kind in PLAIN else COLORS
            assert codes - (colors | LOOKS) <= {"39", "49"}, kind
            assert kind != "console" or "2" not in codes
            assert output.isascii() or kind not in PLAIN, kind


def pattern(line: str, *, plain: bool = False) -> str:
    """Return a pattern for a line, which may have only ASCII symbols in a plain terminal."""
    return "".join("[-.|^v#<>x=+]" if plain and not sign.isascii() else re.escape(sign) for sign in line)


def shows(patterns: list[str], terminal: Terminal) -> bool:
    """Return whether each line on screen matches its pattern."""
    return all(map(re.fullmatch, patterns, terminal.lines))


def test_first_screen_fills_terminal_of_every_size() -> None:
    with ExitStack() as stack:
        terminals = {size: stack.enter_context(Terminal(CACHETUI, cols=size[0], rows=size[1])) for size in SIZES}
        for size, terminal in terminals.items():
            lines = drawn_nowhere(*size)
            assert len(lines) == size[1]
            assert "py-safetensors" in "\n".join(lines)
            assert "? help" in lines[-1]
            terminal.wait_for(partial(shows, list(map(pattern, lines))))
            # facets are drawn only if there is room for them
            assert ("Facets" in terminal.output.decode()) is (size[0] >= 120)
            terminal.send("q")
            assert terminal.exitstatus() == 0


@pytest.mark.parametrize("times", [15, pytest.param(200, marks=pytest.mark.soak)])
def test_browser_survives_resizing_at_any_time(times: int, usual: list[str]) -> None:
    """The terminal is resized and keys are typed without pause from the start; the final screen has the last size."""
    random = Random(times)
    with Terminal(CACHETUI) as terminal:
        for _ in range(times):
            terminal.resize(random.randint(20, 300), random.randint(5, 100))
            terminal.send(random.choice("jkgG"))
        terminal.resize(80, 24)
        terminal.send("g")
        terminal.wait_for(lambda terminal: terminal.lines == usual)
        terminal.send("q")
        assert terminal.exitstatus() == 0


def test_screen_has_the_last_size_after_rapid_resizes() -> None:
    with driven(sample_browser()) as pilot:
        screen = pilot.app.screen
        for width in (100, 90, 110):
            screen.post_message(events.Resize(Size(width, 30), Size(width, 30)))
            screen.call_later(lambda: None)  # otherwise Textual combines the events into a single one
        pilot.settle()
        seen = set()

        async def look() -> None:
            for _ in range(200):
                await asyncio.sleep(0)
                seen.add(screen.size)

        pilot.run(look())
        assert seen == {pilot.app.size}

"""`--pick` in a shell substitution, in a real terminal."""

import shlex

from tests.support.places import CACHETUI, SAMPLE_CONTENT
from tests.support.screens import Terminal


def picking(query: str, cols: int = 80, rows: int = 24) -> Terminal:
    """Return a terminal with a shell that prints the picked hashes and the status."""
    command = f"{shlex.join(CACHETUI)} --no-index-cache --pick {SAMPLE_CONTENT} {query}"
    script = f'p=$({command}); echo "status $? picked <$p>"'
    return Terminal(["/bin/sh", "-c", script], cols=cols, rows=rows)


def test_option_pick_prints_hash_of_spec_on_enter() -> None:
    with picking("py-mpi4py stack=hep") as terminal:
        terminal.wait_for("3 of 413 specs")
        terminal.send("\r")
        terminal.wait_for(" ×3")
        terminal.send("\r")
        terminal.wait_for("Enter select")
        terminal.send("\r")
        assert terminal.exitstatus() == 0
        assert "status 0 picked </3u2lcy4icmxvfeff3h2hn5tslclkrm33>" in terminal.farewell


def test_browser_fills_terminal_inside_shell_command_substitution() -> None:
    with picking("", 140, 40) as terminal:
        terminal.wait_for("413 of 413 specs")
        terminal.wait_for(lambda terminal: "q quit" in terminal.lines[39])
        assert "Facets" in terminal.lines[2]
        assert "hash" in terminal.lines[3]
        terminal.resize(60, 20)
        terminal.wait_for(lambda terminal: "q quit" in terminal.lines[19])
        terminal.send("qq")
        terminal.exitstatus()
        assert "status 130 picked <>" in terminal.farewell

"""`--pick` in a shell substitution, in a real terminal."""

import shlex

from tests.support.places import CACHETUI, SAMPLE_CONTENT
from tests.support.screens import Terminal


def test_option_pick_works_inside_shell_command_substitution() -> None:
    command = f"{shlex.join(CACHETUI)} --no-index-cache --pick {SAMPLE_CONTENT} py-mpi4py stack=hep"
    script = f'p=$({command}); echo "status $? picked <$p>"'
    with Terminal(["/bin/sh", "-c", script], cols=140, rows=40) as terminal:
        terminal.wait_for("3 of 413 specs")
        terminal.wait_for(lambda terminal: "q quit" in terminal.lines[39])
        terminal.resize(60, 20)
        terminal.wait_for(lambda terminal: "q quit" in terminal.lines[19])
        terminal.send("\r")
        terminal.wait_for(" ×3")
        terminal.send("\r")
        terminal.wait_for("Enter select")
        terminal.send("\r")
        assert terminal.exitstatus() == 0
        assert "status 0 picked </3u2lcy4icmxvfeff3h2hn5tslclkrm33>" in terminal.farewell

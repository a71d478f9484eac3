"""Keys that arrive at once, or before the first screen, are read completely and in order."""

import pytest
from textual._xterm_parser import XTermParser

from cachetui.search.hashes import TypedTable
from tests.support.drive import WIDE, Drive, browser
from tests.support.places import CACHETUI
from tests.support.screens import Terminal

BURSTS = [
    ("/mpi4py @4: %gcc", "72 of 413 specs"),
    ("/mpi4py\rj", "91 of 413 specs"),
    ("#2feova4\r", "2feova4prghd2gkebr23if6bojkyydpt"),
    ("/zlib\r/safetens\r\r", "py-safetensors · 116 specs"),
    ("/x\rux/mpi\r#3wag\r", "3wag7gg"),
    ("jjj\r", "py-safetensors · 116 specs"),
    ("?q/pdm", "77 of 413 specs"),
    ("cqdq/pdm\r", "77 of 413 specs"),
]
"""Keys, and the text on screen after them."""


@pytest.mark.parametrize(("keys", "shown"), BURSTS)
def test_keys_sent_at_once_act_like_single_keys(drive: Drive, keys: str, shown: str) -> None:
    """Each key is posted before the app has handled the first one."""

    pilot = drive(browser(), WIDE)
    for key in XTermParser().feed(keys):
        pilot.app.post_message(key)
    pilot.settle()
    assert shown in pilot.text


def test_search_starts_before_next_character_of_hash_is_typed(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    ahead: list[str] = []
    monkeypatch.setattr(TypedTable, "search_ahead", lambda table, typed: ahead.append(typed))
    pilot = drive(browser(), WIDE)
    pilot.press(*"#2f")
    pilot.wait_until(lambda: bool(ahead))
    assert ahead == ["2f"]


def test_keys_typed_before_first_screen_are_kept() -> None:
    """One of the keys is Enter, which the terminal turns into a newline before the browser reads it."""
    with Terminal(CACHETUI) as terminal:
        terminal.send("#2feova4\r")
        terminal.wait_for("2feova4prghd2gkebr23if6bojkyydpt")
        terminal.send("qq")
        assert terminal.exitstatus() == 0

"""Terminal input: any bytes are keys or ignored, a paste has an end and a limit, sizes are checked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser

from cachetui.tui.painter.input_sanitizer import PASTE_ENDS, QUIET_PAUSES, InputSanitizer
from tests.support.places import CACHETUI
from tests.support.screens import Terminal

BEGIN, END = b"\x1b[200~", PASTE_ENDS.encode()


def taken(*pieces: bytes) -> str:
    incoming = InputSanitizer()
    return "".join(map(incoming.take, pieces)) + incoming.pause()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"j", "j"),
        ("é漢".encode(), "é漢"),
        (b"\xff", "ÿ"),
        (b"\xe9", "é"),
        (b"caf\xe9s", "cafés"),
        (b"\xc3\xc3\xa9", "Ãé"),
        (b"\x9b1;2R\x85j", "1;2Rj"),
        (b"\xed\xa0\x80", "í\xa0"),
    ],
)
def test_invalid_utf_8_is_read_as_latin_1(data: bytes, text: str) -> None:
    assert taken(data) == text


def test_bytes_of_split_character_are_joined() -> None:
    assert taken(b"\xc3", b"\xa9") == "é"
    incoming = InputSanitizer()
    assert (incoming.take(b"\xe9"), incoming.pause(), incoming.take(b"j")) == ("", "é", "j")


@given(st.lists(st.binary(max_size=40) | st.sampled_from([BEGIN, END, b"\x1b", b"[20", b"0~", "é".encode(), b"\xff"])))
def test_arbitrary_input_bytes_never_raise_an_error(pieces: list[bytes]) -> None:
    """No byte raises an error, and keys work after a pause."""
    incoming, parser = InputSanitizer(), XTermParser()
    for piece in pieces:
        if text := incoming.take(piece):
            list(parser.feed(text))
    for _ in range(QUIET_PAUSES):
        if text := incoming.pause():
            list(parser.feed(text))
    list(parser.feed(incoming.take(b" " * 40)))  # these spaces end an unfinished sequence
    assert [str(message) for message in parser.feed(incoming.take(b"j"))] == [str(events.Key("j", "j"))]


def cut_anywhere(sent: bytes) -> st.SearchStrategy[list[bytes]]:
    """Split the bytes into up to seven pieces."""
    places = st.lists(st.integers(0, len(sent)), max_size=6).map(sorted)
    return places.map(lambda cuts: [sent[a:b] for a, b in zip([0, *cuts], [*cuts, len(sent)], strict=True)])


@given(cut_anywhere(b"a" + BEGIN + "pásted\x1b[20 text".encode() + END + b"b" + BEGIN + END + b"c"))
def test_paste_split_anywhere_is_read_completely(pieces: list[bytes]) -> None:
    assert taken(*pieces) == b"".join(pieces).decode()


def test_unfinished_paste_ends_after_a_pause() -> None:
    incoming = InputSanitizer()
    text = incoming.take(BEGIN + b"abc") + "".join(incoming.pause() for _ in range(QUIET_PAUSES)) + incoming.take(b"j")
    assert text == f"{BEGIN.decode()}abc{PASTE_ENDS}j"


def test_browser_survives_invalid_terminal_input() -> None:
    """The browser and its marks survive invalid UTF-8, huge sizes and positions, and a paste of 100 kB."""
    with Terminal([*CACHETUI, "--mouse"]) as terminal:
        terminal.wait_for("413")
        terminal.send("\r \x1b[B ")
        terminal.wait_for("50 marked")
        terminal.send(b"\xff\xe9\xea\xeb\x9b5z")
        terminal.send("\x1b[48;999999999;999999999;9;9t\x1b[48;0;0;0;0t")
        terminal.send("\x1b[<0;999999999999;99999999M\x1b[<0;2147483648;1m")
        terminal.send(BEGIN + b"log " * 25_000 + END)
        terminal.send(b"/" + BEGIN + b"zlib" * 25_000 + END + b"\x15hdf5")
        terminal.wait_for("/ hdf5")
        terminal.send("\r")
        terminal.wait_for("50 marked")
        terminal.send("q")


@given(cut_anywhere(b"a\x1b]11;rgb:1c1c/1d1d/1e1e\x1b\\b\x1b[B"))
def test_terminal_response_with_background_colour_is_never_read_as_keys(pieces: list[bytes]) -> None:
    incoming = InputSanitizer()
    assert "".join(map(incoming.take, pieces)).replace("a\x1bb", "ab") == "ab\x1b[B"  # a split escape is a key
    assert incoming.background == "rgb:1c1c/1d1d/1e1e"


def test_escape_key_is_passed_on_at_once() -> None:
    incoming = InputSanitizer()
    assert (incoming.take(b"\x1b"), incoming.take(b"[B")) == ("\x1b", "[B")
    assert (incoming.take(b"\x1b]1"), incoming.pause(), incoming.pause()) == ("", "\x1b]1", "")

"""What a terminal sends, made safe for Textual's parser: any bytes are text, and a paste has an end.

Input: bytes as they are read from the terminal, in pieces that may be cut anywhere.
"""

from __future__ import annotations

import codecs
import re

PASTE_ENDS = "\x1b[201~"

QUIET = 10
"""Pauses in a row after which a paste is over, even if its end never came."""

BACKGROUND_ANSWER = re.compile(r"\x1b?\]11;([^\x07\x1b]{0,64})(?:\x07|\x1b\\)")
"""The answer to OSC 11, which asks a terminal for its background; to the parser it would be keys. Its escape may have
come alone, and is that key then."""

PARTIAL_ANSWER = re.compile(r"\x1b?\](?:1(?:1(?:;[^\x07\x1b]{0,64}\x1b?)?)?)?\Z")
"""The first part of such an answer, where a piece ends within it."""


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    """What is not UTF-8 is a letter of Latin-1, as some terminals send; one of its control characters is nothing."""
    assert isinstance(error, UnicodeDecodeError)
    letters = error.object[error.start : error.end].decode("latin-1")
    return "".join(letter for letter in letters if letter >= "\xa0"), error.end


codecs.register_error("cachetui-latin-1", _as_latin_1)


class Incoming:
    """Turns pieces of bytes into texts for the parser."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("cachetui-latin-1")
        self._pauses = 0
        self._begun = ""
        """The beginning of an answer, whose end is to come."""
        self.background = ""
        """The last answer of the terminal that was asked for its background, as it gave it."""

    def take(self, data: bytes) -> str:
        """The text of the next piece; it may be empty, as long as a character or an answer goes on."""
        self._pauses = 0
        text = self._begun + self._decoder.decode(data)
        for answer in BACKGROUND_ANSWER.finditer(text):
            self.background = answer[1]
        text = BACKGROUND_ANSWER.sub("", text)
        begun = PARTIAL_ANSWER.search(text)
        self._begun = begun[0] if begun else ""
        return text.removesuffix(self._begun)

    def pause(self) -> str:
        """What is still to be passed on when nothing has come for a moment."""
        self._pauses += 1
        text, self._begun = self._begun + self._decoder.decode(b"", final=True), ""
        return text + PASTE_ENDS if self._pauses == QUIET else text

"""Make the input from a terminal safe for Textual's parser: decode invalid bytes, and complete unfinished pastes.

Input: bytes from the terminal, in pieces that may begin and end anywhere.
"""

import codecs
import re

PASTE_ENDS = "\x1b[201~"

QUIET_PAUSES = 10
"""Number of consecutive pauses after which an unfinished paste is completed."""

BACKGROUND_ANSWER = re.compile(r"\x1b?\]11;([^\x07\x1b]{0,64})(?:\x07|\x1b\\)")
"""The terminal's answer to OSC 11, with the background colour. The parser would read the answer as keys.

The escape character is optional, because it may have arrived earlier and have been read as a key.
"""

PARTIAL_ANSWER = re.compile(r"\x1b?\](?:1(?:1(?:;[^\x07\x1b]{0,64}\x1b?)?)?)?\Z")
"""The beginning of an answer to OSC 11 at the end of the received text."""


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    """Decode invalid UTF-8 as Latin-1, which some terminals send. Omit control characters."""
    assert isinstance(error, UnicodeDecodeError)
    letters = error.object[error.start : error.end].decode("latin-1")
    return "".join(letter for letter in letters if letter >= "\xa0"), error.end


codecs.register_error("cachetui-latin-1", _as_latin_1)


class InputSanitizer:
    """Decodes the input piece by piece."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("cachetui-latin-1")
        self._pauses = 0
        self._begun = ""
        """The beginning of an incomplete answer."""
        self.background = ""
        """The unchecked text of the last answer to OSC 11."""

    def take(self, data: bytes) -> str:
        """Decode the next piece of input. If it ends within a character or answer, keep this part for the next call."""
        self._pauses = 0
        text = self._begun + self._decoder.decode(data)
        for answer in BACKGROUND_ANSWER.finditer(text):
            self.background = answer[1]
        text = BACKGROUND_ANSWER.sub("", text)
        begun = PARTIAL_ANSWER.search(text)
        self._begun = begun[0] if begun else ""
        return text.removesuffix(self._begun)

    def pause(self) -> str:
        """Handle a pause in the input: return what `take` has kept. After `QUIET_PAUSES` pauses, also end a paste."""
        self._pauses += 1
        text, self._begun = self._begun + self._decoder.decode(b"", final=True), ""
        return text + PASTE_ENDS if self._pauses == QUIET_PAUSES else text

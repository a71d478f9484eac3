"""Make the input from a terminal safe for Textual's parser: decode invalid bytes, and complete unfinished pastes.

The input arrives in pieces, which may begin and end in the middle of a character or of a control sequence.
"""

import codecs
import re

PASTE_ENDS = "\x1b[201~"

QUIET_PAUSES = 10
"""Number of consecutive pauses after which an unfinished paste is completed."""

BACKGROUND_ANSWER = re.compile(r"\x1b?\]11;([^\x07\x1b]{0,64})(?:\x07|\x1b\\)")
"""The terminal's report of its background colour (OSC 11). The parser would read the report as keys.

The escape character is optional, because it may have arrived earlier and have been read as a key.
"""

PARTIAL_ANSWER = re.compile(r"\x1b?\](?:1(?:1(?:;[^\x07\x1b]{0,64}\x1b?)?)?)?\Z")
"""An incomplete report of the background colour at the end of the received text."""


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
        """The beginning of an incomplete report of the background colour."""
        self.background = ""
        """The unchecked text of the last report of the background colour."""

    def take(self, data: bytes) -> str:
        """Decode the next piece of input. Remove reports of the terminal's background colour.

        If the piece ends with an incomplete character or report, keep this part for the next call.
        """
        self._pauses = 0
        text = self._begun + self._decoder.decode(data)
        for answer in BACKGROUND_ANSWER.finditer(text):
            self.background = answer[1]
        text = BACKGROUND_ANSWER.sub("", text)
        begun = PARTIAL_ANSWER.search(text)
        self._begun = begun[0] if begun else ""
        return text.removesuffix(self._begun)

    def pause(self) -> str:
        """Handle a pause in the input. Return the incomplete part that `take` has kept, or an empty string.

        After `QUIET_PAUSES` consecutive pauses, add the control sequence that ends a paste, because a paste may be
        unfinished.
        """
        self._pauses += 1
        text, self._begun = self._begun + self._decoder.decode(b"", final=True), ""
        return text + PASTE_ENDS if self._pauses == QUIET_PAUSES else text

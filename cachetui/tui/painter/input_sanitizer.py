"""What a terminal sends, made safe for Textual's parser: any bytes are text, and a paste has an end and a size.

Input: bytes as they are read from the terminal, in pieces that may be cut anywhere.
"""

from __future__ import annotations

import codecs
import re

PASTE_LIMIT = 4096
"""Characters of a paste that are passed on: no line that is typed in holds more."""

PASTE_BEGINS, PASTE_ENDS = "\x1b[200~", "\x1b[201~"

BACKGROUND_ANSWER = re.compile(r"\x1b\]11;([^\x07\x1b]{0,64})(?:\x07|\x1b\\)")
"""The answer to OSC 11, which asks a terminal for its background; to the parser it would be keys."""

PARTIAL_ANSWER = re.compile(r"\x1b(?:\](?:1(?:1(?:;[^\x07\x1b]{0,64}\x1b?)?)?)?)?\Z")
"""The first part of such an answer, where a piece ends within it."""

PAUSES_FOR_ANSWER = 20
"""Pauses for which a lone escape may be the beginning of an answer."""

UNMARKED_PASTE = 512
"""A piece of this many characters without an escape is a paste of a terminal that does not mark one.
A shorter piece may have been typed while the connection was stuck."""

TYPED_LETTERS = 8
"""With fewer distinct characters than these it is no paste: a key was held down."""

QUIET = 10
"""Pauses in a row after which a paste is over, even if its end never came."""


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
        self._is_paste = False
        self._room = PASTE_LIMIT
        """Characters that this paste may still have."""
        self._tail = ""
        """The last characters: where a paste begins or ends may be cut in two."""
        self._pauses = 0
        self._begun = ""
        """The beginning of an answer, whose end is to come."""
        self._expected = 0
        self.background = ""
        """The last answer of the terminal that was asked for its background, as it gave it."""

    def expect_background(self) -> None:
        """The terminal has been asked for its background; any thread may say so."""
        self._expected = PAUSES_FOR_ANSWER

    def take(self, data: bytes) -> str:
        """The text of the next piece; it may be empty, as long as a character or a paste goes on."""
        self._pauses = 0
        return self._bounded(self._without_answers(self._decoder.decode(data)))

    def pause(self) -> str:
        """What is still to be passed on when nothing has come for a moment."""
        self._pauses += 1
        self._expected = max(0, self._expected - 1)
        text = self._bounded(self._begun + self._decoder.decode(b"", final=True))
        self._begun = ""
        if self._is_paste and self._pauses >= QUIET:
            self._is_paste, self._tail = False, ""
            text += PASTE_ENDS
        return text

    def _without_answers(self, text: str) -> str:
        """The text but for answers, which are kept, and for the beginning of one at its end."""
        text = self._begun + text
        for answer in BACKGROUND_ANSWER.finditer(text):
            self.background, self._expected = answer[1], 0
        text = BACKGROUND_ANSWER.sub("", text)
        begun = PARTIAL_ANSWER.search(text)
        self._begun = begun[0] if begun and (self._expected or len(begun[0]) > 1) else ""
        return text.removesuffix(self._begun)

    def _bounded(self, text: str) -> str:
        """The text, with what is too much of a paste left out."""
        taken = []
        while text:
            if self._is_paste:
                piece, text = self._of_paste(text)
            elif self._is_unmarked_paste(text):
                piece, text, self._tail = f"{PASTE_BEGINS}{text[:PASTE_LIMIT]}{PASTE_ENDS}", "", ""
            else:
                piece, text = self._of_keys(text)
            taken.append(piece)
        return "".join(taken)

    def _is_unmarked_paste(self, text: str) -> bool:
        return (
            len(text) >= UNMARKED_PASTE
            and len(set(text)) >= TYPED_LETTERS
            and "\x1b" not in text
            and PASTE_BEGINS not in self._tail + text
        )

    def _of_keys(self, text: str) -> tuple[str, str]:
        """The text up to where a paste begins, and what follows."""
        seen = self._tail + text
        found = seen.find(PASTE_BEGINS)
        if found < 0:
            self._tail = seen[1 - len(PASTE_BEGINS) :]
            return text, ""
        end = found + len(PASTE_BEGINS) - len(self._tail)
        self._is_paste, self._room, self._tail = True, PASTE_LIMIT, ""
        return text[:end], text[end:]

    def _of_paste(self, text: str) -> tuple[str, str]:
        """What there is room for of a paste, with its end if it is there, and what follows.

        The last characters are kept back, as they may be the beginning of the end.
        """
        text = self._tail + text
        found = text.find(PASTE_ENDS)
        if found >= 0:
            self._is_paste, self._tail = False, ""
            return text[: min(found, self._room)] + PASTE_ENDS, text[found + len(PASTE_ENDS) :]
        kept = max((n for n in range(1, len(PASTE_ENDS)) if text.endswith(PASTE_ENDS[:n])), default=0)
        piece, self._tail = text[: len(text) - kept], text[len(text) - kept :]
        piece = piece[: self._room]
        self._room -= len(piece)
        return piece, ""

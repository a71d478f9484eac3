"""What the state of every screen over a list has."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from cachetui.tui.view.view import Cursor, View


class ListState(Struct, frozen=True, kw_only=True):
    """A view, the word that rows must have, and the cursor."""

    view: View
    """The catalogue, the filters, the host."""
    word: str = ""
    cursor: Cursor = Cursor()

    def find(self, word: str) -> Self:
        """List only what has a word."""
        return self if word == self.word else replace(self, word=word)

    def move(self, key: Hashable, row: int) -> Self:
        """Put the cursor on a row."""
        return replace(self, cursor=Cursor(key, row))

"""The query line: Tab puts completions into it, Up and Down earlier lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import on

from cachetui.suggest.completion import Completion
from cachetui.tui.widgets.prompt import Prompt

Completer = Callable[[str, int], Sequence[Completion]]
"""Gives what the word at a cursor may become, for a text and the cursor's offset in it."""


class QueryLine(Prompt):
    """The line of the query; only typing and Tab change its text."""

    def __init__(self, completer: Completer) -> None:
        super().__init__(" / ", "a spec as Spack writes it: hdf5@1.14 +mpi %gcc os=ubuntu22.04")
        self._completer = completer
        self._offers: Sequence[Completion] = ()
        self._base = self._completed = ""
        """The text that was completed, and what it became."""
        self._at = -1
        """Which of the completions stands in the line; -1 for none."""
        self.earlier: Sequence[str] = ()
        """The lines that Up brings back, the last one at the end."""
        self._back = 0
        """How many lines back the one is that stands there."""

    def open(self, text: str = "") -> None:
        self._at, self._back = -1, 0
        super().open(text)

    @property
    def offers(self) -> Sequence[Completion]:
        """What Tab puts in, first what it puts in next; while completions stand in the line those behind it."""
        if self._at >= 0 and self.text == self._completed:
            return [*self._offers[self._at :], *self._offers[: self._at]]
        return self._completer(self.text, self.cursor)

    @on(Prompt.CompletionAsked)
    def complete(self, event: Prompt.CompletionAsked) -> None:
        if self._at < 0 or self.text != self._completed:
            self._offers, self._base = self._completer(self.text, self.cursor), self.text
            self._at = -1 if event.delta > 0 else 0
        if self._offers:
            self._at = (self._at + event.delta) % len(self._offers)
            offer = self._offers[self._at]
            self._completed = self._base[: offer.start] + offer.text + self._base[offer.end :]
            self.put(self._completed, offer.start + len(offer.text))

    @on(Prompt.Stepped)
    def recall(self, event: Prompt.Stepped) -> None:
        back = self._back - event.delta
        if 0 <= back <= len(self.earlier):
            self._back = back
            self.put(f"{self.earlier[-back]} " if back else "")

"""The query line: Tab completes."""

from collections.abc import Callable, Sequence

from textual import on

from cachetui.suggest.completion import Completion
from cachetui.tui.widgets.prompt import Prompt

Completer = Callable[[str, int], Sequence[Completion]]
"""Gives the completions of the word at the cursor, for a text and the offset of the cursor in it."""


class QueryLine(Prompt):
    """The line to type a query in."""

    def __init__(self, completer: Completer) -> None:
        super().__init__(" / ", "a spec as Spack writes it: hdf5@1.14 +mpi %gcc os=ubuntu22.04")
        self._completer = completer
        self._offers: Sequence[Completion] = ()
        self._base = self._completed = ""
        """The text before a completion was put in, and after it."""
        self._at = -1
        """The number of the completion that was put in last; -1 for none."""

    def open(self, text: str = "") -> None:
        self._at = -1
        super().open(text)

    @property
    def offers(self) -> Sequence[Completion]:
        """The completions to show: first the one that Tab has put in, if any, then those that it puts in next."""
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

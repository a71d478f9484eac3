"""What the key does with a query line that keeps it: what of the line it puts right, and whether that leaves anything.

Input: what was worked out of the line as it is typed. Every slip is said in one form: what is no name of its kind, then
what the key puts in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cachetui.safe_text import visible
from cachetui.tui.rows.layout import Cell, measure, text_in
from cachetui.tui.screens.hints import KEEPS, WANTS_WHOLE, Hint, hint_cells, keeps_hint

LEAVES_NOTHING = ", which takes nothing"
"""What is said behind what is put in where no spec is left with it."""


class Keeping(NamedTuple):
    is_counted: bool = False
    """Whether what is shown is what the line takes, so that it is kept as it is."""
    unfinished: str = ""
    """What is said of a word in the line that takes nothing yet; the list is shown without it."""
    put_in: Sequence[str] = ()
    """What is put in place of what is typed when it is kept."""
    slips: Sequence[tuple[str, str]] = ()
    """What that stands in place of: each with its kind, of which it is no name."""
    is_all: bool = False
    """Whether all that is wrong with the line is put right so."""
    is_refused: bool = False
    """Whether what is typed is not kept, as its end is the beginning of several values."""
    leaves_nothing: bool = False
    """Whether the list shows more than what is kept, which is nothing."""

    def hint(self, room: int, keys: Mapping[str, str]) -> Hint:
        """What the key does, in so much room."""
        return keeps_hint(self.put_in, room, keys)

    def names_package(self) -> bool:
        """Whether a name of a package is put right."""
        return any(kind == "package" for kind, _ in self.slips)

    def slip_cells(self, room: int, keys: Mapping[str, str]) -> Sequence[Cell | str]:
        """The slips and what the key puts in, in so much room: the slips give way first."""
        after: list[Cell | str] = [Cell(LEAVES_NOTHING, "warn")] if self.leaves_nothing else []
        whole = hint_cells([self.hint(10**6, keys)], keys)
        for said in self._slip_texts:
            if _measured(cells := [Cell(f"{said}; ", "warn"), *whole, *after]) <= room:
                return cells
        if _measured([*whole, *after]) <= room:
            return [*whole, *after]
        return hint_cells([self.hint(room, keys)], keys)

    @property
    def _slip_texts(self) -> Sequence[str]:
        """The slips, in texts shorter and shorter."""
        if not self.slips:
            return ()
        named, alone = ([f"{kind} {word}" for kind, word in self.slips], [word for _, word in self.slips])
        return [visible(f"no {_either(texts)}") for texts in (named, alone)]

    def is_offered(self, offers: Sequence[str]) -> bool:
        """Whether what is put in is one thing, and the first of what Tab puts in."""
        return len(self.put_in) == 1 and self._has(next(iter(offers), ""))

    def has_all(self, offers: Sequence[str]) -> bool:
        """Whether Tab puts in nothing but what is put in anyway."""
        return all(map(self._has, offers))

    def _has(self, offer: str) -> bool:
        texts = map(visible, self.put_in)
        return bool(offer) and any(text.endswith(offer) or text in offer.split() for text in texts)

    def is_said_as_slips(self, offers: Sequence[str]) -> bool:
        """Whether what is put right is said as slips; a word at the end that is yet to be typed on is none."""
        is_typed_on = bool(self.unfinished) and self.is_offered(offers)
        return self.is_all and not is_typed_on

    def before_tab(self, first: str, room: int, keys: Mapping[str, str], *, has_taken: bool) -> Sequence[Cell | str]:
        """What stands before the ways on of a query, the first of which is this: what keeps it, what is unfinished.

        `has_taken`: the first of them stands in the line.
        """
        said = [Cell(f"{self.unfinished}: ", "warn")] if self.unfinished else []
        if self.unfinished and has_taken and first.endswith("="):
            return [*hint_cells([KEEPS._replace(word=f"lists values of {first}")], keys), "  "]
        if self.unfinished and self.is_offered([first]):
            return [*said, Cell(KEEPS.key_text(keys), "key"), " or "]
        if self.put_in:
            keeps = [*self.slip_cells(room - 2 - _measured(said), keys), "  "]
            return [*said, *keeps] if _measured([*said, *keeps]) <= room else [*self.slip_cells(room - 2, keys), "  "]
        if self.unfinished:
            keeps = [*said, *hint_cells([WANTS_WHOLE], keys), "  "] if self.is_refused else []
            return keeps if keeps and _measured(keeps) <= room else said
        return [*hint_cells([KEEPS], keys), "  "] if self.is_counted else []

    def after_first(self, first: str) -> Sequence[Cell | str]:
        """What is said behind the first way on, where the key that keeps the line puts in the same."""
        is_said = self.unfinished and self.leaves_nothing and self.is_offered([first])
        return [Cell(LEAVES_NOTHING, "warn")] if is_said else []


NO_LINE = Keeping()
"""Of no line, or of one that takes nothing yet."""


def _either(texts: Sequence[str]) -> str:
    """Texts with commas, and `or` before the last."""
    return " or ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def _measured(cells: Sequence[Cell | str]) -> int:
    return measure("".join(map(text_in, cells)))

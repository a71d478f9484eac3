"""The dialogs of all keys, and of all actions by name (the palette), of the screen below."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cachetui.safe_text import containing
from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import Answer, KeyAsked, StateScreen
from cachetui.tui.keymap import KEYS, Key, key_sign
from cachetui.tui.lines import Cell, FixedRows, Line, measure
from cachetui.tui.widgets.matrix import Matrix

TITLES = {"facets": "in the facets", "rows": "in a list", "matrix": "in a matrix", "prompt": "in a line"}
"""Where keys act that do not act on the whole screen."""


class HelpDialog(ListDialog):
    """All keys of a screen, its own first; Enter does what the key does."""

    types = False

    def __init__(self, below: StateScreen[Any]) -> None:
        self._keys = [*_keys(below, below.browser.changed_keys)]
        what = as_wide_as(Column("", 36, weight=1), (measure(key.what) for key, _ in self._keys))
        columns = Column("", 14), what, Column("", 13, rank=1)
        super().__init__(below, "Keys", columns, heads=False, types=self.types, placeholder="a part of what it does")
        self.table.explain("No key does that.")

    def rows(self, text: str) -> FixedRows:
        """Return the keys with these words, first those whose label begins with them."""
        found = [k for k, (key, title) in enumerate(self._keys) if containing(text, key.label, key.what, title)]
        found.sort(key=lambda k: not self._keys[k][0].label.lower().startswith(text.lower()))
        return FixedRows({k: self._line(k) for k in found})

    def _line(self, k: int) -> Line:
        key, title = self._keys[k]
        signs = " ".join(map(key_sign, self.browser.changed_keys.get(key.id, key.keys).split(",")))
        return Line((Cell(signs, "bold"), key.what, Cell(title, "muted")))

    def answer(self, key: int) -> Answer:
        asked, title = self._keys[key]
        if title in ("", TITLES["facets"]):
            return KeyAsked(asked.id)
        self.say(f"this key acts {title} alone")
        return None


class Palette(HelpDialog):
    """The same list, with a line to search in it."""

    types = True


def _keys(screen: StateScreen[Any], changed: Mapping[str, str]) -> Iterator[tuple[Key, str]]:
    """The keys of a screen, and where each acts; without those that its own keys stand before."""
    taken: set[str] = set()
    for name in sections_of(screen):
        title = TITLES.get(name, "")
        for key in KEYS[name]:
            signs = {*changed.get(key.id, key.keys).split(",")}
            if key.what and (title or not signs <= taken):
                yield key, title
            taken |= set() if title else signs


def sections_of(screen: StateScreen[Any]) -> Sequence[str]:
    """Return the sections of `KEYS` that act on a screen, its own first."""
    ids = {each.id for kind in type(screen).__mro__ for each in vars(kind).get("BINDINGS", ())}
    own = [name for name, keys in KEYS.items() if name != "screen" and keys[0].id in ids]
    facets = ["facets"] if "browse" in own else []
    lists = ["matrix", "rows"] if screen.query(Matrix) else ["rows"]
    return [*own, *facets, "screen", *lists, "prompt", "app"]

"""The dialogs of all keys, and of all actions by name (the palette), of the screen below."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, ClassVar

from textual import events

from cachetui.safe_text import containing
from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import Answer, StateScreen
from cachetui.tui.keymap import ALL_KEYS, KEYS, Footer, Key, KeyId, key_sign
from cachetui.tui.lines import Cell, FixedRows, Line, measure
from cachetui.tui.widgets.list_pane import KeyAsked
from cachetui.tui.widgets.matrix import Matrix

TITLES = {"facets": "in the facets", "rows": "in a list", "matrix": "in a matrix", "prompt": "in a line"}
"""Where keys act that do not act on the whole screen."""


GROUPS: Mapping[str, Mapping[KeyId, str]] = {
    "Find": {
        "browse.filter": "by a query",
        "browse.lookup": "look one up",
        "browse.facets": "- leaves out",
        "browse.tag": ", . step",
        "browse.why": "nothing left",
        "browse.fits": "only what runs",
        "browse.host": "another one",
        "browse.clear": "all filters",
    },
    "Ask": {
        "browse.install": "from binaries?",
        "browse.needs": "and dependents",
        "browse.coverage": "and the gaps",
        "browse.stacks": "usual size",
        "browse.diff": "between tags",
        "browse.timeline": "over all tags",
        "browse.days": "recorded",
        "browse.problems": "while reading",
    },
    "Go": {
        "table.choose": "what is here",
        "screen.back": "out",
        "browse.pane_next": "to the next",
        "browse.sort": "S reverse",
        "browse.reload": "what changed",
    },
    "Take": {
        "browse.copy": "yy the first",
        "browse.export": "to a file",
        "browse.views": "save, open",
        "browse.mark": "X none",
        "browse.compare": "two specs",
    },
}
"""The keys of help in groups, each with a hint after its label."""

OWN = 6
"""Keys of the screen that help begins with."""


class HelpDialog(ListDialog):
    """The keys of this screen, then all in four groups; a key does what it does on the screen."""

    FOOTER: ClassVar[Footer] = (("dialog.close", "back"),)
    highest = 0.9

    def __init__(self, below: StateScreen[Any]) -> None:
        columns = [Column("", 7), Column("", 28, weight=1)] * 2
        super().__init__(below, "Keys", columns, heads=False, types=False)

    def rows(self, text: str) -> FixedRows:
        find, ask, go, take = ([(group, ""), *own.items()] for group, own in GROUPS.items())
        hints = {id: hint for group in GROUPS.values() for id, hint in group.items()}
        own: list[tuple[str, str]] = [(id, hints.get(id, "")) for id, _ in self.below.footer[:OWN]]
        half = (len(own) + 1) // 2
        pairs = [
            pair
            for left, right in ((own[:half], own[half:]), (find, ask), (go, take))
            for pair in zip_longest(left, right, fillvalue=("", ""))
        ]
        return FixedRows(
            {k: Line([*self._cells(*left), *self._cells(*right)]) for k, (left, right) in enumerate(pairs)}
        )

    def _cells(self, id: str, hint: str) -> Sequence[Cell | str]:
        """Return the key, and its label with the hint; for a group its name."""
        key = ALL_KEYS.get(id)
        if key is None:
            return Cell(id, "bold"), ""
        return Cell(self.sign(key.id), "bold"), f"{key.label:<13}{hint}"

    def on_key(self, event: events.Key) -> None:
        """Do what a key does on the screen below."""
        changed = self.browser.changed_keys
        ids = (id for own in GROUPS.values() for id in own if id in self.below.actions())
        id = next((id for id in ids if event.key in changed.get(id, ALL_KEYS[id].keys).split(",")), None)
        if id not in (None, "screen.back"):
            event.stop()
            self.end(KeyAsked(id))

    def answer(self, key: int) -> Answer:
        return "press a key of this list"


class Palette(ListDialog):
    """All keys of a screen, its own first; Enter does what the key does."""

    def __init__(self, below: StateScreen[Any]) -> None:
        self._keys = [*_keys(below, below.browser.changed_keys)]
        what = as_wide_as(Column("", 36, weight=1), (measure(key.what) for key, _ in self._keys))
        columns = Column("", 14), what, Column("", 13, rank=1)
        super().__init__(below, "Keys", columns, heads=False, placeholder="a part of what it does")

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

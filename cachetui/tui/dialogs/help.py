"""The dialogs for help: the keys, the palette of all actions, and the reference."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import zip_longest

from textual import events

from cachetui.reference import TOPICS, paragraphs, wrapped
from cachetui.safe_text import containing
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import Answer, AnyScreen
from cachetui.tui.keymap import ALL_KEYS, Actions, Key, KeyId, key_text
from cachetui.tui.lines import Cell, Column, FixedRows, Line
from cachetui.tui.widgets.line_widget import KeyAsked

GROUPS: Mapping[str, Mapping[KeyId, str]] = {
    "Find": {
        "browse.filter": "by a query",
        "browse.lookup": "look up",
        "browse.facets": "select values",
        "browse.tag": ", older . newer",
        "browse.why": "rows are hidden",
        "browse.host": "another host",
        "browse.fits": "specs that run",
        "browse.clear": "all filters",
    },
    "Ask": {
        "browse.install": "from binaries?",
        "browse.needs": "dependents",
        "browse.coverage": "specs by stack",
        "browse.stacks": "usual size",
        "browse.diff": "between tags",
        "browse.timeline": "in all tags",
        "browse.days": "as tags",
        "browse.problems": "and warnings",
    },
    "Go": {
        "table.choose": "the row",
        "screen.back": "one level",
        "browse.pane_next": "the next one",
        "browse.sort": "S: reverse",
        "browse.reload": "changed files",
        "browse.reference": "all topics",
    },
    "Copy": {
        "browse.copy": "yy: first text",
        "browse.export": "to a file",
        "browse.views": "save, open",
        "browse.mark": "X: remove all",
        "browse.compare": "two specs",
    },
}
"""The groups of keys in the help. A hint follows the label of each key."""

LEGEND = "! does not run on the host  ×60 60 specs in 1 row  · gap  ✗ missing"

REFERENCE_CELLS = 76
"""Maximum width of a line of the reference, in cells."""

OWN_KEYS = 6
"""Maximum number of keys at the beginning of the help. They are keys of the screen below."""


class HelpDialog(ListDialog):
    """The dialog with the keys. A pressed key closes the dialog and acts on the screen below."""

    FOOTER = (("dialog.close", "back"),)
    highest = 0.9

    def __init__(self, below: AnyScreen) -> None:
        super().__init__(below, "Keys", [Column("", 7), Column("", 28)] * 2, types=False)

    def rows(self, text: str) -> FixedRows:
        find, ask, go, take = (
            [(group, ""), *((id, hint) for id, hint in own.items() if self.below.lists_key(id))]
            for group, own in GROUPS.items()
        )
        hints = {id: hint for group in GROUPS.values() for id, hint in group.items()}
        own: list[tuple[str, str]] = [(id, hints.get(id, "")) for id, _ in self.below.footer[:OWN_KEYS]]
        half = (len(own) + 1) // 2
        pairs = [
            pair
            for left, right in ((own[:half], own[half:]), (find, ask), (go, take))
            for pair in zip_longest(left, right, fillvalue=("", ""))
        ]
        lines = [Line([*self._cells(*left), *self._cells(*right)]) for left, right in pairs]
        return FixedRows(dict(enumerate([*lines, Line((Cell(LEGEND, "muted"),))])))

    def _cells(self, id: str, hint: str) -> Sequence[Cell | str]:
        """Return two cells for an action: its key, and its label with a hint.

        If `id` is the name of a group of keys, return this name and "".
        """
        key = ALL_KEYS.get(id)
        if key is None:
            return Cell(id, "bold"), ""
        return Cell(self.key_text_of(key.id), "bold", (), key.id), Cell(f"{key.label:<13}{hint}", "", (), key.id)

    def actions(self) -> Actions:
        ids = (id for own in GROUPS.values() for id in own if id != "screen.back" and self.below.lists_key(id))
        return {**{id: partial(self.end, KeyAsked(id)) for id in ids}, **super().actions()}

    def on_key(self, event: events.Key) -> None:
        """Close the dialog, and run the action of the key on the screen below."""
        changed, own = self.browser.changed_keys, super().actions().keys()
        for id in self.actions().keys() - own:
            if event.key in changed.get(id, ALL_KEYS[id].keys).split(","):
                event.stop()
                self.end(KeyAsked(id))

    def answer(self, key: int) -> Answer:
        return "press a key from this list"


class ReferenceDialog(ListDialog):
    """The dialog with the reference. The list shows the lines that contain the typed text."""

    FOOTER = (("prompt.leave", "back"),)
    highest = 0.9

    def __init__(self, below: AnyScreen) -> None:
        self._lines = [
            part
            for topic in TOPICS
            for line in paragraphs(topic).splitlines()
            for part in wrapped(line, REFERENCE_CELLS)
        ]
        super().__init__(below, "Reference", [Column("", REFERENCE_CELLS, weight=1)])

    def rows(self, text: str) -> FixedRows:
        found = {k: line for k, line in enumerate(self._lines) if containing(text, line)}
        return FixedRows(
            {k: Line((Cell(line.lstrip("# "), "bold") if line.startswith("#") else line,)) for k, line in found.items()}
        )


class Palette(ListDialog):
    """The dialog with all actions of the screen below. Enter runs the action under the cursor."""

    def __init__(self, below: AnyScreen) -> None:
        columns = Column("", 13), Column("", 14), Column("", 36, weight=1)
        super().__init__(below, "Keys", columns, placeholder="part of a description")

    def rows(self, text: str) -> FixedRows:
        """Return the actions whose label or description contains a text. Labels that begin with the text come first."""
        keys: dict[str, Key] = {}
        for id in reversed(self.below.actions()):
            keys.setdefault(self.key_text_of(id), ALL_KEYS[id])
        offered = (key for key in keys.values() if key.description and self.below.lists_key(key.id))
        found = [key for key in offered if containing(text, key.label, key.description)]
        found.sort(key=lambda key: not key.label.lower().startswith(text.lower()))
        return FixedRows({key.id: self._line(key) for key in found})

    def _line(self, key: Key) -> Line:
        keys = " ".join(map(key_text, self.browser.changed_keys.get(key.id, key.keys).split(",")))
        return Line((Cell(keys, "bold"), key.label, key.description))

    def answer(self, key: KeyId) -> Answer:
        return KeyAsked(key)

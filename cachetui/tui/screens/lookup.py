"""The hash lookup: every key searches all tags; Enter goes to the spec."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from cachetui.analysis.which import package_query
from cachetui.model.spec import HASH
from cachetui.safe_text import plural
from cachetui.search.hashes import HashMatch, HashSearch, beginning
from cachetui.search.index import Index
from cachetui.search.mentions import HashQuery, asked_by, asked_while_typed
from cachetui.tui.rows.hashes import HashRows
from cachetui.tui.rows.specs import SpecKey, spec_key
from cachetui.tui.screens.base import SizedScreen
from cachetui.tui.screens.hints import Hint, hint_cells
from cachetui.tui.state.view import View
from cachetui.tui.terminal.lifecycle import TerminalApp
from cachetui.tui.widgets.bar import Bar
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.table import Table

LEAST_NAME = 2
"""Letters from which on package names are looked for too."""

MOST_NAMES = 20
MOST_HASHES = 200

AFTER_KEY, BETWEEN = 0.04, 0.001
"""Seconds after a search until what one more letter needs is sought ahead, and between the steps of that: what was
found is on screen by then, and the next key waits for no more than a step."""

NO_LETTERS = "0189"
"""Digits that no hash has."""

HINTS = (Hint("prompt.done", "Enter", "go to it"), Hint("prompt.leave", "Esc", "back"))

ABOUT = "Type a hash or a part of it: whole, prefix, inside, with one or two typing errors; over all tags."


class LookupScreen(SizedScreen[SpecKey | str | None]):
    """Ends with the key of the spec that was chosen, or the name of a package, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="lookup.close", tooltip="Back without a choice"),
        Binding("up", "move(-1)", "Up", id="lookup.up", tooltip="One hit up", priority=True),
        Binding("down", "move(1)", "Down", id="lookup.down", tooltip="One hit down", priority=True),
        Binding("pageup", "page(-1)", "Page up", id="lookup.page_up", tooltip="One page up", priority=True),
        Binding("pagedown", "page(1)", "Page down", id="lookup.page_down", tooltip="One page down", priority=True),
    ]

    def __init__(self, index: Index, tag: str | None) -> None:
        super().__init__()
        self._index = index
        self._hash_search = HashSearch(index.columns.hashes)
        self._tag = tag
        self._ahead: asyncio.TimerHandle | None = None
        """The next step of what is sought ahead."""
        self._prompt = Prompt("#", "hash", id="lookup-prompt")
        self._table = Table((), placeholder=ABOUT, id="hits")
        self._status = Bar(id="status")
        self._hints = Bar(id="hints")

    def compose(self) -> ComposeResult:
        yield self._prompt
        yield self._table
        yield self._status
        yield self._hints

    def on_mount(self) -> None:
        self._table.can_focus = False
        self._prompt.open("")
        self._search("")

    def on_unmount(self) -> None:
        self._end_ahead()

    def on_resize(self) -> None:
        self._lay_out()

    @on(Prompt.Edited)
    def follow(self, event: Prompt.Edited) -> None:
        self._search(event.text)

    @on(Prompt.Left)
    def leave(self, event: Prompt.Left) -> None:
        if event.chosen:
            self._choose()
        else:
            self.dismiss(None)

    @on(Table.Chosen)
    def choose(self) -> None:
        self._choose()

    @on(Table.Moved)
    def show_status(self) -> None:
        """Says the whole of the hit under the cursor."""
        rows, at = self._table.rows, self._table.cursor_row
        self._status.show(rows.in_words(at) if isinstance(rows, HashRows) and at is not None else [])

    def follow_view(self, view: View) -> None:
        """Looks the same up in a newer index; the cursor stays on its hit where that is still one."""
        self._index, self._tag = view.index, view.tag
        self._hash_search = HashSearch(view.index.columns.hashes)
        self._search(self._prompt.text, self._table.cursor_key)

    def _lay_out(self) -> None:
        if isinstance(self._table.rows, HashRows):
            self._table.show(self._table.rows, self._table.rows.columns(self.app.size.width))

    def _search(self, text: str, key: Hashable = None) -> None:
        """Shows what is found; the cursor goes to the hit of this key, else to the best one."""
        self._end_ahead()
        asked = asked_while_typed(text)
        if not asked.label:
            self._search_ahead(self._hash_search.prepare(asked.hash), AFTER_KEY)
        hashes, about_hashes = self._hashes(asked)
        if not hashes and (whole := asked_by(text)).label:  # such as name-ver-hash, if no more is to come
            asked, (hashes, about_hashes) = whole, self._hashes(whole)
        name = re.split("[@%+~]", asked.label, maxsplit=1)[0] or asked.hash
        like = self._index.named_like(name) if len(name) >= LEAST_NAME else []
        names = like[:MOST_NAMES]
        rows = HashRows(self._index, hashes, names)
        wanted = asked.hash or asked.label
        never = "" if like else "".join(sorted(set(asked.hash) & set(NO_LETTERS)))
        strange = f"no hash has a {' or '.join(never)}" if never else ""
        no_hash = ". ".join(filter(None, (f"No hash like {wanted!r} in any tag", strange and strange.capitalize())))
        leave = self._signs.get("lookup.close", "Esc")
        self._table.placeholder = f"{no_hash}. Try a shorter part of it; {leave} goes back." if wanted else ABOUT
        at = 0 if key is None else rows.find(key) or 0
        self._table.show(rows, rows.columns(self.app.size.width), key=rows.key(at) if len(rows) else None)
        self.show_status()
        near = sum(match.errors > 0 for match in hashes)
        mistyped = "by typing errors alone" if near == len(hashes) else f"{near} of them by typing errors"
        of = f"{len(names)} of " if len(names) < len(like) else ""
        named = [f"{of}{plural(len(like), 'package')} by name"] if like else []
        found = [*filter(None, (strange, about_hashes)), *named] if wanted else []
        shown = hint_cells(HINTS, self._signs, gap=3)
        self._hints.show(shown, [", ".join([*found, mistyped] if near else found)])

    def _search_ahead(self, steps: Iterator[None], pause: float = BETWEEN) -> None:
        """Takes these steps, one after each pause."""
        self._ahead = asyncio.get_running_loop().call_later(pause, self._step_ahead, steps)

    def _step_ahead(self, steps: Iterator[None]) -> None:
        if next(steps, True) is None:
            self._search_ahead(steps)

    def _end_ahead(self) -> None:
        if self._ahead is not None:
            self._ahead.cancel()

    @property
    def _signs(self) -> dict[str, str]:
        """The keys of bindings that are not as they are by themselves."""
        return {name: sign for name, (sign, _) in cast(TerminalApp[Any], self.app).changed_keys.items()}

    def _hashes(self, asked: HashQuery) -> tuple[Sequence[HashMatch], str]:
        """The hashes that are shown and how many there are, of the package before a `/` if it has such."""
        table = self._index.columns.hashes
        query = package_query(self._index, asked) if asked.label and not HASH.fullmatch(asked.hash) else None
        among = None if query is None else {self._index.columns.hash[row] for row in self._index.rows(query)}
        found = self._hash_search.lookup(asked.hash, MOST_HASHES + 1, among)
        if among is not None and all(match.errors for match in found):
            among = None
            found = self._hash_search.lookup(asked.hash, MOST_HASHES + 1)
        if len(found) <= MOST_HASHES:
            return found, plural(len(found), "hash")
        begin = beginning(table, asked.hash, among)
        if begin > MOST_HASHES:
            return found[:MOST_HASHES], f"first {MOST_HASHES} of {begin:,} that begin so"
        return found[:MOST_HASHES], f"{MOST_HASHES} hashes and more"

    def _choose(self) -> None:
        rows, at = self._table.rows, self._table.cursor_row
        if at is None or not isinstance(rows, HashRows):
            return
        if at >= len(rows.hashes):
            self.dismiss(self._index.packages[rows.names[at - len(rows.hashes)].number])
            return
        of_hash = list(self._index.hash_rows(rows.hashes[at].number))
        in_tag = [row for row in of_hash if self._index.tag_of(row) == self._tag]
        self.dismiss(spec_key(self._index, (in_tag or of_hash)[0]))

    def action_move(self, delta: int) -> None:
        self._table.move(delta)

    def action_page(self, pages: int) -> None:
        self._table.action_page(pages)

    def action_close(self) -> None:
        self.dismiss(None)

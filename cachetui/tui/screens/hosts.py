"""The hosts to choose from: what is typed leaves those that it is a part of, and names any other one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from cachetui.explain.host_names import NamedHost, has_unknown_os, hosts_meant, known_hosts
from cachetui.model.host import Host, name_of_here
from cachetui.safe_text import joined, visible
from cachetui.search.index import Index
from cachetui.suggest.completion import Completion
from cachetui.tui.rows.layout import Cell, Column, FixedRows, Line, measure
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import BoxScreen, list_help
from cachetui.tui.widgets.bar import in_two_lines
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.table import Table

HINTS = (
    Hint("prompt.done", "Enter", "choose"),
    Hint("hosts.up hosts.down", "Up Down", "another"),
    Hint("prompt.complete", "Tab", "complete"),
    Hint("prompt.leave", "Esc", "back"),
)

PLACEHOLDER = "a part of one below, or any other: zen4, linux-rhel9-zen4"

NO_HOST = "No such host."

BEFORE = "chosen before"

BUILT = "built for it"
"""The heading of how many specs were built for a host."""


class HostScreen(BoxScreen):
    """The hosts that there are builds for, the one that is assumed first; it ends with the text of one, or None."""

    AUTO_FOCUS = "Input"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", id="hosts.up", tooltip="One host up", priority=True),
        Binding("down", "move(1)", "Down", id="hosts.down", tooltip="One host down", priority=True),
    ]

    KEYS = list_help("Hosts", "the machine that specs have to run on", enter="choose this host")

    def __init__(self, index: Index, assumed: Host, chosen: Host, before: Sequence[Host] = ()) -> None:
        """`assumed`: the host that `here` means; `chosen`: the one that it is now; `before`: those that were chosen
        before, the last one first."""
        title = "Which host?" if len(index.tags) < 2 else f"Which host? (specs of all {len(index.tags)} tags)"
        self._roles = {host.name: BEFORE for host in before} | {chosen.name: "chosen"}
        self._roles[assumed.name] = name_of_here(os.environ)
        self._oses = [*index.values("os"), *filter(None, [assumed.os])]
        self._known = known_hosts(index, assumed, chosen, *before)
        self._table = Table(_columns([*self._roles.values()]), placeholder=NO_HOST)
        super().__init__(title, self._table, HINTS)
        self._listed: Sequence[NamedHost] = ()
        self._problem = ""
        self._line = Prompt(":", PLACEHOLDER, id="host-prompt", completer=self._completions)
        self._list("", chosen.name)

    def body(self) -> ComposeResult:
        yield self._line
        yield self._table

    def on_mount(self) -> None:
        super().on_mount()
        self._line.open()

    def _list(self, text: str, wanted: str | None = None) -> None:
        """Lists the hosts that a text may stand for; the cursor goes to the wanted one, else to the first."""
        self._listed, self._problem = hosts_meant(self._known, text, self._oses)
        said = [self._said_of(each.host) for each in self._listed]
        lines = [
            Line((Cell(visible(each.text), "key"), f"{each.specs:,}" if each.specs else "", words))
            for each, words in zip(self._listed, said, strict=True)
        ]
        names = [each.text for each in self._listed]
        columns = _columns([*self._roles.values(), *said])
        self._table.show(FixedRows(lines, names), columns, key=wanted if wanted in names else next(iter(names), None))
        self.hint(self._way_on)

    def _said_of(self, host: Host) -> str:
        """What its row says of a host: that its os is not known, else whose it is."""
        role = self._roles.get(host.name, "")
        return f"os {visible(host.os or '')} is not known" if has_unknown_os(host, self._oses) else role

    def _completions(self, text: str, cursor: int) -> list[Completion]:
        return [Completion(0, len(text), each.text) for each in self._listed if each.text != text]

    def action_move(self, delta: int) -> None:
        self._table.move(delta)
        self.hint("")

    @property
    def _way_on(self) -> str:
        """Why what is typed names no host by itself, as far as there is room for it, and the one that the key takes."""
        problem, host, width = visible(self._problem), self._table.cursor_key, self.app.size.width
        if not problem or host is None:
            return problem
        takes = f"{self.key_of('prompt.done', 'Enter')} takes {visible(str(host))}"
        whole = joined((problem, takes))
        return whole if measure(in_two_lines(whole, width)[1]) <= width else takes

    @on(Prompt.Edited)
    def follow_typing(self, event: Prompt.Edited) -> None:
        self._list(event.text)

    @on(Prompt.Left)
    def end(self, event: Prompt.Left) -> None:
        """Ends with the host under the cursor; where there is none, it says why and asks again."""
        host = self._table.cursor_key
        if event.chosen and host is None:
            self._line.open(event.text)
            self.hint(self._way_on)
        else:
            self.dismiss(host if event.chosen else None)


def _columns(said: Sequence[str]) -> Sequence[Column]:
    """The columns of the list; `said`: what there is room for at the end of a row, where the figures may give it up."""
    last = Column("", max(map(len, said)), words=True)
    return Column("host", 24, share=1, most=40), Column(BUILT, len(BUILT), right=True, drop=1), last

"""The dialog to choose the host: the present one, this machine, or one that specs are built for."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from cachetui.model.host import Host
from cachetui.safe_text import containing, visible
from cachetui.settings.config import keep_host
from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import Answer, StateScreen
from cachetui.tui.lines import Cell, FixedRows, Line, from_home, measure

KEEP = "keep"
"""Begins the key of the row that keeps a host."""


class HostDialog(ListDialog):
    """The typed text filters the hosts, and any other host can be typed: `zen4`, `linux-rhel9-zen4`."""

    def __init__(self, below: StateScreen[Any]) -> None:
        view = below.state.view
        self._reason = ""
        """Why the typed text is not a host."""
        self._here, self._assumed, self._name_of_here = view.settings.host(), view.host, view.settings.name_of_here
        names = (measure(host.name) for host in view.views.hosts)
        host = as_wide_as(Column("host", 24, weight=1), (*names, measure(view.host.name), 32))
        columns = host, Column("specs", 7, right=True), Column("", max(14, len(self._name_of_here)))
        super().__init__(below, "Host", columns, placeholder="a part of one, or any other: zen4, linux-rhel9-zen4")

    def rows(self, text: str) -> FixedRows:
        built = self.view.views.hosts
        others = {replace(host, target=self._assumed.target): 0 for host in built}
        hosts = {self._assumed: 0, self._here: 0, **built, **others, **built}
        found = {host: specs for host, specs in hosts.items() if containing(text.replace(" ", "-"), host.name)}
        try:
            typed = Host.completed(text, self._assumed.target) if text else self._assumed
            own = {typed: hosts.get(typed, 0)}
            found = found | own if found and typed.name not in text else own | found
        except ValueError as error:
            self._reason = str(error)
        lines: dict[Any, Line] = {host: self._line(host, specs) for host, specs in found.items()}
        kept = next(iter(found), None)
        if kept is not None:
            lines[KEEP, kept] = Line((f"+ keep {visible(kept.name)} as the host in the config file",))
        return FixedRows(lines)

    def nothing(self, text: str) -> Sequence[str]:
        return [self._reason]

    def _line(self, host: Host, specs: int) -> Line:
        note = "assumed now" if host == self._assumed else self._name_of_here if host == self._here else ""
        return Line((visible(host.name), f"{specs:,}" if specs else "", Cell(note, "muted")))

    def answer(self, key: Host | tuple[str, Host]) -> Answer:
        if isinstance(key, Host):
            return lambda view: view.choose_host(key)
        path = self.view.settings.config_path
        try:
            keep_host(path, str(key[1]))
        except (OSError, ValueError) as error:
            return f"the host was not kept: {visible(str(error))}"
        self.below.say(f"kept in {visible(from_home(path))}: host = {key[1].name}")
        return self.answer(key[1])

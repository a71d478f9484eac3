"""The hosts that a query is not asked for, or no more: the one that is assumed, and those of filters taken out."""

from __future__ import annotations

from cachetui.model.host import Host
from cachetui.query.parts.facets import FitsPart
from cachetui.query.query import Query


class HostKept:
    """The host of one view, as far as its query alone does not tell."""

    def __init__(self, assumed: Host) -> None:
        self.assumed = assumed
        self.staying: Host | None = None
        """The host that specs are still judged by after its filter was taken out alone; None: the one assumed."""
        self._last: FitsPart | None = None
        """The host that was asked for last, before a step took it out."""

    def judging(self, query: Query) -> Host:
        """The host of the query, else the one that stays when its filter is taken out, else the one that is assumed."""
        return query.host or self.staying or self.assumed

    @property
    def next_fits(self) -> FitsPart:
        """The host to ask for next: the one that a step took out last, else the one that is assumed."""
        return self._last or FitsPart(self.assumed)

    def step(self, before: Query, staying: Host | None) -> None:
        """Keeps the host of a query that another one takes the place of; `staying`: the one to judge by without any."""
        self._last = before.fits or self._last
        self.staying = None if staying == self.assumed else staying

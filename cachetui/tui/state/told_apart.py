"""What tells the specs of a package apart that look alike, worked out once for all that is asked of one package."""

from __future__ import annotations

from collections.abc import Mapping

from cachetui.search.results import Results
from cachetui.tui.rows.differences import what_differs


class ToldApart:
    """What differs among the specs of the package that was asked for last."""

    def __init__(self) -> None:
        self._found: tuple[Results, int, Mapping[int, str]] | None = None

    def within(self, scope: Results, number: int) -> Mapping[int, str]:
        """By row what differs among the specs of a package; `scope`: everything in the tags that are looked at."""
        if self._found is None or self._found[:2] != (scope, number):
            rows = scope.rows & scope.index.package_rows(number)
            self._found = scope, number, what_differs(scope.index, rows)
        return self._found[2]

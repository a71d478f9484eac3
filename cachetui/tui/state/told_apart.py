"""What tells the specs of a package apart that look alike, worked out once for all that is asked of one package."""

from __future__ import annotations

from collections.abc import Mapping

from cachetui.search.results import Results
from cachetui.store.arrays import Once
from cachetui.tui.rows.differences import NOT_OWN, common_variants, what_differs, with_newest, without


class ToldApart:
    """What differs among the specs of the package that was asked for last."""

    def __init__(self) -> None:
        self._found: tuple[Results, int, Mapping[int, str]] | None = None
        self._shown: tuple[Results, Mapping[int, str], Mapping[int, str]] | None = None
        self._dated: tuple[Results, Mapping[int, str], Mapping[int, str]] | None = None

    def within(self, scope: Results, number: int, results: Results, *, by_newest: bool) -> Mapping[int, str]:
        """By row what differs among the specs of a package, for those of them that are results.

        `scope`: everything in the tags that are looked at. The variants that all results have, or that were asked for,
        are left out wherever there is anything else. `by_newest`: with the newest tag that has each first.
        """
        shown = self._within_results(scope, number, results)
        if not by_newest:
            return shown
        if self._dated is None or self._dated[0] is not results or self._dated[1] is not shown:
            rows = results.rows & results.index.package_rows(number)
            self._dated = results, shown, with_newest(results.index, rows, shown)
        return self._dated[2]

    def _within_results(self, scope: Results, number: int, results: Results) -> Mapping[int, str]:
        found = self._within(scope, number)
        if self._shown is None or self._shown[0] is not results or self._shown[1] is not found:
            self._shown = results, found, _shown(results, number, found)
        return self._shown[2]

    def _within(self, scope: Results, number: int) -> Mapping[int, str]:
        if self._found is None or self._found[:2] != (scope, number):
            rows = scope.rows & scope.index.package_rows(number)
            self._found = scope, number, what_differs(scope.index, rows)
        return self._found[2]


def _shown(results: Results, number: int, found: Mapping[int, str]) -> Mapping[int, str]:
    if not found:
        return {}
    rows = results.rows & results.index.package_rows(number)
    shared = common_variants(results.index, rows)
    shared |= {part.text for part in results.query.parts if part.column == "variants"}
    texts = Once[str, str](lambda text: text if text in NOT_OWN else without(text, shared) or text)
    return {row: texts[found[row]] for row in rows}

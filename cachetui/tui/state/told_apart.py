"""What tells the specs of a package apart that look alike, worked out once for all that is asked of one package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cachetui.query.parts.facets import FacetPart
from cachetui.query.query import Query
from cachetui.safe_text import visible
from cachetui.search.results import Results
from cachetui.tui.rows.differences import Distinction, what_differs
from cachetui.tui.rows.listed_differences import (
    NEWEST,
    OTHER,
    Wording,
    other_is_newest,
    said_of,
    said_with_tag,
    says_only_tags,
)
from cachetui.tui.rows.spec_columns import DIFFERS


class Told(NamedTuple):
    """What the column of what differs shows."""

    texts: Mapping[int, str]
    """By row; empty where nothing differs."""
    headings: Sequence[str] = ()
    """What the column is headed where a tag stands first in each text; the first that has room."""


class ToldApart:
    """What differs among the specs of the package that was asked for last."""

    def __init__(self) -> None:
        self._found: tuple[Results, int, Distinction] | None = None
        self._told: tuple[Results, Distinction, bool, Told] | None = None

    def within(self, scope: Results, number: int, results: Results, *, by_newest: bool) -> Told:
        """What differs among the specs of a package, for those of them that are results.

        `scope`: everything in the tags that are looked at. The variants and stacks that all results have, or that were
        asked for, are left out. Where a tag tells any of the results apart, that of each stands
        first. `by_newest`: with the newest tag that has each first.
        """
        found = self._within(scope, number)
        told = self._told
        if told is None or told[0] is not results or told[1] is not found or told[2] != by_newest:
            told = self._told = results, found, by_newest, _told(results, number, found, by_newest=by_newest)
        return told[3]

    def _within(self, scope: Results, number: int) -> Distinction:
        if self._found is None or self._found[:2] != (scope, number):
            rows = scope.rows & scope.index.package_rows(number)
            self._found = scope, number, what_differs(scope.index, rows)
        return self._found[2]


def _told(results: Results, number: int, found: Distinction, *, by_newest: bool) -> Told:
    rows = results.rows & results.index.package_rows(number)
    if not found.texts and not by_newest:
        return Told({})
    wording = Wording.of(results.index, rows, _asked_for(results.query))
    if not by_newest and not any(row in rows for row in found.by_tag):
        return Told(said_of(results.index, found, rows, wording))
    newest = by_newest or other_is_newest([results.query.tag])
    headings: Sequence[str] = NEWEST if newest else OTHER
    if says_only_tags(found, rows, wording):
        headings = tuple(heading.removesuffix(f", {DIFFERS}") for heading in headings[:-1])
    return Told(said_with_tag(found, rows, wording, newest=newest), headings)


def _asked_for(query: Query) -> frozenset[str]:
    """The variants and the stack that all results of a query have, as they are said."""
    variants = {part.text for part in query.parts if part.column == "variants"}
    values = [list(part.named_values()) for part in query.parts if isinstance(part, FacetPart) and part.key == "stack"]
    return frozenset(variants).union(visible(named[0][0]) for named in values if len(named) == 1)

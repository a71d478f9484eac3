"""The lists of packages and of specs of a view: which rows they have, in which columns, in which order.

No widget in it. Input: the view, which fits the columns to what its query takes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from cachetui.search.results import FoundPackage
from cachetui.settings.config import DEFAULT_COLUMNS
from cachetui.tui.rows.layout import Column
from cachetui.tui.rows.packages import PACKAGE_COLUMNS, PackageRows
from cachetui.tui.rows.spec_columns import (
    COUNT,
    COUNT_MARKED,
    DIFFERS,
    TAG,
    TARGET,
    fitted,
    folded_titles,
    headed_with_tag,
    sorted_specs,
)
from cachetui.tui.rows.specs import FoldedRows, SpecKey, SpecRows
from cachetui.tui.state.list_columns import ListColumns, packages_of
from cachetui.tui.state.order import NAME, NEWEST, VERSION, SortOrder, specs_with_order, with_order
from cachetui.tui.state.showing import is_emptied
from cachetui.tui.state.sort_steps import sort_steps
from cachetui.tui.state.told_apart import Told, ToldApart

if TYPE_CHECKING:
    from cachetui.search.index import Index
    from cachetui.tui.state.view import View

Level = Literal["packages", "specs"]
"""One of the lists: the one that the cursor is in."""

Stand = Literal["as before", "otherwise", "anew"]
"""How a list stands beside how it was shown last: in the same order, so that only filters differ; in another one; or as
one of another index."""

FALLING = ("specs", "newest")
"""The columns of the packages that start with the greatest."""


NEAREST_FIRST = "nearest target first"
"""How specs stand by a host, unless that is turned round."""


class Lists:
    """What the two lists of one view show."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._told_apart = ToldApart()
        self.fitted = ListColumns()
        """How wide the columns are."""
        self._within: tuple[str | None, Sequence[Column]] = None, ()
        """The package that the user was in when the columns of the packages were asked for last, and these columns."""
        self.columns: Sequence[str] = DEFAULT_COLUMNS
        """The columns of the specs, as the user wants them."""
        self.package_order = SortOrder()
        self.spec_order = SortOrder()
        self._orders: dict[Level, tuple[Index, tuple[object, ...]]] = {}
        """What was shown last in each of the lists, and how these were sorted."""

    # Orders

    def sort_by_next_column(self, level: Level) -> None:
        """Sorts one of the lists by its next column."""
        if level == "specs":
            by_itself = VERSION if self._view.query.host is None else TARGET
            order = self.shown_order(folded=False)
            self.spec_order = order.by_next_column(self.sort_steps, by_itself=by_itself)
        else:
            titles = [column.title for column in PACKAGE_COLUMNS]
            self.package_order = self.package_order.by_next_column(titles, by_itself=NAME)

    @property
    def sort_steps(self) -> Sequence[str]:
        """The columns that the specs can be sorted by; none over the packages."""
        return sort_steps(self._view, self._view.inside) if self._view.inside is not None else ()

    @property
    def order_by_host(self) -> str:
        """How the specs stand where that is by how near they come to the host asked for; empty where it is not."""
        order = self.shown_order(folded=self._view.inside is None)
        if self._view.query.host is None or order.column is not None:
            return ""
        return "nearest target last" if order.reverse else NEAREST_FIRST

    def order_texts(self, level: Level) -> tuple[str, str]:
        """How one of the lists stands, in words, and by what it would stand next; by target, where a host is asked for,
        means by how near that comes to it."""
        steps: Sequence[str] = [column.title for column in PACKAGE_COLUMNS]
        order, by_itself = self.package_order, NAME
        if level == "specs":
            by_itself = VERSION if self._view.query.host is None else TARGET
            order, steps = self.shown_order(folded=False), self.sort_steps
        following = order.by_next_column(steps, by_itself=by_itself)

        def said(each: SortOrder) -> str:
            if each.column is None and by_itself == TARGET:
                return f"{TARGET}, nearest {'last' if each.reverse else 'first'}"
            return NEWEST if each.column == TAG else each.column or by_itself

        return said(order), said(following)

    def turn_order_round(self, level: Level) -> None:
        """Turns the order of one of the lists round."""
        if level == "specs":
            self.spec_order = self.shown_order(folded=False).turned_round()
        else:
            self.package_order = self.package_order.turned_round()

    def shown_order(self, *, folded: bool) -> SortOrder:
        """The order of the specs, or of those alike as one: their own where the chosen one is by a column not shown."""
        order = self.spec_order
        seen_in = DIFFERS if order.column == TAG and self._view.tag is not None else order.column
        titles = folded_titles(self.columns) if folded else ("hash", *self.columns)
        return order if seen_in is None or seen_in in titles else SortOrder()

    def packages_hold(self) -> bool:
        """Whether the packages to show now stand in the order of those shown last, so that only filters differ."""
        return self._stand("packages", self.package_order, self.names_sort) == "as before"

    def specs_stand(self, *, folded: bool) -> Stand:
        """How the specs to show now stand, or those alike as one."""
        return self._stand("specs", self.shown_order(folded=folded), self._view.query.host)

    def _stand(self, name: Level, *order: object) -> Stand:
        now = self._view.index, order
        before, self._orders[name] = self._orders.get(name), now
        if before is None or before[0] is not now[0]:
            return "anew"
        return "as before" if before[1] == now[1] else "otherwise"

    # Packages

    def packages(self) -> PackageRows:
        """The packages, in the order that is chosen; the one that the user is in also where none of its specs is
        left."""
        view, order, name = self._view, self.package_order, self.emptied
        number = None if name is None else view.index.package_number(name)
        kept = None if name is None or number is None else FoundPackage(number, name)
        return PackageRows(view.results, order.column, order.reverse, kept)

    @property
    def emptied(self) -> str | None:
        """The package that the user has gone into, where the filters leave none of its specs and he stays in it."""
        return self._view.inside if self.empties(self._view.inside) else None

    def empties(self, package: str | None) -> bool:
        """Whether the filters leave no spec of a package, and do not lead to another one by its name."""
        view = self._view
        return package is not None and is_emptied(view.index, view.results, package)

    @property
    def package_columns(self) -> Sequence[Column]:
        """The columns of the packages with their order; their widths stay until another query is one step.

        Within a package its specs need the room more than the newest version of each: there they are as wide as those
        needed that were listed when the user went into it.
        """
        by_itself, inside = NAME if self.names_sort else None, self._view.inside
        if self._within[0] != inside:
            self._within = inside, [] if inside is None else packages_of(self._view.results)[:-1]
        fitted = self.fitted.packages if inside is None else self._within[1]
        return with_order(fitted, self.package_order, by_itself=by_itself, falling=FALLING)

    @property
    def names_sort(self) -> bool:
        """Whether packages stand by name of their own accord: not where the best match of a fuzzy name comes first."""
        named = self._view.query.package
        return named is None or not named.fuzzy

    # Specs

    def specs(self, package: str | None, *, told_apart: bool = False) -> SpecRows:
        """The specs of a package, in the order that is chosen; `told_apart`: with what differs in those alike."""
        number = None if package is None else self._view.index.package_number(package)
        differs = self._what_differs(number).texts if told_apart and number is not None else {}
        return self._specs(number, self.shown_order(folded=False), differs)

    def folded_specs(self, package: str | None, kept: Sequence[Hashable]) -> FoldedRows:
        """The specs of a package, those that are alike as one row; that of the first that is there of those `kept`
        shows it."""
        number = None if package is None else self._view.index.package_number(package)
        return FoldedRows(self._specs(number, self.shown_order(folded=True), {}), kept)

    def begins_with(self, package: str | None) -> SpecKey | None:
        """The spec that those of a package begin with one by one, where those alike as one stand in another order."""
        if self.shown_order(folded=True) == self.shown_order(folded=False):
            return None
        rows = self.specs(package)
        return rows.key(0) if len(rows) else None

    def _specs(self, number: int | None, order: SortOrder, differs: Mapping[int, str]) -> SpecRows:
        view = self._view
        rows = [] if number is None else view.results.package_rows(number)
        ordered = sorted_specs(view.results, rows, order.column, order.reverse)
        return SpecRows(view.index, ordered, view.marks, differs, self._titles(differs), view.results.count, view.host)

    def spec_columns(self, package: str | None) -> Sequence[Column]:
        """The columns of the specs of a package with their order, as wide as these need; none without a package."""
        index = self._view.index
        number = None if package is None else index.package_number(package)
        if number is None:
            return ()
        rows = self._view.results.rows & index.package_rows(number)
        told = self._what_differs(number)
        columns = fitted(self._titles(told.texts), index, rows, told.texts)
        columns = headed_with_tag(columns, told.headings) if told.headings else columns
        return self._ordered(columns, self.shown_order(folded=False))

    @property
    def folded_columns(self) -> Sequence[Column]:
        """The columns of specs that are alike, with their order and how many these are.

        The same for all packages as long as the cursor goes over them; their widths stay until another query is one
        step.
        """
        columns = self._ordered(self.fitted.folded(self.columns), self.shown_order(folded=True))
        return [*columns, COUNT_MARKED if self._view.marks else COUNT]

    def _ordered(self, columns: Sequence[Column], order: SortOrder) -> list[Column]:
        return specs_with_order(columns, order, by_host=self._view.query.host is not None)

    def _titles(self, differs: Mapping[int, str]) -> Sequence[str]:
        """The columns that specs are shown in: none for the tag where there is one, nor where nothing `differs`."""
        left_out = ("" if differs else DIFFERS, "" if self._view.tag is None else TAG)
        return [title for title in self.columns if title not in left_out] or ["hash"]

    def _what_differs(self, number: int) -> Told:
        """What tells the specs of a package apart that look alike, be these filtered away or not."""
        view = self._view
        by_newest = view.tag is not None and self.spec_order.column == TAG
        return self._told_apart.within(view.scope, number, view.results, by_newest=by_newest)

"""The orders that the lists of packages and of specs can be in, and how `--sort` names them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from msgspec import Struct

from cachetui.report.find import PackageRow
from cachetui.tui.rows.layout import Column
from cachetui.tui.rows.packages import PACKAGE_COLUMNS
from cachetui.tui.rows.spec_columns import DIFFERS, TAG, TARGET

SORTING = 12
"""Cells that do for a column that is not dropped as long as it sorts."""

NAME = "package"
"""The column that the packages are sorted by anyway."""

VERSION = "version"
"""The column that the specs are sorted by anyway, the newest first."""

NEWEST_FIRST = (VERSION, TAG)
"""The columns of the specs that start with the newest."""

NEWEST = "newest tag"
"""What the column of what differs is headed where it begins with that tag, by which the specs are sorted; what else it
holds is said beside the sign."""


class SortOrder(Struct, frozen=True):
    """The column that a list is sorted by, and whether the other way round."""

    column: str | None = None
    """Its title; None for the order that the list has by itself."""
    reverse: bool = False

    def turned_round(self) -> SortOrder:
        return SortOrder(self.column, not self.reverse)

    def by_next_column(self, titles: Sequence[str], *, by_itself: str) -> SortOrder:
        """By the next of these columns; `by_itself` is the one that the list is sorted by anyway."""
        now = by_itself if self.column is None else self.column
        titles = titles if by_itself in titles else [by_itself, *titles]
        following = titles[(titles.index(now) + 1) % len(titles)] if now in titles else by_itself
        return SortOrder(None if following == by_itself else following)


def with_order(
    columns: Sequence[Column], order: SortOrder, *, by_itself: str | None, falling: Collection[str]
) -> list[Column]:
    """The columns, the one that sorts with its direction, and never dropped; `falling` start with the greatest."""
    sorting = by_itself if order.column is None else order.column
    sign: Literal["rising", "falling"] = "falling" if (sorting in falling) != order.reverse else "rising"

    def sorted_by(column: Column) -> Column:
        width = min(column.width, SORTING) if column.drop else column.width
        return column._replace(order=sign, drop=0, width=width)

    return [sorted_by(column) if column.title == sorting else column for column in columns]


def specs_with_order(columns: Sequence[Column], order: SortOrder, *, by_host: bool) -> list[Column]:
    """The columns of specs with their order; `by_host`: by themselves those nearest to a host stand first.

    By tag they are sorted where that of each is seen: where one is looked at, what differs says the newest of each.
    """
    if order.column == TAG and TAG not in (column.title for column in columns):
        headed = [_by_newest(column) if column.title == DIFFERS else column for column in columns]
        order = SortOrder(DIFFERS, order.reverse)
        return with_order(headed, order, by_itself=None, falling=(DIFFERS,))
    if not by_host or order.column is not None:
        return with_order(columns, order, by_itself=VERSION, falling=NEWEST_FIRST)
    return with_order(columns, order, by_itself=TARGET, falling=(TARGET,))


def _by_newest(column: Column) -> Column:
    """The column of what differs, which begins with the newest tag."""
    wider = _wider(column, len(NEWEST), len(f"{NEWEST} {DIFFERS}"))
    return wider._replace(headings=(NEWEST,), asides=(DIFFERS,))


def _wider(column: Column, least: int, most: int) -> Column:
    """A column with room for so many letters and a sign, and if there is any for `most`."""
    return column._replace(width=max(column.width, least + 1), most=max(column.most, most + 1))


def sort_of_packages(order: SortOrder) -> str | None:
    """An order of the packages as `--sort` names it; None for by name, which they have by themselves."""
    column = order.column or NAME
    descending = order.reverse if column == NAME else not order.reverse  # of figures the greatest stand first
    field = PackageRow.__struct_fields__[[each.title for each in PACKAGE_COLUMNS].index(column)]
    return f"-{field}" if descending else field if column != NAME else None


def sort_of_specs(order: SortOrder, *, by_host: bool) -> str | None:
    """An order of the specs as `--sort` names it; None for the order that they have by themselves.

    `by_host`: that is by how near they come to a host, for which there is no `--sort`, nor for the other way round.
    """
    if order.column is None and (by_host or not order.reverse):
        return None
    field = order.column or VERSION
    is_falling = order.reverse != (field in NEWEST_FIRST)
    return f"-{field}" if is_falling else field

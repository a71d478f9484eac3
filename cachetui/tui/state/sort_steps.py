"""The columns that specs can be sorted by, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyroaring import BitMap

from cachetui.search.newest_tags import NewestTags
from cachetui.tui.rows.spec_columns import DIFFERS, SPEC_COLUMNS, TAG
from cachetui.tui.state.order import VERSION

if TYPE_CHECKING:
    from cachetui.model.facets import Profile
    from cachetui.tui.state.view import View


def sort_steps(view: View, package: str) -> Sequence[str]:
    """The columns that the specs of a package can be sorted by, as they stand: those that tell some of them apart.

    The version and the column that sorts now are among them in any case. The tag is in its own column that of the rows,
    and where one tag is looked at, in that of what differs, the newest that has each spec.
    """
    seen_in, other = (TAG, DIFFERS) if view.tag is None else (DIFFERS, TAG)
    titles = [TAG if title == seen_in else title for title in view.lists.columns if title != other] or ["hash"]
    stays = (VERSION, view.lists.spec_order.column)
    index, number = view.index, view.index.package_number(package)
    rows = BitMap() if number is None else view.results.rows & index.package_rows(number)
    profiles = [index.profiles[each] for each in set(map(index.columns.rows["profile"].__getitem__, rows))]
    return [title for title in titles if title in stays or _tells_apart(view, title, rows, profiles)]


def _tells_apart(view: View, title: str, rows: BitMap, profiles: Sequence[Profile]) -> bool:
    """Whether some of the rows, which have these profiles, have another value in a column than others."""
    if title == TAG:
        tags = NewestTags(view.index)
        places = map(tags.own if view.tag is None else tags.newest, rows)
        first = next(places, None)
        return any(place != first for place in places)
    of_profile = SPEC_COLUMNS[title].of_profile
    return of_profile is None or len(set(map(of_profile, profiles))) > 1

"""The columns that specs can be sorted by, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cachetui.search.newest_tags import NewestTags
from cachetui.tui.rows.spec_columns import DIFFERS, TAG

if TYPE_CHECKING:
    from cachetui.tui.state.view import View


def sort_steps(view: View, package: str) -> Sequence[str]:
    """The columns that the specs of a package can be sorted by, as they stand.

    The tag is one of them where there are several to tell apart: in its own column those of the rows, and where one tag
    is looked at, in that of what differs, the newest that has each spec.
    """
    seen_in, other = (TAG, DIFFERS) if view.tag is None else (DIFFERS, TAG)
    titles = [TAG if title == seen_in else title for title in view.lists.columns if title != other] or ["hash"]
    return [title for title in titles if title != TAG or _has_several_tags(view, package)]


def _has_several_tags(view: View, package: str) -> bool:
    index = view.index
    number = index.package_number(package)
    rows = () if number is None else view.results.rows & index.package_rows(number)
    tags = NewestTags(index)
    places = map(tags.own if view.tag is None else tags.newest, rows)
    first = next(places, None)
    return any(place != first for place in places)

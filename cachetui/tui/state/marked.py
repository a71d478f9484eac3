"""The marked specs in the order of the list that they were marked in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from cachetui.tui.state.view import View


def marked_in_order(view: View) -> Sequence[int]:
    """The rows of the marked specs, package by package, each as the list of its specs has them.

    Those that the filters hide stand behind the others of their package.
    """
    index, found = view.index, []
    for package, rows in groupby(view.marked_rows(), key=lambda row: index.spec(row).package):
        place = {row: k for k, row in enumerate(view.lists.specs(package).rows)}
        found += sorted(rows, key=lambda row: place.get(row, len(place)))
    return found

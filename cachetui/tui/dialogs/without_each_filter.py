"""The dialog to take out one filter, with the number of specs without each."""

from collections.abc import Mapping, Sequence
from functools import partial, reduce
from typing import Any, ClassVar, cast

from textual.binding import BindingType

from cachetui.query.query import Query
from cachetui.safe_text import visible
from cachetui.suggest.no_match import unmatched
from cachetui.tui.column_widths import Column, as_wide_as
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import Answer, CauseRemoved, StateScreen
from cachetui.tui.keymap import WITHOUT, Actions, Footer, bindings
from cachetui.tui.lines import FixedRows, Line, measure
from cachetui.tui.view.view import View


class WithoutEachFilterDialog(ListDialog):
    """The filters, first the one without which most specs match; its digit or Enter removes it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("without")
    FOOTER: ClassVar[Footer] = (
        ("table.choose", "remove"),
        ("without.1", "to 9 by number"),
        ("dialog.close", "back"),
    )

    def __init__(self, below: StateScreen[Any]) -> None:
        view = below.state.view
        filters = (measure(visible(each.text)) for each in view.results.without_each)
        reasons = (measure(each) for each in reasons_of(view).values())
        columns = (
            *(Column("", 1), as_wide_as(Column("without", 20, weight=2), filters)),
            *(Column("specs", 9, right=True), as_wide_as(Column("", 24, weight=3), reasons)),
        )
        super().__init__(below, "Remove a filter", columns, types=False)

    def rows(self, text: str) -> FixedRows:
        reasons, found = reasons_of(self.view), self.view.results.without_each
        causes: Mapping[Any, tuple[str, str, str]] = {
            (name,): (visible(name), "", "hides rows") for name in self.below.state.causes
        }
        terms = {each.text: (visible(each.text), f"{each.specs:,}", reasons.get(each.text, "")) for each in found}
        both = {**causes, **terms}.items()
        return FixedRows({key: Line((str(k), *texts)) for k, (key, texts) in enumerate(both, 1)})

    def nothing(self, text: str) -> Sequence[str]:
        return ["No filter is set, and all rows are shown."]

    def answer(self, key: str | tuple[str]) -> Answer:
        return CauseRemoved(key[0]) if isinstance(key, tuple) else lambda view: without_filter(view, key)

    def actions(self) -> Actions:
        digits: Actions = {id: partial(self.take_out, number) for number, id in enumerate(WITHOUT, 1)}
        return {**super().actions(), **digits}

    def take_out(self, number: int) -> None:
        """End with the filter of this number."""
        if number <= len(self.table.rows):
            self.end(self.answer(cast(str, self.table.rows.key(number - 1))))


def reasons_of(view: View) -> Mapping[str, str]:
    """Return the nearest values for each filter that matches nothing at all, and for a host what specs lack."""
    spelled = {part: text for text, parts in view.asked.spelled.items() for part in parts}
    found = {each.part: each.phrase.removeprefix(f"{each.text} ") for each in unmatched(view.index, view.asked)}
    host, fits = view.asked.fits, view.results.fits_by[view.host]
    reasons = found if host is None or fits is None else {host: fits.sum.removeprefix(f"{fits.total:,} "), **found}
    return {spelled[part]: visible(text) for part, text in reasons.items()}


def without_filter(view: View, text: str) -> View:
    """Return the view without a filter, given as it is spelled; without the tag it shows all tags."""
    parts = view.asked.spelled.get(text, ())
    if any(part.key == "tag" for part in parts):
        return view.choose_tag(None)
    return view.ask(reduce(Query.without, parts, view.query))

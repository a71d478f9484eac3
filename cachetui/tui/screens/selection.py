"""The marked specs of a view, and what leaves the browser: copies, files, two specs side by side.

What is copied and written is of the marked specs, else of the one under the cursor or of all that is on screen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

from cachetui.model.spec import Spec
from cachetui.query.query import Query
from cachetui.report.find import spec_name, specs_counted
from cachetui.report.paste import command, copies, find_command, hash_word
from cachetui.safe_text import plural, visible
from cachetui.search.index import Index
from cachetui.sources.buildcache.signatures import is_signed
from cachetui.tui.rows.specs import SpecKey, rows_of_key
from cachetui.tui.screens.browse_parts import BrowseParts
from cachetui.tui.screens.survey_opening import Surveys
from cachetui.tui.state.marked import marked_in_order
from cachetui.tui.state.order import sort_of_packages, sort_of_specs
from cachetui.tui.state.pairs import Pairs

if TYPE_CHECKING:
    from cachetui.tui.screens.comparison import Pair
    from cachetui.tui.screens.spec import SpecScreen

CURSOR = ", cursor"
"""Suffix of the name of a text that is of the spec under the cursor, where others are marked."""


class Compared(NamedTuple):
    """Pairs of rows that are compared, one after the other."""

    pair: Callable[[int], tuple[int, int]]
    """Gives each of them by its number, from 0."""
    total: int
    which: str
    """Says of a pair which ones of those that are marked it is; its number and how many there are stand for `{}`."""


class Selection:
    """The specs that were marked, or are looked at, in one view."""

    def __init__(self, parts: BrowseParts, content: str, surveys: Surveys) -> None:
        """`content` as it stands in commands; `surveys` open what says whether a spec would install."""
        self._surveys = surveys
        self._owner, self._view, self._panes, self._bars, self._filters = parts
        self._content = content
        self._cleared: tuple[Query, frozenset[SpecKey]] | None = None
        """The marks that were taken away all at once, and the query then."""

    # Marks

    def mark(self) -> None:
        """Marks the spec under the cursor, or takes its mark away."""
        row = self._panes.spec_row
        if row is None or self._panes.level != "specs":
            no_spec = "there is no spec to mark" if self._panes.level == "specs" else ""
            self._bars.say(no_spec or "go into a package to mark its specs", asks=True)
            return
        before = len(self._view.marks)
        self._view.toggle_mark(row)
        self._panes.specs.stay()
        self._show_marks()
        if len(self._view.marks) < before:
            self._bars.say(self._taken_away)

    @property
    def _taken_away(self) -> str:
        """What to say of a mark that was taken away."""
        return f"its mark is taken away, {plural(len(self._view.marks), 'mark')} left"

    def is_marked(self, key: SpecKey) -> bool:
        """Whether a spec is marked by now."""
        return key in self._view.marks

    def clear(self) -> None:
        """Takes all marks away."""
        marks = len(self._view.marks)
        if marks:
            self._cleared = self._view.query, self._view.marks
        self._view.clear_marks()
        self._show_marks()
        undo = self._bars.key_of("browse.undo", "u")
        self._bars.say(f"{plural(marks, 'mark')} taken away: {undo} goes back" if marks else "no spec is marked")

    def bring_back(self) -> bool:
        """Marks again what was marked, if that all marks went was the last step; whether it was."""
        cleared, self._cleared = self._cleared, None
        if cleared is None or cleared[0] is not self._view.query or self._view.marks:
            return False
        self._view.marks = cleared[1]
        self._show_marks()
        self._bars.say(f"{plural(len(cleared[1]), 'spec')} marked again")
        return True

    def open_marks(self) -> None:
        """Lists the marked specs."""
        from cachetui.tui.screens.marks import MarksScreen

        screen = MarksScreen(self._view, self._show_marks, self.compare, self.open_export)
        self._owner.app.push_screen(screen, self._leave_marks)

    def _leave_marks(self, found: object) -> None:
        from cachetui.tui.screens.marks import ALL_MARKS

        self._show_marks()
        if found == ALL_MARKS:
            self.clear()
        elif isinstance(found, tuple) and rows_of_key(self._view.index, cast(SpecKey, found)):
            self._filters.go_to(found)
        elif isinstance(found, tuple):
            self._bars.say("that spec is no more there")

    def _show_marks(self) -> None:
        self._panes.show_specs()
        self._bars.show_header()
        self._bars.show_hints()

    def act_on_spec(self, event: SpecScreen.Asked) -> None:
        """Does what a spec that is shown in full is asked for, and says there what came of it."""
        if event.wanted == "install":
            self._surveys.open_install_of_spec(event.spec)
        elif event.wanted == "mark":
            event.say(self._mark_in_full(event.key))
        else:
            self._compare_in_full(event.key, event.say)

    def _mark_in_full(self, key: SpecKey) -> str:
        """Marks a spec, or takes its mark away; returns what to say of it."""
        self._view.marks ^= {key}
        self._show_marks()
        marks, compare = len(self._view.marks), self._bars.key_of("spec.compare", "=")
        if key not in self._view.marks:
            return self._taken_away
        if marks == 1:
            return "marked, as the only one"
        return f"marked, {marks} are now: {compare} compares {'two' if marks == 2 else 'them pair by pair'}"

    def _compare_in_full(self, key: SpecKey, say: Callable[[str], None]) -> None:
        """Shows a spec beside a marked one; where there is none, says what to do."""
        rows, marked = rows_of_key(self._view.index, key), marked_in_order(self._view)
        here = rows[0] if rows else None
        if marked and here is not None and here not in marked:
            which = "{} of {} marked, cursor" if len(marked) > 1 else "marked, cursor"
            self._show_comparison(Compared(lambda at: (marked[at], here), len(marked), which))
        elif found := _to_compare(marked, here, from_here=True):
            self._show_comparison(found)
        else:
            say(self._how_to_compare(self._bars.key_of("spec.mark", "Space"), self._bars.key_of("spec.compare", "=")))

    def compare(self, here: int | None = None) -> None:
        """Shows two marked specs side by side, or the one that is marked and the one under the cursor.

        Of more than two, the first two of the list are the first pair. `here`: the row under the cursor of the list of
        marks, which begins with it and the next.
        """
        if here is None:
            found = _to_compare(marked_in_order(self._view), self._panes.spec_row)
        else:
            found = _to_compare(self._view.marked_rows(), here, from_here=True)
        if found:
            self._show_comparison(found)
        else:
            keys = self._bars.key_of("browse.mark", "Space"), self._bars.key_of("browse.compare", "=")
            self._bars.say(self._how_to_compare(*keys), asks=True)

    def _how_to_compare(self, mark: str, compare: str) -> str:
        return f"mark two specs with {mark}, then {compare} compares them ({len(self._view.marks)} marked)"

    def _show_comparison(self, compared: Compared) -> None:
        """Shows two rows side by side, and all other pairs that are asked for."""
        from cachetui.tui.screens.comparison import ComparisonScreen

        # Its rows are numbers of this index, whatever index comes while other pairs are looked at.
        screen = ComparisonScreen(partial(self._pair, self._view.index, compared), compared.total, self.open_export)
        self._owner.app.push_screen(screen)

    def _pair(self, index: Index, compared: Compared, at: int) -> Pair:
        """One of the pairs that are compared."""
        from cachetui.analysis.comparison import compare as compared_specs
        from cachetui.tui.screens.comparison import Pair

        found = compared_specs(index, *compared.pair(at))
        words = [word for spec in (found.old, found.new) if (word := hash_word(spec))]
        line = command("diff", self._content, ["..".join(words)], Query()) if len(words) == 2 else ""
        old, new = (
            f"{spec.package}@{spec.version or '?'} {(spec.hash or 'no hash')[:7]}" for spec in (found.old, found.new)
        )
        if found.old.package == found.new.package:
            new = new.removeprefix(found.old.package)
        return Pair(found, line, f"{old} and {new}", compared.which.format(at + 1, compared.total))

    # What leaves the browser

    def open_copy(self) -> None:
        """Shows the texts of the marked specs and of the one under the cursor, and the view itself as a command."""
        from cachetui.tui.screens.copies import CopyScreen

        view, panes = self._view, self._panes
        marked, here = view.marked(), [] if panes.spec_row is None else [view.index.spec(panes.spec_row)]
        packages = panes.level == "packages"
        texts = self._copies(marked or here)
        if marked:
            texts += [(f"{label}{CURSOR}", text) for label, text in self._copies(here)]
        among = len(view.lists.specs(panes.package)) if packages else 1
        texts.append(("this view", self._this_view()))
        self._owner.app.push_screen(CopyScreen(texts, _whose(marked, here, among)), self._say_done)

    def _this_view(self) -> str:
        """The command that shows the same."""
        view, panes = self._view, self._panes
        packages, lists = panes.level == "packages", view.lists
        by_host = view.query.host is not None
        sort = sort_of_packages(lists.package_order) if packages else sort_of_specs(lists.spec_order, by_host=by_host)
        return find_command(self._content, view.index.exact(view.shown_in(panes.inside)), packages=packages, sort=sort)

    def _copies(self, specs: Sequence[Spec]) -> list[tuple[str, str]]:
        return copies(specs, os.environ.get("CACHETUI_MIRROR"), self._view.index.graph, is_signed)

    def choose(self, *, picks: bool) -> None:
        """Shows the spec under the cursor in full; where one is to be picked, ends with it or with the marked ones."""
        row = self._panes.spec_row
        if row is None:
            return
        if not picks:
            from cachetui.tui.screens.spec import SpecScreen

            self._owner.app.push_screen(SpecScreen(self._view.index, row, self._filters.host.judging, self.is_marked))
        elif words := list(filter(None, map(hash_word, self._view.marked() or [self._view.index.spec(row)]))):
            self._owner.app.exit(words)
        else:
            self._bars.say("this spec has no hash, so it cannot be picked")

    def open_needs(self) -> None:
        """Shows what the spec under the cursor needs, and what needs it."""
        row = self._panes.spec_row
        if row is None:
            self._bars.say("there is no spec under the cursor")
            return
        from cachetui.tui.screens.spec import NOT_RECORDED, dependencies_screen

        found = dependencies_screen(self._view.index, row, self._filters.host.judging, self.is_marked)
        if found is None:
            spec = self._view.index.spec(row)
            this = visible(f"{spec_name(spec)} {(hash_word(spec) or '')[:8]}")
            self._bars.say(NOT_RECORDED.replace("this spec", this) if self._panes.level == "packages" else NOT_RECORDED)
        else:
            self._owner.app.push_screen(found)

    def open_export(self, say_done: Callable[[object], None] | None = None) -> None:
        """Shows the files that the marked specs, else all that the view shows, can be written to.

        `say_done` takes what to say of it, on the screen that asks; None for the browser.
        """
        from cachetui.tui.screens.export import ExportScreen
        from cachetui.tui.screens.spec_export import spec_writers  # late, as few export

        view, package, marked = self._view, self._panes.inside, len(self._view.marks)
        shown = view.results if package is None else view.shown
        if not marked and not len(shown):
            self._bars.say("there is no spec to export")
            return
        what = plural(marked, "marked spec") if marked else specs_counted(shown)
        name = "-".join(filter(None, ("cachetui", view.tag_label, "marked" if marked else package)))
        writers = spec_writers(view, package, self._content, self._this_view())
        self._owner.app.push_screen(ExportScreen(name, what, writers), say_done or self._say_done)

    def _say_done(self, message: object) -> None:
        if isinstance(message, str):
            self._bars.say(visible(message))


def _to_compare(marked: Sequence[int], here: int | None, *, from_here: bool = False) -> Compared | None:
    """What is compared of the rows that are marked and the one under the cursor; None where these are too few.

    The pairs begin with the first two, or `from_here` with the one under the cursor and the next.
    """
    if len(marked) == 1 and here is not None and here not in marked:
        return Compared(lambda _: (marked[0], here), 1, "marked, cursor")
    if len(marked) < 2:
        return None
    pairs = Pairs.beginning_with(marked, marked.index(here) if from_here and here in marked else 0)
    return Compared(pairs.pair, pairs.total, f"{{}} of {{}} pairs of {len(marked)} marked" if pairs.total > 1 else "")


def _whose(marked: Sequence[Spec], here: Sequence[Spec], among: int) -> str:
    """Whose texts are copied; the spec under the cursor may stand for so many that look alike."""
    one = f", one of {among:,}" if among > 1 and not marked else ""
    names = [visible(f"{spec_name(spec)} {(hash_word(spec) or '')[:8]}{one}") for spec in here]
    if not marked:
        return "".join(names)
    unnamed = sum(hash_word(spec) is None for spec in marked)
    lacking = f", {unnamed} without a whole hash" if unnamed else ""
    return ", or at the cursor ".join([plural(len(marked), "marked spec") + lacking, *names])

"""The drift screen: what changed between two tags, in sections that unfold.

Three things are done here: see how much changed and of what kind, read the changes of one kind or of one package
field by field, step through the tags. Input: an index and the query of the browse screen without its tag.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from cachetui.analysis.diff import TagDiff as Drift
from cachetui.analysis.diff import diff as drift
from cachetui.query.query import Query
from cachetui.report.diff import DiffReport
from cachetui.report.paste import command
from cachetui.safe_text import plural, visible
from cachetui.search.index import Index
from cachetui.settings.views import ScreenLook
from cachetui.tui.screens import drift_lines as lines
from cachetui.tui.screens.drift_detail import ItemScreen, counted_detail, item_detail
from cachetui.tui.screens.export import Writer
from cachetui.tui.screens.help import DRIFT_HELP
from cachetui.tui.screens.list_screens import HelpSection
from cachetui.tui.screens.survey_base import CLEAR, COMMON_HELP, FILTER_KEYS, FILTERS_HELP, SurveyScreen
from cachetui.tui.screens.tags import TagScreen
from cachetui.tui.state.compared_tags import ComparedTags, Side
from cachetui.tui.state.view import View
from cachetui.tui.widgets.drift_list import DriftList
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Table


class DriftScreen(SurveyScreen[Drift]):
    """Two tags, and between them sections of changes."""

    AUTO_FOCUS = "Table"

    SAVED_AS = "drift"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("comma", "step(1)", "Tag before", id="drift.before", tooltip="The step before in the same series"),
        Binding("full_stop", "step(-1)", "Tag after", id="drift.after", tooltip="The step after in the same series"),
        Binding("t", "choose_new", "Newer tag", id="drift.new", tooltip="Choose the newer of the two tags"),
        Binding("T", "choose_old", "Older tag", id="drift.old", tooltip="Choose the older of the two tags"),
        Binding("m", "regroup", "Group", id="drift.group", tooltip="By kind of change, or by package"),
        Binding("slash", "find", "Find", id="drift.find", tooltip="Find a package, a stack or a kind of change"),
        Binding("space", "fold_or_unfold", "Fold", id="drift.fold", tooltip="Fold or unfold the section"),
        Binding("right,l", "unfold", "Unfold", id="drift.right", show=False),
        Binding("left,h", "fold", "Fold", id="drift.left", show=False),
        *FILTER_KEYS,
    ]

    KEYS: ClassVar[Sequence[HelpSection]] = (*DRIFT_HELP, ("Everywhere", (*FILTERS_HELP, *COMMON_HELP)))

    def __init__(
        self, index: Index, query: Query, content: str | None, tag: str | None, look: ScreenLook | None = None
    ) -> None:
        """`tag`: the one that is looked at, None for the one to look at first; `look`: how it was looked at before."""
        look = look or ScreenLook()
        self._list = DriftList("package" if look.rows == "package" else "kind")
        super().__init__(index, content, self._list, lines.HINTS)
        self._query = query.without_key("tag")
        self._tags = ComparedTags(index, tag, look.old, look.new)
        self._find = Prompt("/", "a package, a stack or a kind of change", id="find")

    def body(self) -> ComposeResult:
        yield self._find
        yield from super().body()

    def on_mount(self) -> None:
        self._compare()
        if not self._tags.old and len(self._index.tags) > 1:
            self.action_choose_old()
        if instead_of := self._tags.instead_of(self._tags.pair):
            self.hint(lines.why_these_text(instead_of), above_keys=True)
        if self._tags.lost:
            self.hint(f"no more there: {', '.join(self._tags.lost)}", above_keys=True)

    def on_resize(self) -> None:
        if (found := self._list.found) is not None:
            self._show_heading(found.old, found.new)
            self._list.show_drift(found)

    @property
    def look(self) -> ScreenLook:
        old, new = self._tags.chosen
        return ScreenLook(rows="" if self._list.by == "kind" else self._list.by, old=old, new=new)

    # Figures

    def question(self) -> Callable[[Index], Drift] | None:
        (old, new), asked = self._tags.pair, self._query
        return (lambda index: drift(index, old, new, asked)) if old else None

    def follow_view(self, view: View) -> None:
        if gone := self._tags.follow(view.index):
            self.hint(f"no more there: {', '.join(gone)}")
        query = view.query.without_key("tag")
        if query == self._query:
            super().follow_view(view)
        else:
            self._newest, self._query = view.index, query
            self._compare()
        if not self._tags.old:
            self._show_that_nothing_is_compared()

    def _compare(self) -> None:
        """Asks for the figures of the two tags; until they are there, those before keep their own heading."""
        old, new = self._tags.pair
        if not old:
            self._show_that_nothing_is_compared()
            return
        if self._list.found is None:
            self._show_heading(old, new)
        self.ask(f"comparing {visible(old)} -> {visible(new)}")

    def _show_that_nothing_is_compared(self) -> None:
        """Says why there is no second tag, where there is none."""
        if self.progress:  # it may still come
            self._work()
            return
        tags = len(self._newest.tags)
        self._show_heading(*self._tags.pair)
        self._list.show_nothing(lines.why_nothing(self._tags.new, tags, self.key_of))
        self._status.show([])
        self._wanted_hints = lines.TO_CHOOSE if tags > 1 else ()
        self._show_hints()

    def show_answer(self, found: Drift) -> None:
        before = self._list.found
        self._show_heading(found.old, found.new)
        self._list.show_drift(found)
        self._tell()
        if before is not None and (before.old, before.new) != (found.old, found.new) and self._list.section is None:
            self._list.go(0)  # what is only counted is no place to stay at where there are changes

    def _show_heading(self, old: str, new: str) -> None:
        """Which tags are compared, and how far they are apart."""
        width, dot, instead_of = self.app.size.width, signs_of(self).dot, self._tags.instead_of((old, new))
        self._heading.show(*lines.heading(old, new, self._query, self._index.tags, width, dot, instead_of=instead_of))

    @on(Table.Moved)
    def follow(self) -> None:
        self._tell()

    def _tell(self) -> None:
        """Says what is under the cursor, and what the keys do with it."""
        if self._list.found is None:
            return
        self._status.show([lines.item_text(self._list.item, self._list.found)])
        counted = lines.COUNTED if self._has_counted else lines.NOTHING_TO_OPEN
        hints = counted if self._list.section is None else lines.HINTS
        if self._query:
            hints = (*hints[:2], CLEAR, *hints[2:])
        if hints != self._wanted_hints:
            self._wanted_hints = hints
            self._show_hints()

    # The list

    def choose(self, event: Table.Chosen) -> None:
        """Folds or unfolds a section; shows both sides of a change, or the packages of builds that are only counted."""
        found, section, item = self._list.found, self._list.section, self._list.item
        if found is not None and self._list.counted is not None and self._has_counted:
            line = command(
                "diff", self._content, ["..".join(self._tags.pair), "--by=hash"], self._index.exact(self._query)
            )
            self.app.push_screen(ItemScreen(counted_detail(found, self._list.counted, line, self.key_of)))
        elif found is None or section is None or item is None:
            self.action_fold_or_unfold()
        elif detail := item_detail(self._index, found, section, item):
            self.app.push_screen(ItemScreen(detail))

    @property
    def _has_counted(self) -> bool:
        """Whether the cursor is on builds that are only counted, and there are some."""
        found, at = self._list.found, self._list.counted
        return found is not None and at is not None and (found.rebuilt, found.unchanged)[at] > 0

    def action_fold_or_unfold(self) -> None:
        if self._list.is_unfolded:
            self._list.fold()
        else:
            self.action_unfold()

    def action_unfold(self) -> None:
        if self._list.section is not None:
            self._list.unfold()
        elif (counted := self._list.counted) is not None:
            enter = self.key_of("table.choose", "Enter") if self._has_counted else ""
            self.hint(lines.only_counted(counted, enter))

    def action_fold(self) -> None:
        self._list.fold()

    def action_regroup(self) -> None:
        self._list.regroup()

    def action_find(self) -> None:
        self._list.begin_finding()
        self.open_prompt(self._find)

    @on(Prompt.Edited)
    def follow_typing(self, event: Prompt.Edited) -> None:
        self.hint(self._list.find_name(event.text.strip()))

    @on(Prompt.Left)
    def stop_typing(self, event: Prompt.Left) -> None:
        if not event.chosen:
            self._list.leave_finding()
        self.leave_prompt()

    # Tags

    def action_step(self, delta: int) -> None:
        if self._tags.step(self._index.tags, delta):
            self._compare()
        else:
            self.hint("no older tag to compare" if delta > 0 else "no newer tag")

    def action_choose_new(self) -> None:
        self._choose("The newer tag", "new", self._tags.new)

    def action_choose_old(self) -> None:
        self._choose("Compare with which tag?", "old", self._tags.old)

    def _choose(self, title: str, side: Side, chosen: str) -> None:
        """Asks for the tag of a side; `chosen`: the one that it has."""
        tags, other = self._index.tags, self._tags.other(side)
        if len(tags) < 2:
            self.hint("there is only one tag, so nothing to compare")
            return
        chosen = chosen or next(tag for tag in tags if tag != other[0])
        screen = TagScreen(title, self._index, tags, chosen, query=self._query, other=other)
        self.app.push_screen(screen, partial(self._take, side))

    def _take(self, side: Side, tag: object) -> None:
        """Compares the tag that was chosen for a side."""
        other, called = self._tags.other(side)
        if tag == other:
            self.hint(f"{tag} is the {called} tag already")
        elif isinstance(tag, str):
            self._tags.take(side, tag)
            self._compare()

    # What leaves the screen

    def copies(self) -> Sequence[tuple[str, str]]:
        if not self._tags.old:
            return ()
        found = self._list.found
        packages = dict.fromkeys(change.package for change in found.changes) if found else ()
        return (
            ("this view", command("diff", self._content, ["..".join(self._tags.pair)], self._index.exact(self._query))),
            ("changed", "\n".join(map(visible, packages))),
        )

    def exports(self) -> tuple[str, str, Mapping[str, Writer]]:
        found = self._list.found
        if found is None:
            return super().exports()
        index = self._index
        writers = self.writers(lambda: DiffReport(found, index))
        return f"diff-{found.old}-{found.new}", f"the differences, {plural(len(found.changes), 'change')}", writers

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

from cachetui.analysis.drift import Drift, drift
from cachetui.model.tags import line_of, tag_before, tags_to_compare
from cachetui.query.query import Query
from cachetui.report.drift import DriftReport
from cachetui.report.paste import command
from cachetui.search.index import Index
from cachetui.search.names import matches
from cachetui.settings.views import ScreenLook
from cachetui.text import plural, visible
from cachetui.tui.rows.drift import DriftRows, columns, side_of
from cachetui.tui.rows.drift_sections import DriftSection, Grouping
from cachetui.tui.rows.layout import FixedRows
from cachetui.tui.screens import drift_lines as lines
from cachetui.tui.screens.drift_detail import ItemScreen, item_detail
from cachetui.tui.screens.help import DRIFT_HELP
from cachetui.tui.screens.hints import Hint
from cachetui.tui.screens.list_screens import HelpSection
from cachetui.tui.screens.output import Writer
from cachetui.tui.screens.survey_base import COMMON_HELP, COPY, EXPORT, SurveyScreen
from cachetui.tui.screens.tags import TagScreen
from cachetui.tui.state.view import View
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.signs import signs_of
from cachetui.tui.widgets.table import Table

HINTS = (
    Hint("table.choose", "Enter", "open"),
    Hint("drift.find", "/", "find"),
    Hint("drift.before drift.after", ", .", "step"),
    Hint("drift.new", "t", "newer tag"),
    Hint("drift.old", "T", "older tag"),
    Hint("drift.group", "m", "by package"),
    COPY,
    EXPORT,
)

NOTHING_TO_OPEN = HINTS[1:]
"""On builds that are only counted."""


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
    ]

    KEYS: ClassVar[Sequence[HelpSection]] = (*DRIFT_HELP, ("Everywhere", COMMON_HELP))

    def __init__(
        self, index: Index, query: Query, content: str | None, tag: str | None, look: ScreenLook | None = None
    ) -> None:
        """`tag`: the one that is looked at, None for the one to look at first; `look`: how it was looked at before."""
        super().__init__(index, content, Table(()), HINTS)
        self._query = query.without_key("tag")
        look = look or ScreenLook()
        self._by: Grouping = "package" if look.rows == "package" else "kind"
        self._new = self._old = ""
        self._settle_on(tag, index)
        self._first = (self._old, self._new)
        """The tags that it compares where nobody chose others."""
        if look.old in index.tags and look.new in index.tags:
            self._old, self._new = look.old, look.new
        self._lost = [tag for tag in (look.old, look.new) if tag and tag not in index.tags]
        self._unfolded: frozenset[str] = frozenset()
        self._found: Drift | None = None
        self._find = Prompt("/", "a package, a stack or a kind of change", id="find")
        self._unfolded_before = self._unfolded
        """What was unfolded before something was typed."""

    def body(self) -> ComposeResult:
        yield self._find
        yield from super().body()

    def on_resize(self) -> None:
        if self._found is not None:
            self._show_heading(self._found.old, self._found.new)
        self._show()

    def _settle_on(self, tag: str | None, index: Index) -> None:
        """Compares this tag, or else the one to look at first, with the one before it; for `develop` two weeks."""
        looked_at = tag if tag in index.tags else index.default_tag or next(iter(index.tags), "")
        self._old, self._new = tags_to_compare(index.tags, looked_at)
        self._instead_of = "" if looked_at == self._new else looked_at
        """The tag that is looked at, where two weeks are compared in its place."""
        self._tags = len(index.tags)

    def on_mount(self) -> None:
        self._compare()
        if not self._old and len(self._index.tags) > 1:
            self.action_choose_old()
        if self._instead_of and (self._old, self._new) == self._first:
            keys = self.key_of("drift.new", "t"), self.key_of("drift.old", "T")
            self.hint(lines.why_these_text(self._instead_of, *keys))
        if self._lost:
            self.hint(f"no more there: {', '.join(self._lost)}")

    @property
    def look(self) -> ScreenLook:
        old, new = ("", "") if (self._old, self._new) == self._first else (self._old, self._new)
        return ScreenLook(rows="" if self._by == "kind" else self._by, old=old, new=new)

    def follow_view(self, view: View) -> None:
        gone = [tag for tag in (self._old, self._new) if tag and tag not in view.index.tags]
        if gone or not self._old:
            self._settle_on(self._new, view.index)
        if gone:
            self.hint(f"no more there: {', '.join(gone)}")
        super().follow_view(view)
        if not self._old:
            self._found = None
            self._show_heading(self._old, self._new)
            self._show_that_nothing_is_compared()

    def _show_that_nothing_is_compared(self) -> None:
        """Says why there is no second tag, where there is none."""
        no_other = lines.NO_OTHER.format(self.key_of("drift.old", "T"))
        why = {0: lines.NO_TAG, 1: lines.ONE_TAG}.get(self._tags, no_other)
        self._table.placeholder = why
        self._table.show(FixedRows(()))
        self._status.show([])

    def _compare(self) -> None:
        """Asks for the figures of the two tags; until they are there, those before keep their own heading."""
        if self._found is None or not self._old:
            self._show_heading(self._old, self._new)
        if self._old:
            self.ask()
            self._status.show([f"comparing {visible(self._old)} -> {visible(self._new)}"])
        else:
            self._show_that_nothing_is_compared()

    def _show_heading(self, old: str, new: str) -> None:
        """Which tags are compared, and how far they are apart."""
        is_first = (old, new) == self._first
        width, dot, instead = self.app.size.width, signs_of(self).dot, self._instead_of if is_first else ""
        self._heading.show(*lines.heading(old, new, self._query, self._index.tags, width, dot, instead_of=instead))

    def question(self) -> Callable[[Index], Drift] | None:
        old, new, asked = self._old, self._new, self._query
        return (lambda index: drift(index, old, new, asked)) if old else None

    def show_answer(self, found: Drift) -> None:
        before, self._found = self._found, found
        self._show_heading(found.old, found.new)
        self._show()
        if before is not None and (before.old, before.new) != (found.old, found.new) and self._section is None:
            self._table.go(0)  # what is only counted is no place to stay at where there are changes

    def _show(self) -> None:
        if self._found is not None:
            width, signs = self.app.size.width, signs_of(self)
            folds = signs.folded, signs.unfolded
            rows = DriftRows(self._found, self._by, self._unfolded, signs.blocks, side_of(width), folds)
            self._table.show(rows, columns(width, signs.blocks, rows.longest, rows.longest_heading))
            self._tell()

    @on(Table.Moved)
    def follow(self) -> None:
        self._tell()

    def _tell(self) -> None:
        rows, at, found = self._table.rows, self._table.cursor_row, self._found
        if not isinstance(rows, DriftRows) or at is None or found is None:
            return
        self._status.show([lines.item_text(rows.item(at), found)])
        hints = NOTHING_TO_OPEN if self._section is None else HINTS
        if hints is not self._wanted_hints:
            self._wanted_hints = hints
            self._show_hints()

    # Folding

    def choose(self, event: Table.Chosen) -> None:
        """Folds or unfolds a section; shows both sides of a change."""
        rows = self._table.rows
        if not isinstance(rows, DriftRows) or event.row is None:
            return
        section, at = rows.places[event.row]
        if section is None:
            self.hint(lines.only_counted(at))
            return
        if at < 0:
            self._fold(section.name, unfolded=section.name not in self._unfolded)
        elif detail := item_detail(self._index, rows.found, section, section.items[at]):
            self.app.push_screen(ItemScreen(detail))

    def _fold(self, name: str, *, unfolded: bool) -> None:
        self._unfolded = self._unfolded | {name} if unfolded else self._unfolded - {name}
        self._show()

    @property
    def _section(self) -> DriftSection | None:
        rows, at = self._table.rows, self._table.cursor_row
        return rows.places[at][0] if isinstance(rows, DriftRows) and at is not None else None

    def action_fold_or_unfold(self) -> None:
        if self._section is not None and self._section.name in self._unfolded:
            self.action_fold()
        else:
            self.action_unfold()

    def action_unfold(self) -> None:
        rows, at = self._table.rows, self._table.cursor_row
        if self._section is not None:
            self._fold(self._section.name, unfolded=True)
        elif isinstance(rows, DriftRows) and at is not None:
            self.hint(lines.only_counted(rows.places[at][1]))

    def action_fold(self) -> None:
        """Folds the section that the cursor is in, and puts the cursor on its heading."""
        section, rows = self._section, self._table.rows
        if section is not None:
            heading = rows.find((section.name, None))
            if heading is not None:
                self._table.go(heading)
            self._fold(section.name, unfolded=False)

    def action_regroup(self) -> None:
        self._by = "package" if self._by == "kind" else "kind"
        self._show()

    # Finding

    def action_find(self) -> None:
        self._unfolded_before = self._unfolded
        self.open_prompt(self._find)

    @on(Prompt.Edited)
    def follow_typing(self, event: Prompt.Edited) -> None:
        """Goes to what is named most like the text, and unfolds the section that has it alone."""
        rows, text = self._table.rows, event.text.strip()
        if not text or not isinstance(rows, DriftRows):
            return
        names = list(rows.named)
        best = matches(text, names)
        if not best:
            self.hint(f"nothing here is called like {text}")
            return
        key, section = rows.named[names[best[0].number]]
        is_heading = key == (section, None)
        self._unfolded = self._unfolded_before | (frozenset() if is_heading else {section})
        self._show()
        shown = self._table.rows.find(key)
        if shown is not None:
            self._table.go(shown)

    @on(Prompt.Left)
    def stop_typing(self) -> None:
        self.leave_prompt()

    # Tags

    def action_step(self, delta: int) -> None:
        """Compares the newer tag's neighbour with the tag before that."""
        line = line_of(self._index.tags, self._new)
        at = line.index(self._new) + delta
        if not 0 <= at < len(line) or not tag_before(self._index.tags, line[at]):
            self.hint("no older tag to compare" if delta > 0 else "no newer tag")
            return
        self._new, self._old = line[at], tag_before(self._index.tags, line[at])
        self._compare()

    def action_choose_new(self) -> None:
        self._choose("The newer tag", "new", self._new, (self._old, "older"))

    def action_choose_old(self) -> None:
        self._choose("Compare with which tag?", "old", self._old, (self._new, "newer"))

    def _choose(self, title: str, side: str, chosen: str, other: tuple[str, str]) -> None:
        """Asks for the tag of a side; `other`: the tag of the other side, and what it is called in the list."""
        tags = self._index.tags
        if len(tags) < 2:
            self.hint("there is only one tag, so nothing to compare")
            return
        chosen = chosen or next(tag for tag in tags if tag != other[0])
        screen = TagScreen(title, self._index, tags, chosen, query=self._query, other=other)
        self.app.push_screen(screen, partial(self._take, side, other))

    def _take(self, side: str, other: tuple[str, str], tag: object) -> None:
        """Compares the tag that was chosen for a side."""
        if not isinstance(tag, str):
            return
        if tag == other[0]:
            self.hint(f"{tag} is the {other[1]} tag already")
            return
        self._old, self._new = (tag, self._new) if side == "old" else (self._old, tag)
        self._compare()

    # What leaves the screen

    def copies(self) -> Sequence[tuple[str, str]]:
        if not self._old:
            return ()
        packages = dict.fromkeys(change.package for change in self._found.changes) if self._found else ()
        return (
            ("this view", command("diff", self._content, (self._old, self._new), self._query)),
            ("changed", "\n".join(map(visible, packages))),
        )

    def exports(self) -> tuple[str, str, Mapping[str, Writer]]:
        found = self._found
        if found is None:
            return super().exports()
        index = self._index
        writers = self.writers(lambda: DriftReport(found, index))
        return f"diff-{found.old}-{found.new}", plural(len(found.changes), "change"), writers

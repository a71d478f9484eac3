"""The drift screen: what changed between two tags, in sections that unfold.

Three things are done here: see how much changed and of what kind, read the changes of one kind or of one package
field by field, step through the tags. Input: an index and the query of the browse screen without its tag.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice
from typing import ClassVar, Literal, NamedTuple

from textual import on
from textual.binding import Binding, BindingType

from cachetui.drift import Change, Drift, drift
from cachetui.index import Index
from cachetui.overview import drift_text
from cachetui.query import Query, ValuePart
from cachetui.report import Field, package_detail, spec_text
from cachetui.text import visible
from cachetui.timeline import series
from cachetui.tui.columns import Cell, Column, FixedRows, Line, Tone
from cachetui.tui.lists import DetailScreen, HelpSection, ListScreen
from cachetui.tui.look import look_of
from cachetui.tui.output import Writer
from cachetui.tui.survey import COMMON_HELP, SurveyScreen, command, in_every_format, plural
from cachetui.tui.table import Table

COLUMNS = (Column("what", 18, share=1), Column("change", 20, share=3), Column("specs", 6, right=True))

HINTS = ("Enter open", ", . step", "t T tags", "m by package", "y copy", "e export")

MOST_SPECS = 40
"""So many specs of each side are listed."""

Grouping = Literal["kind", "package"]

Item = Change | str
"""A change within a package, or the name of a package or stack that came or went."""


class Section(NamedTuple):
    """Changes of one kind, or of one package."""

    name: str
    items: Sequence[Item]
    tone: Tone = ""


def sections(found: Drift, by: Grouping) -> list[Section]:
    """Everything that changed, each thing once; no section is empty."""
    wholes = [
        Section("packages gone", found.packages_gone, "loss"),
        Section("packages new", found.packages_new, "gain"),
        Section("stacks gained", found.stacks_gained, "gain"),
        Section("stacks lost", found.stacks_lost, "loss"),
    ]
    if by == "package":
        parts = [Section(name, tuple(own)) for name, own in groupby(found.changes, lambda change: change.package)]
    else:
        kinds: dict[str, list[Item]] = {}
        for change in sorted(found.changes, key=lambda change: _ORDER.index(_kind(change))):
            kinds.setdefault(_kind(change), []).append(change)
        parts = [Section(kind, items) for kind, items in kinds.items()]
    return [section for section in (*wholes, *parts) if section.items]


_ORDER = (
    *("version up", "version down", "target", "os", "compiler", "variants", "builds removed", "builds added"),
    *("fewer builds alike", "more builds alike", "other stacks"),
)


def _kind(change: Change) -> str:
    if change.kind == "version":
        return "version up" if change.is_rise else "version down"
    if change.kind == "count":
        return "more builds alike" if change.is_rise else "fewer builds alike"
    return {"removed": "builds removed", "added": "builds added", "stacks": "other stacks"}.get(
        change.kind, change.kind
    )


def _told(change: Change) -> str:
    """What was and what is, in one line."""
    old, new = ("" if value is None else visible(str(value)) for value in (change.old, change.new))
    if change.kind in ("stacks", "variants"):
        between = " " if change.kind == "variants" else ", "
        return between.join([*(f"no longer {old}" for _ in old[:1]), *(f"now {new}" for _ in new[:1])])
    if change.kind in ("added", "removed"):
        return old or new
    return f"{old or 'none'} -> {new or 'none'}"


@dataclass(frozen=True)
class DriftRows:
    """The sections, those that are unfolded with what they hold; last what did not change."""

    found: Drift
    by: Grouping
    unfolded: frozenset[str]
    signs: tuple[str, str]
    """Before a section that is folded, and that is not."""

    @cached_property
    def sections(self) -> list[Section]:
        return sections(self.found, self.by)

    @cached_property
    def places(self) -> list[tuple[Section | None, int]]:
        """For each row its section and the item of it, -1 for the heading; None for what did not change."""
        found: list[tuple[Section | None, int]] = []
        for section in self.sections:
            found.append((section, -1))
            if section.name in self.unfolded:
                found += [(section, k) for k in range(len(section.items))]
        return [*found, (None, 0), (None, 1)]

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        return {self.key(k): k for k in range(len(self.places))}

    def __len__(self) -> int:
        return len(self.places)

    def item(self, k: int) -> Item | None:
        """What the k-th row tells of; None for a heading."""
        section, at = self.places[k]
        return section.items[at] if section is not None and at >= 0 else None

    def row(self, k: int) -> Line:
        section, at = self.places[k]
        if section is None:
            name, specs = (("rebuilt", self.found.rebuilt), ("unchanged", self.found.unchanged))[at]
            said = ("same signature, another hash", "same hash")[at]
            return Line((Cell(f"  {name}", "dim"), Cell(said, "dim"), f"{specs:,}"))
        if at < 0:
            return self._heading(section)
        item = section.items[at]
        if isinstance(item, str):
            without = self.found.old if item in self.found.stacks_gained else self.found.new
            note = f"{visible(without)} has no such stack" if item in self.found.stacks_absent else ""
            return Line((Cell(f"    {visible(item)}", section.tone), Cell(note, "dim"), ""))
        name = item.package if self.by == "kind" else _kind(item)
        tone: Tone = "loss" if item.kind == "removed" else "gain" if item.kind == "added" else ""
        return Line((f"    {visible(name)}", Cell(_told(item), tone), str(item.specs)))

    def _heading(self, section: Section) -> Line:
        changes = [item for item in section.items if isinstance(item, Change)]
        packages = len({change.package for change in changes})
        about = plural(len(section.items), "change") if changes else f"{len(section.items):,}"
        if changes and self.by == "kind":
            about = f"{about} in {plural(packages, 'package')}"
        sign = self.signs[section.name in self.unfolded]
        specs = f"{sum(change.specs for change in changes):,}" if changes else ""
        return Line((Cell(f"{sign} {visible(section.name)}", "title"), about, specs))

    def key(self, k: int) -> Hashable:
        section, at = self.places[k]
        return ("kept", at) if section is None else (section.name, at)

    def find(self, key: Hashable) -> int | None:
        return self._numbers.get(key)


class DriftScreen(SurveyScreen[Drift]):
    """Two tags, and between them sections of changes."""

    AUTO_FOCUS = "Table"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("comma", "step(1)", "Tag before", id="drift.before", tooltip="The step before in the same series"),
        Binding("full_stop", "step(-1)", "Tag after", id="drift.after", tooltip="The step after in the same series"),
        Binding("t", "choose_new", "Newer tag", id="drift.new", tooltip="Choose the newer of the two tags"),
        Binding("T", "choose_old", "Older tag", id="drift.old", tooltip="Choose the older of the two tags"),
        Binding("m", "regroup", "Group", id="drift.group", tooltip="By kind of change, or by package"),
        Binding("space", "fold_or_unfold", "Fold", id="drift.fold", tooltip="Fold or unfold the section"),
        Binding("right,l", "unfold", "Unfold", id="drift.right", show=False),
        Binding("left,h", "fold", "Fold", id="drift.left", show=False),
    ]

    KEYS: ClassVar[Sequence[HelpSection]] = (
        (
            "Drift: what changed between two tags",
            (
                ("Enter, Space", "unfold or fold a section"),
                ("Right, Left", "unfold, fold"),
                ("Enter on a change", "the specs of both sides"),
                ("m", "by kind of change, or by package"),
                (", .", "the step before and after, in the same series of tags"),
                ("t T", "choose the newer tag, the older tag"),
            ),
        ),
        (
            "How it is compared",
            (
                ("", "by signature: version, compiler, os, platform, target, variants;"),
                ("", "a build that is the same but for its hash was only rebuilt"),
            ),
        ),
        ("Everywhere", COMMON_HELP),
    )

    def __init__(self, index: Index, query: Query, content: str | None, tag: str | None) -> None:
        """`tag`: the one that is looked at, None for the one to look at first."""
        super().__init__(index, content, Table(COLUMNS), HINTS)
        self._query = query.without_key("tag")
        self._new = tag if tag in index.tags else index.default_tag or next(iter(index.tags), "")
        self._old = _before(index.tags, self._new)
        self._by: Grouping = "kind"
        self._unfolded: frozenset[str] = frozenset()
        self._found: Drift | None = None

    def on_mount(self) -> None:
        self._compare()

    def _compare(self) -> None:
        dot = look_of(self).dot
        query = f" {dot} {visible(str(self._query))}" if self._query else ""
        self._heading.show([Cell("Drift", "title"), f"  {visible(self._old or '?')} -> {visible(self._new)}{query}"])
        if not self._old:
            self.action_choose_old()
            return
        index, old, new, query_asked = self._index, self._old, self._new, self._query
        self.ask(lambda: drift(index, old, new, query_asked))

    def show_answer(self, found: Drift) -> None:
        self._found = found
        self._show()

    def _show(self) -> None:
        if self._found is not None:
            look = look_of(self)
            self._table.show(DriftRows(self._found, self._by, self._unfolded, (look.right, look.choice)))
            self._tell()

    @on(Table.Moved)
    def follow(self) -> None:
        self._tell()

    def _tell(self) -> None:
        rows, at, found = self._table.rows, self._table.cursor_row, self._found
        if not isinstance(rows, DriftRows) or at is None or found is None:
            return
        item = rows.item(at)
        if isinstance(item, Change):
            said = f"{visible(item.package)}: {_kind(item)}: {_told(item)}"
        elif not found:
            said = "Nothing changed." if found.unchanged or found.rebuilt else "Neither tag has a spec that matches."
        else:
            said = f"{plural(len(found.changes), 'change')} in packages that both have"
        self._told.show([said])

    # Folding

    def choose(self, event: Table.Chosen) -> None:
        """Folds or unfolds a section; shows both sides of a change."""
        rows = self._table.rows
        if not isinstance(rows, DriftRows) or event.row is None:
            return
        section, at = rows.places[event.row]
        if section is None:
            return
        if at < 0:
            self._fold(section.name, unfolded=section.name not in self._unfolded)
        else:
            self._open(section, section.items[at])

    def _fold(self, name: str, *, unfolded: bool) -> None:
        self._unfolded = self._unfolded | {name} if unfolded else self._unfolded - {name}
        self._show()

    @property
    def _section(self) -> Section | None:
        rows, at = self._table.rows, self._table.cursor_row
        return rows.places[at][0] if isinstance(rows, DriftRows) and at is not None else None

    def action_fold_or_unfold(self) -> None:
        if self._section is not None and self._section.name in self._unfolded:
            self.action_fold()
        else:
            self.action_unfold()

    def action_unfold(self) -> None:
        if self._section is not None:
            self._fold(self._section.name, unfolded=True)

    def action_fold(self) -> None:
        """Folds the section that the cursor is in, and puts the cursor on its heading."""
        section, rows = self._section, self._table.rows
        if section is not None:
            heading = rows.find((section.name, -1))
            if heading is not None:
                self._table.go(heading)
            self._fold(section.name, unfolded=False)

    def action_regroup(self) -> None:
        self._by = "package" if self._by == "kind" else "kind"
        self._show()

    # Both sides

    def _open(self, section: Section, item: Item) -> None:
        if isinstance(item, Change):
            fields = [
                Field("package", (visible(item.package),)),
                Field("change", (f"{_kind(item)}: {_told(item)}",)),
                Field("specs", (str(item.specs),)),
                Field("old", self._specs(self._old, item.old_rows)),
                Field("new", self._specs(self._new, item.new_rows)),
            ]
            self.app.push_screen(DetailScreen(f"{visible(item.package)}: {_kind(item)}", fields))
        elif section.name.startswith("packages"):
            self._open_package(item, self._old if section.name == "packages gone" else self._new)
        else:
            fields = [Field("stack", (visible(item),)), *(self._stack(item, tag) for tag in (self._old, self._new))]
            self.app.push_screen(DetailScreen(visible(item), fields))

    def _specs(self, tag: str, rows: Sequence[int]) -> tuple[str, ...]:
        shown = [f"  {spec_text(self._index.spec(row))}" for row in islice(rows, MOST_SPECS)]
        more = [f"  and {len(rows) - MOST_SPECS} more"] if len(rows) > MOST_SPECS else []
        return (f"{visible(tag)}: {plural(len(rows), 'spec')}", *shown, *more)

    def _open_package(self, name: str, tag: str) -> None:
        number = self._index.package_number(name)
        if number is not None:
            results = self._index.results(self._query.with_part(ValuePart.of("tag", [tag])))
            title = f"{visible(name)} in {visible(tag)}"
            self.app.push_screen(DetailScreen(title, package_detail(results, number)))

    def _stack(self, stack: str, tag: str) -> Field:
        in_tag = self._index.value_rows("tag", tag) & self._index.value_rows("stack", stack)
        taken = in_tag & self._index.rows(self._query)
        said = plural(len(taken), "spec") if in_tag else "no such stack in this tag"
        return Field("", (f"{visible(tag)}: {said}",))

    # Tags

    def action_step(self, delta: int) -> None:
        """Compares the newer tag's neighbour with the tag before that."""
        line = _line(self._index.tags, self._new)
        at = line.index(self._new) + delta
        if not 0 <= at < len(line) or not _before(self._index.tags, line[at]):
            self.hint("no older tag to compare" if delta > 0 else "no newer tag")
            return
        self._new, self._old = line[at], _before(self._index.tags, line[at])
        self._compare()

    def action_choose_new(self) -> None:
        self._choose("The newer tag", self._new, self._take_new)

    def action_choose_old(self) -> None:
        self._choose("The older tag", self._old, self._take_old)

    def _choose(self, title: str, chosen: str, take: Callable[[object], None]) -> None:
        tags = [tag for tag in self._index.tags if tag != (self._new if take == self._take_old else self._old)]
        if not tags:
            self.hint("there is only one tag, so nothing to compare")
            return
        self.app.push_screen(_tag_screen(self._index, title, tags, chosen), take)

    def _take_new(self, tag: object) -> None:
        if isinstance(tag, str):
            self._new = tag
            self._compare()

    def _take_old(self, tag: object) -> None:
        if isinstance(tag, str):
            self._old = tag
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
        writers = in_every_format(lambda form: lambda: drift_text(found, form, None))
        return f"diff-{found.old}-{found.new}", plural(len(found.changes), "change"), writers


def _tag_screen(index: Index, title: str, tags: Sequence[str], chosen: str) -> ListScreen:
    """A list of tags to choose one from."""
    table = Table([Column("tag", 20, share=1), Column("specs", 8, right=True)])
    lines: Iterable[Line] = (
        Line((Cell(visible(tag), "tick" if tag == chosen else ""), f"{len(index.value_rows('tag', tag)):,}"))
        for tag in tags
    )
    table.show(FixedRows(lines, tags), key=chosen or None)
    return ListScreen(title, table, "Enter choose   Esc back")


def _line(tags: Sequence[str], tag: str) -> list[str]:
    """The tags that follow each other, from the newest: develop stands before the snapshots."""
    kinds = ("develop", "snapshot") if series(tag) in ("develop", "snapshot") else (series(tag),)
    return [other for other in tags if series(other) in kinds]


def _before(tags: Sequence[str], tag: str) -> str:
    """The tag before this one; empty where there is none."""
    line = _line(tags, tag)
    return next(iter(line[line.index(tag) + 1 :]), "") if tag in line else ""

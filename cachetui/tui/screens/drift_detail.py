"""What the drift screen shows of one thing that changed, in full: the specs of both tags, and copies of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType

from cachetui.analysis.diff import Change
from cachetui.analysis.diff import TagDiff as Drift
from cachetui.query.parts.facets import ValuePart
from cachetui.report.detail import Field, package_detail
from cachetui.report.paste import copies, spec_text
from cachetui.safe_text import plural, visible
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.tui.rows.drift_sections import DriftSection, Item, in_words, kind_of
from cachetui.tui.screens.copies import CopyScreen
from cachetui.tui.screens.hints import Hint, KeyOf
from cachetui.tui.screens.list_screens import DetailScreen, list_help

MOST_SPECS = 40
"""The most specs of each side that are listed."""


class ItemDetail(NamedTuple):
    """A title and what stands below it."""

    title: str
    fields: Sequence[Field]
    texts: Sequence[tuple[str, str]] = ()
    """What can be copied of it, each with its name."""


class ItemScreen(DetailScreen):
    """What changed in full; `y` copies hashes and specs of either tag."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy", id="change.copy", tooltip="Copy hashes or specs of the change"),
    ]

    KEYS = list_help(
        "A change in full", "the specs of both tags", ("y", "copy hashes, specs or commands of either tag")
    )

    def __init__(self, detail: ItemDetail) -> None:
        self._texts = detail.texts
        super().__init__(detail.title, detail.fields, (Hint("change.copy", "y", "copy"),) if detail.texts else ())

    def action_copy(self) -> None:
        if self._texts:
            self.app.push_screen(CopyScreen(self._texts), self.say_done)
        else:
            self.hint("there is no spec to copy here")


def item_detail(index: Index, found: Drift, section: DriftSection, item: Item) -> ItemDetail | None:
    """An item of a section in full; None for a package that the index does not have any more."""
    if isinstance(item, Change):
        fields = [
            Field("package", (visible(item.package),)),
            Field("change", (f"{kind_of(item)}: {in_words(item)}",)),
            Field("specs", (str(item.specs),)),
            Field("stacks", (visible(", ".join(item.stacks) or "none"),)),
            Field("old", _specs(index, found.old, item.old_rows)),
            Field("new", _specs(index, found.new, item.new_rows)),
        ]
        return ItemDetail(f"{visible(item.package)}: {kind_of(item)}", fields, _copies(index, item))
    if section.name.startswith("packages"):
        return _package(index, found, item, found.old if section.name.startswith("packages gone") else found.new)
    sides = (_stack(index, found, item, tag) for tag in (found.old, found.new))
    return ItemDetail(visible(item), [Field("stack", (visible(item),)), *sides])


def counted_detail(found: Drift, at: int, line: str, key_of: KeyOf) -> ItemDetail:
    """The packages of builds that are only counted: 0 for rebuilt ones, 1 for unchanged ones.

    `line`: the command that compares the same by hash; `key_of`: as that of a screen.
    """
    name, specs = (("rebuilt", found.rebuilt), ("unchanged", found.unchanged))[at]
    said = ("same signature, another hash", "same hash in both tags")[at]
    counts = {package: each[at] for package, each in found.counted.items() if each[at]}
    fields = [
        Field(name, (f"{plural(specs, 'build')}: {said}",)),
        Field("packages", tuple(f"{visible(package)} {count:,}" for package, count in counts.items()), is_list=True),
    ]
    texts = [("package names", "\n".join(map(visible, counts)))]
    if at == 0:
        tag, mark = key_of("browse.tag", "t"), key_of("browse.mark", "Space")
        compare = key_of("browse.compare", "=")
        ways = (
            f"Two builds: {mark} marks each in the list of its tag ({tag} is the other), {compare} compares them.",
            f"All: {key_of('change.copy', 'y')} copies the command that lists them by hash.",
        )
        fields.insert(1, Field("compare", ways))
        texts.insert(0, ("compared by hash", line))
    title = f"{name}: {plural(specs, 'build')} of {plural(len(counts), 'package')}"
    return ItemDetail(title, fields, texts)


def _copies(index: Index, change: Change) -> list[tuple[str, str]]:
    """Hashes, specs and commands of a change: those of each tag apart, where both have some."""
    sides = {"old": change.old_rows, "new": change.new_rows}
    texts = {side: copies([index.spec(row) for row in rows]) for side, rows in sides.items() if rows}
    return [
        (f"{side} {label}" if len(texts) > 1 else label, text) for side, own in texts.items() for label, text in own
    ]


def _specs(index: Index, tag: str, rows: Sequence[int]) -> tuple[str, ...]:
    shown = [f"- {spec_text(index.spec(row))}" for row in islice(rows, MOST_SPECS)]
    more = [f"and {len(rows) - MOST_SPECS:,} more"] if len(rows) > MOST_SPECS else []
    return (f"{visible(tag)}: {plural(len(rows), 'spec')}", *shown, *more)


def _package(index: Index, found: Drift, name: str, tag: str) -> ItemDetail | None:
    number = index.package_number(name)
    if number is None:
        return None
    results = Results.of(index, found.query.with_part(ValuePart.of("tag", [tag])))
    specs = plural(len(results.package_rows(number)), "spec")
    return ItemDetail(f"{visible(name)} in {visible(tag)}: {specs}", package_detail(results, number))


def _stack(index: Index, found: Drift, stack: str, tag: str) -> Field:
    in_tag = index.value_rows("tag", tag) & index.value_rows("stack", stack)
    taken = in_tag & index.rows(found.query)
    said = plural(len(taken), "spec") if in_tag else "no such stack in this tag"
    return Field("", (f"{visible(tag)}: {said}",))

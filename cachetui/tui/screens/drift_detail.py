"""What the drift screen shows of one thing that changed, in full: the specs of both tags. No widget in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from cachetui.analysis.drift import Change, Drift
from cachetui.query.parts.facets import ValuePart
from cachetui.report.detail import Field, package_detail
from cachetui.report.paste import spec_text
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.text import plural, visible
from cachetui.tui.rows.drift import DriftSection, Item, in_words, kind_of

MOST_SPECS = 40
"""The most specs of each side that are listed."""


class ItemDetail(NamedTuple):
    """A title and what stands below it."""

    title: str
    fields: Sequence[Field]


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
        return ItemDetail(f"{visible(item.package)}: {kind_of(item)}", fields)
    if section.name.startswith("packages"):
        return _package(index, found, item, found.old if section.name.startswith("packages gone") else found.new)
    sides = (_stack(index, found, item, tag) for tag in (found.old, found.new))
    return ItemDetail(visible(item), [Field("stack", (visible(item),)), *sides])


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

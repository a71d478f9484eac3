"""The changes between two tags in sections, by kind or by package, and what they are called.

Input: a `Drift`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from cachetui.analysis.diff import Change
from cachetui.analysis.diff import TagDiff as Drift
from cachetui.safe_text import plural, visible
from cachetui.tui.rows.tones import Tone

GAINED, LOST = "stacks gained", "stacks lost"
"""The sections of stacks that only one of the tags has."""

JOINED, PARTED = "stacks joined", "stacks parted"
"""The same where the query names stacks: those that share builds with these in only one of the tags."""

WHOLE_STACKS = (GAINED, LOST, JOINED, PARTED)

Grouping = Literal["kind", "package"]

Item = Change | str
"""A change within a package, or the name of a package or stack that came or went."""


class DriftSection(NamedTuple):
    """Changes of one kind, or of one package."""

    name: str
    items: Sequence[Item]
    tone: Tone = ""


def sections(found: Drift, by: Grouping) -> list[DriftSection]:
    """Everything that changed, each thing once; no section is empty."""
    wholes = [
        *(
            DriftSection(name, items, "gain" if name.startswith("packages new") else "loss")
            for name, items in found.packages.items()
        ),
        DriftSection(JOINED if found.stacks else GAINED, found.stacks_gained, "gain"),
        DriftSection(PARTED if found.stacks else LOST, found.stacks_lost, "loss"),
    ]
    if by == "package":
        parts = [DriftSection(name, tuple(own)) for name, own in groupby(found.changes, lambda change: change.package)]
    else:
        kinds: dict[str, list[Item]] = {}
        for change in sorted(found.changes, key=lambda change: _ORDER.index(kind_of(change))):
            kinds.setdefault(kind_of(change), []).append(change)
        parts = [DriftSection(kind, items) for kind, items in kinds.items()]
    return [section for section in (*wholes, *parts) if section.items]


_ORDER = (
    *("version up", "version down", "target", "os", "compiler", "variants", "builds removed", "builds added"),
    *("fewer builds alike", "more builds alike", "other stacks"),
)


def kind_of(change: Change) -> str:
    if change.kind == "version":
        return "version up" if change.is_rise else "version down"
    if change.kind == "count":
        return "more builds alike" if change.is_rise else "fewer builds alike"
    return {"removed": "builds removed", "added": "builds added", "stacks": "other stacks"}.get(
        change.kind, change.kind
    )


def tone_of(change: Change) -> Tone:
    """Gained, lost, or another one; the kind of the change says so in words."""
    if change.kind == "count":
        return "gain" if change.is_rise else "loss"
    tones: dict[str, Tone] = {"removed": "loss", "added": "gain"}
    return tones.get(change.kind, "changed")


def in_words(change: Change) -> str:
    """What was and what is, in one line."""
    old, new = ("" if value is None else visible(str(value)) for value in (change.old, change.new))
    if change.kind in ("stacks", "variants"):
        between = " " if change.kind == "variants" else ", "
        return between.join([*(f"no longer {old}" for _ in old[:1]), *(f"now {new}" for _ in new[:1])])
    if change.kind in ("added", "removed"):
        return old or new
    if change.kind == "count":
        return f"{old} -> {new}  {visible(change.build)}"
    return f"{old or 'none'} -> {new or 'none'}"


def summary(found: Drift) -> str:
    """How much changed, in one line."""
    changes = f"{plural(len(found.changes), 'change')} in packages that both have"
    new = len(found.packages_new) + len(found.packages_new_here)
    gone = len(found.packages_gone) + len(found.packages_gone_here)
    came = [f"{plural(count, 'package')} {what}" for count, what in ((new, "new"), (gone, "gone")) if count]
    return ", ".join([changes, *came])


def unchanged_text(found: Drift) -> str:
    """What is said where there is no change: that hashes are others, that nothing is, that nothing matches."""
    if found.rebuilt:
        return f"Nothing changed but hashes: {found.rebuilt:,} rebuilt"
    return "Nothing changed." if found.unchanged else "Neither tag has a spec that matches."

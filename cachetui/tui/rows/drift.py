"""What the drift screen shows: the sections of the changes, those that are unfolded with all that they hold.

Input: a `Drift`, frozen like everything here; a row is made when it is painted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from cachetui.analysis.diff import Change
from cachetui.analysis.diff import TagDiff as Drift
from cachetui.safe_text import plural, visible
from cachetui.tui.rows.drift_sections import (
    JOINED,
    PARTED,
    WHOLE_STACKS,
    DriftSection,
    Grouping,
    Item,
    in_words,
    kind_of,
    sections,
    tone_of,
)
from cachetui.tui.rows.layout import Cell, Column, Line, measure
from cachetui.tui.rows.pictures import UNICODE_BLOCKS, Blocks, two_sided

SIDE, LONG_SIDE = 7, 15
"""The least and the most cells for the specs of one tag in the picture, their bar and their number."""

WHAT, LONG_WHAT = 20, 40
"""The least and the most cells for the name of what changed."""

ROOMY = 100
"""From this width on names take the room that they need; below only headings do."""

HEADING = 28
"""The most cells for a heading then."""

CHANGE = 54
"""Cells for what changed and the change together."""


def columns(width: int, blocks: Blocks, longest: int, heading: int) -> Sequence[Column]:
    """The columns for a list so wide; between what changed and its stacks a picture of how many were and are.

    `longest`, `heading`: the cells of the longest name, and of the longest heading.
    """
    side = side_of(width)
    picture = f"{'old':>{side}}{blocks.middle}new"
    what = max(WHAT, min(longest, LONG_WHAT) if width >= ROOMY else min(heading, HEADING))
    return (
        Column("what", what, ends=True),
        Column("change", CHANGE - (WHAT if width >= ROOMY else what), share=8, most=90),
        Column(picture, 2 * side + 1, drop=1),
        Column("stacks", 18, share=1, drop=1, most=40),
        Column("specs", 6, right=True),
    )


def side_of(width: int) -> int:
    """Cells for one side of the picture in a list so wide."""
    return min(LONG_SIDE, max(SIDE, (width - 80) // 3))


@dataclass(frozen=True)
class DriftRows:
    """The sections, those that are unfolded with what they hold; last what did not change."""

    found: Drift
    by: Grouping
    unfolded: frozenset[str]
    blocks: Blocks = UNICODE_BLOCKS
    """What the pictures are made of."""
    side: int = SIDE
    signs: tuple[str, str] = ("▸", "▾")
    """Of sections that are folded and unfolded."""

    @cached_property
    def sections(self) -> list[DriftSection]:
        return sections(self.found, self.by)

    @cached_property
    def longest(self) -> int:
        """The cells of the longest name, whether its section is unfolded or not."""
        names = [name for section in self.sections for name in (f"  {section.name}", *map(self._name, section.items))]
        return max(map(measure, names), default=0)

    @cached_property
    def longest_heading(self) -> int:
        """The cells of the longest name of a section."""
        return max((measure(f"  {section.name}") for section in self.sections), default=0)

    def _name(self, item: Item) -> str:
        """What an item is called in its section."""
        name = item if isinstance(item, str) else item.package if self.by == "kind" else kind_of(item)
        return f"    {visible(name)}"

    @cached_property
    def places(self) -> list[tuple[DriftSection | None, int]]:
        """For each row its section and the item of it, -1 for the heading; None for what did not change."""
        found: list[tuple[DriftSection | None, int]] = []
        for section in self.sections:
            found.append((section, -1))
            if section.name in self.unfolded:
                found += [(section, k) for k in range(len(section.items))]
        return [*found, (None, 0), (None, 1)]

    @cached_property
    def _keys(self) -> list[Hashable]:
        """What each row is, whatever else has changed: the second of two with the same words is the second one."""
        keys: list[Hashable] = []
        alike: Counter[Hashable] = Counter()
        for section, at in self.places:
            item = section.items[at] if section is not None and at >= 0 else None
            if isinstance(item, Change):
                what: Hashable = (item.package, item.kind, item.old, item.new, item.build)
                keys.append((what, alike[what]))
                alike[what] += 1
            else:
                keys.append(("", at) if section is None else (section.name, item))
        return keys

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        return {key: k for k, key in enumerate(self._keys)}

    def __len__(self) -> int:
        return len(self.places)

    def item(self, k: int) -> Item | None:
        """What the k-th row tells of; None for a heading."""
        section, at = self.places[k]
        return section.items[at] if section is not None and at >= 0 else None

    def row(self, k: int) -> Line:
        section, at = self.places[k]
        if section is None:
            name, count = (("rebuilt", self.found.rebuilt), ("unchanged", self.found.unchanged))[at]
            said = ("same signature, another hash", "same hash")[at]
            return Line((f"  {name}", said, "", "", f"{count:,}"))
        if at < 0:
            return self._heading(section)
        item = section.items[at]
        if isinstance(item, str):
            without = self.found.old if item in self.found.stacks_gained else self.found.new
            note = f"not in {visible(without)} at all" if item in self.found.stacks_absent else ""
            return Line(
                (Cell(self._name(item), section.tone), note, *self._counted(section, [item], self._most_of_one))
            )
        # a change of stacks names them by itself
        stacks = "" if item.kind == "stacks" else visible(", ".join(item.stacks))
        change = Cell(in_words(item), tone_of(item))
        picture, _, specs = self._counted(section, [item], self._most_of_one)
        return Line((self._name(item), change, picture, stacks, specs))

    def _picture(self, old: int, new: int, most: int) -> Cell:
        """What there was to the left of a line, what there is to the right."""
        left, right = two_sided(old, new, most, self.side, self.blocks)
        end = len(left) + len(self.blocks.middle)
        return Cell(left + self.blocks.middle + right, "", [(0, self.side, "loss"), (end, end + len(right), "gain")])

    def _counted(self, section: DriftSection, items: Sequence[Item], most: int) -> tuple[Cell, str, str]:
        """The last cells of a row: picture, no stacks, specs; blank for whole stacks, whose builds stand elsewhere."""
        if section.name in WHOLE_STACKS:
            return Cell(""), "", ""
        specs = sum(item.specs if isinstance(item, Change) else self.found.package_builds[item] for item in items)
        return self._picture(*self._sides(section, items), most), "", f"{specs:,}"

    def _sides(self, section: DriftSection, items: Sequence[Item]) -> tuple[int, int]:
        """How many specs of these items of a section there were and how many there are."""
        old = new = 0
        for item in items:
            if isinstance(item, Change):
                old, new = old + len(item.old_rows), new + len(item.new_rows)
            elif section.tone == "loss":
                old += self.found.package_builds[item]
            else:
                new += self.found.package_builds[item]
        return old, new

    @cached_property
    def _drawn(self) -> list[DriftSection]:
        return [section for section in self.sections if section.name not in WHOLE_STACKS]

    @cached_property
    def _most(self) -> int:
        """The largest number of a section: the scale of all headings."""
        return max((max(self._sides(each, each.items)) for each in self._drawn), default=1)

    @cached_property
    def _most_of_one(self) -> int:
        """The largest number of an item: the scale of all items, folded or not."""
        return max((max(self._sides(each, [item])) for each in self._drawn for item in each.items), default=1)

    def _heading(self, section: DriftSection) -> Line:
        changes = [item for item in section.items if isinstance(item, Change)]
        packages = len({change.package for change in changes})
        unit = "change" if changes else "stack" if section.name in WHOLE_STACKS else "package"
        about = plural(len(section.items), unit)
        if changes and self.by == "kind":
            about = f"{about} in {plural(packages, 'package')}"
        if section.name in (JOINED, PARTED):
            how = "now sharing" if section.name == JOINED else "no longer sharing"
            about = f"{about} {how} builds with {visible(', '.join(self.found.stacks))}"
        sign = self.signs[section.name in self.unfolded]
        last = self._counted(section, section.items, self._most)
        return Line((Cell(f"{sign} {visible(section.name)}", "title"), about, *last))

    @cached_property
    def named(self) -> Mapping[str, tuple[Hashable, str]]:
        """For each name, folded or not, the key of the first row that has it, and the section that holds the row."""
        whole = DriftRows(self.found, self.by, frozenset(section.name for section in self.sections))
        found: dict[str, tuple[Hashable, str]] = {}
        for k, (section, at) in enumerate(whole.places):
            if section is not None:
                item = section.items[at] if at >= 0 else section.name
                found.setdefault(item.package if isinstance(item, Change) else item, (whole.key(k), section.name))
        return found

    def key(self, k: int) -> Hashable:
        return self._keys[k]

    def find(self, key: Hashable) -> int | None:
        return self._numbers.get(key)

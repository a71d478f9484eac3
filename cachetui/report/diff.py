"""What changed between two tags: first in numbers, then what came and went, then each change within a package.

Input is what `analysis` found; nothing is worked out here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from cachetui.analysis.diff import CHANGE_KINDS, Change, TagDiff
from cachetui.report.formats import Block, FactsBlock, TableBlock, TitleBlock
from cachetui.search.index import Index

COLUMNS = ("package", "kind", "old", "new", "specs", "stacks")

STACK_KINDS = ("stack gained", "stack lost", "stack absent")
"""What is said of a stack as a whole."""

VERSION_KINDS = ("version up", "version down")
"""The two directions of `version`, as tables name them."""

KINDS = ("gone", "new", *STACK_KINDS, *CHANGE_KINDS, *VERSION_KINDS)
"""What a report can be kept to: packages that came or went, whole stacks, and the kinds of change."""


class DiffReport:
    """Everything that changed, or the changes of some kinds; at most `limit` of them are listed."""

    def __init__(self, drift: TagDiff, index: Index, kinds: Collection[str] = (), limit: int | None = None) -> None:
        self._drift = drift
        self._index = index
        self._kinds = kinds or KINDS
        self._limit = limit
        self._packages = {heading: names for heading, names in drift.packages.items() if self._is_wanted(heading)}
        wanted = frozenset(self._kinds)
        self._changes = [each for each in drift.changes if not wanted.isdisjoint((each.kind, label(each)))]
        self._stacks = [each for each in _whole_stacks(drift) if each[0] in self._kinds]

    def _is_wanted(self, heading: str) -> bool:
        return ("gone" if heading.startswith("packages gone") else "new") in self._kinds

    def __len__(self) -> int:
        """How many lines there are without a limit."""
        return sum(map(len, self._packages.values())) + len(self._stacks) + len(self._changes)

    def document(self) -> object:
        drift = self._drift
        return {
            "old": drift.old,
            "new": drift.new,
            "packages_gone": drift.packages_gone if "gone" in self._kinds else (),
            "packages_new": drift.packages_new if "new" in self._kinds else (),
            "packages_gone_here": drift.packages_gone_here if "gone" in self._kinds else (),
            "packages_new_here": drift.packages_new_here if "new" in self._kinds else (),
            "changes": [self._change(change) for change in self._changes[: self._limit]],
            "stacks_gained": drift.stacks_gained,
            "stacks_lost": drift.stacks_lost,
            "stacks_absent": drift.stacks_absent,
            "unchanged": drift.unchanged,
            "rebuilt": drift.rebuilt,
        }

    def _change(self, change: Change) -> object:
        return {
            "package": change.package,
            "kind": change.kind,
            "old": change.old,
            "new": change.new,
            "specs": change.specs,
            "stacks": change.stacks,
            "build": change.build or None,
            "old_hashes": self._hashes(change.old_rows),
            "new_hashes": self._hashes(change.new_rows),
        }

    def _hashes(self, rows: Sequence[int]) -> Sequence[str | None]:
        columns = self._index.columns
        return [columns.hashes[columns.hash[row]] or None for row in rows]

    def records(self) -> TableBlock:
        rows = [(*cells, "") for cells in self._comings_and_goings()]
        rows += [(*_values(change), change.build) for change in self._changes]
        rows = rows[: self._limit]
        rows.append(("", "unchanged", "", "", str(self._drift.unchanged), "", ""))
        rows.append(("", "rebuilt", "", "", str(self._drift.rebuilt), "", ""))
        return TableBlock((*COLUMNS, "build"), rows)

    def blocks(self, width: int | None) -> Iterator[Block]:
        drift = self._drift
        yield TitleBlock(f"{drift.old} -> {drift.new}", str(drift.query))
        yield FactsBlock(list(self._summary()))
        rows = [*self._comings_and_goings(), *map(_cells, self._changes)][: self._limit]
        if rows:
            cells = [[cell or "-" for cell in row] for row in rows]
            yield TableBlock(COLUMNS, cells, right=(4,), shrinking=(0, 2, 3, 5))

    def _summary(self) -> Iterator[tuple[str, str]]:
        """How many there are of each, and of builds that did not change."""
        yield from ((heading, f"{len(names):,}") for heading, names in self._packages.items() if names)
        yield from ((name, f"{count:,}") for name, count in Counter(kind for kind, *_ in self._stacks).items())
        yield from ((name, f"{count:,}") for name, count in Counter(map(label, in_order(self._changes))).items())
        yield "unchanged, same hash", f"{self._drift.unchanged:,}"
        yield "rebuilt, same signature", f"{self._drift.rebuilt:,}"

    def _comings_and_goings(self) -> Iterator[tuple[str, ...]]:
        """Packages, then stacks as a whole, each once."""
        for heading, names in self._packages.items():
            yield from ((name, heading.removeprefix("packages "), "", "", "", "") for name in names)
        yield from (("", *stack, "", "") for stack in self._stacks)


def _whole_stacks(drift: TagDiff) -> Iterator[tuple[str, str, str]]:
    yield from (("stack gained", "", stack) for stack in drift.stacks_gained)
    yield from (("stack lost", stack, "") for stack in drift.stacks_lost)
    named = {*drift.stacks_gained, *drift.stacks_lost}
    yield from (("stack absent", stack, "") for stack in drift.stacks_absent if stack not in named)


def _values(change: Change) -> tuple[str, ...]:
    old, new = ("" if value is None else str(value) for value in (change.old, change.new))
    return change.package, change.kind, old, new, str(change.specs), " ".join(change.stacks)


def in_order(changes: Iterable[Change]) -> list[Change]:
    """The changes kind by kind."""
    return sorted(changes, key=lambda change: (CHANGE_KINDS.index(change.kind), not change.is_rise))


def label(change: Change) -> str:
    """The kind, with the direction of a version."""
    return change.kind + ((" up" if change.is_rise else " down") if change.kind == "version" else "")


def _cells(change: Change) -> tuple[str, ...]:
    """The values, with the direction of a version and the build that a count is of."""
    package, _, old, new, *rest = _values(change)
    return package, label(change), old, new + (f" of {change.build}" if change.build else ""), *rest

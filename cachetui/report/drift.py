"""What changed between two tags: packages and stacks that came and went, changes within packages, what was rebuilt.

Input is what the engine found; nothing is worked out here.
"""

from __future__ import annotations

from collections.abc import Iterator

from cachetui.analysis.drift import Change, Drift
from cachetui.report.formats import Block, Table

COLUMNS = ("package", "kind", "old", "new", "specs", "stacks")


class DriftReport:
    """Everything that changed, at most `limit` of the changes within packages."""

    def __init__(self, drift: Drift, limit: int | None = None) -> None:
        self._drift = drift
        self._changes = drift.changes[:limit]

    def document(self) -> object:
        drift = self._drift
        return {
            "old": drift.old,
            "new": drift.new,
            "packages_gone": drift.packages_gone,
            "packages_new": drift.packages_new,
            "packages_gone_here": drift.packages_gone_here,
            "packages_new_here": drift.packages_new_here,
            "changes": [
                {
                    "package": c.package,
                    "kind": c.kind,
                    "old": c.old,
                    "new": c.new,
                    "specs": c.specs,
                    "stacks": c.stacks,
                    "build": c.build or None,
                }
                for c in self._changes
            ],
            "stacks_gained": drift.stacks_gained,
            "stacks_lost": drift.stacks_lost,
            "stacks_absent": drift.stacks_absent,
            "unchanged": drift.unchanged,
            "rebuilt": drift.rebuilt,
        }

    def records(self) -> Table:
        rows = [(*cells, "") for cells in self._comings_and_goings()]
        rows += [(*_values(change), change.build) for change in self._changes]
        rows.append(("", "unchanged", "", "", str(self._drift.unchanged), "", ""))
        rows.append(("", "rebuilt", "", "", str(self._drift.rebuilt), "", ""))
        return Table((*COLUMNS, "build"), rows)

    def blocks(self, width: int | None) -> Iterator[Block]:
        rows = [*self._comings_and_goings(), *map(_cells, self._changes)]
        if rows:
            yield Table(COLUMNS, [[cell or "-" for cell in row] for row in rows], right=(4,))
        yield f"unchanged, same hash: {self._drift.unchanged}"
        yield f"rebuilt, same signature: {self._drift.rebuilt}"

    def _comings_and_goings(self) -> Iterator[tuple[str, ...]]:
        """Packages, then stacks as a whole, each once."""
        drift = self._drift
        for heading, names in drift.packages.items():
            yield from ((name, heading.removeprefix("packages "), "", "", "", "") for name in names)
        yield from (("", "stack gained", "", stack, "", "") for stack in drift.stacks_gained)
        yield from (("", "stack lost", stack, "", "", "") for stack in drift.stacks_lost)
        named = {*drift.stacks_gained, *drift.stacks_lost}
        yield from (("", "stack absent", stack, "", "", "") for stack in drift.stacks_absent if stack not in named)


def _values(change: Change) -> tuple[str, ...]:
    old, new = ("" if value is None else str(value) for value in (change.old, change.new))
    return change.package, change.kind, old, new, str(change.specs), " ".join(change.stacks)


def _cells(change: Change) -> tuple[str, ...]:
    """The values, with the direction of a version and the build that a count is of."""
    package, kind, old, new, *rest = _values(change)
    direction = (" up" if change.is_rise else " down") if kind == "version" else ""
    build = f" of {change.build}" if change.build else ""
    return package, kind + direction, old, new + build, *rest

"""Rows grouped into builds: the same one again is the same signature, or the same hash.

A row without a hash is a build of its own. Input: an index and rows of one tag.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Literal

from cachetui.model.signature import Unit
from cachetui.search.index import Index
from cachetui.search.signatures import Signatures

ComparedBy = Literal["signature", "hash"]

BuildRows = dict[int, int]
"""Builds: for each distinct hash (a row without one is a hash of its own) the first row that has it."""

Units = dict[Unit, list[int]]
"""Builds by what they are paired by: the rows of each."""


class Builds(Signatures):
    """Groups rows by what they are compared by."""

    def __init__(self, index: Index, by: ComparedBy) -> None:
        super().__init__(index)
        self.by = by
        self._hashes = index.columns.hashes

    def key(self, row: int) -> object:
        """What must be equal for two rows to be the same build."""
        return self.of(row) if self.by == "signature" else self.build(row)

    def by_key(self, rows: Iterable[int]) -> dict[object, BuildRows]:
        """The builds of each key."""
        found: dict[object, BuildRows] = {}
        for row in rows:
            found.setdefault(self.key(row), {}).setdefault(self.build(row), row)
        return found

    def units(self, groups: Mapping[object, BuildRows], *, without: Container[object]) -> Units:
        """The builds that only one side has, those of one signature apart by their stacks."""
        found: Units = {}
        for row in (row for key, rows in groups.items() if key not in without for row in rows.values()):
            found.setdefault((self.of(row), self.stacks([row])), []).append(row)
        return found

    def text(self, row: int) -> str:
        """What a build is called where it came or went: its signature, or the hash where that is compared."""
        number = self.build(row)
        if self.by == "signature":
            return self.of(row).text
        return self._hashes[number] if number >= 0 else f"no hash: {self.of(row).text}"

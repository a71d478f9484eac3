"""The signatures of rows, and rows grouped into builds, which are compared by signature or by hash.

A row without a hash is a build of its own.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from functools import cache, lru_cache
from typing import Literal

from cachetui.model.signature import Signature, Unit
from cachetui.model.spec import ROOT, normal_compiler, normal_variant
from cachetui.search.index import Index
from cachetui.store.arrays import grouped
from cachetui.store.string_table import decode_variants

ComparedBy = Literal["signature", "hash"]

BuildRows = dict[int, int]
"""The first row of each build, by what `Builds.build` returns of it."""

Units = dict[Unit, list[int]]
"""The rows of builds, grouped by what these are paired by."""


class Builds:
    """Tells which build a row is; each distinct combination of columns is read once."""

    def __init__(self, index: Index, by: ComparedBy = "signature") -> None:
        columns = index.columns
        self._index = index
        self.by = by
        self._version, self._profile, self._variants = (columns.rows[key] for key in ("version", "profile", "variants"))
        self._read = cache(self._read_signature)

    def of(self, row: int) -> Signature:
        """Return the signature of a row."""
        return self._read(self._version[row], self._profile[row], self._variants[row])

    def _read_signature(self, version: int, profile: int, variants: int) -> Signature:
        tables, fields = self._index.columns.tables, self._index.profiles[profile]
        return Signature(
            version=tables["version"][version],
            compiler=normal_compiler(fields.compiler),
            os=fields.os or "",
            platform=fields.platform or "",
            target=fields.target or "",
            variants=normal_variants(tables["variants"][variants]),
        )

    def build(self, row: int) -> int:
        """Return the number of the hash of a row; of a row without one a negative number of its own."""
        number = self._index.columns.hash[row]
        return number if self._index.columns.hashes.raw(number) else -1 - row

    def stacks(self, rows: Iterable[int]) -> frozenset[str]:
        """Return all stacks of these rows, without `root`."""
        profiles = self._index.profiles
        stacks = {stack for number in {self._profile[row] for row in rows} for stack in profiles[number].stacks}
        return frozenset(stacks - {ROOT})

    def key(self, row: int) -> object:
        """Return what is equal for two rows that are the same build."""
        return self.of(row) if self.by == "signature" else self.build(row)

    def by_key(self, rows: Iterable[int]) -> dict[object, BuildRows]:
        """Return the builds of each key."""
        found: dict[object, BuildRows] = {}
        for row in rows:
            found.setdefault(self.key(row), {}).setdefault(self.build(row), row)
        return found

    def units(self, groups: Mapping[object, BuildRows], *, without: Container[object]) -> Units:
        """Return the builds whose key is not among those `without`, as pairing needs them."""
        left = (row for key, rows in groups.items() if key not in without for row in rows.values())
        return grouped(((self.of(row), self.stacks([row])), row) for row in left)

    def text(self, row: int) -> str:
        """Return the name of a build: its signature, or its hash where that is compared."""
        if self.by == "signature":
            return self.of(row).text
        return self._index.columns.hashes[self._index.columns.hash[row]] or f"no hash: {self.of(row).text}"


@lru_cache(4096)
def normal_variants(text: str) -> tuple[str, ...]:
    """Return the variants in this text of a column in normal spelling, sorted."""
    return tuple(sorted(map(normal_variant, decode_variants(text))))

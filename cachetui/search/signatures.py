"""The signatures of rows, each distinct combination of columns read once, and what else makes builds the same.

Input: an index.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import msgspec

from cachetui.model.signature import Signature
from cachetui.model.spec import ROOT, normal_compiler, normal_variant
from cachetui.search.index import Index


class Signatures:
    """Says of a row which build it is."""

    def __init__(self, index: Index) -> None:
        columns = index.columns
        self._index = index
        self._version, self._profile, self._variants = (columns.rows[key] for key in ("version", "profile", "variants"))
        self._hash = columns.hash
        self._nameless = 0 if len(columns.hashes) and not columns.hashes.raw(0) else None
        self._read = cache(self._read_signature)
        self._normal_variants = cache(self._read_variants)

    def of(self, row: int) -> Signature:
        """The signature of this row."""
        return self._read(self._version[row], self._profile[row], self._variants[row])

    def build(self, row: int) -> int:
        """The number of its hash; a row without one has a negative number of its own."""
        number = self._hash[row]
        return number if number != self._nameless else -1 - row

    def stacks(self, rows: Iterable[int]) -> frozenset[str]:
        """All stacks of these rows, without `root`."""
        profiles = self._index.profiles
        stacks = {stack for number in {self._profile[row] for row in rows} for stack in profiles[number].stacks}
        return frozenset(stacks - {ROOT})

    def _read_signature(self, version: int, profile: int, variants: int) -> Signature:
        said = self._index.profiles[profile]
        return Signature(
            self._index.columns.tables["version"][version],
            normal_compiler(said.compiler),
            said.os or "",
            said.platform or "",
            said.target or "",
            self._normal_variants(variants),
        )

    def _read_variants(self, number: int) -> tuple[str, ...]:
        texts = msgspec.json.decode(self._index.columns.tables["variants"].raw(number), type=list[str])
        return tuple(sorted(map(normal_variant, texts)))

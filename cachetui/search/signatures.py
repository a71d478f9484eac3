"""The signatures of rows, each distinct combination of columns read once, and what else makes builds the same.

Input: an index.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property, lru_cache
from operator import ne

from cachetui.model.signature import Signature
from cachetui.model.spec import ROOT, normal_compiler, normal_variant
from cachetui.search.index import Index
from cachetui.store.arrays import Once, numbered
from cachetui.store.strings import decode_variants


class Signatures:
    """Says of a row which build it is."""

    def __init__(self, index: Index) -> None:
        columns = index.columns
        self._index = index
        self._version, self._profile, self._variants = (columns.rows[key] for key in ("version", "profile", "variants"))
        self._hash = columns.hash
        self._nameless = 0 if len(columns.hashes) and not columns.hashes.raw(0) else None
        self._read = cache(self._read_signature)
        self._read_profile = cache(self._read_profile_fields)
        self._normal_variants = cache(self._read_variants)
        self._apart = cache(self._profiles_apart)

    def of(self, row: int) -> Signature:
        """The signature of this row."""
        return self._read(self._version[row], self._profile[row], self._variants[row])

    def fields_apart(self, rows: Iterable[int], wanted: Signature) -> list[int]:
        """For each of these rows in how many fields, the variants aside, it differs from a signature."""
        version = self._version_numbers.get(wanted.version, -1)
        of_profile, versions, profiles = self._apart(wanted[1:5]), self._version, self._profile
        return [(versions[row] != version) + of_profile[profiles[row]] for row in rows]

    @cached_property
    def _version_numbers(self) -> dict[str, int]:
        return numbered(self._index.columns.tables["version"])

    def _profiles_apart(self, wanted: tuple[str, ...]) -> Once[int, int]:
        """For each profile in how many of compiler, operating system, platform and target it differs."""
        return Once(lambda profile: sum(map(ne, self._read_profile(profile), wanted)))

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
        text = self._index.columns.tables["version"][version]
        return Signature(text, *self._read_profile(profile), self._normal_variants(variants))

    def _read_profile_fields(self, profile: int) -> tuple[str, str, str, str]:
        """Compiler, operating system, platform and target."""
        said = self._index.profiles[profile]
        return normal_compiler(said.compiler), said.os or "", said.platform or "", said.target or ""

    def _read_variants(self, number: int) -> tuple[str, ...]:
        return normal_variants(self._index.columns.tables["variants"][number])


@lru_cache(4096)
def normal_variants(text: str) -> tuple[str, ...]:
    """The variants in this text of a column, spelt and ordered so that two builds agree."""
    return tuple(sorted(map(normal_variant, decode_variants(text))))

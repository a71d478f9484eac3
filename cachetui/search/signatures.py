"""Find the signature and the build of a row. Builds are compared by signature or by hash.

A signature contains all values of a row that a rebuild keeps (see `model.signature`). Rows with the same hash are one
build. A row without a hash is a separate build.
"""

from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Literal

from cachetui.mappings import Once, grouped
from cachetui.model.signature import Signature, Unit
from cachetui.model.spec import ROOT, normal_compiler, normal_variant
from cachetui.search.index import Index
from cachetui.store.arrays import decode_variants

ComparedBy = Literal["signature", "hash"]

BuildRows = dict[int, int]
"""Maps the number of each build (see `Builds.build`) to the first row of the build."""

Units = dict[Unit, list[int]]
"""The rows of builds, by signature and stacks."""


class Builds:
    """Reads the signatures and builds of rows. Decodes each distinct value of a column only once."""

    def __init__(self, index: Index, by: ComparedBy = "signature") -> None:
        columns, tables = index.columns, index.columns.tables
        self._index = index
        self.by = by
        self._version, self._profile, self._variants = (columns.rows[key] for key in ("version", "profile", "variants"))
        self._hash, self._without_hash = columns.hash, 0 if len(columns.hashes) and not columns.hashes.raw(0) else None
        self._versions = Once(tables["version"].__getitem__)
        fields = attrgetter("compiler", "os", "platform", "target")
        self._fields = Once[int, tuple[str, str, str, str]](lambda k: normal_profile(*fields(index.profiles[k])))
        self._normal: Once[int, tuple[str, ...]] = Once(lambda number: normal_variants(tables["variants"][number]))

    def of(self, row: int) -> Signature:
        """Return the signature of a row."""
        return Signature(
            self._versions[self._version[row]], *self._fields[self._profile[row]], self._normal[self._variants[row]]
        )

    def build(self, row: int) -> int:
        """Return the number of a row's hash. For a row without a hash, return a unique negative number."""
        number = self._hash[row]
        return -1 - row if number == self._without_hash else number

    def stacks(self, rows: Iterable[int]) -> frozenset[str]:
        """Return all stacks of these rows, without `root`."""
        profiles = self._index.profiles
        stacks = {stack for number in {self._profile[row] for row in rows} for stack in profiles[number].stacks}
        return frozenset(stacks - {ROOT})

    def key(self, row: int) -> object:
        """Return the key by which a row's build is compared: its signature or the number of its hash."""
        return self.of(row) if self.by == "signature" else self.build(row)

    def by_key(self, rows: Iterable[int]) -> dict[object, BuildRows]:
        """Return the builds of some rows, grouped by key."""
        found: dict[object, BuildRows] = {}
        for row in rows:
            found.setdefault(self.key(row), {}).setdefault(self.build(row), row)
        return found

    def units(self, groups: Mapping[object, BuildRows], *, without: Container[object]) -> Units:
        """Group the rows of builds by signature and stacks. `diff` uses the groups to pair similar builds.

        `groups` is a result of `by_key`. Ignore the keys in `without`.
        """
        left = (row for key, rows in groups.items() if key not in without for row in rows.values())
        return grouped(((self.of(row), self.stacks([row])), row) for row in left)

    def text(self, row: int) -> str:
        """Return the name of a build: its signature, or its hash if builds are compared by hash."""
        if self.by == "signature":
            return self.of(row).text
        return self._index.columns.hashes[self._index.columns.hash[row]] or f"no hash: {self.of(row).text}"


@lru_cache(4096)
def normal_variants(text: str) -> tuple[str, ...]:
    """Return the sorted variants in a string of the column `variants`, in normal spelling."""
    return tuple(sorted(map(normal_variant, decode_variants(text))))


@lru_cache(4096)
def normal_profile(
    compiler: str | None, os: str | None, platform: str | None, target: str | None
) -> tuple[str, str, str, str]:
    """Return compiler, os, platform and target in normal spelling. A missing value becomes an empty string."""
    return normal_compiler(compiler), os or "", platform or "", target or ""

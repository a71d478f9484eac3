"""What narrows the specs of one package: offered to who is in it, before anything is typed.

Input: an index, and what the rest of the query takes of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice

from pyroaring import BitMap

from cachetui.search.index import Index
from cachetui.search.row_values import variant_counts, versions_of

MOST_OF_KIND = 4
"""Most variants, and compilers and versions, that are offered."""


def filters_of(index: Index, package: str, taken: BitMap) -> list[str]:
    """Variants, compilers and versions of which each leaves some of the specs of a package out, a few of each.

    Compilers stand by how many have them, versions from the newest; nothing for an unknown package.
    """
    number = index.package_number(package)
    if number is None:
        return []
    rows = index.package_rows(number) & taken
    kinds = _switches(index, rows), _compilers(index, rows), _versions(index, rows)
    return [*chain.from_iterable(islice(kind, MOST_OF_KIND) for kind in kinds)]


def _switches(index: Index, rows: BitMap) -> Iterator[str]:
    """The one that comes nearest to halving them first."""
    counts = variant_counts(index, rows)
    found = [each for each, count in counts.items() if each.startswith(("+", "~")) and count < len(rows)]
    return iter(sorted(found, key=lambda each: (abs(2 * counts[each] - len(rows)), each)))


def _compilers(index: Index, rows: BitMap) -> Iterator[str]:
    """Their names; of one compiler its versions."""
    names, compilers = Counter[str](), []
    for compiler in reversed(index.values("compiler")):
        if count := rows.intersection_cardinality(index.value_rows("compiler", compiler)):
            names[compiler.partition("@")[0]] += count
            compilers.append(compiler)
    found = [name for name, _ in names.most_common()] if len(names) > 1 else compilers
    return (f"%{each}" for each in found if len(found) > 1)


def _versions(index: Index, rows: BitMap) -> Iterator[str]:
    versions = versions_of(index, rows)
    return (f"@{each}" for each in versions if len(versions) > 1)

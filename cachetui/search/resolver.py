"""The rows of one part of a query: each part is asked about the distinct values of its column, not about rows.

Input: an index and a part.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import Any

from pyroaring import BitMap

from cachetui.query.parts.dependencies import CompletePart, DependencyPart
from cachetui.query.parts.facets import CompilerPart, FacetPart, FitsPart
from cachetui.query.parts.names import HashPart, NamePart
from cachetui.query.parts.part import Part, PartColumn
from cachetui.search.hashes import prefixed
from cachetui.search.rows import RowIndex
from cachetui.store.arrays import Postings
from cachetui.store.string_table import decode_variants

# What asks a dependency graph or a host is imported where a query does.

NARROWED = ("version", "variants")
"""Columns of many distinct values: where rows are left by other parts, only the values of these rows are asked."""

MANY = 10
"""Where there are more rows than so many for each distinct value, it is faster to ask all values than those of rows."""


def resolved(index: RowIndex, part: Part) -> BitMap:
    """The rows that a part takes by itself."""
    return _RESOLVERS[part.column](index, part)


def has_many_rows(index: RowIndex, rows: BitMap, part: Part) -> bool:
    """Whether there are so many rows that it is faster to ask a part about all values of its column."""
    return len(rows) > MANY * len(index.columns.tables[part.column])


def narrowed(index: RowIndex, rows: BitMap, part: Part) -> BitMap:
    """Those of the rows that a part takes whose column is `NARROWED`."""
    column = index.columns.rows[part.column]
    numbers = rows.to_array()
    values = list(map(column.__getitem__, numbers))
    taken = {value for value in set(values) if _takes(index, part, value)}
    return BitMap(array("I", [row for row, value in zip(numbers, values, strict=True) if value in taken]))


def _of_name(index: RowIndex, part: NamePart) -> BitMap:
    number = index.package_number(part.name)
    rows = BitMap() if number is None else index.package_rows(number)
    if not part.namespace:
        return rows
    from cachetui.search.dependencies import namespace_rows

    return namespace_rows(index, rows, part.namespace)


def _of_name_like(index: RowIndex, part: Part) -> BitMap:
    return BitMap.union(BitMap(), *map(index.package_rows, index.packages_meant(part.text)))


def _of_hash(index: RowIndex, part: HashPart) -> BitMap:
    return _union(index.columns.posting("hash"), prefixed(index.columns.hashes, part.prefix))


def _of_distinct_values(index: RowIndex, part: Part) -> BitMap:
    table = index.columns.tables[part.column]
    taken = (value for value in range(len(table)) if _takes(index, part, value))
    return _union(index.columns.posting(part.column), taken)


def _of_tag(index: RowIndex, part: Part) -> BitMap:
    return index.tag_rows(filter(part.matches, index.tags))


def _of_facet(index: RowIndex, part: FacetPart) -> BitMap:
    if part.holds(""):  # the facet has no empty value, but a page may have written one
        field = part.facet.field
        return index.profile_rows(k for k, profile in enumerate(index.profiles) if part.matches(vars(profile)[field]))
    held = (index.value_rows(part.key, value) for value in index.values(part.key) if part.holds(value))
    rows = BitMap.union(BitMap(), *held)
    return index.all_rows - rows if part.excluded else rows


def _of_compiler(index: RowIndex, part: CompilerPart) -> BitMap:
    found = _of_facet(index, part)
    if not index.graph:
        return found
    from cachetui.search.dependencies import compiled_rows

    return found | compiled_rows(index, part)


def _of_host(index: RowIndex, part: FitsPart) -> BitMap:
    from cachetui.search.fits import fit_rows

    return BitMap.union(BitMap(), *(rows for fit, rows in fit_rows(index, part.host) if fit.distance is not None))


def _of_dependency(index: RowIndex, part: DependencyPart) -> BitMap:
    from cachetui.search.dependencies import dependency_rows

    return dependency_rows(index, part)


def _of_complete(index: RowIndex, part: CompletePart) -> BitMap:
    recorded = index.tag_rows(index.graph.tags)  # rows whose dependencies are not recorded are neither
    return recorded - index.incomplete_rows if part.wanted else recorded & index.incomplete_rows


_RESOLVERS: dict[PartColumn, Callable[[RowIndex, Any], BitMap]] = {
    "package": _of_name,
    "package_like": _of_name_like,
    "version": _of_distinct_values,
    "variants": _of_distinct_values,
    "facet": _of_facet,
    "compiler": _of_compiler,
    "profile": _of_host,
    "tag": _of_tag,
    "hash": _of_hash,
    "dependency": _of_dependency,
    "complete": _of_complete,
}
"""How the rows of a part are found, by the column that it asks about."""


def _takes(index: RowIndex, part: Part, value: int) -> bool:
    """Whether the part takes this value of its column, a version or a list of variants."""
    text = index.columns.tables[part.column][value]
    if part.contained not in text:
        return False
    return part.matches(decode_variants(text) if part.column == "variants" else text or None)


def _union(postings: Postings, values: Iterable[int]) -> BitMap:
    rows = array("I")
    for value in values:
        rows.frombytes(postings[value].tobytes())
    return BitMap(rows)

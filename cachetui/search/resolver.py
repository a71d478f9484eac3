"""The rows of one term of a query: it tests the distinct values of its column instead of each row."""

from array import array
from collections.abc import Iterable
from functools import singledispatch
from operator import attrgetter

from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.model.spec import FACETS
from cachetui.query.parts import (
    CompilerPart,
    DependencyPart,
    FacetPart,
    FitsPart,
    FlagPart,
    HashPart,
    NamePart,
    Part,
    ValuePart,
    VariantPart,
    VersionPart,
)
from cachetui.query.tokens import AnyValue
from cachetui.search.hashes import prefixed
from cachetui.search.rows import RowIndex
from cachetui.store.arrays import Postings
from cachetui.store.graph import providers
from cachetui.store.string_table import decode_variants

# What needs a dependency graph or a host is imported late, as few queries ask for it.

NARROWED: dict[type[Part], str] = {
    VersionPart: "version",
    VariantPart: "variants",
    FlagPart: "variants",
    FitsPart: "profile",
}
"""Kinds of terms about columns of many distinct values: if others leave few rows, only the values of these count."""

MANY = 10
"""With more rows than so many for each distinct value of a column, it is faster to ask about all values."""


ASKS_GRAPH = 2
"""The `lateness` of parts that ask the dependency graph, if there is one."""


def lateness(part: Part) -> int:
    """Return the place of a term in the order: first those quick over all rows, then `NARROWED`, then the graph."""
    if isinstance(part, _OF_GRAPH) or (isinstance(part, VariantPart) and part.propagated):
        return ASKS_GRAPH
    return int(type(part) in NARROWED)


_OF_GRAPH = (CompilerPart, DependencyPart)


def has_many_rows(index: RowIndex, rows: BitMap, part: Part) -> bool:
    """Return whether there are so many rows that it is faster to ask a part about all values of its column."""
    return len(rows) > MANY * len(index.columns.tables[NARROWED[type(part)]])


def narrowed(index: RowIndex, rows: BitMap, part: Part) -> BitMap:
    """Return those of the rows that a part matches, whose kind is `NARROWED`."""
    if isinstance(part, FitsPart):
        return _running(index, rows, part)
    column = index.columns.rows[NARROWED[type(part)]]
    numbers = rows.to_array()
    values = list(map(column.__getitem__, numbers))
    matched = {value for value in set(values) if _is_matched(index, part, value)}
    return BitMap(array("I", [row for row, value in zip(numbers, values, strict=True) if value in matched]))


@singledispatch
def resolved(part: Part, index: RowIndex) -> BitMap:
    """Return the rows that a part matches by itself; here for a kind that is `NARROWED`."""
    return _of_column(part, index)


def _of_column(part: Part, index: RowIndex) -> BitMap:
    column = NARROWED[type(part)]
    matched = (value for value in range(len(index.columns.tables[column])) if _is_matched(index, part, value))
    return _union(index.columns.posting(column), matched)


@resolved.register(NamePart)
def _of_name(part: NamePart, index: RowIndex) -> BitMap:
    if not part.namespace and index.is_virtual(part.name):
        return index.rows_of_nodes(providers(index.graph, part.name, part.versions))
    if part.fuzzy:
        return BitMap.union(BitMap(), *map(index.package_rows, index.packages_meant(part.text)))
    number = index.package_number(part.name)
    rows = BitMap() if number is None else index.package_rows(number)
    return rows & index.value_rows("namespace", part.namespace) if part.namespace else rows


@resolved.register(HashPart)
def _of_hash(part: HashPart, index: RowIndex) -> BitMap:
    return _union(index.columns.posting("hash"), prefixed(index.columns.hashes, part.prefix))


@resolved.register(FacetPart)
def _of_facet(part: FacetPart, index: RowIndex) -> BitMap:
    if isinstance(part, ValuePart) and not index.graph:  # pages, of Spack 0.22, where `os=*` asks for an os named so
        part = replace(part, words=tuple(word for word in part.words if not isinstance(word, AnyValue)))
    if part.key in FACETS and part.holds(""):  # empty values that pages have are not among the values of a facet
        values = map(attrgetter(part.facet.field), index.profiles)
        return index.profile_rows(number for number, value in enumerate(values) if part.matches(value))
    held = (index.value_rows(part.key, value) for value in index.values(part.key) if part.holds(value))
    rows = BitMap.union(BitMap(), *held)
    return index.all_rows - rows if part.excluded else rows


@resolved.register(CompilerPart)
def _of_compiler(part: CompilerPart, index: RowIndex) -> BitMap:
    found = _of_facet(part, index)
    if not index.graph:
        return found
    from cachetui.search.dependencies import direct_dependents

    return found | index.rows_of_nodes(direct_dependents(index.graph, DependencyPart.of_compiler(part)))


@resolved.register(VariantPart)
def _of_variant(part: VariantPart, index: RowIndex) -> BitMap:
    rows = _of_column(part, index)
    if not part.propagated or not index.graph:
        return rows
    from cachetui.search.dependencies import nodes_breaking

    recorded = index.tag_rows(index.graph.tags)
    return (rows - recorded) | (recorded - index.rows_of_nodes(nodes_breaking(index.graph, part)))


@resolved.register(FitsPart)
def _of_host(part: FitsPart, index: RowIndex) -> BitMap:
    return _running(index, index.all_rows, part)


def _running(index: RowIndex, among: BitMap, part: FitsPart) -> BitMap:
    from cachetui.search.fits import fit_rows

    found = fit_rows(index, part.host, among)
    return BitMap.union(BitMap(), *(rows for fit, rows in found if fit.distance is not None))


@resolved.register(DependencyPart)
def _of_dependency(part: DependencyPart, index: RowIndex) -> BitMap:
    from cachetui.search.dependencies import nodes_of

    return index.rows_of_nodes(nodes_of(index.graph, part)) if index.graph else BitMap()


def _is_matched(index: RowIndex, part: Part, value: int) -> bool:
    """Return whether the part matches this value of its column, a version or a list of variants."""
    text = index.columns.tables[NARROWED[type(part)]][value]
    if isinstance(part, VariantPart | FlagPart):
        return part.name in text and part.matches(decode_variants(text))
    return part.matches(text)


def _union(postings: Postings, values: Iterable[int]) -> BitMap:
    rows = array("I")
    for value in values:
        rows.frombytes(postings[value].tobytes())
    return BitMap(rows)

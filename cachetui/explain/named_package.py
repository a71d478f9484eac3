"""The package that a query names, and what there is of it: what the values of the query are looked for in.

Input: an index and a query, whose name may be misspelt.
"""

from __future__ import annotations

from functools import cached_property

from pyroaring import BitMap

from cachetui.query.parts.names import NamePart
from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.row_values import variants_of, versions_of


class NamedPackage:
    """The package that a query names, or all of them, and what its rows have."""

    def __init__(self, index: Index, named: Query) -> None:
        """`named`: the query for it alone; one without a name for all packages."""
        self._index = index
        self._named = named
        self.name = named.package.name if named.package is not None else None
        self.rows = index.rows(named)

    def rows_with(self, part: Part) -> BitMap:
        """Its rows that a part of a query takes."""
        return self._index.rows(Query((*self._named.parts, part)))

    @cached_property
    def versions(self) -> list[str]:
        """Oldest first."""
        return versions_of(self._index, self.rows)[::-1]

    @cached_property
    def variants(self) -> set[str]:
        """As pages write them."""
        return {variant for variants in variants_of(self._index, self.rows) for variant in variants}


def named_package(index: Index, query: Query) -> NamedPackage | None:
    """The package of the query; of a fuzzy name the one that is called so, else the one that it surely means.

    None where there is no such.
    """
    named = query.package
    if named is None:
        return NamedPackage(index, Query())
    if index.package_number(named.name) is None:
        like = index.named_like(named.text) if named.fuzzy else ()
        if len(like) != 1:
            return None
        named = NamePart(index.packages[like[0].number])
    return NamedPackage(index, Query((named,)))

"""Which rows of a spec or a package some filters leave, and what of the filters has to go so that any are left."""

from __future__ import annotations

from functools import reduce
from operator import and_

from pyroaring import BitMap

from cachetui.query.errors import QueryError
from cachetui.query.parts.facets import ValuePart
from cachetui.query.parts.names import NamePart
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.tui.rows.specs import SpecKey, rows_of_key


def has(index: Index, rows: BitMap, found: SpecKey | str) -> bool:
    """Whether this spec, or a spec of the package of this name, is among the rows."""
    if not isinstance(found, str):
        return any(row in rows for row in rows_of_key(index, found))
    number = index.package_number(found)
    return number is not None and bool(rows.intersect(index.package_rows(number)))


def is_emptied(index: Index, results: Results, package: str) -> bool:
    """Whether the results have no spec of a package of this index, and the query names no others, by name or hash."""
    number = index.package_number(package)
    if number is None or has(index, results.rows, package):
        return False
    parts = [part for part in results.query.parts if part.key in ("name", "hash")]
    named = reduce(and_, map(index.part_rows, parts), index.all_rows)
    return not named or bool(named & index.package_rows(number))


def names_nothing(index: Index, query: Query) -> bool:
    """Whether the name that is asked for is one that no package has, nor one like it."""
    return query.package is not None and not index.part_rows(query.package)


def within(index: Index, query: Query, package: str) -> Query:
    """The query within a package: of that one alone, if its name is one to ask for.

    As it is where it asks for a name that no package has: that is the reason why none of its specs is left.
    """
    if names_nothing(index, query):
        return query
    try:
        return query.with_part(NamePart(package))
    except QueryError:
        return query


def showing(index: Index, query: Query, found: SpecKey | str) -> Query:
    """The query without the filters that hide a spec or a package, in the tag of the spec if it is in another.

    Where no filter hides the package by itself but all together do, the host alone stays, if its specs fit it.
    """
    if not has(index, index.rows(query.only_key("tag")), found):
        query = query.without_key("tag")
        if not isinstance(found, str) and found[0] is not None:
            query = query.with_part(ValuePart.of("tag", [found[0]]))
    scope = index.rows(query.only_key("tag"))
    for part in query.parts:
        if part.key != "tag" and not has(index, scope & index.part_rows(part), found):
            query = query.without(part)
    if has(index, index.rows(query), found):
        return query
    alone = query.only_key("tag")
    with_host = alone if query.fits is None else alone.with_part(query.fits)
    return with_host if has(index, index.rows(with_host), found) else alone

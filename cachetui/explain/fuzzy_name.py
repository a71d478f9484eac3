"""What a fuzzy name is taken to mean where no package is called so.

Input: what a query found. The phrase quotes what was typed and names of pages, so escape it before it is shown.
"""

from __future__ import annotations

from msgspec.structs import replace

from cachetui.model.likeness import slips
from cachetui.query.errors import QueryError
from cachetui.query.query import Query
from cachetui.search.names import is_written_in
from cachetui.search.results import Results
from cachetui.text import listed


def meant(results: Results) -> str:
    """The packages that were found for a name that is written in none, in one phrase; empty where there is no such.

    A name is written in `py-mpi4py` as `mpi4` or `mpi-py` is, and not as `pmi4` or `py-mpi5py` is.
    """
    named, found = results.query.package, results.packages
    if named is None or not named.fuzzy or not found or is_written_in(named.text, found[0].name):
        return ""
    best = results.index.named_like(named.text)[0]
    if is_written_in(named.text, results.index.packages[best.number]):
        return ""
    return f"no {named.text}; meant {listed([package.name for package in found], 3)}"


def mended(results: Results) -> Query | None:
    """The query with the name of the one package that was found, if what was typed is a slip of it; else None.

    Where nothing was found, it is the one that the name finds by itself, as something else may be wrong too. A slip is
    a sign left out, doubled or swapped with its neighbour; with another sign another package may be meant.
    """
    named = results.query.package
    if named is None:
        return None
    by_name = results if results.packages else Results.of(results.index, results.query.only_key(named.key))
    found = by_name.packages
    if len(found) != 1 or not meant(by_name) or not slips(named.name.lower(), [found[0].name]):
        return None
    try:
        return results.query.with_part(replace(named, name=found[0].name))
    except QueryError:  # no query can name it
        return None

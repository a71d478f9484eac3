"""What a fuzzy name is taken to mean where no package is called so.

Input: what a query found. The phrase quotes what was typed and names of pages, so escape it before it is shown.
"""

from __future__ import annotations

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

"""What a fuzzy name is taken to mean where no package is called so, or the rest of the query leaves none of it.

Input: what a query found. The phrase quotes what was typed and names of pages, so escape it before it is shown.
"""

from __future__ import annotations

from cachetui.safe_text import listed
from cachetui.search.names import is_written_in
from cachetui.search.results import Results


def meant(results: Results) -> str:
    """The packages that were found for a name that is written in none of them, in one phrase; empty where there is no
    such.

    A name is written in `py-mpi4py` as `mpi4` or `mpi-py` is, and not as `pmi4` or `py-mpi5py` is. Where it is written
    in others, the rest of the query leaves none of these.
    """
    others = _others(results)
    if not others:
        return ""
    named, best = results.query.package, _best(results)
    said = f"no {named.text}" if is_misspelt(results) and named else f"{best} has none of these"
    return f"{said}; meant {listed(others, 3)}"


def is_misspelt(results: Results) -> bool:
    """Whether a name that was typed is written in no package, and others were found for it."""
    named = results.query.package
    return named is not None and bool(_others(results)) and not is_written_in(named.text, _best(results))


def _others(results: Results) -> list[str]:
    """The packages that were found for a name that is written in none of them."""
    named, found = results.query.package, results.packages
    if named is None or not named.fuzzy or not found or is_written_in(named.text, found[0].name):
        return []
    return [package.name for package in found]


def _best(results: Results) -> str:
    """The package whose name is most like the one that was typed."""
    named = results.query.package
    return results.index.packages[results.index.named_like(named.text)[0].number] if named else ""

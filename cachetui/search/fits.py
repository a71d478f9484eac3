"""Whether rows run on a host: by their profile, and by the C library that the dependency graph records."""

from collections.abc import Iterator

from pyroaring import BitMap

from cachetui.mappings import grouped
from cachetui.model.host import Fit, Host
from cachetui.model.libc import Libc
from cachetui.search.rows import RowIndex
from cachetui.store.graph import as_libc, libc_of

MANY = 10
"""With more rows than so many for each profile, it is faster to judge whole profiles."""


def fit_rows(index: RowIndex, host: Host, among: BitMap) -> Iterator[tuple[Fit, BitMap]]:
    """Yield some rows, grouped by platform, os, target and libc, with the verdict whether they run on the host."""
    if len(among) <= MANY * len(index.profiles):
        machines = grouped((_built_for(index, row), row) for row in among)
        yield from ((host.fit(*machine), BitMap(own)) for machine, own in machines.items())
        return
    alike = grouped(((each.platform, each.os, each.target), number) for number, each in enumerate(index.profiles))
    for machine, numbers in alike.items():
        rows = index.profile_rows(numbers) & among
        for libc, built in index.libc_rows.items():
            own = rows & built
            if own:
                rows = rows - own
                yield host.fit(*machine, libc), own
        if rows:
            yield host.fit(*machine), rows


def row_libc(index: RowIndex, row: int) -> Libc | None:
    """Return the C library that the graph records for a row, if any."""
    nodes = index.columns.nodes_of_hash(index.columns.hash[row]) if index.graph else ()
    built_with = libc_of(index.graph, nodes[0]) if nodes else None
    return None if built_with is None else as_libc(index.graph, built_with)


def row_fit(index: RowIndex, row: int, host: Host) -> Fit:
    """Return whether one row runs on the host."""
    return host.fit(*_built_for(index, row))


def _built_for(index: RowIndex, row: int) -> tuple[str | None, str | None, str | None, Libc | None]:
    profile = index.profile(index.columns.rows["profile"][row])
    return profile.platform, profile.os, profile.target, row_libc(index, row)

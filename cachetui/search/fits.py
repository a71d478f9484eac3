"""What becomes of rows on a host: by their profile, and by the C library that a dependency graph records.

Input: an index and a host.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyroaring import BitMap

from cachetui.model.host import Fit, Host
from cachetui.model.libc import Libc
from cachetui.search.rows import RowIndex


def fit_rows(index: RowIndex, host: Host) -> Iterator[tuple[Fit, BitMap]]:
    """All rows apart by what becomes of them on the host."""
    for number, profile in enumerate(index.profiles):
        rows = index.profile_rows([number])
        for libc, built in index.libc_rows.items():
            own = rows & built
            if own:
                rows = rows - own
                yield host.fit(profile.platform, profile.os, profile.target, libc), own
        if rows:
            yield host.fit(profile.platform, profile.os, profile.target), rows


def row_libc(index: RowIndex, row: int) -> Libc | None:
    """The C library that the graph records for a row; None where it records none."""
    return next((libc for libc, rows in index.libc_rows.items() if row in rows), None)


def row_fit(index: RowIndex, row: int, host: Host) -> Fit:
    """What becomes of one row on the host."""
    spec = index.spec(row)
    return host.fit(spec.platform, spec.os, spec.target, row_libc(index, row))

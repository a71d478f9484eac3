"""The content on each day of a year: some rows are removed, some are added, and some earlier rows return."""

import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

from cachetui.catalogue import Catalogue
from cachetui.settings.settings import Settings
from cachetui.store.merge import built
from cachetui.store.snapshots import HASH, MARK_BYTES, NEEDS, History, mark, rows_of, segment_of
from tests.support.rows import ALPHABET, row

FIRST = date(2025, 11, 24)

Rows = list[dict[str, Any]]


def year(days: int, specs: int, share: float, seed: int = 1) -> Iterator[tuple[str, Rows]]:
    """Yield each day and its rows: the given number of specs, a share of which changes each day.

    A few rows have no hash, and some of these are equal; the URL of a tarball contains the tag.
    """
    random = Random(seed)
    past: Rows = []

    def new() -> dict[str, Any]:
        kind = random.random()
        if past and kind < 0.2:
            return random.choice(past)
        fields: dict[str, Any] = {"stacks": random.sample(["e4s", "hep", "root"], random.randint(0, 3))}
        made = row(random.choice(["hdf5", "zlib", "petsc"]), f"1.{random.randint(0, 10**6)}", **fields)
        if kind < 0.3:
            return row("zlib", "1.3", hash=None)
        return {**made, "tarball": f"https://host/develop/build_cache/{made['hash']}.spack"}

    rows = [new() for _ in range(specs)]
    for number in range(days):
        for _ in range(round(share * specs) if number else 0):
            past.append(rows.pop(random.randrange(len(rows))))
            rows.append(new())
        yield (FIRST + timedelta(number)).isoformat(), list(rows)


def record_year(folder: Path, content: str, days: int, share: float) -> float:
    """Record a snapshot of the content for each day; return the duration of the last recording in seconds.

    The snapshot of the last day has the present state. On each earlier day, a share of the hashes differs, but only
    hashes of specs without dependents.
    """
    columns = Catalogue(content, Settings(), index_cache=False).load().columns
    random, rows, past = Random(1), list(rows_of(columns, columns.tags)), {}
    history, taken = History(folder), 0.0
    needed = {row[NEEDS][at : at + MARK_BYTES] for row in rows for at in range(0, len(row[NEEDS]), MARK_BYTES)}
    free = [k for k, each in enumerate(rows) if mark(each[HASH]) not in needed]
    for number in range(days):
        for k in random.sample(free, round(share * len(rows)) if number else 0):
            past[k] = (*rows[k][:HASH], "".join(random.choices(ALPHABET, k=32)).encode(), *rows[k][HASH + 1 :])
        state = built([segment_of("then", [past.get(k, each) for k, each in enumerate(rows)])])
        started = time.perf_counter()
        history.record((FIRST + timedelta(number)).isoformat(), state, ["then"])
        taken = time.perf_counter() - started
    return taken

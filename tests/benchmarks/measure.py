"""How long things take on a catalogue: `python -m tests.benchmarks.measure [DIR]`.

Commands are whole processes, from the start of Python to the exit; questions are asked of one index that is open
already, in words that are new to it. Medians, with the files in the system's cache. Input: the folder DIR, else a
made-up catalogue of full size, written to `.bench` if it is not there yet.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from cachetui.catalogue import Catalogue
from cachetui.hashes import lookup
from cachetui.index import Index
from cachetui.query import Query
from cachetui.spec import FACETS
from tests.benchmarks.catalogue import write_catalogue

MADE_UP = Path(".bench") / "catalogue"

QUERY = "hdf5@1.12: +mpi %gcc@11: target=x86_64_v3: stack=e4s"

COMMANDS = {
    "read every page, save nothing": (3, ["--no-snapshot"]),
    "read every page, save the index": (1, []),
    "use the saved index": (9, []),
    "compare every page with it first": (3, ["--fresh"]),
}
"""What is measured of `find --count`, in this order: how often, and with which options."""


def main(words: list[str]) -> None:
    """Prints a line for each thing measured."""
    folder = Path(words[0]) if words else _made_up()
    with TemporaryDirectory() as saved:
        environ = {**os.environ, "CACHETUI_CACHE_DIR": saved}
        for what, (times, options) in COMMANDS.items():
            _say(f"find: {what}", partial(_find, folder, options, environ), times)
        index = Catalogue(str(folder), environ).current()
        print(f"  {len(index):,} rows, {len(index.tags)} tags, {len(index.packages):,} packages")
        for what, ask in _questions(index).items():
            _say(what, ask, 25)


def _made_up() -> Path:
    """The catalogue of full size, whole or not there at all."""
    if not MADE_UP.exists():
        print(f"writing {MADE_UP}", file=sys.stderr)
        unfinished = MADE_UP.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.parent.mkdir(exist_ok=True)
        write_catalogue(unfinished, scale=1.0, seed=0)
        unfinished.rename(MADE_UP)
    return MADE_UP


def _find(folder: Path, options: list[str], environ: dict[str, str]) -> None:
    command = [sys.executable, "-m", "cachetui", "find", str(folder), QUERY, "--count", *options]
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    if done.returncode > 1:
        raise SystemExit(done.stderr)


def _questions(index: Index) -> dict[str, Callable[[], object]]:
    """What is asked of an open index; in ever new words as long as it has some, since answers are kept."""
    hashes = index.columns.hashes
    wanted = cycle(map(hashes.__getitem__, range(0, len(hashes), len(hashes) // 100 + 1)))
    queries = map(Query.parse, map("@1: ~cuda stack={0[0]} os={0[1]}".format, _ticks(index)))
    return {
        "the results of a query and the counts of its facets": lambda: _results(index, next(queries)),
        "a whole hash": lambda: lookup(hashes, next(wanted)),
        "seven letters of a hash": lambda: lookup(hashes, next(wanted)[:7]),
        "a hash with a wrong letter": lambda: lookup(hashes, f"{next(wanted)[:-1]}1"),
    }


def _ticks(index: Index) -> Iterator[tuple[str, str]]:
    """The stacks and oses that occur together."""
    pairs = ((stack, profile.os) for profile in index.profiles if profile.os for stack in profile.stacks)
    return cycle(dict.fromkeys(pairs))


def _results(index: Index, query: Query) -> None:
    results = index.results(query)
    for facet in FACETS:
        results.facet(facet)


def _say(what: str, do: Callable[[], object], times: int) -> None:
    taken = []
    for _ in range(times):
        started = perf_counter()
        do()
        taken.append(perf_counter() - started)
    print(f"{median(taken) * 1000:10,.1f} ms  {what}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

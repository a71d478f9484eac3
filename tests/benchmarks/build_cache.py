"""What a build cache takes, beside its floors: `python -m tests.benchmarks.build_cache [--scale 0.1]`.

Scale 1 is a cache of layout v3 with 60,000 specs, whose index has about 100 MB. The floor of a cold start is to read
the index and have msgspec decode it, in one call and by type; that of a closure is to walk lists of numbers.
Input: caches in `.bench`, written there if they are missing.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time, sleep
from typing import Literal, NamedTuple

import msgspec

from cachetui.catalogue import Catalogue
from cachetui.model.dependency import LINK_RUN
from cachetui.search.index import Index
from cachetui.sources.buildcache.node import Node
from tests.support.large_cache import SPECS, write_large_cache
from tests.support.wire_bytes import Metered

FOLDER = Path(".bench")

ROOTS = 150
"""So many roots an environment may have."""

DECODE = "read and decode the index"
WALK = "the walk over lists of numbers"
PYTHON = "python -c pass"

IDLE = 5
"""Hundredths of a second of work in a second: a program that does less has nothing to do."""

Unit = Literal["s", "ms", "MB"]

_APART = "import sys; from tests.benchmarks import build_cache; print(*build_cache.{}(*sys.argv[1:]))"


class Figure(NamedTuple):
    """One thing measured, and the value of what it is compared with, if anything."""

    what: str
    value: float
    unit: Unit
    compared: str = ""
    floor: float | None = None


class Entry(msgspec.Struct):
    """An entry of an index, as far as all readers need it."""

    spec: Node
    in_buildcache: bool = False


class Installs(msgspec.Struct):
    installs: dict[str, Entry]


class Written(msgspec.Struct):
    """An index."""

    database: Installs


def main(argv: Sequence[str] | None = None) -> int:
    """Prints a table."""
    parser = argparse.ArgumentParser(prog="build_cache", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args(argv)
    for what, value, unit, compared, floor in figures(options.scale):
        beside = "" if floor is None else f"{value / floor:6.2f} x {compared}"
        print(f"{what:60} {value:10,.2f} {unit:2} {beside}", flush=True)
    return 0


def large_cache(scale: float) -> Path:
    """The folder of the cache of this scale, whole or not there at all."""
    folder = FOLDER / f"build-cache-{scale:g}"
    if not folder.exists():
        print(f"writing {folder}", file=sys.stderr)
        unfinished = FOLDER / f"{folder.name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        write_large_cache(unfinished, max(1, round(SPECS * scale)))
        unfinished.rename(folder)
    return folder


def figures(scale: float, times: int = 3) -> Iterator[Figure]:
    """All of them for the cache of this scale: medians of so many runs, each in a process of its own."""
    cache = str(large_cache(scale))
    with TemporaryDirectory() as scratch:
        environ = {**os.environ, "CACHETUI_CACHE_DIR": f"{scratch}/warm"}
        decoded = _column_medians([_apart("decode", [cache], environ) for _ in range(times)])
        loaded = _column_medians(
            [_apart("load", [cache], {**environ, "CACHETUI_CACHE_DIR": f"{scratch}/{k}"}) for k in range(times)]
        )
        for what, own, floor in zip(("", ", of the processor"), loaded, decoded, strict=False):
            yield Figure(f"build cache: {DECODE}{what}", floor, "s", "itself", floor)
            yield Figure(f"build cache, cold: queryable{what}", own, "s", DECODE, floor)
        yield Figure("build cache, cold: peak memory", loaded[2], "MB", DECODE, decoded[2])
        index = Catalogue(cache, environ).load()
        yield from _commands(cache, environ, index, times)
        yield from _closures(index)
        yield Figure("build cache: peak memory of the browser, warm", _browser(cache, environ), "MB")
        cold = _browser(cache, {**environ, "CACHETUI_CACHE_DIR": f"{scratch}/cold"})
        yield Figure("build cache: peak memory of the browser, cold", cold, "MB")


def decode(cache: str) -> tuple[float, float, float]:
    """Seconds, seconds of the processor and peak MB of what nobody can be faster than."""
    decoder = msgspec.json.Decoder(Written)
    started, worked = perf_counter(), process_time()
    (path,) = (path for path in Path(cache, "blobs").rglob("*") if path.is_file())
    found = decoder.decode(path.read_bytes())
    took = perf_counter() - started, process_time() - worked
    assert found.database.installs
    return *took, _peak()


def load(cache: str) -> tuple[float, float, float]:
    """The same of a cold start, without what is saved after it; all modules are there before."""
    from cachetui.sources.buildcache import joined

    assert joined
    started, worked = perf_counter(), process_time()
    taken: list[tuple[float, float]] = []
    Catalogue(cache, os.environ).load(lambda *_: taken.append((perf_counter() - started, process_time() - worked)))
    return *taken[-1], _peak()


def _commands(cache: str, environ: dict[str, str], index: Index, times: int) -> Iterator[Figure]:
    command = [sys.executable, "-m", "cachetui"]
    known = index.columns.hashes[len(index.columns.hashes) // 2]
    package = next(iter(index.columns.packages))
    python = _command([sys.executable, "-c", "pass"], environ, times)
    for what, arguments in {
        "which": ("which", cache, known),
        "find of one package": ("find", cache, package, "--limit", "10"),
    }.items():
        seconds = _command([*command, *arguments], environ, times)
        yield Figure(f"build cache, warm: {what}", seconds, "s", PYTHON, python)


def _closures(index: Index) -> Iterator[Figure]:
    graph = index.graph
    needs = [[edge.number for edge in graph.edges(k) if LINK_RUN.intersection(edge.types)] for k in range(len(graph))]
    spread = range(0, len(graph), max(1, len(graph) // ROOTS))[:ROOTS]
    sizes = [len(graph.closure([root])) for root in spread]
    # of average size: the closures of some roots are a single node
    one = [sorted(zip(sizes, spread, strict=True))[len(sizes) // 2][1]]
    for what, roots in {"one spec": one, f"{len(spread)} roots": list(spread)}.items():
        own, floor = [], []
        for _ in range(20):
            started = perf_counter()
            found = graph.closure(roots)
            between = perf_counter()
            walked = _walk(needs, roots)
            floor.append(1000 * (perf_counter() - between))
            own.append(1000 * (between - started))
            assert set(found) == set(walked)
        yield Figure(f"build cache: closure of {what}, {len(found):,} nodes", median(own), "ms", WALK, median(floor))


def _walk(needs: Sequence[Sequence[int]], roots: Sequence[int]) -> list[int]:
    """All that can be reached from the roots."""
    found = set(roots)
    queue = list(roots)
    for each in queue:
        new = [other for other in needs[each] if other not in found]
        found.update(new)
        queue += new
    return queue


def _browser(cache: str, environ: dict[str, str]) -> float:
    """Peak MB of the browser when it has the whole cache and nothing more is written."""
    with Metered([sys.executable, "-m", "cachetui", cache], cols=140, rows=40, env=environ) as terminal:
        terminal.wait_for("package", timeout=120)
        terminal.settle()
        folder = Path(f"/proc/{terminal.process.pid}")
        busy, before = _ticks(folder), -IDLE
        while busy - before >= IDLE:  # a cold start goes on behind what is shown
            sleep(1)
            busy, before = _ticks(folder), busy
        status = (folder / "status").read_text().splitlines()
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def _ticks(process: Path) -> int:
    """How long a process has worked, in hundredths of a second."""
    user, system = (process / "stat").read_text().rpartition(")")[2].split()[11:13]
    return int(user) + int(system)


def _apart(name: str, arguments: Sequence[str], environ: dict[str, str]) -> list[float]:
    """What a function of this module returns in a process of its own."""
    command = [sys.executable, "-c", _APART.format(name), *arguments]
    done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, text=True, check=True)
    return list(map(float, done.stdout.split()))


def _column_medians(rows: Sequence[Sequence[float]]) -> list[float]:
    return [median(column) for column in zip(*rows, strict=True)]


def _command(command: Sequence[str], environ: dict[str, str], times: int) -> float:
    """Seconds that a command takes, the median."""
    taken = []
    for _ in range(2 * times + 1):
        started = perf_counter()
        subprocess.run(command, env=environ, capture_output=True, check=True)
        taken.append(perf_counter() - started)
    return median(taken)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    raise SystemExit(main())

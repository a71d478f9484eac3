"""The time of every operation next to its floor: `python -m tests.benchmarks.bench [--scale 0.1 1 4] [--only PART…]`.

The pages are a made-up catalogue of each size, with the files in the system's cache. The floors are one thread that
walks the folder and reads every byte, the walk and a stat of each file, `grep -rl` for a hash, an idle Python, and an
empty Textual app. Figures are medians of several runs, except the first start and the memory of the browser; floors
and figures come from the same run.
The catalogues are kept in `.bench`.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

import pexpect

import cachetui
from cachetui.catalogue import Catalogue
from cachetui.model.spec import FACETS
from cachetui.query.query import Query
from cachetui.search.hashes import lookup, prefixed
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.settings.settings import Settings
from cachetui.workers.processes import cores
from tests.benchmarks import build_cache, far_away, graph_queries
from tests.benchmarks.measuring import (
    PYTHON,
    Figure,
    apart,
    cold_load,
    column_medians,
    command_resources,
    command_seconds,
    kept,
    median_seconds,
    peak_memory,
    run,
)
from tests.support.full_catalogue import write_catalogue
from tests.support.large_cache import SPECS
from tests.support.places import CACHETUI
from tests.support.wire_bytes import SIZES, Metered, bytes_written

PARTS = ("pages", "browser", "server", "build-cache", "graph")
"""The parts that can be measured separately."""

QUERY = "hdf5@1.12: +mpi %gcc@11: target=x86_64_v3: stack=e4s"

TYPED = "hdf5 @1.12: +mpi %gcc@11 os=ubuntu22.04 stack=e4s"
"""The texts that are typed into the query line and removed again."""

FRAME_OVER = 0.15
"""Seconds without a byte after which a frame is complete."""

EMPTY_APP = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("first frame")
Empty().run()
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table for each scale, then one for each other part."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--scale", type=float, nargs="+", default=[1.0])
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(argv)
    # Like an installer: with PYTHONDONTWRITEBYTECODE, changed modules would be compiled at each start.
    compileall.compile_dir(Path(cachetui.__file__).parent, quiet=1)
    tables: dict[str, list[dict[str, object]]] = {}
    for name, title, figures in _tables(options.scale, options.only):
        print(f"\n{title}\n\n| what | measured | compared with | ratio |\n| --- | ---: | --- | ---: |")
        rows = tables.setdefault(name, [])
        for figure in figures:
            rows.append(figure._asdict())
            print(_line(figure), flush=True)
    if options.json:
        options.json.write_text(json.dumps({"machine": _machine(), "scales": tables}, indent=2) + "\n")
    return 0


def _tables(scales: Sequence[float], only: Collection[str]) -> list[tuple[str, str, Iterator[Figure]]]:
    """Return the name of each table, its title, and its figures, which are measured on demand."""
    first, scale = scales[0], max((each for each in scales if each <= 1), default=1.0)
    pages = f"{_machine()}; medians, files in the system's cache"
    browser = f"Bytes that the browser writes; scale {first:g}"
    server = "A build cache of 60,000 specs on a server 20 ms away that sends 10 MB a second"
    cache = f"A build cache of {round(SPECS * scale):,} specs in a folder, in the layout of Spack 1.x"
    tables = [
        *(("pages", f"{each:g}", f"Scale {each:g}; {pages}", _figures(each)) for each in scales),
        ("browser", "browser", browser, _bytes_of_steps(first)),
        ("server", "server", server, far_away.figures(60_000)),
        ("build-cache", "build cache", cache, build_cache.figures(scale)),
        *(
            (
                "graph",
                f"graph {each}",
                f"Dependency queries, {each:,} specs; processor time",
                graph_queries.figures(each),
            )
            for each in graph_queries.SIZES
        ),
    ]
    return [(name, title, figures) for part, name, title, figures in tables if part in only]


def _catalogue(scale: float) -> Path:
    """Return the folder of the catalogue of this scale."""
    return kept(f"{scale:g}", lambda folder: write_catalogue(folder, scale, 0))


def _machine() -> str:
    with open("/proc/cpuinfo") as file:
        model = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "")
    return f"{cores()} cores ({model or platform.machine()}), Python {platform.python_version()}"


def _line(figure: Figure) -> str:
    digits = 0 if figure.value >= 100 else 1 if figure.value >= 10 else 2
    ratio = "" if figure.floor is None else f"{figure.value / figure.floor:.2f}"
    return f"| {figure.what} | {figure.value:,.{digits}f} {figure.unit} | {figure.compared} | {ratio} |"


def _figures(scale: float) -> Iterator[Figure]:
    content = _catalogue(scale)
    with TemporaryDirectory() as cache:
        environ = {**os.environ, "CACHETUI_CACHE_DIR": cache}
        floors = {
            "walk and read, one thread": _warmed(3, _read_all, content),
            "walk and stat": _warmed(3, _stat_all, content),
            PYTHON: command_seconds([sys.executable, "-c", "pass"], environ),
            "empty Textual app": _first_frame(5, [sys.executable, "-c", EMPTY_APP], environ, "first frame"),
        }
        yield from (Figure(what, seconds, "s", "itself", seconds) for what, seconds in floors.items())

        def beside(what: str, seconds: float, floor: str) -> Figure:
            return Figure(what, seconds, "s", floor, floors[floor])

        yield from _cold(content, environ, beside)
        index = Catalogue(str(content), Settings(environ)).saved()
        assert index is not None
        yield from _warm(content, environ, beside)
        yield from _commands(content, environ, index, beside)
        yield from _lookups(index)
        yield from _browser(content, environ, index, beside)


Beside = Callable[[str, float, str], Figure]


# Loading


def _cold(content: Path, environ: Mapping[str, str], beside: Beside) -> Iterator[Figure]:
    loads = []
    for _ in range(3):
        _read_all(content)  # the system may have dropped some files from its cache
        loads.append(apart(cold_load, [str(content)], environ))
    first, whole, _, own, worker = column_medians(loads)
    yield Figure("cold: the first packages", first, "s")
    yield beside("cold: all rows", whole, "walk and read, one thread")
    yield Figure("peak memory of a cold load, largest process", max(own, worker), "MB")
    yield Figure("peak memory of a cold load, all processes", own + cores() * worker, "MB")


def _warm(content: Path, environ: Mapping[str, str], beside: Beside) -> Iterator[Figure]:
    opened = [apart(_open, str(content), environ) for _ in range(5)]
    yield Figure("warm: index cache, packages and facets of a tag", 1000 * median(opened), "ms")
    _stat_all(content)
    for what, change in (("none changed", False), ("one page changed", True)):
        known, saved = column_medians([apart(_refresh, str(content), environ, change) for _ in range(3)])
        yield beside(f"warm: all files compared, {what}", known, "walk and stat")
    yield beside("the same, and saved", saved, "walk and stat")


def _open(content: str, environ: Mapping[str, str]) -> float:
    started = perf_counter()
    index = Catalogue(content, Settings(environ)).saved()
    assert index is not None
    _recount(index, f"tag={index.default_tag}")
    return perf_counter() - started


def _refresh(content: str, environ: Mapping[str, str], change: bool) -> tuple[float, float]:
    """Return the seconds until the counts include every change, and until the new index is saved."""
    catalogue = Catalogue(content, Settings(environ))
    index = catalogue.saved()
    assert index is not None
    if change:
        page = f"{content}/{index.columns.page_path[len(index.columns.page_path) // 2]}"
        os.utime(page, ns=(0, os.stat(page).st_mtime_ns - 10**9))
    started = perf_counter()
    times = []

    def refreshed(newer: Index) -> None:
        assert (newer is not index) == change
        _recount(newer, f"tag={newer.default_tag}")
        times.append(perf_counter() - started)

    catalogue.refresh(index, refreshed)
    return times[0], perf_counter() - started


# Commands and lookups


def _commands(content: Path, environ: Mapping[str, str], index: Index, beside: Beside) -> Iterator[Figure]:
    known = index.columns.hashes[len(index.columns.hashes) // 2]
    find = [*CACHETUI, "find", str(content)]
    grep = _warmed(3, run, ["grep", "-rl", known, str(content)], environ)
    yield Figure("grep -rl of a hash", grep, "s", "itself", grep)
    for what, text in (("hit", known), ("miss", "q" * 32)):
        seconds = command_seconds([*CACHETUI, "which", str(content), text], environ)
        yield Figure(f"which, {what}", seconds, "s", "grep -rl of a hash", grep)
    for what, query in (("one package", "hdf5"), ("a long query", QUERY)):
        yield beside(f"find of {what}", command_seconds([*find, query, "--limit", "10"], environ), PYTHON)
    yield beside("find --fresh", command_seconds([*find, QUERY, "--fresh"], environ), "walk and stat")
    yield Figure("peak memory of find, every row", command_resources(find, environ)[1], "MB")


def _lookups(index: Index) -> Iterator[Figure]:
    hashes = index.columns.hashes
    wanted = cycle(map(hashes.__getitem__, range(1, len(hashes), len(hashes) // 100 + 1)))
    pairs = dict.fromkeys((stack, each.os) for each in index.profiles if each.os for stack in each.stacks)
    queries = cycle(f"tag=develop stack={stack} os={os_name}" for stack, os_name in pairs)
    _recount(index, "")
    for what, look_up in {
        "packages and all facets of a new selection": lambda: _recount(index, next(queries)),
        "a prefix of a hash": lambda: prefixed(hashes, next(wanted)[:7]),
        "a whole hash with a wrong character": lambda: lookup(hashes, f"{next(wanted)[:-1]}1"),
        "seven characters, one of them wrong": lambda: lookup(hashes, f"{next(wanted)[:6]}1"),
    }.items():
        yield Figure(what, 1000 * median_seconds(50, look_up), "ms")


def _recount(index: Index, query: str) -> None:
    results = Results.of(index, Query.parse(query))
    _ = results.packages, [results.facet(facet) for facet in FACETS]


# The browser, in its own terminal


def _browser(content: Path, environ: Mapping[str, str], index: Index, beside: Beside) -> Iterator[Figure]:
    command = [*CACHETUI, str(content)]
    first = index.packages[Results.of(index, Query.parse(f"tag={index.default_tag}")).packages[0]]
    warm = _first_frame(5, command, environ, first)
    yield beside("browser, warm: the first packages", warm, "empty Textual app")
    with TemporaryDirectory() as empty:
        _read_all(content)
        cold = _first_frame(1, command, {**environ, "CACHETUI_CACHE_DIR": empty}, first)
    yield Figure("browser, cold: the first packages", cold, "s")
    with Timed(command, cols=140, rows=40, env=environ) as terminal:
        terminal.wait_for(first, timeout=60)
        sleep(2)  # until the background reading is over
        terminal.settle()
        steps = _slowest(terminal, islice(cycle("jjjjjjjk"), 60))
        yield Figure("browser: from a key to its last byte, 95 %", steps, "ms")
        terminal.frame("/")
        typed = _slowest(terminal, (*TYPED, *"\x7f" * len(TYPED)))
        yield Figure("browser: from a key to its last byte, query line, 95 %", typed, "ms")
        terminal.frame("\r")
        terminal.frame("#")
        slowest = _slowest(terminal, _mistyped(index.columns.hashes))
        yield Figure("browser: from a key to its last byte, hash lookup, 95 %", slowest, "ms")
        yield Figure("peak memory of the browser", peak_memory(terminal.process.pid), "MB")


def _slowest(terminal: Timed, keys: Iterable[str]) -> float:
    """Return the 95th percentile of the milliseconds from a key to the last byte of its output."""
    return 1000 * quantiles([terminal.frame(key) for key in keys], n=20)[-1]


def _mistyped(hashes: Sequence[str]) -> Iterator[str]:
    """Yield the keys that type and remove misspelled hashes: a whole one, a prefix and a short prefix.

    No hash contains the wrong character.
    """
    whole, short, least = (hashes[len(hashes) * part // 4] for part in (1, 2, 3))
    for typed in (f"{whole[:4]}1{whole[5:]}", f"{short[:6]}1", f"{least[:8]}11111111"):
        yield from typed
        yield from "\x7f" * len(typed)


def _bytes_of_steps(scale: float) -> Iterator[Figure]:
    """Yield the bytes that the browser writes in each step, next to those of a full repaint."""
    content = _catalogue(scale)
    with TemporaryDirectory() as cache:
        environ = {**os.environ, "CACHETUI_CACHE_DIR": cache}
        command = [*CACHETUI, str(content)]
        run([*CACHETUI, "find", str(content), "--count"], environ)
        for size in SIZES:
            name = "{}x{}".format(*size)
            whole = bytes_written([*command, "--full-repaint"], size, environ)
            for what, written in bytes_written(command, size, environ).items():
                yield Figure(f"{name}: {what}", written, "B", f"{whole[what]:,} B in a full repaint", whole[what])


class Timed(Metered):
    """A terminal that answers, and records the time of the last byte."""

    def frame(self, key: str) -> float:
        """Return the seconds from a key to the last byte that it causes."""
        started = last = perf_counter()
        self.send(key)
        while True:
            try:
                more = self.process.read_nonblocking(65536, FRAME_OVER)
            except pexpect.TIMEOUT:
                return last - started
            last = perf_counter()
            self.output += more
            # The program may wait for an answer before it writes the next frame.
            self._stream.feed(more)


def _first_frame(times: int, command: Sequence[str], environ: Mapping[str, str], text: str) -> float:
    """Return the median seconds from the start of a program until a string is on its screen."""
    taken = []
    for _ in range(times):
        started = perf_counter()
        with Metered(command, cols=140, rows=40, env=environ) as terminal:
            terminal.wait_for(text, timeout=120)
            taken.append(perf_counter() - started)
    return median(taken)


# Floors


def _warmed(times: int, do: Callable[..., object], *args: object) -> float:
    """Return the median seconds of some calls after a first call, which fills the system's cache."""
    do(*args)
    return median_seconds(times, do, *args)


def _read_all(content: Path) -> None:
    for folder, _, names in os.walk(content):
        for name in names:
            with open(f"{folder}/{name}", "rb") as file:
                file.read()


def _stat_all(content: Path) -> None:
    for folder, _, names in os.walk(content):
        for name in names:
            os.stat(f"{folder}/{name}")


if __name__ == "__main__":
    raise SystemExit(main())

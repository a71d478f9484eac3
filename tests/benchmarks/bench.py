"""The time of every operation next to its floor: `python -m tests.benchmarks.bench [--scale 0.1 1 4] [--only PART…]`.

It measures a made-up catalogue of each size, with the files in the system's cache. The floors are one thread that
walks the folder and reads every byte, the walk and a stat of each file, `grep -rl` for a hash, an idle Python, and an
empty Textual app. Figures are medians of several runs, except the first start and the memory of the browser; floors
and figures come from the same run.
Input: catalogues in `.bench`, written there if they are missing.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any

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
from tests.benchmarks import build_cache, far_away, graph_queries, slow_disk
from tests.benchmarks.figure import Figure, kept
from tests.benchmarks.painting import seconds_a_frame
from tests.support.full_catalogue import KINDS, REPEATING, Kind, write_catalogue
from tests.support.large_cache import SPECS
from tests.support.places import CACHETUI
from tests.support.wire_bytes import SIZES, Metered, bytes_written

PARTS = ("pages", "kinds", "browser", "slow-disk", "server", "build-cache", "graph")
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


def _tables(scales: Sequence[float], only: Collection[str]) -> Iterator[tuple[str, str, Iterator[Figure]]]:
    """Yield the name of each table, its title, and its figures, which are measured on demand."""
    if "pages" in only:
        for scale in scales:
            title = f"Scale {scale:g}; {_machine()}; medians, files in the system's cache"
            yield f"{scale:g}", title, _figures(_catalogue(scale))
    first = scales[0]
    if "kinds" in only:
        title = "Cold, by what the rows are like beside their hash, on the first of these"
        yield "kinds", title, _kinds(first)
    if "browser" in only:
        title = "What the browser writes, and takes of the processor for a frame, on the first of these"
        yield "browser", title, _painting(_catalogue(first))
    if "slow-disk" in only:
        title = "If each open, stat and listing takes a millisecond, on the first of these"
        yield "slow disk", title, slow_disk.figures(_catalogue(first))
    if "server" in only:
        title = "A build cache of 60,000 specs on a server 20 ms away that sends 10 MB a second"
        yield "server", title, far_away.figures(60_000)
    if "build-cache" in only:
        scale = max((each for each in scales if each <= 1), default=1.0)
        title = f"A build cache of {round(SPECS * scale):,} specs in a folder, as Spack 1.x writes it"
        yield "build cache", title, build_cache.figures(scale)
    for specs in graph_queries.SIZES if "graph" in only else ():
        title = f"Queries about dependencies, {specs:,} specs; seconds of the processor"
        yield f"graph {specs}", title, graph_queries.figures(specs)


def _kinds(scale: float) -> Iterator[Figure]:
    for kind in KINDS:
        content = _catalogue(scale, kind)
        walk = _warmed(3, _read_all, content)
        yield Figure(f"{kind.name}: walk and read, one thread", walk, "s", "itself", walk)
        with TemporaryDirectory() as cache:
            os.environ["CACHETUI_CACHE_DIR"] = cache
            loads = [_apart(_load, str(content)) for _ in range(3)]
        first, whole, own, worker = (median(column) for column in zip(*loads, strict=True))
        yield Figure(f"{kind.name}: the first packages", first, "s")
        yield Figure(f"{kind.name}: all rows", whole, "s", "walk and read, one thread", walk)
        yield Figure(f"{kind.name}: peak memory, largest process", max(own, worker), "MB")


def _catalogue(scale: float, kind: Kind = REPEATING) -> Path:
    """Return the folder of the catalogue of this scale and kind."""
    name = f"{scale:g}" if kind == REPEATING else f"{scale:g}, {kind.name}"
    return kept(name, lambda folder: write_catalogue(folder, scale, 0, kind))


def _machine() -> str:
    with open("/proc/cpuinfo") as file:
        model = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "")
    return f"{cores()} cores ({model or platform.machine()}), Python {platform.python_version()}"


def _line(figure: Figure) -> str:
    digits = 0 if figure.value >= 100 else 1 if figure.value >= 10 else 2
    ratio = "" if figure.floor is None else f"{figure.value / figure.floor:.2f}"
    return f"| {figure.what} | {figure.value:,.{digits}f} {figure.unit} | {figure.compared} | {ratio} |"


def _figures(content: Path) -> Iterator[Figure]:
    with TemporaryDirectory() as cache:
        environ = {**os.environ, "CACHETUI_CACHE_DIR": cache}
        os.environ["CACHETUI_CACHE_DIR"] = cache
        floors = {
            "walk and read, one thread": _warmed(3, _read_all, content),
            "walk and stat": _warmed(3, _stat_all, content),
            "python -c pass": _median(9, _run, [sys.executable, "-c", "pass"], environ),
            "empty Textual app": _first_frame(5, [sys.executable, "-c", EMPTY_APP], environ, "first frame"),
        }
        yield from (Figure(what, seconds, "s", "itself", seconds) for what, seconds in floors.items())

        def beside(what: str, seconds: float, floor: str) -> Figure:
            return Figure(what, seconds, "s", floor, floors[floor])

        yield from _cold(content, beside)
        index = Catalogue(str(content), Settings(environ)).saved()
        assert index is not None
        yield from _warm(content, beside)
        yield from _commands(content, environ, index, beside)
        yield from _questions(index)
        yield from _browser(content, environ, index, beside)


Beside = Callable[[str, float, str], Figure]


# Loading


def _cold(content: Path, beside: Beside) -> Iterator[Figure]:
    loads = []
    for _ in range(3):
        _read_all(content)  # files that nobody read for a minute may have left the system's cache
        loads.append(_apart(_load, str(content)))
    first, whole, own, worker = (median(column) for column in zip(*loads, strict=True))
    yield Figure("cold: the first packages", first, "s")
    yield beside("cold: all rows", whole, "walk and read, one thread")
    yield Figure("peak memory of a cold load, largest process", max(own, worker), "MB")
    yield Figure("peak memory of a cold load, all processes", own + cores() * worker, "MB")


def _load(content: str) -> tuple[float, float, float, float]:
    """Return the seconds until the first and the last rows, and the MB of this process and of its largest worker."""
    started, times = perf_counter(), []
    Catalogue(content, Settings(os.environ)).load(lambda *_: times.append(perf_counter() - started))
    own, workers = (
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return times[0], times[-1], own, workers


def _warm(content: Path, beside: Beside) -> Iterator[Figure]:
    opened = [_apart(_open, str(content)) for _ in range(5)]
    yield Figure("warm: the saved index, packages and facets of a tag", 1000 * median(opened), "ms")
    _stat_all(content)
    for what, change in (("none changed", False), ("one page changed", True)):
        times = [_apart(_refresh, str(content), change) for _ in range(3)]
        known, saved = (median(column) for column in zip(*times, strict=True))
        yield beside(f"warm: all files compared, {what}", known, "walk and stat")
    yield beside("the same, and saved", saved, "walk and stat")


def _open(content: str) -> float:
    started = perf_counter()
    index = Catalogue(content, Settings(os.environ)).saved()
    assert index is not None
    _recount(index, f"tag={index.default_tag}")
    return perf_counter() - started


def _refresh(content: str, change: bool) -> tuple[float, float]:
    """Return the seconds until every change is known and counted, and until it is saved."""
    catalogue = Catalogue(content, Settings(os.environ))
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


def _commands(content: Path, environ: dict[str, str], index: Index, beside: Beside) -> Iterator[Figure]:
    command = [*CACHETUI]
    known = index.columns.hashes[len(index.columns.hashes) // 2]
    grep = _warmed(3, _run, ["grep", "-rl", known, str(content)], environ)
    yield Figure("grep -rl of a hash", grep, "s", "itself", grep)
    for what, asked in (("hit", known), ("miss", "q" * 32)):
        seconds = _median(7, _run, [*command, "which", str(content), asked], environ)
        yield Figure(f"which, {what}", seconds, "s", "grep -rl of a hash", grep)
    for what, query in (("one package", "hdf5"), ("a long query", QUERY)):
        seconds = _median(7, _run, [*command, "find", str(content), query, "--limit", "10"], environ)
        yield beside(f"find of {what}", seconds, "python -c pass")
    yield beside(
        "find --fresh", _median(3, _run, [*command, "find", str(content), QUERY, "--fresh"], environ), "walk and stat"
    )
    yield Figure("peak memory of find, every row", _apart(_find_everything, str(content)), "MB")


def _find_everything(content: str) -> float:
    _run([*CACHETUI, "find", content], dict(os.environ))
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def _questions(index: Index) -> Iterator[Figure]:
    hashes = index.columns.hashes
    wanted = cycle(map(hashes.__getitem__, range(1, len(hashes), len(hashes) // 100 + 1)))
    pairs = dict.fromkeys((stack, each.os) for each in index.profiles if each.os for stack in each.stacks)
    queries = cycle(f"tag=develop stack={stack} os={os_name}" for stack, os_name in pairs)
    _recount(index, "")
    for what, ask in {
        "packages and all facets of a new selection": lambda: _recount(index, next(queries)),
        "a prefix of a hash": lambda: prefixed(hashes, next(wanted)[:7]),
        "a whole hash with a wrong letter": lambda: lookup(hashes, f"{next(wanted)[:-1]}1"),
        "seven letters with a wrong one": lambda: lookup(hashes, f"{next(wanted)[:6]}1"),
    }.items():
        yield Figure(what, 1000 * _median(50, ask), "ms")


def _recount(index: Index, query: str) -> None:
    results = Results.of(index, Query.parse(query))
    _ = results.packages, [results.facet(facet) for facet in FACETS]


# The browser, in its own terminal


def _browser(content: Path, environ: dict[str, str], index: Index, beside: Beside) -> Iterator[Figure]:
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
        sleep(2)  # background reading is part of other measurements
        terminal.settle()
        steps = _slowest(terminal, islice(cycle("jjjjjjjk"), 60))
        yield Figure("browser: from a key to its last byte, 95 %", steps, "ms")
        terminal.frame("/")
        typed = _slowest(terminal, (*TYPED, *"\x7f" * len(TYPED)))
        yield Figure("browser: from a key to its last byte, query line, 95 %", typed, "ms")
        terminal.frame("\r")
        terminal.frame("#")
        letters = _slowest(terminal, _mistyped(index.columns.hashes))
        yield Figure("browser: from a key to its last byte, hash lookup, 95 %", letters, "ms")
        with open(f"/proc/{terminal.process.pid}/status") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        yield Figure("peak memory of the browser", peak / 1024, "MB")


def _slowest(terminal: Timed, keys: Iterable[str]) -> float:
    """Return the milliseconds from a key to its last byte, for the 95th percentile of these keys."""
    return 1000 * quantiles([terminal.frame(key) for key in keys], n=20)[-1]


def _mistyped(hashes: Sequence[str]) -> Iterator[str]:
    """Yield the keys that type and remove misspelled hashes: a whole one, a prefix and a short prefix.

    No hash contains the wrong character.
    """
    whole, short, least = (hashes[len(hashes) * part // 4] for part in (1, 2, 3))
    for typed in (f"{whole[:4]}1{whole[5:]}", f"{short[:6]}1", f"{least[:8]}11111111"):
        yield from typed
        yield from "\x7f" * len(typed)


def _painting(content: Path) -> Iterator[Figure]:
    """Yield the bytes and processor time of the painter for each size, next to those of Textual itself."""
    with TemporaryDirectory() as cache:
        environ = {**os.environ, "CACHETUI_CACHE_DIR": cache}
        os.environ["CACHETUI_CACHE_DIR"] = cache
        command = [*CACHETUI, str(content)]
        _run([*command[:3], "find", str(content), "--count"], environ)
        for size in SIZES:
            name = "{}x{}".format(*size)
            whole = bytes_written([*command, "--full-repaint"], size, environ)
            for what, written in bytes_written(command, size, environ).items():
                all_of_it = whole[what]
                yield Figure(f"{name}: {what}", written, "B", f"{all_of_it:,} B whole", all_of_it)
            yield Figure(f"{name}: painting a frame", 1000 * _apart(seconds_a_frame, str(content), size), "ms")


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


def _first_frame(times: int, command: Sequence[str], environ: dict[str, str], text: str) -> float:
    """Return the median seconds from the start of a program until a text is on its screen."""
    taken = []
    for _ in range(times):
        started = perf_counter()
        with Metered(command, cols=140, rows=40, env=environ) as terminal:
            terminal.wait_for(text, timeout=120)
            taken.append(perf_counter() - started)
    return median(taken)


# Measuring


def _median(times: int, do: Callable[..., object], *args: object) -> float:
    """Return the seconds of one call."""
    taken = []
    for _ in range(times):
        started = perf_counter()
        do(*args)
        taken.append(perf_counter() - started)
    return median(taken)


def _warmed(times: int, do: Callable[..., object], *args: object) -> float:
    """Return the seconds of one call directly after another call, which fills the cache."""
    do(*args)
    return _median(times, do, *args)


def _apart(do: Callable[..., Any], *args: object) -> Any:
    """Return the result of a function in its own process."""
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_answer, args=(there, do, args))
    process.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        raise SystemExit(f"{do.__name__} failed") from None
    finally:
        process.join()


def _answer(connection: Any, do: Callable[..., object], args: Sequence[object]) -> None:
    connection.send(do(*args))


def _run(command: Sequence[str], environ: dict[str, str]) -> None:
    done = subprocess.run(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode > 1:
        raise SystemExit(done.stderr)


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

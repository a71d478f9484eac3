"""The time of operations on a build cache, next to their floors.

Scale 1 is a cache of layout v3 with 60,000 specs and an index of about 100 MB, with and without nine stacks
that repeat its specs. The floor of a cold start is reading the indexes and decoding each in one call of msgspec; the
floor of a closure is a walk over lists of numbers. A registry on this machine has the same index.
The caches are kept in `.bench`.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time, sleep

import msgspec

from cachetui.catalogue import Catalogue
from cachetui.model.dependency import LINK_RUN
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.node import WrittenNode
from cachetui.store.graph import closure
from cachetui.store.snapshots import History
from tests.benchmarks.far_away import serving_apart
from tests.benchmarks.measuring import (
    PYTHON,
    TIMES,
    Figure,
    apart,
    cold_load,
    column_medians,
    command_seconds,
    kept,
    peak_memory,
    run,
)
from tests.support.large_cache import (
    ROOTS,
    SPECS,
    some_nodes,
    write_large_cache,
    write_large_lock,
    write_large_tree,
    write_stacks,
)
from tests.support.places import CACHETUI
from tests.support.registries import registry_files
from tests.support.wire_bytes import Metered
from tests.support.year import record_year

STACKS = 9

RECORDS = 20_000
"""At scale 1, the records of an install tree."""

LOCKED = 2000
"""Approximate number of nodes of a lock."""

DECODE = "read and decode"
WALK = "a walk over lists of numbers"

IDLE = 0.05
"""A program is idle if it needs less processor time than this in a second."""


class Entry(msgspec.Struct):
    """An entry of an index, with the fields that all readers need."""

    spec: WrittenNode
    in_buildcache: bool = False


class Installs(msgspec.Struct):
    installs: dict[str, Entry]


class Written(msgspec.Struct):
    """An index."""

    database: Installs


def figures(scale: float) -> Iterator[Figure]:
    """Yield all figures for the cache of this scale."""
    specs = max(1, round(SPECS * scale))
    cache = str(kept(f"build-cache-{scale:g}", lambda folder: write_large_cache(folder, specs)))
    stacks = str(kept(f"build-caches-{scale:g}", lambda folder: write_stacks(folder, specs, STACKS)))
    with TemporaryDirectory() as scratch:
        environ = {**os.environ, "CACHETUI_CACHE_DIR": f"{scratch}/warm"}
        yield from _cold("build cache", [cache], environ)
        (index_file,) = (path for path in Path(cache, "blobs").rglob("*") if path.is_file())
        with serving_apart(registry_files(index_file.read_bytes())) as url:
            yield from _cold("a registry", [cache], environ, f"oci+{url}/site/cache")
        yield from _cold(f"build cache with {STACKS} stacks", [stacks], environ)
        index = Catalogue(cache, Settings(environ)).load()
        known, package = index.columns.hashes[len(index.columns.hashes) // 2], next(iter(index.columns.packages))
        commands = {"which": ("which", cache, known), "find of one package": ("find", cache, package, "--limit", "10")}
        nodes = some_nodes(LOCKED)
        for missing in (0.0, 0.99):
            lock = write_large_lock(Path(scratch, f"{missing}.lock"), nodes, missing)
            name = f"check of a lock with {len(nodes):,} nodes, {missing:.0%} missing"
            commands[name] = ("check", cache, str(lock))
        yield from _commands("build cache, warm", commands, environ)
        yield from _closures(index)
        yield Figure("build cache: peak memory of the browser, warm", _browser(cache, environ, len(index)), "MB")
        cold = _browser(cache, {**environ, "CACHETUI_CACHE_DIR": f"{scratch}/cold"}, len(index))
        yield Figure("build cache: peak memory of the browser, cold", cold, "MB")
        yield from _tree(scale, cache, environ)
    yield from _year(scale)


def _year(scale: float) -> Iterator[Figure]:
    """Yield the figures for 365 snapshots of a cache: 6,000 specs at scale 1, 1 % of them changed each day."""
    specs = max(1, round(SPECS * scale / 10))
    cache = str(kept(f"build-cache-{scale / 10:g}", lambda folder: write_large_cache(folder, specs)))
    catalogue = Catalogue(cache, Settings())
    name = catalogue.histories[0].folder.name
    root = kept(f"year-{scale:g}", lambda folder: record_year(folder / name, cache, 365, 0.01))
    environ = {**os.environ, "CACHETUI_CACHE_DIR": str(root / "saved"), "CACHETUI_HISTORY": str(root)}
    first = History(root / name).snapshots()[-1][2]
    whole = sum(path.stat().st_size for path in (root / name).iterdir())
    yield Figure("365 snapshots on the disk", whole / 1e6, "MB", "the first one", first / 1e6)
    run([*CACHETUI, "find", cache, "--count"], environ)
    commands = {
        "find": ("find", cache, "--limit=1"),
        "find --history": ("find", cache, "--limit=1", "--history"),
        "find in a snapshot": ("find", cache, "--limit=1", "--history", "--tag=2026-05-01"),
        "which, over all snapshots": ("which", cache, next(iter(catalogue.load().columns.hashes)), "--history"),
        "diff --since": ("diff", cache, "--since=2026-05-01", "--limit=1"),
        "history": ("history", cache),
    }
    yield from _commands("with snapshots of a year, warm", commands, environ)


def _commands(where: str, commands: Mapping[str, Sequence[str]], environ: Mapping[str, str]) -> Iterator[Figure]:
    """Yield the seconds of each command next to those of an idle Python."""
    python = command_seconds([sys.executable, "-c", "pass"], environ)
    for what, arguments in commands.items():
        yield Figure(f"{where}: {what}", command_seconds([*CACHETUI, *arguments], environ), "s", PYTHON, python)


def _tree(scale: float, cache: str, environ: Mapping[str, str]) -> Iterator[Figure]:
    """Yield the figures for an install tree together with the cache: 20,000 records at scale 1."""
    records = max(1, round(RECORDS * scale))
    tree = str(kept(f"install-tree-{scale:g}", lambda folder: write_large_tree(folder, records)))
    yield from _cold("install tree and build cache", [tree, cache], environ)
    small = str(kept(f"install-tree-{scale / 4:g}", lambda folder: write_large_tree(folder, max(1, records // 4))))
    yield from _commands(
        "no index cache", {f"find in {records // 4:,} records": ("find", small, "--no-index-cache")}, environ
    )
    both = ("-C", tree, "-C", cache)
    known = next(iter(Catalogue([tree, cache], Settings(environ)).load().columns.hashes))
    commands = {"which": ("which", *both, f"/{known}"), "find": ("find", *both, "explicit=yes", "incache=yes")}
    yield from _commands("install tree and build cache, warm", commands, environ)


def _cold(name: str, content: Sequence[str], environ: Mapping[str, str], url: str = "") -> Iterator[Figure]:
    """Yield the figures of cold starts next to their floor; `url` is a local server with the same index."""
    decoded, loaded = [], []
    for k in range(TIMES):
        decoded.append(apart(_decode, content))
        own_cache = f"{environ['CACHETUI_CACHE_DIR']}-{name.replace(' ', '-')}-{k}"
        loaded.append(apart(cold_load, [url] if url else content, {**environ, "CACHETUI_CACHE_DIR": own_cache}))
    floor, floor_processor, floor_memory = column_medians(decoded)
    _, seconds, processor, memory, worker_memory = column_medians(loaded)
    yield Figure(f"{name}: {DECODE}", floor, "s", "itself", floor)
    yield Figure(f"{name}, cold", seconds, "s", DECODE, floor)
    yield Figure(f"{name}, cold: processor time", processor, "s", DECODE, floor_processor)
    yield Figure(f"{name}, cold: peak memory, largest process", max(memory, worker_memory), "MB", DECODE, floor_memory)


def _decode(content: Sequence[str]) -> tuple[float, float, float]:
    """Return the floor of a cold start: seconds, seconds of processor time and peak MB."""
    decoder = msgspec.json.Decoder(Written)
    started, worked = perf_counter(), process_time()
    for folder in map(Path, content):
        for path in chain(folder.rglob("blobs/sha256/*/*"), folder.glob(".spack-db/index.json")):
            decoder.decode(path.read_bytes())
    return perf_counter() - started, process_time() - worked, peak_memory()


def _closures(index: Index) -> Iterator[Figure]:
    graph = index.graph
    needs = [[edge.number for edge in graph.edges(k) if LINK_RUN.intersection(edge.types)] for k in range(len(graph))]
    spread = range(0, len(graph), max(1, len(graph) // ROOTS))[:ROOTS]
    sizes = [len(closure(graph, [root])) for root in spread]
    # The median size, because the closures of some roots are a single node.
    one = [sorted(zip(sizes, spread, strict=True))[len(sizes) // 2][1]]
    for what, roots in {"one spec": one, f"{len(spread)} roots": list(spread)}.items():
        own, floor = [], []
        for _ in range(20):
            started = perf_counter()
            found = closure(graph, roots)
            between = perf_counter()
            walked = _walk(needs, roots)
            floor.append(1000 * (perf_counter() - between))
            own.append(1000 * (between - started))
            assert set(found) == set(walked)
        yield Figure(f"build cache: closure of {what}, {len(found):,} nodes", median(own), "ms", WALK, median(floor))


def _walk(needs: Sequence[Sequence[int]], roots: Sequence[int]) -> list[int]:
    """Return all nodes that are reachable from the roots."""
    found = set(roots)
    queue = list(roots)
    for each in queue:
        new = [other for other in needs[each] if other not in found]
        found.update(new)
        queue += new
    return queue


def _browser(cache: str, environ: Mapping[str, str], specs: int) -> float:
    """Return the peak MB of the browser after it has shown all specs of a cache."""
    with Metered([*CACHETUI, cache], cols=140, rows=40, env=environ) as terminal:
        terminal.wait_for(f"of {specs:,} specs", timeout=120)
        terminal.settle()
        busy, before = terminal.processor_seconds, -IDLE
        while busy - before >= IDLE:  # a cold start continues after the first screen
            sleep(1)
            busy, before = terminal.processor_seconds, busy
        return peak_memory(terminal.process.pid)

"""The time of operations on a build cache, next to their floors.

Scale 1 is a cache of layout v3 with 60,000 specs and an index of about 100 MB, with and without nine stacks
that repeat its specs. The floor of a cold start is to read the indexes and to decode each in one call of msgspec, by
type; the floor of a closure is a walk over lists of numbers. A registry on this machine has the same index in a
repository.
Input: caches in `.bench`, written there if they are missing.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
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
from tests.benchmarks.figure import TIMES, Figure, kept
from tests.support.large_cache import ROOTS, SPECS, some_nodes, write_large_cache, write_lock, write_stacks
from tests.support.large_tree import write_large_tree
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
WALK = "the walk over lists of numbers"
PYTHON = "python -c pass"

IDLE = 5
"""Hundredths of a second of work in a second below which a program counts as idle."""

_APART = "import sys; from tests.benchmarks import build_cache; print(*build_cache.{}(*sys.argv[1:]))"


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
    """Yield all figures for the cache of this scale: medians of some runs, each in its own process."""
    specs = max(1, round(SPECS * scale))
    cache = str(kept(f"build-cache-{scale:g}", lambda folder: write_large_cache(folder, specs)))
    stacks = str(kept(f"build-caches-{scale:g}", lambda folder: write_stacks(folder, specs, STACKS)))
    with TemporaryDirectory() as scratch:
        environ = {**os.environ, "CACHETUI_CACHE_DIR": f"{scratch}/warm"}
        yield from _cold("build cache", cache, environ)
        (index_file,) = (path for path in Path(cache, "blobs").rglob("*") if path.is_file())
        with serving_apart(registry_files(index_file.read_bytes())) as url:
            yield from _cold("a repository", cache, environ, f"oci+{url}/site/cache")
        yield from _cold(f"the same with its {STACKS} stacks", stacks, environ)
        index = Catalogue(cache, Settings(environ)).load()
        yield from _commands(cache, environ, index)
        yield from _closures(index)
        yield from _locks(cache, environ, Path(scratch))
        yield Figure("build cache: peak memory of the browser, warm", _browser(cache, environ, len(index)), "MB")
        cold = _browser(cache, {**environ, "CACHETUI_CACHE_DIR": f"{scratch}/cold"}, len(index))
        yield Figure("build cache: peak memory of the browser, cold", cold, "MB")
        yield from _tree(scale, cache, environ)
    yield from _year(scale)


def _year(scale: float) -> Iterator[Figure]:
    """Yield the figures for 365 days of a cache, at scale 1 of 6,000 specs, of which 1 % change each day."""
    specs = max(1, round(SPECS * scale / 10))
    cache = str(kept(f"build-cache-{scale / 10:g}", lambda folder: write_large_cache(folder, specs)))
    catalogue = Catalogue(cache, Settings())
    name = catalogue.histories[0].folder.name
    root = kept(f"year-{scale:g}", lambda folder: record_year(folder / name, cache, 365, 0.01))
    environ = {**os.environ, "CACHETUI_CACHE_DIR": str(root / "saved"), "CACHETUI_HISTORY": str(root)}
    first = History(root / name).snapshots()[-1][2]
    whole = sum(path.stat().st_size for path in (root / name).iterdir())
    yield Figure("365 days on the disk", whole / 1e6, "MB", "the first of them", first / 1e6)
    python = _command([sys.executable, "-c", "pass"], environ)
    _command([*CACHETUI, "find", cache, "--count"], environ)
    for what, arguments in {
        "find": ("find", cache, "--limit=1"),
        "find --history": ("find", cache, "--limit=1", "--history"),
        "find in a snapshot": ("find", cache, "--limit=1", "--history", "--tag=2026-05-01"),
        "which, over all snapshots": ("which", cache, next(iter(catalogue.load().columns.hashes)), "--history"),
        "diff --since": ("diff", cache, "--since=2026-05-01", "--limit=1"),
        "history": ("history", cache),
    }.items():
        yield Figure(f"a year kept, warm: {what}", _command([*CACHETUI, *arguments], environ), "s", PYTHON, python)


def _tree(scale: float, cache: str, environ: dict[str, str]) -> Iterator[Figure]:
    """Yield the figures for an install tree next to the cache: 20,000 records at scale 1."""
    records = max(1, round(RECORDS * scale))
    tree = str(kept(f"install-tree-{scale:g}", lambda folder: write_large_tree(folder, records)))
    yield from _cold("install tree beside the cache", f"{tree}|{cache}", environ)
    small = str(kept(f"install-tree-{scale / 4:g}", lambda folder: write_large_tree(folder, max(1, records // 4))))
    python = _command([sys.executable, "-c", "pass"], environ)
    both = ("-C", tree, "-C", cache)
    known = next(iter(Catalogue([tree, cache], Settings(environ)).load().columns.hashes))
    for what, arguments in {
        f"{records // 4:,} records, nothing saved: find": ("find", small, "--no-index-cache"),
        "tree beside the cache, warm: which": ("which", *both, f"/{known}"),
        "tree beside the cache, warm: find explicit=yes incache=yes": ("find", *both, "explicit=yes", "incache=yes"),
    }.items():
        yield Figure(what, _command([*CACHETUI, *arguments], environ), "s", PYTHON, python)


def _cold(name: str, content: str, environ: dict[str, str], url: str = "") -> Iterator[Figure]:
    """Yield alternating cold starts of contents (A|B) and their floor; `url` is a local server with the same index."""
    decoded, loaded = [], []
    for k in range(TIMES):
        decoded.append(_apart("decode", [content], environ))
        own_cache = f"{environ['CACHETUI_CACHE_DIR']}-{name.replace(' ', '-')}-{k}"
        loaded.append(_apart("load", [url or content], {**environ, "CACHETUI_CACHE_DIR": own_cache}))
    floors, own = _column_medians(decoded), _column_medians(loaded)
    for k, what in enumerate(("", ", of the processor")):
        yield Figure(f"{name}: {DECODE}{what}", floors[k], "s", "itself", floors[k])
        yield Figure(f"{name}, cold: queryable{what}", own[k], "s", DECODE, floors[k])
    yield Figure(f"{name}, cold: peak memory, largest process", own[2], "MB", DECODE, floors[2])


def decode(contents: str) -> tuple[float, float, float]:
    """Return the floor: seconds, seconds of processor time and peak MB."""
    decoder = msgspec.json.Decoder(Written)
    started, worked = perf_counter(), process_time()
    for content in map(Path, contents.split("|")):
        for path in chain(content.rglob("blobs/sha256/*/*"), content.glob(".spack-db/index.json")):
            decoder.decode(path.read_bytes())  # some stacks of a small cache are empty
    return perf_counter() - started, process_time() - worked, _peak()


def load(contents: str) -> tuple[float, float, float]:
    """Return the same for a cold start without its saves; all modules are imported before.

    The processor time is that of all processes.
    """
    from cachetui.sources.buildcache import reader
    from cachetui.sources.installation import source
    from cachetui.sources.transport import client

    assert reader
    assert source
    assert client
    started, worked = perf_counter(), process_time()
    taken: list[tuple[float, float]] = []
    Catalogue(contents.split("|"), Settings(os.environ)).load(
        lambda *_: taken.append((perf_counter() - started, process_time() - worked))
    )
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, own = taken[-1]
    return seconds, own + others.ru_utime + others.ru_stime, max(_peak(), others.ru_maxrss / 1024)


def _commands(cache: str, environ: dict[str, str], index: Index) -> Iterator[Figure]:
    known = index.columns.hashes[len(index.columns.hashes) // 2]
    package = next(iter(index.columns.packages))
    python = _command([sys.executable, "-c", "pass"], environ)
    for what, arguments in {
        "which": ("which", cache, known),
        "find of one package": ("find", cache, package, "--limit", "10"),
    }.items():
        seconds = _command([*CACHETUI, *arguments], environ)
        yield Figure(f"build cache, warm: {what}", seconds, "s", PYTHON, python)


def _closures(index: Index) -> Iterator[Figure]:
    graph = index.graph
    needs = [[edge.number for edge in graph.edges(k) if LINK_RUN.intersection(edge.types)] for k in range(len(graph))]
    spread = range(0, len(graph), max(1, len(graph) // ROOTS))[:ROOTS]
    sizes = [len(closure(graph, [root])) for root in spread]
    # of average size, because the closures of some roots are a single node
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


def _locks(cache: str, environ: dict[str, str], scratch: Path) -> Iterator[Figure]:
    """Yield the figures for `check` of a lock that the cache has, and of a lock that it has almost nothing of."""
    python = _command([sys.executable, "-c", "pass"], environ)
    nodes = some_nodes(LOCKED)
    for what, missing in {"all there": 0.0, "nearly all missing": 0.99}.items():
        lock = write_lock(scratch / "spack.lock", nodes, missing)
        command = [*CACHETUI, "check", cache, str(lock)]
        seconds = _command(command, environ, status=int(missing > 0))
        yield Figure(
            f"build cache, warm: check of a lock with {len(nodes):,} nodes, {what}", seconds, "s", PYTHON, python
        )


def _walk(needs: Sequence[Sequence[int]], roots: Sequence[int]) -> list[int]:
    """Return all nodes that are reachable from the roots."""
    found = set(roots)
    queue = list(roots)
    for each in queue:
        new = [other for other in needs[each] if other not in found]
        found.update(new)
        queue += new
    return queue


def _browser(cache: str, environ: dict[str, str], specs: int) -> float:
    """Return the peak MB of the browser after it has read and shown a cache of this number of specs."""
    with Metered([*CACHETUI, cache], cols=140, rows=40, env=environ) as terminal:
        terminal.wait_for(f"of {specs:,} specs", timeout=120)
        terminal.settle()
        folder = Path(f"/proc/{terminal.process.pid}")
        busy, before = ticks(folder), -IDLE
        while busy - before >= IDLE:  # a cold start continues after the first screen
            sleep(1)
            busy, before = ticks(folder), busy
        status = (folder / "status").read_text().splitlines()
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def ticks(process: Path) -> int:
    """Return the working time of a process, in hundredths of a second."""
    user, system = (process / "stat").read_text().rpartition(")")[2].split()[11:13]
    return int(user) + int(system)


def _apart(name: str, arguments: Sequence[str], environ: dict[str, str]) -> list[float]:
    """Return the result of a function of this module in its own process."""
    command = [sys.executable, "-c", _APART.format(name), *arguments]
    done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, text=True, check=True)
    return list(map(float, done.stdout.split()))


def _column_medians(rows: Sequence[Sequence[float]]) -> list[float]:
    return [median(column) for column in zip(*rows, strict=True)]


def _command(command: Sequence[str], environ: dict[str, str], status: int = 0) -> float:
    """Return the median seconds of a command."""
    taken = []
    for _ in range(2 * TIMES + 1):
        started = perf_counter()
        done = subprocess.run(command, env=environ, capture_output=True)
        taken.append(perf_counter() - started)
        if done.returncode != status:
            raise SystemExit(done.stderr.decode())
    return median(taken)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

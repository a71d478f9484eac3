"""The time of dependency queries on build caches of three sizes, next to `which` on the same cache.

Each cache lacks the binaries of some specs. All times are processor times, which depend least on other work of the
machine. The caches are kept in `.bench`.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from tempfile import TemporaryDirectory

from cachetui.catalogue import Catalogue
from cachetui.settings.settings import Settings
from cachetui.store.graph import all_dependents
from tests.benchmarks.measuring import TIMES, Figure, column_medians, command_resources, kept, peak_memory
from tests.support.large_cache import OLD_WORLDS, PACKAGES, write_large_cache
from tests.support.places import CACHETUI
from tests.support.screens import Terminal
from tests.support.wire_bytes import Metered

SIZES = 60_000, 200_000, 400_000

LACKING = 20
"""Number of specs of each cache without a binary."""

HOST = "linux-ubuntu22.04-x86_64_v3"


def figures(specs: int) -> Iterator[Figure]:
    """Yield the seconds of processor time of each command on a cache of this number of specs."""
    cache = str(kept(f"graph-{specs}", lambda folder: write_large_cache(folder, specs, lacking=LACKING)))
    with TemporaryDirectory() as scratch:
        environ = {**os.environ, "CACHETUI_CACHE_DIR": scratch, "CACHETUI_HOST": HOST}
        seconds, _ = _resources(["find", cache, "--count"], environ, 1)
        yield Figure("first start, which reads the index and saves the index cache", seconds, "s")
        index = Catalogue(cache, Settings(environ)).load()
        numbers = {int(name.rpartition("package")[2] or 0): name for name in index.packages if "package" in name}
        near, far, old = numbers[PACKAGES // 100], numbers[PACKAGES // 3], numbers[PACKAGES - 1]
        some = index.hash_of(next(iter(index.package_rows(index.packages.index(near)))))
        node = index.graph.number(some)
        dependents = 0 if node is None else len(all_dependents(index.graph, [node])) - 1
        seconds, _ = _resources(["find", cache, f"^{near}", "--limit=10"], environ, 1)
        yield Figure("first find ^NAME, which reverses the edges and saves them", seconds, "s")
        which, _ = _resources(["which", cache, some], environ)
        for what, arguments in {
            "which": ("which", cache, some),
            "find NAME --fits HOST": ("find", cache, far, "--fits", HOST, "--limit=10"),
            "find fits=HOST": ("find", cache, f"fits={HOST}", "--limit=10"),
            "find ^NAME": ("find", cache, f"^{near}", "--limit=10"),
            "find NAME complete=yes": ("find", cache, far, "complete=yes", "--limit=10"),
            "check /HASH": ("check", cache, f"/{some}"),
            f"check NAME, {len(index.package_rows(index.packages.index(far)))} builds": ("check", cache, far),
            f"check NAME, {OLD_WORLDS} builds": ("check", cache, old),
            f"deps HASH --dependents --all, {dependents} dependents": ("deps", cache, some, "--dependents", "--all"),
            "prune --keep /HASH": ("prune", cache, "--keep", f"/{some}"),
            "check --all": ("check", cache, "--all"),
        }.items():
            seconds, memory = _resources(arguments, environ)
            yield Figure(f"{what}; {memory:.0f} MB", seconds, "s", "which", which)
        yield from _browser(cache, environ, f"of {len(index):,} specs", near)


def _browser(cache: str, environ: Mapping[str, str], counts: str, name: str) -> Iterator[Figure]:
    """Yield the processor time from a key to its answer, the first and the second time, and the peak memory."""
    with Metered([*CACHETUI, cache], cols=140, rows=40, env=environ) as terminal:
        terminal.wait_for(counts)
        yield Figure("browser: first screen", terminal.processor_seconds, "s")
        for what, keys, back, answer in (
            ("H", "H", "H", "fits="),
            ("/ ^NAME", f"/^{name}\r", "u", f"/ ^{name}"),
            ("i", "i", "q", "Install?"),
            ("n", "n", "q", "dependents"),
        ):
            for time in ("first time", "second time"):
                terminal.settle()
                before = terminal.processor_seconds
                terminal.send(keys)
                terminal.wait_for(partial(_is_answered, answer))
                yield Figure(f"browser: {what}, {time}", terminal.processor_seconds - before, "s")
                terminal.send(back)
        yield Figure("browser: peak memory", peak_memory(terminal.process.pid), "MB")


def _is_answered(answer: str, terminal: Terminal) -> bool:
    """Return whether the answer is on screen and nothing is being counted or searched."""
    shown = "\n".join(terminal.lines)
    return answer in shown and not any(word in shown for word in ("counting", "looking"))


def _resources(arguments: Sequence[str], environ: Mapping[str, str], times: int = TIMES) -> list[float]:
    """Return the median seconds of processor time and the median peak MB of a command."""
    return column_medians([command_resources([*CACHETUI, *arguments], environ) for _ in range(times)])

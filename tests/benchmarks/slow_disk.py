"""The time of commands on a disk with a delay of a millisecond, next to one thread that walks and reads.

The content has one folder for each page, and in a second measurement a single folder. A library that is loaded before
all others (`slow_disk.c`) makes every open, stat and listing of the content slow, but not of Python's own files.
Input: a catalogue as `bench` writes it; a C compiler.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from tests.benchmarks.figure import TIMES, Figure
from tests.support.places import CACHETUI, ROOT

FLOOR = "walk and read, one thread"

WALK = """
import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(f"{folder}/{name}", "rb") as file:
            file.read()
"""

SOURCE = ROOT / "tests" / "benchmarks" / "slow_disk.c"


def slow_library(folder: Path) -> Path | None:
    """Build the library in this folder and return its path; None without a C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    library = folder / "slow_disk.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return library


def figures(content: Path) -> Iterator[Figure]:
    """Yield the figures next to those of the walk: medians of some runs; nothing without a compiler."""
    with TemporaryDirectory() as scratch:
        library = slow_library(Path(scratch))
        if library is None:
            return
        flat = Path(scratch) / "flat"
        flat.mkdir()
        for number, page in enumerate(content.rglob("specs.md")):
            shutil.copyfile(page, flat / f"{number}.md")
        for shape, folder in (("a folder for each page", content.resolve()), ("one folder", flat)):
            slow = {**os.environ, "SLOW_DISK": str(folder), "LD_PRELOAD": str(library)}
            yield from _of_folder(shape, folder, {**slow, "CACHETUI_CACHE_DIR": f"{scratch}/cache"})


def _of_folder(shape: str, folder: Path, environ: dict[str, str]) -> Iterator[Figure]:
    find = [*CACHETUI, "find", str(folder), "--count"]
    walk, cold, warm = [], [], []
    for _ in range(TIMES):
        shutil.rmtree(environ["CACHETUI_CACHE_DIR"], ignore_errors=True)
        walk.append(_seconds([sys.executable, "-c", WALK, str(folder)], environ))
        cold.append(_seconds(find, environ))
        warm.append(_seconds(find, environ))
    for what, times_taken in {FLOOR: walk, "find --count, cold": cold, "find --count, warm": warm}.items():
        yield Figure(f"slow disk, {shape}: {what}", median(times_taken), "s", FLOOR, median(walk))


def _seconds(command: Sequence[str], environ: dict[str, str]) -> float:
    started = perf_counter()
    subprocess.run(command, env=environ, stdout=subprocess.DEVNULL, check=True)
    return perf_counter() - started

"""The time of commands on a disk with a delay of a millisecond, next to one thread that walks and reads.

The content has one folder for each page, and in a second measurement a single folder. A preloaded library
(`slow_disk.c`), which needs a C compiler, delays every open, stat and listing of the content, but not of Python's own
files.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.benchmarks.measuring import TIMES, Figure, median_seconds, run
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
    """Yield each figure next to that of the walk; nothing without a compiler."""
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
        walk.append(median_seconds(1, run, [sys.executable, "-c", WALK, str(folder)], environ))
        cold.append(median_seconds(1, run, find, environ))
        warm.append(median_seconds(1, run, find, environ))
    for what, times_taken in {FLOOR: walk, "find --count, cold": cold, "find --count, warm": warm}.items():
        yield Figure(f"slow disk, {shape}: {what}", median(times_taken), "s", FLOOR, median(walk))

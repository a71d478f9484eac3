"""Figures, the content on which they are measured, and functions that measure time and memory."""

import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Literal, NamedTuple, TypeVar

from cachetui.catalogue import Catalogue
from cachetui.settings.settings import Settings

FOLDER = Path(".bench")

TIMES = 3
"""Number of runs for a figure, which is their median."""

PYTHON = "python -c pass"
"""The floor of a command."""


_RUN = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
sys.exit(done.returncode > 1)
"""
"""A small program that runs a command, because Linux counts the memory of a parent as that of its child."""

Result = TypeVar("Result")


class Figure(NamedTuple):
    """A measurement, and the value that it is compared with, if any."""

    what: str
    value: float
    unit: Literal["s", "ms", "MB", "B"]
    compared: str = ""
    floor: float | None = None


class ColdLoad(NamedTuple):
    """A load without an index cache: seconds and MB."""

    first_packages: float
    whole: float
    processor: float
    """Processor time of all processes."""
    memory: float
    """Peak memory of the main process."""
    worker_memory: float
    """Peak memory of the largest worker."""


def kept(name: str, write: Callable[[Path], object]) -> Path:
    """Return the folder with this name in `.bench`; write it if it is missing."""
    folder = FOLDER / name
    if not folder.exists():
        print(f"writing {folder}", file=sys.stderr)
        unfinished = FOLDER / f"{name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        write(unfinished)
        unfinished.rename(folder)
    return folder


def apart(do: Callable[..., Result], *args: object) -> Result:
    """Return the result of a function that runs in a new process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(do, *args).result()


def median_seconds(times: int, do: Callable[..., object], *args: object) -> float:
    """Return the median seconds of some calls."""
    taken = []
    for _ in range(times):
        started = perf_counter()
        do(*args)
        taken.append(perf_counter() - started)
    return median(taken)


def column_medians(rows: Iterable[Sequence[float]]) -> list[float]:
    """Return the median of each column."""
    return [median(column) for column in zip(*rows, strict=True)]


def run(command: Sequence[str], environ: Mapping[str, str]) -> None:
    """Run a command and drop its output; end the benchmark if the command fails."""
    done = subprocess.run(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode > 1:
        raise SystemExit(done.stderr)


def command_seconds(command: Sequence[str], environ: Mapping[str, str]) -> float:
    """Return the median seconds of a command."""
    return median_seconds(2 * TIMES + 1, run, command, environ)


def command_resources(command: Sequence[str], environ: Mapping[str, str]) -> tuple[float, float]:
    """Return the seconds of processor time and the peak MB of a command."""
    small = [sys.executable, "-c", _RUN, *command]
    printed = subprocess.run(small, env=environ, capture_output=True, text=True, check=True).stdout
    seconds, memory = map(float, printed.split())
    return seconds, memory


def cold_load(content: Sequence[str], environ: Mapping[str, str]) -> ColdLoad:
    """Measure a load in a process that did nothing else; the time of saving the index cache is not included."""
    started, worked = perf_counter(), process_time()
    taken: list[tuple[float, float]] = []
    Catalogue(content, Settings(environ)).load(
        lambda *_: taken.append((perf_counter() - started, process_time() - worked))
    )
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, own = taken[-1]
    processor = own + workers.ru_utime + workers.ru_stime
    return ColdLoad(taken[0][0], seconds, processor, peak_memory(), workers.ru_maxrss / 1024)


def peak_memory(process: int | None = None) -> float:
    """Return the peak MB of a process, or of this process."""
    status = Path(f"/proc/{process or 'self'}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024

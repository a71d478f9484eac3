"""The time to read a build cache on a server, next to the time of only the transfer.

The server is on loopback, 20 ms away, and sends 10 MB a second without compressing it. The cache of layout v2
repeats, with other hashes, the entries of a cache that Spack wrote.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any
from urllib.request import urlopen

from cachetui.catalogue import Catalogue
from cachetui.settings.settings import Settings
from cachetui.sources.source import Asking
from tests.benchmarks.measuring import TIMES, Figure, column_medians, median_seconds
from tests.support.caches import large_index
from tests.support.mirror_server import MirrorServer

DELAY, RATE = 0.02, 10e6
"""Seconds before each answer, and bytes a second."""

INDEX = "build_cache/index.json"


def figures(specs: int) -> Iterator[Figure]:
    """Yield each figure next to the time of the transfer, or of a local folder."""
    index = large_index(specs)
    with TemporaryDirectory() as scratch, serving_apart({INDEX: index}, DELAY, RATE) as url:
        folder = Path(scratch, "mirror", "build_cache")
        folder.mkdir(parents=True)
        (folder / "index.json").write_bytes(index)
        transfer = median_seconds(TIMES, _transfer, url)
        yield Figure("server: just the transfer", transfer, "s", "itself", transfer)
        runs = [
            _starts(url, str(folder.parent), {**os.environ, "CACHETUI_CACHE_DIR": f"{scratch}/cache{number}"})
            for number in range(TIMES)
        ]
        first, whole, local, again, offline = column_medians(runs)
        yield Figure("server: first packages", first, "s", "just the transfer", transfer)
        yield Figure("server: whole index, saved", whole, "s", "just the transfer", transfer)
        yield Figure("server: second start", again, "s", "second start of a folder", local)
        yield Figure("server: second start, --offline", offline, "s", "second start of a folder", local)


def _starts(url: str, folder: str, environ: Mapping[str, str]) -> list[float]:
    """Return the seconds until the first packages and until the whole index is saved, and those of second starts."""
    first: list[float] = []
    started = perf_counter()
    catalogue = Catalogue(url, Settings(environ), asking=Asking(previews=True))
    catalogue.load(lambda so_far, _: first.append(perf_counter() - started))
    taken = [first[0], perf_counter() - started]
    Catalogue(folder, Settings(environ)).load()
    for content, offline in ((folder, False), (url, False), (url, True)):
        started = perf_counter()
        Catalogue(content, Settings(environ), asking=Asking(offline=offline)).current()
        taken.append(perf_counter() - started)
    return taken


def _transfer(url: str) -> None:
    with urlopen(f"{url}/{INDEX}") as response:
        while response.read(65536):
            pass


@contextmanager
def serving_apart(files: dict[str, bytes], delay: float = 0.0, rate: float | None = None) -> Iterator[str]:
    """Run a server with these files in its own process; `delay` and `rate` are those of `MirrorServer`."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(files, delay, rate, theirs), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def _serve(files: dict[str, bytes], delay: float, rate: float | None, connection: Any) -> None:
    server = MirrorServer(files)
    server.delay, server.rate = delay, rate
    connection.send(server.url)
    server.serve_forever()

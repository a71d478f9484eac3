"""The time to read a build cache on a server, next to the time of only the transfer.

The server is on loopback, 20 ms away, and sends 10 MB a second without compressing it. The cache of layout v2
repeats the entries of a cache that Spack wrote under other hashes.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any
from urllib.request import urlopen

from cachetui.catalogue import Catalogue
from cachetui.settings.settings import Settings
from cachetui.sources.source import Asking
from tests.benchmarks.measuring import TIMES, Figure, median_seconds
from tests.support.caches import large_index
from tests.support.mirror_server import MirrorServer

DELAY, RATE = 0.02, 10e6
"""Seconds before each answer, and bytes a second."""

INDEX = "build_cache/index.json"


TRANSFER, FIRST, WHOLE = "server: just the transfer", "server: first packages", "server: whole index, saved"

AGAIN, OFFLINE = "server: second start", "server: second start, --offline"

LOCAL = "the same as a folder: second start"

TRANSFERS = (FIRST, WHOLE)
"""Operations that are compared with the transfer; all others are compared with the folder."""


def figures(specs: int) -> Iterator[Figure]:
    """Yield each figure next to the time of the transfer, or of a local folder."""
    index = large_index(specs)
    found: dict[str, list[float]] = {}
    with TemporaryDirectory() as scratch, serving_apart({INDEX: index}, DELAY, RATE) as url:
        folder = os.path.join(scratch, "mirror", "build_cache")
        os.makedirs(folder)
        with open(os.path.join(folder, "index.json"), "wb") as file:
            file.write(index)
        transfer = median_seconds(TIMES, _transfer, url)
        yield Figure(TRANSFER, transfer, "s", "itself", transfer)
        for number in range(TIMES):
            environ = {**os.environ, "CACHETUI_CACHE_DIR": f"{scratch}/cache{number}"}
            for what, took in _starts(url, os.path.dirname(folder), environ):
                found.setdefault(what, []).append(took)
        local = median(found[LOCAL])
        for what, each in found.items():
            compared = ("just the transfer", transfer) if what in TRANSFERS else ("the same as a folder", local)
            yield Figure(what, median(each), "s", *compared)


def _starts(url: str, folder: str, environ: dict[str, str]) -> Iterator[tuple[str, float]]:
    first: list[float] = []
    started = perf_counter()
    catalogue = Catalogue(url, Settings(environ), asking=Asking(previews=True))
    catalogue.load(lambda so_far, _: first.append(perf_counter() - started))
    yield WHOLE, perf_counter() - started
    yield FIRST, first[0]
    Catalogue(folder, Settings(environ)).load()
    for what, content, asking in (
        (AGAIN, url, Asking()),
        (OFFLINE, url, Asking(offline=True)),
        (LOCAL, folder, Asking()),
    ):
        started = perf_counter()
        Catalogue(content, Settings(environ), asking=asking).current()
        yield what, perf_counter() - started


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

"""A day of use in one process: a hundred thousand keys; memory stays where it is, and no key gets slower.

All of the browser runs, from the bytes of a key to the bytes for the terminal; just the terminal itself is left out,
whose own memory and speed are not what is measured.
"""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import statistics
import time
from pathlib import Path
from random import Random

import pytest
from textual._xterm_parser import XTermParser

from cachetui.catalogue import Catalogue
from cachetui.host import Host
from cachetui.query import Query
from cachetui.tui.typeahead import Typed
from tests.benchmarks.catalogue import write_catalogue
from tests.tui.unseen import UnseenApp

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads its memory as Linux shows it"),
]

KEYS = 100_000
STRETCHES = 20
"""Into so many parts the day is divided; the first ones warm up."""

WARM = 5

STEPS = (
    *("j", "k", "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~", "g", "G", "\r", "l", "h", "\t", "\x1b[Z"),
    *("/hdf5\r", "/py +mpi\r", "/@1: %gcc\r", "/\r", "#abc\x7f\x7fdef\r", "#2\r", "x", "u", "U", "s", "S", ",", "."),
    *("f \r", "t\r", "!\x1b", "?\x1b", "y\x1b", "c \x1b", "d\x1b", "v\x1b", "w\x1b", "H", " ", "\x1b"),
)
"""What a user does. Escape leads back from everywhere, and never out."""


class CountingApp(UnseenApp):
    """A browser that knows how many keys it has dealt with."""

    taken = 0

    async def take_key(self, event: Typed) -> None:
        await super().take_key(event)
        self.taken += 1
        self.paint()


def memory() -> int:
    """Bytes of this process."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def test_a_hundred_thousand_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_catalogue(tmp_path / "content", scale=0.02, seed=0)
    catalogue = Catalogue(str(tmp_path / "content"), os.environ)
    catalogue.load()
    sizes: list[int] = []
    delays: list[float] = []

    async def day() -> None:
        app = CountingApp(catalogue, Query(), Host("linux", "ubuntu22.04", "zen3"), content="content")
        random = Random(1)
        async with app.run_test(size=(140, 40)) as pilot:
            await app.workers.wait_for_complete()
            typed = 0
            for stretch in range(1, STRETCHES + 1):
                began = time.process_time()
                first = typed
                while typed < KEYS * stretch // STRETCHES:
                    step = random.choice(STEPS)
                    parser = XTermParser()
                    for event in (*parser.feed(step), *parser.feed("")):
                        app.post_message(event)
                        typed += 1
                    while app.taken < typed:
                        await asyncio.sleep(0)
                delays.append((time.process_time() - began) / (typed - first))
                sizes.append(memory())
                print(f"{typed} keys: {sizes[-1] / 2**20:.1f} MB, {1000 * delays[-1]:.2f} ms a key", flush=True)
            await pilot.pause()
            assert not app.full_repaint
            assert app.written > 10 * KEYS

    asyncio.run(day())
    grown = sizes[-1] - sizes[WARM]
    assert grown < 10 * 2**20
    early, late = statistics.median(delays[WARM : WARM + 5]), statistics.median(delays[-5:])
    assert late < 1.25 * early

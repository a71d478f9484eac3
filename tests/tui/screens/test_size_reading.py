"""What the binary that is looked at takes: beside the list, from a folder or a server, given up by the next key."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue
from cachetui.query.query import Query
from cachetui.tui.app import BrowserApp
from cachetui.tui.screens import size_reading
from tests.support.browsing import HOST, SMALL, cache_browser, lacks, pressed, sample_browser, settled, shows
from tests.support.caches import files_of
from tests.support.drive import Drive
from tests.support.mirror_server import Handler, serving
from tests.support.sample_mirror import CACHE, FOLDER
from tests.support.screens import screen_lines


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cursor need not rest."""
    monkeypatch.setattr(size_reading, "REST", 0.001)


async def waited_for(pilot: Pilot[Any], text: str) -> None:
    """Waits until the text is on screen, as long as a loaded machine may take."""
    deadline = time.monotonic() + 20
    while text not in "\n".join(screen_lines(pilot.app)) and time.monotonic() < deadline:
        await pilot.pause(0.01)
    shows(pilot, text)


def test_the_detail_says_the_size_of_a_spec_and_of_all_that_it_needs(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        lacks(pilot, "size ")
        await pressed(pilot, "enter")
        await waited_for(pilot, "size 43 B; with 6 others that it needs 301 B")

    drive(cache_browser("netcdf-c", str(FOLDER)), scenario, SMALL)


def test_over_the_network_too(drive: Drive) -> None:
    with serving(files_of(FOLDER / CACHE)) as server:

        async def scenario(pilot: Pilot[Any]) -> None:
            await settled(pilot)
            assert not [path for path in server.paths if "/manifests/spec/" in path]
            await pressed(pilot, "enter")
            await waited_for(pilot, "size 43 B; with 6 others that it needs 301 B")
            await pressed(pilot, "i")
            shows(pilot, "301 B to download")

        catalogue = Catalogue(server.url, os.environ, snapshot=False)
        wanted = Query.parse("netcdf-c").spelled_for(fuzzy_name=True)
        drive(BrowserApp(catalogue, wanted, HOST, content=server.url), scenario, SMALL)


def test_a_server_that_is_slow_holds_up_no_key(drive: Drive) -> None:
    with serving(files_of(FOLDER / CACHE)) as server:
        asked = threading.Event()

        def waits(handler: Handler) -> None:
            asked.set()
            handler.server.stopped.wait()

        for path in list(server.files):
            if "/manifests/spec/" in path:
                server.misbehaves(path, waits)

        async def scenario(pilot: Pilot[Any]) -> None:
            await settled(pilot)
            pilot.app.simulate_key("enter")  # a pilot would wait for what the server never says
            while not asked.is_set():
                await asyncio.sleep(0.01)
            pilot.app.simulate_key("escape")
            await waited_for(pilot, "Enter specs")
            lacks(pilot, "size ")
            deadline = time.monotonic() + 20
            while any(worker.is_running for worker in pilot.app.workers) and time.monotonic() < deadline:
                await asyncio.sleep(0.01)
            assert not any(worker.is_running for worker in pilot.app.workers)

        catalogue = Catalogue(server.url, os.environ, snapshot=False)
        wanted = Query.parse("netcdf-c").spelled_for(fuzzy_name=True)
        drive(BrowserApp(catalogue, wanted, HOST, content=server.url), scenario, SMALL)


def test_of_a_spec_without_recorded_dependencies_it_is_not_said_that_it_needs_nothing(drive: Drive) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pressed(pilot, "enter")
        await waited_for(pilot, "size not known")
        lacks(pilot, "and it needs no other binary")

    drive(sample_browser("py-ml-dtypes tag=develop"), scenario, SMALL)

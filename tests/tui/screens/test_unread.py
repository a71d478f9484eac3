"""Tags of a server that nobody has looked at yet: listed, fetched when one is chosen, and looked at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from textual.pilot import Pilot

from cachetui.catalogue import Catalogue
from cachetui.query.query import Query
from cachetui.tui.app import BrowserApp
from tests.support.browsing import HOST, SMALL, lacks, pressed, settled, shows
from tests.support.drive import Drive
from tests.support.listed import listed_files
from tests.support.mirror_server import MirrorServer, serving, status


@pytest.fixture
def server() -> Iterator[MirrorServer]:
    """Serves three tags."""
    with serving(listed_files("develop", "develop-2026-01-04", "develop-2026-01-11")) as running:
        yield running


def opened(server: MirrorServer) -> BrowserApp:
    return BrowserApp(Catalogue(server.url, os.environ, snapshot=False), Query(), HOST, content=server.url)


def test_a_tag_is_fetched_when_it_is_chosen(drive: Drive, server: MirrorServer) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        shows(pilot, "· develop ▾")
        assert not [path for path in server.paths if "2026" in path]
        await pressed(pilot, "t")
        shows(pilot, "develop-2026-01-11   not read", "develop-2026-01-04   not read")
        await pressed(pilot, "end", "enter")
        shows(pilot, "develop-2026-01-04 ▾")
        assert not [path for path in server.paths if "2026-01-11" in path]
        await pressed(pilot, "t")
        shows(pilot, "develop-2026-01-11   not read")
        lacks(pilot, "develop-2026-01-04   not read")
        await pressed(pilot, "escape", "comma")
        shows(pilot, "develop-2026-01-04 ▾")

    drive(opened(server), scenario, SMALL)


def test_a_tag_that_does_not_come_is_said_and_nothing_is_lost(drive: Drive, server: MirrorServer) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        for path in list(server.files):
            if "2026-01-04" in path:
                server.misbehaves(path, status(404))
        await pressed(pilot, "t", "end", "enter")
        shows(pilot, "· develop ▾", "is listed and cannot be read")
        await pressed(pilot, "t")
        shows(pilot, "develop-2026-01-04   not read")

    drive(opened(server), scenario, SMALL)

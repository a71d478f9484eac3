"""Installations that real Spack wrote, and Spack's recorded output: `tests/installs`, see the README there."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from cachetui.catalogue import Catalogue
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from cachetui.sources.source import Asking
from tests.support.cache_writer import Node, node, write_lock, write_v3

INSTALLS = Path(__file__).parents[1] / "installs"

TREES = {
    "spack-0.16.3": "0.16.3",
    "spack-0.21.3": "0.21.3",
    "spack-0.23.1": "0.23.1",
    "spack-1.1.0": "1.1.0",
    "spack-1.1.0-user": "user-1.1",
    "spack-1.1.0-cacheonly": "cacheonly-1.1",
    "reindexed-0.21.3-by-1.1.0": "reindexed-0.21.3",
}
"""The install tree of each file with Spack's recorded output."""

UPSTREAM = f"site={INSTALLS}/1.1.0/opt/spack"
"""The upstream of `user-1.1`."""


@cache
def answers(name: str) -> dict[str, Any]:
    """Return Spack's recorded output: by `commands` the output of commands, and by `queries` the results of queries."""
    found: dict[str, Any] = json.loads((INSTALLS / "oracle" / f"{name}.json").read_text())
    return found


def nodes() -> dict[str, Node]:
    """Return the specs in the tree of Spack 1.1.0, by name and version, sorted by hash."""
    database = json.loads((INSTALLS / "1.1.0/opt/spack/.spack-db/index.json").read_text())["database"]
    specs = [record["spec"] for _, record in sorted(database["installs"].items())]
    return {f"{each['name']}@{each['version']}": each for each in specs}


def write_beside(folder: Path) -> Path:
    """Write `mirror` with every second binary of the Spack 1.1.0 tree, and `spack.lock` with all its specs and an app.

    The app depends on specs of all kinds: installed, deprecated, never built, and removed.
    """
    by_name = nodes()
    known = list(by_name.values())
    below = ("hdf5@1.14.6", "libpng@1.6.37", "ncurses@6.5-20250705", "oniguruma@6.9.10", "openssl@3.0.17")
    needs: list[tuple[Node, list[str], list[str]]] = [(by_name[name], ["link"], []) for name in below]
    app = node("app", "1.0", [*needs, (by_name["bison@3.8.2"], ["build"], [])], arch=by_name["hdf5@1.14.6"]["arch"])
    binaries = [each for each in known if "external" not in each]
    write_v3(folder / "mirror", known, binaries[1::2])
    roots = [app, *(by_name[name] for name in ("xz@5.6.3", "bzip2@1.0.8", "zstd@1.5.7"))]
    write_lock(folder / "spack.lock", [*known, app], roots)
    return folder


@cache
def index_of(tree: str) -> Index:
    """Return the index of one of the trees, with its upstream."""
    asking = Asking(upstreams=(UPSTREAM,) if tree == "user-1.1" else ())
    return Catalogue(str(INSTALLS / tree), Settings(), index_cache=False, asking=asking).load()

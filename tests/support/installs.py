"""Installations that real Spack wrote, and its answers about them: `tests/installs`, see the README there."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from cachetui.catalogue import Catalogue
from cachetui.search.index import Index
from cachetui.sources.source import Asking

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
"""The tree that each file of answers is about."""

UPSTREAM = f"site={INSTALLS}/1.1.0/opt/spack"
"""The upstream of `user-1.1`."""


@cache
def answers(name: str) -> dict[str, Any]:
    """Return what Spack answered: `commands` and `queries`."""
    found: dict[str, Any] = json.loads((INSTALLS / "oracle" / f"{name}.json").read_text())
    return found


@cache
def index_of(tree: str) -> Index:
    """Return the index of one of the trees, with its upstream."""
    asking = Asking(upstreams=(UPSTREAM,) if tree == "user-1.1" else ())
    return Catalogue(str(INSTALLS / tree), {}, snapshot=False, asking=asking).load()

"""Whether binaries are signed, as their build caches say; a signature is noticed, not verified.

No server is asked: of a cache on one only those manifests tell that were brought before.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cachetui.model.spec import Spec
from cachetui.sources.buildcache.binary_file import Binaries
from cachetui.sources.source import Asking
from cachetui.store.files import snapshot_folder
from cachetui.store.graph import Graph
from cachetui.workers.cancelling import never

if TYPE_CHECKING:
    from cachetui.sources.buildcache.remote_binaries import AskedBinaries


def with_signature(spec: Spec, graph: Graph) -> Spec:
    """Return the spec with whether its binary is signed."""
    return replace(spec, signed=is_signed(spec, graph.mirror(spec.tag, spec.stacks)))


def is_signed(spec: Spec, cache: str | None) -> bool | None:
    """Return whether a binary in the cache at this folder or URL is signed; None where that is not known."""
    if cache is None:
        return None
    if "://" in cache:
        return _brought(snapshot_folder(os.environ)).is_signed(cache, spec)
    return _is_signed(cache, spec.package, spec.version or "", spec.hash or "")


@lru_cache(1)
def _brought(cache_folder: str) -> AskedBinaries:
    """Return what was brought of binaries on servers into this folder, which the environment names."""
    from cachetui.sources.buildcache.remote_binaries import RemoteBinaries  # late: few have content on a server

    return RemoteBinaries(os.environ, Asking(offline=True)).asked(never)


@lru_cache(4096)
def _is_signed(cache: str, package: str, version: str, spec_hash: str) -> bool | None:
    return _binaries(cache).is_signed(package, version, spec_hash)


@lru_cache(64)
def _binaries(cache: str) -> Binaries:
    return Binaries(cache)

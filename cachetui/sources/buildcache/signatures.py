"""Whether binaries are signed, as the build caches on this machine say; a signature is noticed, not verified."""

from __future__ import annotations

from functools import lru_cache

from cachetui.model.spec import Spec
from cachetui.sources.buildcache.binary_file import Binaries


def is_signed(spec: Spec, cache: str | None) -> bool | None:
    """Return whether a binary in the cache at this folder or URL is signed; None where that is not known."""
    if cache is None or "://" in cache:
        return None
    return _is_signed(cache, spec.package, spec.version or "", spec.hash or "")


@lru_cache(4096)
def _is_signed(cache: str, package: str, version: str, spec_hash: str) -> bool | None:
    binary = _binaries(cache).find(package, version, spec_hash)
    return None if binary is None else binary.signed


@lru_cache(64)
def _binaries(cache: str) -> Binaries:
    return Binaries(cache)

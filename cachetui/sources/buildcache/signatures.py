"""Whether binaries are signed, as the build caches on this machine say; a signature is noticed, not verified."""

from __future__ import annotations

from cachetui.model.spec import Spec
from cachetui.sources.buildcache.binary_file import Binaries


class Signatures:
    """Reads the manifest or spec file of each binary that is asked for."""

    def __init__(self) -> None:
        self._caches: dict[str, Binaries] = {}

    def is_signed(self, spec: Spec, cache: str | None) -> bool | None:
        """Return whether a binary in the cache at this folder or URL is signed; None where that is not known."""
        if cache is None or "://" in cache:
            return None
        binaries = self._caches.setdefault(cache, Binaries(cache))
        binary = binaries.find(spec.package, spec.version or "", spec.hash or "")
        return None if binary is None else binary.signed

"""What the binaries of a build cache on a server take, asked for one by one when somebody wants to know.

Of layout v3 the manifest of a binary is brought, into a copy of its own beside that of the indexes, and never asked
for again. Of layout v2 the server is asked how long the tarball is, and nothing of it is read.
Input: the URL of a build cache and what its index says of a spec, both of any origin.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from cachetui.model.spec import Spec
from cachetui.sources.buildcache.binaries import Binaries, file_name, spec_manifest
from cachetui.sources.buildcache.manifests import read_manifest
from cachetui.sources.source import Asking
from cachetui.sources.transport.cache import OF_BINARIES, Copy, Servers
from cachetui.sources.transport.errors import AwayError, DiskError, FetchError, UntrustedError
from cachetui.sources.transport.transfer import length_in
from cachetui.store.files import snapshot_folder
from cachetui.workers.cancelling import Cancelled

PATIENCE = 3.0
"""Seconds that a server has for one answer."""

MAX_MANIFEST = 1024 * 1024
"""Bytes that a manifest may have."""


def brought_folder(cache: str) -> str:
    """Return the folder with the manifests that were brought before of the build cache at a URL."""
    return str(Copy(cache, Path(snapshot_folder(os.environ)), None, name=f"{cache}{OF_BINARIES}").files)


class RemoteBinaries:
    """The binaries on servers; one for all that a program asks, from any thread."""

    def __init__(self, environ: Mapping[str, str], asking: Asking) -> None:
        self._servers = Servers(environ, asking)
        self._lengths: dict[tuple[str, str], int] = {}
        """Of tarballs of layout v2, by URL and hash."""
        self._has_v2: set[str] = set()
        """The URLs at which a tarball of layout v2 was found: it is looked for first there."""

    def size(self, cache: str, spec: Spec, cancelled: Cancelled) -> int | None:
        """Return the bytes to download for a spec of the build cache at a URL; None where nothing tells.

        Raises FetchError where it is better not to ask the server again, and Interrupted once it is cancelled.
        """
        ways = [self._in_v3, self._in_v2]
        for way in reversed(ways) if cache in self._has_v2 else ways:
            try:
                return way(cache, spec, cancelled)
            except (AwayError, DiskError, UntrustedError):
                raise
            except (FetchError, OSError, ValueError):
                continue
        return None

    def _in_v3(self, cache: str, spec: Spec, cancelled: Cancelled) -> int | None:
        copy = Copy(
            cache,
            self._servers.cache_folder,
            self._servers.client,
            name=f"{cache}{OF_BINARIES}",
            cancelled=cancelled,
            until=time.monotonic() + PATIENCE,
        )
        path = spec_manifest(spec)
        if not copy.place(path).is_file():
            copy.bring(path, MAX_MANIFEST, lambda file: read_manifest(file.read_bytes()), patient=False)
        return Binaries(str(copy.files)).size(spec)

    def _in_v2(self, cache: str, spec: Spec, cancelled: Cancelled) -> int | None:
        key, client = (cache, spec.hash or ""), self._servers.client
        if key not in self._lengths and client is not None:
            headers = {"Range": "bytes=0-0", "Accept-Encoding": "identity"}
            url = f"{cache}/{quote(_tarball(spec))}"
            with client.get(url, headers, cancelled, time.monotonic() + PATIENCE) as reply:
                # of a file of which the first byte was asked for, if the server goes by that
                whole = reply.headers.get("Content-Range", "").rpartition("/")[2]
                length = length_in(whole if reply.status == 206 else reply.headers.get("Content-Length", ""))
            if length is not None:
                self._has_v2.add(cache)
                self._lengths[key] = length
        return self._lengths.get(key)


def _tarball(spec: Spec) -> str:
    """Return where the tarball of a spec is in layout v2; raises FetchError for what can be no name of a file."""
    arch = f"{spec.platform}-{spec.os}-{spec.target}"
    compiler = (spec.compiler or "none@none").replace("@=", "@").replace("@", "-")
    folder = (arch, compiler, f"{spec.package}-{spec.version}")
    name = f"{arch}-{compiler}-{spec.package}-{spec.version}-{spec.hash}.spack"
    parts = [file_name(part) for part in ("build_cache", *folder, name)]
    if any(not part.strip(".") for part in parts):
        raise FetchError("such a file leads elsewhere")
    return "/".join(parts)

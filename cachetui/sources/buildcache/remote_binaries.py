"""What the binaries of a build cache on a server take, asked for one by one when somebody wants to know.

Of layout v3 the manifest of a binary is brought, into a copy of its own beside that of the indexes, and never asked
for again. Of layout v2 the server is asked how long the tarball is, and nothing of it is read.
Input: the URL of a build cache and what its index says of a spec, both of any origin.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import quote

from cachetui.model.spec import Spec
from cachetui.sources.buildcache.layouts import SPEC_MANIFESTS
from cachetui.sources.buildcache.manifests import INSTALL_TYPE, read_manifest
from cachetui.sources.source import Asking
from cachetui.sources.transport.cache import OF_BINARIES, Copy
from cachetui.sources.transport.errors import AwayError, DiskError, FetchError, MissingError, UntrustedError
from cachetui.sources.transport.servers import Servers
from cachetui.sources.transport.transfer import length_in
from cachetui.store.arrays import Once
from cachetui.workers.cancelling import Cancelled

if TYPE_CHECKING:
    pass

PATIENCE = 3.0
"""Seconds that a server has for one answer."""

MAX_MANIFEST = 1024 * 1024
"""Bytes that a manifest may have."""

_UNFIT = re.compile(r"[^\w.+~-]")
"""What Spack writes as `_` in the names of files."""


class RemoteBinaries:
    """The binaries on servers; one for all that a program asks, from any thread."""

    def __init__(self, environ: Mapping[str, str], asking: Asking) -> None:
        self.servers = Servers(environ, asking)
        self.lengths: dict[tuple[str, str], int] = {}
        """Of tarballs of layout v2, by URL and hash."""

    def asked(self, cancelled: Cancelled) -> AskedBinaries:
        """Return the same for as long as nobody has `cancelled` it."""
        return AskedBinaries(self, cancelled)


class AskedBinaries:
    """One run of questions; a server that is away is asked no more in it."""

    def __init__(self, binaries: RemoteBinaries, cancelled: Cancelled) -> None:
        self._client = binaries.servers.client
        self._lengths = binaries.lengths
        self._cancelled = cancelled
        self._away: set[str] = set()
        self._has_v2: set[str] = set()
        """The URLs at which a tarball of layout v2 was found: it is looked for first there."""
        self._lock = Lock()
        self._copies = Once[str, Copy](
            lambda cache: Copy(
                cache, binaries.servers.cache_folder, self._client, name=f"{cache}{OF_BINARIES}", cancelled=cancelled
            )
        )

    def size(self, cache: str, spec: Spec) -> int | None:
        """Return the bytes to download for a spec of the build cache at a URL; None where nothing tells.

        Raises Interrupted once it is cancelled.
        """
        ways = [self._in_v3, self._in_v2]
        for way in reversed(ways) if cache in self._has_v2 else ways:
            if cache in self._away:
                return None
            try:
                return way(cache, spec)
            except (AwayError, DiskError, UntrustedError):
                self._away.add(cache)
            except (FetchError, OSError, ValueError):
                continue
        return None

    def _in_v3(self, cache: str, spec: Spec) -> int | None:
        copy, path = self._copy_of(cache), _manifest(spec)
        known = copy.there(path)
        copy.until = time.monotonic() + PATIENCE
        answer = known or copy.latest(path, MAX_MANIFEST, patient=False)
        try:
            blob = read_manifest(answer.file.read_bytes()).of_type(INSTALL_TYPE)
        except ValueError:
            answer.drop()
            raise
        if known is None:
            answer.keep()
        return blob.content_length if blob and blob.content_length >= 0 else None

    def is_signed(self, cache: str, spec: Spec) -> bool | None:
        """Return whether a spec is signed; None where its manifest was not brought before."""
        try:
            known = self._copy_of(cache).there(_manifest(spec))
            return read_manifest(known.file.read_bytes()).signed if known else None
        except (FetchError, OSError, ValueError):
            return None

    def _copy_of(self, cache: str) -> Copy:
        with self._lock:
            return self._copies[cache]

    def _in_v2(self, cache: str, spec: Spec) -> int | None:
        key = (cache, spec.hash or "")
        if key in self._lengths or self._client is None:
            return self._lengths.get(key)
        url = f"{cache}/{quote(_tarball(spec))}"
        headers = {"Range": "bytes=0-0", "Accept-Encoding": "identity"}
        with self._client.get(url, headers, self._cancelled, time.monotonic() + PATIENCE) as reply:
            # of a file of which the first byte was asked for, if the server goes by that
            whole = reply.headers.get("Content-Range", "").rpartition("/")[2]
            length = length_in(whole if reply.status == 206 else reply.headers.get("Content-Length", ""))
        if length is None:
            raise MissingError(f"{url} tells no length")
        self._has_v2.add(cache)
        self._lengths[key] = length
        return length


def _manifest(spec: Spec) -> str:
    """Return where the manifest of a spec is in layout v3."""
    file = _UNFIT.sub("_", f"{spec.package}-{spec.version}-{spec.hash}")
    return f"{SPEC_MANIFESTS}/{_UNFIT.sub('_', spec.package)}/{file}.spec.manifest.json"


def _tarball(spec: Spec) -> str:
    """Return where the tarball of a spec is in layout v2; raises FetchError for what can be no name of a file."""
    arch = f"{spec.platform}-{spec.os}-{spec.target}"
    compiler = (spec.compiler or "none@none").replace("@=", "@").replace("@", "-")
    folder = (arch, compiler, f"{spec.package}-{spec.version}")
    name = f"{arch}-{compiler}-{spec.package}-{spec.version}-{spec.hash}.spack"
    parts = [_UNFIT.sub("_", part) for part in ("build_cache", *folder, name)]
    if any(not part.strip(".") for part in parts):
        raise FetchError("such a file leads elsewhere")
    return "/".join(parts)

"""The sizes of binaries in build caches and of what is installed, their files, whether they are signed, and images.

This is read only for specs that the user looks at. A signature is detected, not verified. On a server with layout v3
the manifest of a binary is downloaded, into a local copy beside that of the indexes, and kept; with layout v2 the
server is asked for the length of the tarball (HEAD). Of what is installed Spack's manifest of the prefix is read.
Input: an index, the folders and URLs of its build caches, the prefixes of installations; all may hold anything.
"""

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Protocol

import msgspec
from msgspec.structs import replace

from cachetui.model.dependency import State
from cachetui.model.presence import ABSENT, UNREAD, Presence
from cachetui.model.spec import Spec
from cachetui.sources.buildcache.fetched_index import V2_INDEX, V3_INDEX
from cachetui.sources.buildcache.layouts import (
    MANIFESTS,
    SPEC_MANIFEST,
    SPEC_MANIFESTS,
    every_spec_file,
    files_below,
    layout_of,
    spec_files,
)
from cachetui.sources.buildcache.manifests import (
    INSTALL_TYPE,
    MAX_FILE,
    MAX_MANIFEST,
    SPEC_TYPE,
    read_manifest,
    read_spec_file,
)
from cachetui.sources.buildcache.openpgp import is_whole
from cachetui.sources.cache_folders import SPEC_FILE_ENDS
from cachetui.sources.files import load
from cachetui.sources.source import Asking, ContentError
from cachetui.sources.transport.address import OF_BINARIES, is_counted, is_repository
from cachetui.sources.transport.cache import Copy
from cachetui.sources.transport.errors import AwayError, DiskError, FetchError, MissingError, UntrustedError
from cachetui.sources.transport.registry import request_of, tag_of
from cachetui.store.graph import Graph, closure
from cachetui.workers.cancelling import Cancelled, Interrupted, never

LAYOUT_VERSION = b'"buildcache_layout_version"'
"""A key of spec files since Spack 0.18, which are signed themselves; before, the signature was inside the tarball."""

PATIENCE = 3.0
"""Seconds to wait for one response of a server."""

AT_A_TIME = 8
"""Binaries on servers that are asked for in parallel."""

LARGEST = 2**45
"""More bytes than any prefix has; a manifest that says more is damaged."""

MOST_ENTRIES = 20_000
"""Most files and folders of a prefix without a manifest whose bytes are added up."""

# The HTTP client is imported late, as few contents are on servers.

ARCHITECTURE = 3
"""Parts of an architecture, as in `linux-debian12-zen3`."""

HASH_AND_DASH = 33
"""Characters of a hash with the dash in front of it."""

_UNFIT = re.compile(r"[^A-Za-z0-9_+.-]")


def file_name(text: str) -> str:
    """Return a text as Spack writes it in file names."""
    return _UNFIT.sub("_", text)


def spec_manifest(spec: Spec) -> str:
    """Return the path of a spec's manifest in layout v3."""
    name = file_name(f"{spec.package}-{spec.version}-{spec.hash}")
    return f"{SPEC_MANIFESTS}/{file_name(spec.package)}/{name}.spec.manifest.json"


def tarball_of(folder: str, spec_file: str, name: str, version: str) -> str | None:
    """Return the path of the tarball of a spec file of layout v2; None if there is none.

    It is in a folder of the architecture and one of the compiler, and since the alphas of Spack 1.0 without the latter.
    """
    v2, slash, file = spec_file.rpartition("/")
    base = file.rpartition(".spec.")[0]
    package = file_name(f"{name}-{version}")
    parts = base.removesuffix(f"-{package}{base[-HASH_AND_DASH:]}").split("-")
    cuts = sorted(range(1, len(parts) + 1), key=lambda cut: cut != ARCHITECTURE)
    paths = (f"{v2}{slash}{'/'.join(filter(None, ('-'.join(parts[:cut]), '-'.join(parts[cut:]))))}" for cut in cuts)
    tarballs = (f"{path}/{package}/{base}.spack" for path in paths)
    return next((path for path in tarballs if os.path.exists(f"{folder}/{path}")), None)


def is_signed_spec_file(folder: str, path: str) -> bool | None:
    """Return whether a spec file of layout v2 is signed; None before Spack 0.18, where the tarball tells.

    Raises OSError.
    """
    if path.endswith(".sig"):
        return True
    return False if LAYOUT_VERSION in load(folder, path, MAX_FILE)[1] else None


class Binaries:
    """The binaries of one build cache in a folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def size(self, spec: Spec) -> int | None:
        """Return the bytes to download for a spec; None where that is not recorded or cannot be read."""
        try:
            if self._has_manifest(spec):
                blob = read_manifest(self._load(spec_manifest(spec))).of_type(INSTALL_TYPE)
                return blob.content_length if blob and blob.content_length >= 0 else None
            path = self._spec_files.get(spec.hash or "")
            tarball = tarball_of(self._folder, path, spec.package, spec.version or "") if path else None
            return os.stat(f"{self._folder}/{tarball}").st_size if tarball else None
        except (OSError, ValueError):
            return None

    def is_signed(self, spec: Spec) -> bool | None:
        """Return whether the binary of a spec is signed; None where that is not known."""
        try:
            if self._has_manifest(spec):
                return read_manifest(self._load(spec_manifest(spec))).signed
            path = self._spec_files.get(spec.hash or "")
            return is_signed_spec_file(self._folder, path) if path else None
        except (OSError, ValueError):
            return None

    def layers(self, spec: Spec) -> int:
        """Return how many layers the image of a spec has; 0 where that is not known."""
        with suppress(OSError, ValueError):
            return read_manifest(self._load(spec_manifest(spec))).layers
        return 0

    @cached_property
    def has_signed(self) -> bool | None:
        """Whether the first binary of which anything is kept is signed; None where that is not known."""
        try:
            manifest = next(files_below(self._folder, SPEC_MANIFESTS), None)
            if manifest is not None:
                return read_manifest(self._load(manifest)).signed
            path = next(iter(self._spec_files.values()), None)
            return is_signed_spec_file(self._folder, path) if path else None
        except (OSError, ValueError):
            return None

    @cached_property
    def _spec_files(self) -> dict[str, str]:
        v2 = layout_of(self._folder).v2
        return {} if v2 is None else spec_files(self._folder, v2)

    def _has_manifest(self, spec: Spec) -> bool:
        return os.path.isfile(f"{self._folder}/{spec_manifest(spec)}")

    def _load(self, path: str) -> bytes:
        return load(self._folder, path, MAX_FILE)[1]


# Files


class CacheFiles:
    """The files of each binary of a build cache in a folder, and which of them nothing else refers to.

    A blob of layout v3 may belong to several binaries, to an index or to a key, so all manifests are read before one
    counts as free. What cannot be listed or read raises OSError or ContentError, as nobody knows then what is needed.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        layout = layout_of(folder)
        below = files_below(folder, MANIFESTS, strict=True) if layout.v3 else ()
        self._manifests = sorted(path for path in below if path.endswith(".manifest.json"))
        self.of: dict[str, list[str]] = {} if layout.v2 is None else every_spec_file(folder, layout.v2)
        """The spec files and manifests of each hash."""
        for path in self._manifests:
            if match := SPEC_MANIFEST.fullmatch(path):
                self.of.setdefault(match[1], []).append(path)

    def mtime(self, spec_hash: str) -> float:
        """Return when a binary was pushed last, in seconds since the epoch."""
        return max(os.stat(f"{self.folder}/{path}").st_mtime for path in self.of[spec_hash])

    def freed(self, specs: Mapping[str, tuple[str, str | None]]) -> Iterator[tuple[str, str]]:
        """Yield the whole path of each file that is free once all these binaries go, with a hash that it belongs to.

        `specs` has package and version of each hash.
        """
        going = {path: each for each in filter(self.of.__contains__, specs) for path in self.of[each]}
        blobs = {path: self._blobs(path) for path in self._manifests}
        settled = {blob for path in blobs.keys() - going.keys() for blob in blobs[path]}
        """The files that are not free, and those that were yielded."""
        for path, each in going.items():
            package, version = specs[each]
            tarball = None if path in blobs else tarball_of(self.folder, path, package, version or "")
            for file in (path, *blobs.get(path, ()), *filter(None, [tarball])):
                if file not in settled and os.path.lexists(f"{self.folder}/{file}"):
                    settled.add(file)
                    yield each, f"{self.folder}/{file}"

    def _blobs(self, path: str) -> list[str]:
        """Return the paths of the blobs that a manifest refers to."""
        try:
            blobs = read_manifest(load(self.folder, path, MAX_FILE)[1]).blobs
        except (OSError, ValueError) as error:
            raise ContentError(f"{self.folder}/{path} cannot be read: {error}") from None
        return [blob.path for blob in blobs if blob.path]


# Signatures


def with_signature(spec: Spec, graph: Graph) -> Spec:
    """Return the spec with whether its binary is signed."""
    return replace(spec, signed=is_signed(spec, graph.mirror(spec.tag, spec.stacks), graph))


def is_signed(spec: Spec, cache: str | None, graph: Graph) -> bool | None:
    """Return whether a binary in the cache at this folder or URL is signed; None where that is not known.

    No server is asked: for a cache on a server only manifests in the local copy are read. In registries nothing is
    signed.
    """
    if cache is None:
        return None
    if is_repository(cache):
        return False
    return _binaries(cache, graph).is_signed(spec)


def seems_signed(graph: Graph) -> Callable[[Spec, str | None], bool | None]:
    """Return what tells whether a binary is signed; if nothing of it is kept, whether another one of its cache is."""

    def seems(spec: Spec, cache: str | None) -> bool | None:
        own = is_signed(spec, cache, graph)
        return _binaries(cache, graph).has_signed if own is None and cache is not None else own

    return seems


def pull_command(spec: Spec, graph: Graph) -> str:
    """Return the command that pulls a spec from a registry as an image.

    Empty where no base image is among its layers, or that is not known.
    """
    cache, number = graph.mirror(spec.tag, spec.stacks), graph.number(spec.hash or "")
    if cache is None or number is None or not is_repository(cache):
        return ""
    own = [needed for needed in closure(graph, [number]) if graph.state(needed) != State.EXTERNAL]
    if _binaries(cache, graph).layers(spec) <= len(own):
        return ""
    tag = tag_of(file_name(f"{spec.package}-{spec.version}-{spec.hash}"))
    return f"docker pull {cache.partition('://')[2]}:{tag}"


def _binaries(cache: str, graph: Graph) -> Binaries:
    """Return the binaries of a cache, which are kept as long as the graph."""
    if cache not in graph.kept:
        is_away = is_url(cache)
        graph.kept[cache] = (
            RemoteBinaries(os.environ, Asking(offline=True)).brought(cache) if is_away else Binaries(cache)
        )
    found: Binaries = graph.kept[cache]
    return found


# Sizes


class RemoteBinaries:
    """The binaries on servers; one for the whole program, used from any thread."""

    def __init__(
        self,
        environ: Mapping[str, str],
        asking: Asking,
        credentials: Mapping[str, Any] | None = None,
        changed: Callable[[], object] = lambda: None,
    ) -> None:
        """`changed` is called, in any thread, when more is known of a spec; for `credentials` see `Servers`."""
        from cachetui.sources.transport.cache import Servers

        self._servers = Servers(environ, asking, credentials)
        self._changed = changed
        self._lengths: dict[tuple[str, str], int] = {}
        """The bytes of tarballs of layout v2, by URL of the cache and hash."""

    def size(self, cache: str, spec: Spec, cancelled: Cancelled) -> int | None:
        """Return the bytes to download for a spec of the build cache at a URL; None where that is not known.

        Raises FetchError where the server should not be asked again, and Interrupted.
        """
        if is_counted(cache):
            return self.brought(cache).size(spec)
        ways = [self._in_v3] if is_repository(cache) else [self._in_v3, self._in_v2]
        has_v2 = any(url == cache for url, _ in list(self._lengths))
        for way in reversed(ways) if has_v2 else ways:
            try:
                return way(cache, spec, cancelled)
            except (AwayError, DiskError, UntrustedError):
                raise
            except (FetchError, OSError, ValueError):
                continue
        return None

    def confirmed(self, cache: str) -> float | None:
        """Return when the server last confirmed the index of a cache, in seconds since the epoch; None if unknown."""
        copy = self._servers.copy(cache)
        return copy.confirmed(V3_INDEX) or copy.confirmed(V2_INDEX)

    def presence(self, cache: str, spec: Spec, cancelled: Cancelled) -> Presence:
        """Ask the server for the manifest of a binary and the length of its tarball; raises Interrupted."""
        found = ABSENT
        for way in [self._asked_v3] if is_repository(cache) else [self._asked_v3, self._asked_v2]:
            try:
                return way(cache, spec, cancelled)
            except (MissingError, ValueError):
                continue
            except (FetchError, OSError):
                found = UNREAD
        return found

    def _asked_v3(self, cache: str, spec: Spec, cancelled: Cancelled) -> Presence:
        copy, path = self._copy(cache, cancelled), spec_manifest(spec)
        try:
            copy.bring(path, MAX_MANIFEST, lambda _: None, until=time.monotonic() + PATIENCE)
        except MissingError:
            copy.remove(path)
            raise
        data = copy.place(path).read_bytes()
        manifest = read_manifest(data)
        blob = manifest.of_type(INSTALL_TYPE)
        if blob is None or blob.path is None or (manifest.signed and not is_whole(data)):
            return ABSENT
        size = self._length(*request_of(cache, blob.path), cancelled)
        return Presence(size == blob.content_length, manifest.signed, bytes=size)

    def _asked_v2(self, cache: str, spec: Spec, cancelled: Cancelled) -> Presence:
        tarball = path_v2(spec)
        above, base = tarball.split("/")[0], tarball.rpartition("/")[2].removesuffix(".spack")
        for end in SPEC_FILE_ENDS[:2]:
            with suppress(MissingError):
                self._length(*request_of(cache, f"{above}/{base}{end}"), cancelled)
                return Presence(True, end.endswith(".sig"), bytes=self._length(*request_of(cache, tarball), cancelled))
        return ABSENT

    def _length(self, url: str, headers: Mapping[str, str], cancelled: Cancelled) -> int | None:
        """Return the length that a server states for a file; raises FetchError."""
        from cachetui.sources.transport.transfer import length_in

        client = self._servers.client
        if client is None:
            raise AwayError("--offline asks no server")
        sent = {"Accept-Encoding": "identity", **headers}
        with closing(client.ask(url, sent, cancelled, time.monotonic() + PATIENCE, "HEAD")) as reply:
            return length_in(reply.headers.get("Content-Length", ""))

    def brought(self, cache: str) -> Binaries:
        """Return the local copy of a cache, with the manifests that were downloaded so far."""
        return Binaries(str(self._copy(cache).files))

    def _copy(self, cache: str, cancelled: Cancelled = never) -> Copy:
        """Return the copy beside that of the indexes, or that one where tags stand in the place of an index."""
        own = self._servers.copy(cache, cancelled=cancelled)
        is_by_tags = is_repository(cache) and own.place(V2_INDEX).is_file()
        return own if is_by_tags else self._servers.copy(cache, f"{cache}{OF_BINARIES}", cancelled)

    def _in_v3(self, cache: str, spec: Spec, cancelled: Cancelled) -> int | None:
        copy = self._copy(cache, cancelled)
        path, until = spec_manifest(spec), time.monotonic() + PATIENCE

        def bring_details(file: Path) -> None:
            """Where only the tag is known, bring the spec itself, too."""
            config = read_manifest(file.read_bytes()).of_type(SPEC_TYPE)
            if config and config.path and config.content_length <= MAX_FILE and copy.place(V2_INDEX).is_file():
                copy.bring(
                    config.path,
                    config.content_length,
                    lambda spec_file: read_spec_file(spec_file.read_bytes()),
                    checksum=config.checksum,
                    until=until,
                )

        if not copy.place(path).is_file():
            copy.bring(path, MAX_MANIFEST, bring_details, until=until)
            if copy.place(V2_INDEX).is_file():
                self._changed()
        return self.brought(cache).size(spec)

    def _in_v2(self, cache: str, spec: Spec, cancelled: Cancelled) -> int | None:
        key = cache, spec.hash or ""
        if key not in self._lengths and self._servers.client is not None:
            length = self._length(*request_of(cache, path_v2(spec)), cancelled)
            if length is not None:
                self._lengths[key] = length
        return self._lengths.get(key)


def path_v2(spec: Spec) -> str:
    """Return the path of a spec's tarball in layout v2; raises FetchError where a part of it is no file name."""
    arch = f"{spec.platform}-{spec.os}-{spec.target}"
    compiler = (spec.compiler or "none@none").replace("@=", "@").replace("@", "-")
    folder = (arch, compiler, f"{spec.package}-{spec.version}")
    name = f"{arch}-{compiler}-{spec.package}-{spec.version}-{spec.hash}.spack"
    parts = [file_name(part) for part in ("build_cache", *folder, name)]
    if any(not part.strip(".") for part in parts):
        raise FetchError("such a file leads elsewhere")
    return "/".join(parts)


class Specs(Protocol):
    """What is needed of an index."""

    @property
    def graph(self) -> Graph:
        """The dependency graph, which knows the folders and URLs of the caches."""

    def rows_of(self, node_hash: str) -> Iterable[int]:
        """Return the rows with this hash."""

    def spec(self, row: int) -> Spec:
        """Return everything known of a row."""


class Sizes:
    """Looks up the bytes to download for hashes, or, of what no cache has, those of what is installed."""

    def __init__(self, index: Specs, remote: RemoteBinaries | None = None, cancelled: Cancelled = never) -> None:
        """Without `remote` no server is asked."""
        self._index = index
        self._caches: dict[str, Binaries] = {}
        self._remote = remote
        self._cancelled = cancelled
        self._away: set[str] = set()
        """The caches whose servers are not asked any more."""

    def __call__(self, spec_hash: str) -> int | None:
        """Return the bytes for a hash; None where they are not known. Raises Interrupted."""
        caches_first = sorted(self._places(spec_hash), key=lambda place: place[0].state is not None)
        sizes = (self._size(spec, cache) for spec, cache in caches_first)
        return next((size for size in sizes if size is not None), None)

    def each(self, hashes: Iterable[str]) -> Iterator[tuple[str, int | None]]:
        """Yield each hash with its bytes, in any order; servers are asked in parallel. Ends early when cancelled."""
        if self._remote is None:
            for spec_hash in hashes:
                if self._cancelled():
                    return
                yield spec_hash, self(spec_hash)
            return
        from concurrent.futures import ThreadPoolExecutor, as_completed

        with ThreadPoolExecutor(AT_A_TIME) as pool:
            asked = {pool.submit(self, spec_hash): spec_hash for spec_hash in hashes}
            try:
                for future in as_completed(asked):
                    yield asked[future], future.result()
            except Interrupted:
                return
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def _places(self, spec_hash: str) -> Iterator[tuple[Spec, str | None]]:
        """Yield the specs with this hash, each with the folder or URL of its build cache."""
        for row in self._index.rows_of(spec_hash):
            spec = self._index.spec(row)
            yield spec, self._index.graph.mirror(spec.tag, spec.stacks)

    def _size(self, spec: Spec, cache: str | None) -> int | None:
        if spec.bytes is not None:
            return spec.bytes
        if cache is None:
            return installed_size(spec)
        if not is_url(cache):
            return self._caches.setdefault(cache, Binaries(cache)).size(spec)
        if self._remote is None or cache in self._away:
            return None
        try:
            return self._remote.size(cache, spec, self._cancelled)
        except FetchError:
            self._away.add(cache)
            return None


class _File(msgspec.Struct):
    """What the manifest of a prefix says of a path; folders and links have no size."""

    size: Annotated[int, msgspec.Meta(ge=0, le=LARGEST)] = 0


def installed_size(spec: Spec) -> int | None:
    """Return the bytes of what is installed, as Spack's manifest says, else of the files in its prefix.

    None for externals and where they are not known. Only a folder that Spack made is looked into, so never `/usr`.
    """
    manifest = ".spack/install_manifest.json"
    if spec.state not in ("installed", "upstream") or spec.prefix is None:
        return 0 if spec.state == "gone" else None
    try:
        if os.path.lexists(f"{spec.prefix}/{manifest}"):
            data = load(spec.prefix, manifest, MAX_FILE)[1]
            sizes = [file.size for file in msgspec.json.decode(data, type=dict[str, _File]).values()]
        else:
            below = _sizes_below(spec.prefix) if os.path.isdir(f"{spec.prefix}/.spack") else ()
            sizes = list(islice(below, MOST_ENTRIES))
            if len(sizes) in (0, MOST_ENTRIES):
                return None
    except (OSError, ValueError, RecursionError):
        return None
    return sum(sizes) if sum(sizes) <= LARGEST else None


def _sizes_below(folder: str) -> Iterator[int]:
    """Yield the bytes of each entry of a folder, at any depth; 0 for what is no file. Links are not followed."""
    with os.scandir(folder) as entries:
        for entry in entries:
            yield entry.stat(follow_symlinks=False).st_size if entry.is_file(follow_symlinks=False) else 0
            if entry.is_dir(follow_symlinks=False):
                yield from _sizes_below(entry.path)


def has_urls(graph: Graph) -> bool:
    """Return whether any build cache of the graph is on a server."""
    return any(is_url(cache) for caches in graph.mirrors for cache in caches.values())


def is_url(cache: str | None) -> bool:
    """Return whether a build cache is on a server."""
    return cache is not None and "://" in cache

"""Check whether build caches contain the binaries of specs, in folders and on servers.

In layout v3, a binary is present if its manifest is readable and its tarball has the length in the manifest. Layout v2
does not record the length, so a spec file and a tarball are enough. Like Spack, try layout v3 first, then layout v2.
Input: folders and URLs of build caches, with any content.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial

from cachetui.model.presence import ABSENT, UNREAD, Presence
from cachetui.model.spec import Spec
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.binaries import (
    Binaries,
    binary_in,
    is_url,
    path_v2,
    spec_manifest,
    tarball_of,
)
from cachetui.sources.buildcache.layouts import (
    MANIFESTS,
    SPEC_FILE_ENDS,
    V2,
    Layout,
    index_files,
    public_keys,
)
from cachetui.sources.buildcache.manifests import MAX_FILE_BYTES, checksum_in, fingerprints, read_manifest
from cachetui.sources.buildcache.openpgp import is_whole, issuer, key_ids
from cachetui.sources.buildcache.remote_binaries import MAX_REQUESTS, RemoteBinaries
from cachetui.sources.files import load, opened
from cachetui.sources.source import Asking, MirrorRules
from cachetui.sources.transport.address import is_repository
from cachetui.workers.cancelling import Cancelled, never
from cachetui.workers.threads import parallel

UNSIGNED_RULES = MirrorRules(signed=False)
"""The rules for a build cache that is not in a `mirrors.yaml`: signatures are not required."""

KEYRINGS = ("pubring.kbx", "pubring.gpg")
"""The names of gpg files with public keys. In these files, the id of each key appears as plain bytes."""

KEYS = ((f"{MANIFESTS}/key", "keys.manifest.json", ".key.manifest.json"), (f"{V2}/_pgp", "index.json", ".pub"))
"""For each layout: the folder of public keys, the file that lists the keys, and the suffix of key files."""

Trusts = Callable[[str], bool | None]
"""A function that returns whether an installation has the key with this id. None if unknown."""


def trusts(folders: Sequence[str]) -> Trusts:
    """Read the keyrings in these folders. Return a function that returns whether they contain the key with a given id.

    If the key is not found, the function returns False. If a keyring cannot be read, or `folders` is empty, the
    function returns None instead of False.
    """
    found, is_known = list[bytes](), bool(folders)
    for path in [f"{folder}/{name}" for folder in folders for name in KEYRINGS]:
        try:
            found.append(load(path, MAX_FILE_BYTES))
        except OSError as error:
            is_known = is_known and isinstance(error, FileNotFoundError)
    return lambda key: any(bytes.fromhex(key) in ring for ring in found) or (False if is_known else None)


class BinaryFiles:
    """Checks the files of all build caches in one index."""

    def __init__(
        self,
        rules: Mapping[tuple[str, str], MirrorRules],
        settings: Settings,
        trusts: Trusts = lambda _: None,
        cancelled: Cancelled = never,
        *,
        verify: bool = False,
        remote: RemoteBinaries | None = None,
        announce: Callable[[int], object] = lambda _: None,
    ) -> None:
        """`rules` contains the rules of `mirrors.yaml` for each build cache, keyed by tag and stack.

        With `verify`, compare the checksums of tarballs. With `remote`, also request files from servers. Before the
        requests start, `announce` is called with the number of requests.
        """
        self._announce = announce
        self._rules, self._settings = rules, settings
        self._trusts = trusts
        self._cancelled = cancelled
        self._verify = verify
        self._folder = cache(_CacheFolder)
        self._server = cache(partial(_CacheServer, remote, cancelled)) if remote else None

    def looks_at(self, cache: str) -> bool:
        """Return whether this object can read a build cache. `cache` is a folder, or a URL, which needs `remote`."""
        return self._server is not None or not is_url(cache)

    def lists(self, mirror: tuple[str, str], cache: str) -> bool:
        """Return whether a build cache has an index. Without an index, Spack cannot find specs by name or hash."""
        return is_url(cache) or bool(self._folder(cache).indexes)

    def look(self, mirror: tuple[str, str], cache: str, specs: Sequence[Spec]) -> Iterable[Presence]:
        """Return for each spec whether the build cache has the binary. Raises Interrupted.

        `mirror` is the tag and the stack of the build cache.
        """
        rules = self._rules.get(mirror)
        if self._server is not None and is_url(cache):
            from concurrent.futures import ThreadPoolExecutor  # late, because few commands need it

            self._announce((2 + self._verify) * len(specs))
            with ThreadPoolExecutor(MAX_REQUESTS) as pool:
                found = list(
                    pool.map(partial(self._server(cache).presence, rules or UNSIGNED_RULES, self._verify), specs)
                )
        else:
            look = partial(self._folder(cache).presence, rules or UNSIGNED_RULES, self._verify)
            found = list(parallel(look, specs, self._cancelled))
        return [self._judged(each) if rules is None or rules.signed else each for each in found]

    def confirmed(self, cache: str) -> float | None:
        """Return when the server last confirmed the index of a build cache, in seconds since the epoch.

        For a build cache in a folder, return when the index was written. Return None if the time is unknown.
        """
        if is_url(cache):
            return RemoteBinaries(self._settings, Asking(offline=True)).confirmed(cache)
        return max(map(os.path.getmtime, filter(os.path.exists, self._folder(cache).indexes)), default=None)

    def _judged(self, found: Presence) -> Presence:
        """Return `found`. If the key of the signature is not trusted, return instead that Spack refuses the binary."""
        if found.there and found.key and self._trusts(found.key) is False:
            return Presence(False, found.signed, found.key, published=False, refused=True)
        return found


class _CacheFolder(Binaries):
    """One build cache in a folder."""

    @cached_property
    def indexes(self) -> list[str]:
        """The paths of the indexes of the build cache."""
        return [f"{self.folder}/{each.path}" for each in index_files(self.folder, self.layout)]

    def presence(self, rules: MirrorRules, verify: bool, spec: Spec) -> Presence:
        """Return whether the build cache has the binary of a spec. Raises Interrupted."""
        answers = []
        for look_up in [self._in_v3] * self.layout.v3 + [self._in_v2] * (self.layout.v2 is not None and not rules.view):
            try:
                found = look_up(spec, verify)
            except (FileNotFoundError, NotADirectoryError, ValueError):
                continue
            except OSError:
                found = UNREAD
            if found.there and found.signed is False and rules.signed:
                found = Presence(False, found.signed, refused=True)
            if found.there:
                return found
            answers.append(found)
        return max(answers, key=lambda each: (each.refused, each.there is None), default=ABSENT)

    def _in_v3(self, spec: Spec, verify: bool) -> Presence:
        """Return whether the build cache has the binary in layout v3. Raises OSError and ValueError."""
        data = self._load(spec_manifest(spec))
        blob, where, is_signed = binary_in(data)
        size = self._size(where)
        if size != blob.content_length or (verify and self._sha256(where) != blob.checksum):
            return ABSENT
        return self._signed(data, is_signed, size)

    def _in_v2(self, spec: Spec, verify: bool) -> Presence:
        """Return whether the build cache has the binary in layout v2. Raises OSError and ValueError."""
        for path, tarball in self._files_v2(spec):
            with suppress(FileNotFoundError):
                data = self._load(path)
                signed, checksum = checksum_in(data, yaml=path.endswith(".yaml"))
                if tarball is None or (signed and not is_whole(data)):
                    return ABSENT
                size = self._size(tarball)
                if verify and checksum and self._sha256(tarball) != checksum:
                    return ABSENT
                return self._signed(data, signed if signed or checksum else None, size)
        return ABSENT

    def _signed(self, data: bytes, signed: bool | None, size: int) -> Presence:
        key = ""
        with suppress(ValueError):
            key = (issuer(data) or "") if signed else ""
        return Presence(True, signed, key, published=not key or key in self._published, bytes=size)

    @cached_property
    def _published(self) -> frozenset[str]:
        """The ids of all readable public keys in the build cache."""
        found = set[str]()
        with suppress(OSError):
            for path in self._keys():
                with suppress(OSError, ValueError):
                    found |= key_ids(blob_in(self._load, path))
        return frozenset(found)

    # Access to the files of the build cache; each method raises OSError

    def _load(self, path: str) -> bytes:
        return load(f"{self.folder}/{path}", MAX_FILE_BYTES)

    def _size(self, path: str) -> int:
        return os.stat(f"{self.folder}/{path}").st_size

    def _sha256(self, path: str) -> str:
        return sha256_of(self.folder, path)

    def _files_v2(self, spec: Spec) -> Iterator[tuple[str, str | None]]:
        """Yield each path that the spec file may have, with the path of its tarball."""
        for path in self.spec_files.get(spec.hash or "", ())[:1]:
            yield path, tarball_of(self.folder, path, spec.package, spec.version or "")

    def _keys(self) -> Iterable[str]:
        return public_keys(self.folder, self.layout)


class _CacheServer(_CacheFolder):
    """One build cache on a server. Its manifests, spec files and keys are saved in a local copy."""

    def __init__(self, remote: RemoteBinaries, cancelled: Cancelled, url: str) -> None:
        super().__init__(url)
        self.layout = Layout(None if is_repository(url) else f"{V2}/", v3=True)
        self._remote = remote
        self._cancelled = cancelled

    def _load(self, path: str) -> bytes:
        return self._remote.load(self.folder, path, MAX_FILE_BYTES, self._cancelled)

    def _size(self, path: str) -> int:
        length = self._remote.length(self.folder, path, self._cancelled)
        if length is None:
            raise OSError("the server does not send the length of the file")
        return length

    def _sha256(self, path: str) -> str:
        return self._remote.sha256(self.folder, path, self._cancelled)

    def _files_v2(self, spec: Spec) -> Iterator[tuple[str, str]]:
        tarball = path_v2(spec)
        base = tarball.rpartition("/")[2].removesuffix(".spack")
        yield from ((f"{V2}/{base}{end}", tarball) for end in SPEC_FILE_ENDS[:2])

    def _keys(self) -> Iterator[str]:
        for folder, index, end in KEYS:
            with suppress(FileNotFoundError, ValueError):
                yield from (f"{folder}/{key}{end}" for key in fingerprints(blob_in(self._load, f"{folder}/{index}")))


def sha256_of(folder: str, path: str) -> str:
    """Return the checksum of a file. Raises OSError."""
    with opened(f"{folder}/{path}") as (descriptor, _), open(descriptor, "rb", closefd=False) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def blob_in(load: Callable[[str], bytes], path: str) -> bytes:
    """Return the content of the file at `path`, which is read with `load`. Raises OSError and ValueError.

    For a manifest, return the content of its first blob instead.
    """
    data = load(path)
    if path.endswith(".manifest.json"):
        data = load(next((each.path for each in read_manifest(data).blobs), None) or path)
    return data

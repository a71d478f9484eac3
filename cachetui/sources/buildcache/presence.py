"""Whether build caches have the binaries of specs: by their files, or by asking their servers.

A binary is there if its manifest can be read and its tarball has the stated length. Layout v2 states no length, so that
spec file and tarball have to exist. As in Spack, layout v3 comes first, and layout v2 counts if v3 does not have it.
Input: folders and URLs of build caches, which may hold anything.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import cache, cached_property, partial

from cachetui.model.presence import ABSENT, UNREAD, Presence
from cachetui.model.spec import Spec
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.binaries import Binaries, binary_in, file_name, is_url, spec_manifest, tarball_of
from cachetui.sources.buildcache.layouts import SPEC_MANIFESTS, index_files, public_keys
from cachetui.sources.buildcache.manifests import KEY_TYPE, MAX_FILE, checksum_in, read_manifest
from cachetui.sources.buildcache.openpgp import is_whole, issuer, key_ids
from cachetui.sources.buildcache.remote_binaries import AT_A_TIME, RemoteBinaries
from cachetui.sources.files import load, opened
from cachetui.sources.source import Asking, MirrorRules
from cachetui.workers.cancelling import Cancelled, never
from cachetui.workers.parallel import parallel

ANY = MirrorRules(signed=False)
"""The rules for a build cache that no `mirrors.yaml` names: its signatures are not asked for."""

KEYRINGS = ("pubring.kbx", "pubring.gpg")
"""The files of gpg with public keys, in which the id of each key appears as it is."""

Trusts = Callable[[str], bool | None]
"""Whether the keyring of an installation has a key, by its id; None if there is no keyring."""


def trusts(folders: Iterable[str]) -> Trusts:
    """Return whether the keyrings in these folders have a key, by its id."""
    rings = [f"{folder}/{name}" for folder in folders for name in KEYRINGS]
    found: list[bytes] = []
    for ring in filter(os.path.isfile, rings):
        with suppress(OSError):
            found.append(load(ring, MAX_FILE))
    return lambda key: any(bytes.fromhex(key) in ring for ring in found) if found else None


class Files:
    """Looks at the files of build caches in folders, for one index."""

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
        """`rules` are by tag and stack. With `verify` the checksums of tarballs are compared.

        With `remote` servers are asked; `announce` gets the number of requests first.
        """
        self._remote = remote
        self._announce = announce
        self._rules, self._settings = rules, settings
        self._trusts = trusts
        self._cancelled = cancelled
        self._verify = verify
        self._folder = cache(_Folder)

    def looks_at(self, cache: str) -> bool:
        """Return whether the files of the cache at this folder or URL can be looked at."""
        return self._remote is not None or not is_url(cache)

    def lists(self, mirror: tuple[str, str], cache: str) -> bool:
        """Return whether a cache has an index, by which Spack finds specs by name and by hash."""
        return is_url(cache) or self._folder(cache).has_index

    def look(self, mirror: tuple[str, str], cache: str, specs: Sequence[Spec]) -> Iterable[Presence]:
        """Return for each spec whether the cache has its binary; raises Interrupted."""
        rules = self._rules.get(mirror)
        if self._remote is not None and is_url(cache):
            return [_accepted(each, rules or ANY) for each in self._asked(self._remote, cache, specs)]
        look = partial(self._folder(cache).presence, rules or ANY, self._verify)
        found = parallel(look, specs, self._cancelled)
        return [self._judged(each, is_verified=rules is None or rules.signed) for each in found]

    def confirmed(self, cache: str) -> float | None:
        """Return when the server last confirmed the index of a cache; None for a folder."""
        return RemoteBinaries(self._settings, Asking(offline=True)).confirmed(cache) if is_url(cache) else None

    def _asked(self, remote: RemoteBinaries, cache: str, specs: Sequence[Spec]) -> Iterable[Presence]:
        from concurrent.futures import ThreadPoolExecutor  # late, as few ask

        self._announce(2 * len(specs))
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            return list(pool.map(lambda spec: remote.presence(cache, spec, self._cancelled), specs))

    def _judged(self, found: Presence, *, is_verified: bool) -> Presence:
        """Refuse a signature whose key an installation does not trust, unless nobody verifies it."""
        if found.there and found.key and is_verified and self._trusts(found.key) is False:
            return Presence(False, found.signed, found.key, refused=True)
        return found


def _accepted(found: Presence, rules: MirrorRules) -> Presence:
    """Refuse an unsigned binary where the rules want signed ones."""
    is_refused = found.there and found.signed is False and rules.signed
    return Presence(False, found.signed, refused=True) if is_refused else found


class _Folder(Binaries):
    """One build cache in a folder."""

    @cached_property
    def has_index(self) -> bool:
        """Whether it has an index."""
        return bool(index_files(self.folder, self.layout))

    def presence(self, rules: MirrorRules, verify: bool, spec: Spec) -> Presence:
        """Return whether it has the binary of a spec; never raises."""
        answers = []
        ways = [self._in_v3] * self.layout.v3 + [self._in_v2] * (self.layout.v2 is not None and not rules.view)
        for way in ways:
            try:
                found = way(spec, verify)
            except (FileNotFoundError, NotADirectoryError, ValueError):
                continue
            except OSError:
                found = UNREAD
            found = _accepted(found, rules)
            if found.there:
                return found
            answers.append(found)
        return max(answers, key=lambda each: (each.refused, each.there is None), default=ABSENT)

    def _in_v3(self, spec: Spec, verify: bool) -> Presence:
        """Raises OSError and ValueError."""
        path = spec_manifest(spec) if spec.version else self._manifest_of(spec)
        data = load(f"{self.folder}/{path}", MAX_FILE)
        blob, where, is_signed = binary_in(data)
        size = os.stat(f"{self.folder}/{where}").st_size
        if size != blob.content_length or (verify and sha256_of(self.folder, where) != blob.checksum):
            return ABSENT
        return self._signed(data, is_signed, size)

    def _in_v2(self, spec: Spec, verify: bool) -> Presence:
        """Raises OSError and ValueError."""
        for path in self.spec_files.get(spec.hash or "", ())[:1]:
            data = load(f"{self.folder}/{path}", MAX_FILE)
            signed, checksum = checksum_in(data, yaml=path.endswith(".yaml"))
            tarball = tarball_of(self.folder, path, spec.package, spec.version or "")
            if tarball is None or (signed and not is_whole(data)):
                return ABSENT
            if verify and checksum and sha256_of(self.folder, tarball) != checksum:
                return ABSENT
            size = os.stat(f"{self.folder}/{tarball}").st_size
            return self._signed(data, signed if signed or checksum else None, size)
        return ABSENT

    def _manifest_of(self, spec: Spec) -> str:
        """Return the manifest of a spec whose version is unknown; raises OSError."""
        folder = f"{SPEC_MANIFESTS}/{file_name(spec.package)}"
        end = f"-{spec.hash}.spec.manifest.json"
        names = (name for name in os.listdir(f"{self.folder}/{folder}") if name.endswith(end))
        return f"{folder}/{next(names, end)}"

    def _signed(self, data: bytes, signed: bool | None, size: int) -> Presence:
        key = ""
        with suppress(ValueError):
            key = (issuer(data) or "") if signed else ""
        return Presence(True, signed, "" if key in self._published else key, bytes=size)

    @cached_property
    def _published(self) -> frozenset[str]:
        """The ids of the keys that the cache has."""
        return frozenset(_ids(self.folder, public_keys(self.folder, self.layout)))


def sha256_of(folder: str, path: str) -> str:
    """Return the checksum of a file; raises OSError."""
    with opened(f"{folder}/{path}") as (descriptor, _), open(descriptor, "rb", closefd=False) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _ids(folder: str, paths: Iterable[str]) -> Iterator[str]:
    """Yield the ids of the public keys in these files, as far as they can be read."""
    for path in paths:
        with suppress(OSError, ValueError):
            yield from ids_in(folder, path)


def ids_in(folder: str, path: str) -> Set[str]:
    """Return the ids of the public keys in a file, or in that of a manifest; raises OSError and ValueError."""
    data = load(f"{folder}/{path}", MAX_FILE)
    if path.endswith(".json"):
        blob = read_manifest(data).of_type(KEY_TYPE)
        data = load(f"{folder}/{(blob and blob.path) or path}", MAX_FILE)
    return key_ids(data)

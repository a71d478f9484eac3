"""Check whether the files of a build cache are consistent: index, manifests, spec files, blobs and tarballs.

For a build cache in a local folder, the lengths of blobs and the checksum of the index are checked. For a registry, the
index is compared with the image tags that the registry lists. Other servers are not examined.
Input: the folder of a build cache, or its local copy.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from cachetui.model.dependency import LINK_RUN, State
from cachetui.model.problem import Level, Problem, Signer, UserError
from cachetui.safe_text import plural, size_text
from cachetui.sources.buildcache.binaries import is_signed_spec_file, tarball_of
from cachetui.sources.buildcache.index_document import MAX_INDEX_BYTES, marks_binaries, read_database
from cachetui.sources.buildcache.layouts import (
    INDEX,
    MANIFESTS,
    IndexFile,
    files_below,
    index_files,
    layout_of,
    public_keys,
    spec_files,
    spec_manifests,
)
from cachetui.sources.buildcache.manifests import (
    INDEX_TYPE,
    MAX_FILE_BYTES,
    Blob,
    checksum_in,
    read_manifest,
    read_spec_file,
)
from cachetui.sources.buildcache.openpgp import issuer, key_ids
from cachetui.sources.buildcache.presence import blob_in, sha256_of
from cachetui.sources.buildcache.tag_list import hash_in, list_tags
from cachetui.sources.files import decompressed, load
from cachetui.sources.source import ContentError
from cachetui.sources.transport.address import is_repository
from cachetui.sources.transport.cache import Servers
from cachetui.sources.transport.errors import FetchError
from cachetui.store.graph import Graph


def examine_caches(
    graph: Graph, tags: Collection[str] = (), servers: Servers | None = None, *, verify: bool = False
) -> Iterator[Problem]:
    """Yield the problems of build caches in local folders. With `tags`, examine only the build caches of these tags.

    With `servers`, also examine registries, and request their image tags. With `verify`, also compare the checksums of
    blobs and tarballs.
    """
    found = list(_problems_of_caches(graph, tags, servers, verify=verify))
    pushed = {
        each for problem in found if (problem.kind, problem.level) == ("index", "note") for each in problem.hashes
    }
    yield from found
    yield from _missing_dependencies(graph, tags, pushed)


def _problems_of_caches(
    graph: Graph, tags: Collection[str], servers: Servers | None, *, verify: bool
) -> Iterator[Problem]:
    for folder in _caches(graph, tags):
        if os.path.isdir(folder):
            yield from _Examination(folder, verify=verify).problems()
        elif is_repository(folder) and servers is not None and servers.client is not None:
            copy = servers.copy(folder)
            try:
                listed = {hash_in(tag): tag for tag in list_tags(servers.client, folder) if hash_in(tag)}
                yield from _Examination(str(copy.files), folder).tags(listed)
            except FetchError as error:
                yield Problem(path=folder, level="note", kind="unlisted", message=f"its tags cannot be listed: {error}")


def signers(graph: Graph, tags: Collection[str] = ()) -> list[Signer]:
    """Return the signers of the binaries in all build caches. With `tags`, read only the build caches of these tags.

    All these build caches must be in local folders. Raises UserError if a build cache is on a server, has no binaries,
    or has an unreadable file.
    """
    caches, found = _caches(graph, tags), []
    if not caches:
        raise UserError("only a build cache has signers: give the folder of a build cache")
    for folder, (tag, stack) in caches.items():
        examination = _Examination(folder)
        for problem in examination.problems():
            if problem.kind == "unreadable":
                raise UserError(
                    f"the signers cannot be determined, because {problem.path} has an error: {problem.message}"
                )
        if not examination.signers:
            raise UserError(f"the signers cannot be determined: found no manifest or spec file in {folder}")
        found += [
            Signer(
                *(tag, stack, signed, key, key in examination.published, len(paths), f"{folder}/{min(paths)}"),
                hashes=tuple(path.rpartition(".spec.")[0][-32:] for path in sorted(paths)),
            )
            for (signed, key), paths in sorted(examination.signers.items(), key=str)
        ]
    return found


def _caches(graph: Graph, tags: Collection[str]) -> dict[str, tuple[str, str]]:
    """Map the folder or URL of each build cache to its tag and stack. With `tags`, include only these tags.

    If several tags or stacks use the same build cache, return only the first tag and stack.
    """
    named = [(tag, mirrors) for tag, mirrors in zip(graph.tags, graph.mirrors, strict=True) if not tags or tag in tags]
    places = [(folder, (tag, stack)) for tag, mirrors in named for stack, folder in mirrors.items()]
    return dict(sorted(dict(reversed(places)).items()))


def _missing_dependencies(graph: Graph, tags: Collection[str], pushed: set[str]) -> Iterator[Problem]:
    """Find binaries with missing link or run dependencies. Yield one problem for each tag with such binaries.

    An external package is never missing. In an installation, a dependency is missing if it is not installed. `pushed`
    contains the hashes of binaries that are in a build cache, but not in its index. These binaries are not missing.
    """
    here: dict[bool, set[str]] = {True: set(), False: pushed}
    for tag, part in zip(graph.tags, graph.parts, strict=True):
        there = (k for k in range(len(part)) if part.state[k] in (State.BINARY, State.EXTERNAL, State.NAMED))
        here[tag in graph.trees].update(map(part.hashes.__getitem__, there))
    for each, base in zip(graph.of_tags, graph.bases, strict=False):
        if tags and each.tag not in tags:
            continue
        part, spoilt, wanted, is_tree = each.nodes, 0, Counter[int](), each.tag in graph.trees
        for number in (base + k for k in range(len(part)) if part.state[k] == State.BINARY):
            missing = {
                need for need in graph.direct_dependencies(number, LINK_RUN) if graph.hash(need) not in here[is_tree]
            }
            spoilt += bool(missing)
            wanted.update(missing)
        for most, _ in wanted.most_common(1):
            specs = f"{plural(spoilt, 'spec')} of {each.tag} {'needs' if spoilt == 1 else 'need'}"
            name = f"{graph.name(most)}/{graph.hash(most)[:7]}"
            lacking = f"{plural(len(wanted), 'dependency')} that no {'tree' if is_tree else 'cache'} has"
            message = f"{specs} {lacking}; missing most often: {name}"
            where = each.tag if is_tree else next(iter(each.mirrors.values()), each.path)
            yield Problem.of(where, "missing_dependency", message, "note", hashes=sorted(map(graph.hash, wanted)))


class _Examination:
    """The examination of one build cache."""

    def __init__(self, folder: str, name: str = "", *, verify: bool = False) -> None:
        """`name` is used instead of the folder in messages. With `verify`, compare checksums."""
        self._folder = folder
        self._verify = verify
        self._is_read = True
        """Whether every file that may refer to blobs could be read."""
        self._name = name or folder
        self._layout = layout_of(folder)
        self._seen: set[str] = set()
        """The checksums of the blobs that were already checked. Several manifests may refer to one blob."""
        self.signers: dict[tuple[bool | None, str | None], list[str]] = {}
        """The paths of manifests and spec files by (whether the file is signed, id of the signing key).

        Both values may be None if unknown.
        """
        self.published: set[str] = set()
        """The ids of the keys in the build cache."""

    def problems(self) -> Iterator[Problem]:
        """Yield all errors and notes."""
        manifests: dict[str, str] = {}
        files: dict[str, str] = {}
        keys: list[str] = []
        try:
            manifests = spec_manifests(self._folder, strict=True) if self._layout.v3 else {}
            files = spec_files(self._folder, self._layout.v2) if self._layout.v2 is not None else {}
            keys = public_keys(self._folder, self._layout, strict=True)
        except (OSError, ContentError) as error:
            yield self._problem("", "unreadable", str(error))
            self._is_read = False
        indexes = index_files(self._folder, self._layout)
        if not indexes:
            message = "the cache has no index, which Spack needs to find specs: run spack buildcache update-index"
            yield self._problem("", "no_index", message, "note")
        for index in indexes:
            yield from self._index(index, manifests if index.is_manifest else files)
        for spec_hash, path in manifests.items():
            yield from self._manifest(path, spec_hash)
        for spec_hash, path in files.items():
            yield from self._spec_file(path, spec_hash)
        yield from self._signatures(keys)
        if self._layout.v3:
            yield from self._unused_blobs(manifests.values())

    def _unused_blobs(self, specs: Iterable[str]) -> Iterator[Problem]:
        """Yield a note with the number of unused blobs.

        `specs`: the paths of the manifests that were already read. This function does not read them again.
        """
        if not self._is_read:
            return
        others = {path for path in files_below(self._folder, MANIFESTS) if path.endswith(".manifest.json")}
        with suppress(OSError, ValueError):
            for path in others.difference(specs):
                self._seen.update(blob.checksum for blob in read_manifest(self._load(path)).blobs)
            blobs = files_below(self._folder, "blobs/sha256")
            unused = [path for path in blobs if path.rpartition("/")[2] not in self._seen]
            size = sum(os.lstat(f"{self._folder}/{path}").st_size for path in unused)
            if unused:
                message = f"nothing refers to {plural(len(unused), 'blob')} ({size_text(size)}), such as an old index"
                yield self._problem("blobs", "blob", message, "note")

    def tags(self, present: Mapping[str, str]) -> Iterator[Problem]:
        """Yield the differences between the index and the image tags of a registry.

        `present` maps the hash of each spec to its image tag.
        """
        for index in index_files(self._folder, self._layout):
            yield from self._index(index, present, "tag") if index.is_manifest else ()

    def _index(self, index: IndexFile, present: Mapping[str, str], what: str = "") -> Iterator[Problem]:
        """Yield the differences between an index and the build cache.

        `present` maps each hash in the build cache to its manifest, spec file or image tag. Messages use the noun
        `what` for these. By default, the noun is `manifest` or `spec file`, depending on the layout.
        """
        blob, path = None, index.path
        try:
            if index.is_manifest:
                blob = read_manifest(self._load(path)).of_type(INDEX_TYPE)
                path = (blob and blob.path) or path
            data = self._load(path, MAX_INDEX_BYTES)
            database = read_database(decompressed(data, MAX_INDEX_BYTES))
        except (OSError, ValueError):
            return  # already reported when the build cache was read
        digest = hashlib.sha256(data).hexdigest()
        if blob is not None:
            yield from self._blob(blob, index.path)
            if len(data) == blob.content_length and digest != blob.checksum:
                yield self._problem(path, "checksum", f"its sha256 differs from the one in {index.path}")
        else:
            with suppress(OSError):
                if self._load(f"{path}.hash").strip() != digest.encode():
                    yield self._problem(f"{path}.hash", "checksum", f"it is not the sha256 of {INDEX}")
        binaries = {node_hash for node_hash, entry in database.entries.items() if entry.in_buildcache}
        what = what or ("manifest" if index.is_manifest else "spec file")
        if gone := sorted(binaries.difference(present)):
            verb = "has" if len(gone) == 1 else "have"
            message = f"{plural(len(gone), 'spec')} of the index {verb} no {what}, such as /{gone[0]}"
            yield self._problem(index.path, "index", message, hashes=gone)
        new = sorted(set(present) - binaries)
        if new and marks_binaries(database.version) and not index.view:
            verb = "is" if len(new) == 1 else "are"
            message = f"{plural(len(new), 'pushed spec')} {verb} not in the index, such as /{new[0]}"
            yield self._problem(index.path, "index", message, "note", new)

    def _manifest(self, path: str, spec_hash: str) -> Iterator[Problem]:
        try:
            data = self._load(path)
            manifest = read_manifest(data)
        except (OSError, ValueError) as error:
            yield self._problem(path, "unreadable", str(error), hashes=[spec_hash])
            self._is_read = False
            return
        self._add_signature(path, data, manifest.signed)
        for blob in manifest.blobs:
            if blob.checksum not in self._seen:
                self._seen.add(blob.checksum)
                yield from self._blob(blob, path, [spec_hash])

    def _blob(self, blob: Blob, named_in: str, hashes: Sequence[str] = ()) -> Iterator[Problem]:
        where = blob.path
        if where is None:
            yield self._problem(named_in, "manifest", f"an invalid checksum: {blob.checksum[:80]}", hashes=hashes)
            return
        try:
            size = os.stat(f"{self._folder}/{where}").st_size
            is_changed = self._verify and bool(hashes) and sha256_of(self._folder, where) != blob.checksum
        except OSError as error:
            yield self._problem(named_in, "missing_blob", f"{where}: {error.strerror}", hashes=hashes)
            return
        if size != blob.content_length:
            message = f"it has {size:,} bytes, but {named_in} states {blob.content_length:,}"
            yield self._problem(where, "length", message, hashes=hashes)
        elif is_changed:
            yield self._problem(where, "checksum", f"its sha256 differs from the one in {named_in}", hashes=hashes)

    def _spec_file(self, path: str, spec_hash: str) -> Iterator[Problem]:
        try:
            data, is_yaml = self._load(path), path.endswith(".yaml")
            spec = read_spec_file(data, yaml=is_yaml)
            signed = is_signed_spec_file(self._folder, path)
            tarball = tarball_of(self._folder, path, spec.nodes[0].name, spec.nodes[0].version)
            checksum = checksum_in(data, yaml=is_yaml)[1] if self._verify and tarball else ""
            is_changed = bool(tarball and checksum) and sha256_of(self._folder, tarball or "") != checksum
        except (OSError, ValueError) as error:
            yield self._problem(path, "unreadable", str(error), hashes=[spec_hash])
            return
        self._add_signature(path, data, signed)
        if tarball is None:
            yield self._problem(path, "missing_tarball", "its tarball is missing", hashes=[spec_hash])
        elif is_changed:
            yield self._problem(tarball, "checksum", f"its sha256 differs from the one in {path}", hashes=[spec_hash])

    def _add_signature(self, path: str, data: bytes, signed: bool | None) -> None:
        """Record whether a manifest or spec file is signed, and the id of the key that signed it."""
        key = None
        with suppress(ValueError):
            key = issuer(data) if signed else None
        self.signers.setdefault((signed, key), []).append(path)

    def _signatures(self, keys: Iterable[str]) -> Iterator[Problem]:
        """Yield a note if only some specs are signed. Yield a problem for each unreadable key.

        Also yield a note for each key that signed a spec, but is missing from the build cache. `keys` has the paths of
        the public keys in the build cache.
        """
        every = sum(len(paths) for (signed, _), paths in self.signers.items() if signed is not None)
        unsigned = self.signers.get((False, None), [])
        if 0 < len(unsigned) < every:
            message = f"{len(unsigned)} of {plural(every, 'spec')} are not signed; the first is {unsigned[0]}"
            yield self._problem("", "signature", message, "note")
        for path in keys:
            try:
                self.published |= key_ids(blob_in(self._load, path))
            except (OSError, ValueError) as error:
                yield self._problem(path, "unreadable", str(error))
        for (_, key), paths in self.signers.items():
            if key is not None and key not in self.published:
                specs = plural(len(paths), "spec")
                message = f"the cache does not have the key {key}, which signed {specs}; the first is {paths[0]}"
                yield self._problem("", "signature", message, "note")

    def _load(self, path: str, limit: int = MAX_FILE_BYTES) -> bytes:
        return load(f"{self._folder}/{path}", limit)

    def _problem(
        self,
        path: str,
        kind: str,
        message: str,
        level: Level = "fault",
        hashes: Iterable[str] = (),
    ) -> Problem:
        where = self._name if self._name != self._folder else f"{self._folder}/{path}".rstrip("/")
        return Problem.of(where, kind, message, level, hashes=hashes)

"""Whether the files of a build cache go together: index, manifests, spec files, blobs and tarballs.

Everything that is said is about one cache in a folder on this machine. Reading all content to check it is left to
whoever asks for it.
Input: the folder of a build cache.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Literal

from cachetui.model.dependency import LINK_RUN, State
from cachetui.model.problem import Problem
from cachetui.safe_text import plural
from cachetui.sources.buildcache.binary_file import Binaries, is_signed_spec_file
from cachetui.sources.buildcache.index_document import MAX_INDEX, read_database
from cachetui.sources.buildcache.layouts import (
    INDEX,
    index_files,
    layout_of,
    public_keys,
    spec_files,
    spec_manifests,
)
from cachetui.sources.buildcache.manifests import INDEX_TYPE, KEY_TYPE, MAX_FILE, Blob, read_manifest
from cachetui.sources.buildcache.openpgp import issuer, key_ids
from cachetui.sources.files import decompressed, load
from cachetui.store.graph import Graph

LATER = 60.0
"""Seconds by which a file must be younger than an index to count as pushed after it: a copy takes its time too."""

BLOCK = 2**20
"""Bytes that are read at once where a checksum is made."""


def examine_caches(graph: Graph, tags: Collection[str] = (), *, deep: bool = False) -> Iterator[Problem]:
    """Yield what is wrong with the caches of a catalogue that are on this machine, or of some of its tags.

    `deep` reads every blob and tarball to check its sha256.
    """
    seen: set[str] = set()
    for tag, mirrors in zip(graph.tags, graph.mirrors, strict=True):
        if not tags or tag in tags:
            for folder in mirrors.values():
                if folder not in seen and os.path.isdir(folder):
                    seen.add(folder)
                    yield from _Examination(folder).problems(deep=deep)


def missing_dependencies(graph: Graph, tags: Collection[str] = ()) -> Iterator[Problem]:
    """Yield for each tag what its binaries link to or run with that is in no cache and no external."""
    here = {
        part.hashes[k]
        for part in graph.parts
        for k in range(len(part))
        if part.state[k] in (State.BINARY, State.EXTERNAL)
    }
    for part, mirrors, follow in zip(graph.parts, graph.mirrors, graph.followed(LINK_RUN), strict=True):
        if tags and part.tag not in tags:
            continue
        missing = {k for k in range(len(part)) if part.hashes[k] not in here}
        spoilt: set[int] = set()
        wanted: dict[int, int] = {}
        for k in range(len(part)):
            if missing and part.state[k] == State.BINARY:
                for at in range(part.first[k], part.first[k + 1]):
                    if part.target[at] in missing and follow[part.kind[at]]:
                        spoilt.add(k)
                        wanted[part.target[at]] = wanted.get(part.target[at], 0) + 1
        if wanted:
            most = max(wanted, key=lambda k: wanted[k])
            name = f"{part.text('name', most)}/{part.hashes[most][:7]}"
            specs = f"{plural(len(spoilt), 'spec')} of {part.tag} {'needs' if len(spoilt) == 1 else 'need'}"
            message = f"{specs} {len(wanted):,} that no cache holds, most of them {name}"
            where = next(iter(mirrors.values()), part.path)
            yield Problem(path=where, level="note", kind="missing-dependency", message=message)


class _Examination:
    """Looks at one cache."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._layout = layout_of(folder)
        self._named: set[str] = set()
        """The blobs that some manifest names."""
        self._signed: list[str] = []
        self._unsigned: list[str] = []
        self._signed_with: dict[str, list[str]] = {}
        """By the id of a key the files that are signed with it."""

    def problems(self, *, deep: bool) -> Iterator[Problem]:
        """Yield everything that is wrong, and what is worth knowing."""
        manifests = spec_manifests(self._folder) if self._layout.v3 else {}
        files = _spec_files(self._folder, self._layout.v2) if self._layout.v2 is not None else {}
        yield from self._indexes(manifests, files)
        for path in manifests.values():
            yield from self._manifest(path, deep=deep)
        for path in files.values():
            yield from self._spec_file(path, deep=deep)
        if self._layout.v3:
            yield from self._unnamed_blobs()
        yield from self._signatures()

    def _indexes(self, manifests: Mapping[str, str], files: Mapping[str, str]) -> Iterator[Problem]:
        for index in index_files(self._folder, self._layout):
            try:
                path = index.path
                if index.is_manifest:
                    blob = read_manifest(self._load(path, MAX_FILE)).of_type(INDEX_TYPE)
                    path = (blob and blob.path) or path
                    self._named.add(path)
                data = self._load(path, MAX_INDEX)
                database = read_database(decompressed(data, MAX_INDEX))
            except (OSError, ValueError):
                continue  # told when the cache was read
            if index.is_manifest and blob is not None:
                yield from self._length_and_checksum(blob, path, data)
            elif not index.is_manifest:
                yield from self._index_hash(path, data)
            there = manifests if index.is_manifest else files
            binaries = {node_hash for node_hash, entry in database.entries.items() if entry.in_buildcache}
            what = "manifest" if index.is_manifest else "spec file"
            yield from self._differing(path, sorted(binaries.difference(there)), f"without {what}", "fault")
            if not index.view:
                yield from self._older(index.path, there.values(), what)
            if not index.view and database.marks_binaries:
                yield from self._differing(path, sorted(set(there) - binaries), "pushed, but not in it", "note")

    def _older(self, path: str, files: Iterable[str], what: str) -> Iterator[Problem]:
        """Return whether files were written after the index, by their times."""
        written = self._written(path)
        later = sum(self._written(each) > written + LATER for each in files)
        if later:
            message = f"{plural(later, what)} younger than the index: it was not updated since"
            yield self._problem(path, "index-age", message, "note")

    def _written(self, path: str) -> float:
        """When a file was written, in seconds since the epoch; 0 for one that is gone."""
        try:
            return os.stat(f"{self._folder}/{path}").st_mtime
        except OSError:
            return 0.0

    def _differing(
        self, path: str, hashes: Sequence[str], what: str, level: Literal["fault", "note"]
    ) -> Iterator[Problem]:
        if hashes:
            message = f"{plural(len(hashes), 'spec')} {what}, the first is /{hashes[0]}"
            yield self._problem(path, "index", message, level)

    def _index_hash(self, path: str, data: bytes) -> Iterator[Problem]:
        try:
            said = self._load(f"{path}.hash", MAX_FILE).decode("ascii", "replace").strip()
        except OSError:
            return
        if said != hashlib.sha256(data).hexdigest():
            yield self._problem(f"{path}.hash", "checksum", f"it is not the sha256 of {INDEX}", "fault")

    def _manifest(self, path: str, *, deep: bool) -> Iterator[Problem]:
        try:
            manifest = read_manifest(self._load(path, MAX_FILE))
            self._add_signature(path, manifest.signed)
        except (OSError, ValueError) as error:
            yield self._problem(path, "unreadable", str(error), "fault")
            return
        for blob in manifest.blobs:
            where = blob.path
            if where is None:
                yield self._problem(path, "manifest", f"a checksum is none: {blob.checksum[:80]}", "fault")
                continue
            if where in self._named:
                continue
            self._named.add(where)
            try:
                size = os.stat(f"{self._folder}/{where}").st_size
            except OSError as error:
                yield self._problem(path, "missing-blob", f"{where}: {error.strerror}", "fault")
                continue
            if size != blob.content_length:
                message = f"{size:,} bytes, but {blob.content_length:,} in {path}"
                yield self._problem(where, "length", message, "fault")
            elif deep and _sha256(f"{self._folder}/{where}") != blob.checksum:
                yield self._problem(where, "checksum", f"its sha256 is not the one in {path}", "fault")

    def _spec_file(self, path: str, *, deep: bool) -> Iterator[Problem]:
        assert self._layout.v2 is not None  # it has spec files
        try:
            binary = Binaries(self._folder).of_spec_file(self._layout.v2, path)
            signed = is_signed_spec_file(self._folder, path)
            if signed is not None:
                self._add_signature(path, signed)
        except (OSError, ValueError) as error:
            yield self._problem(path, "unreadable", str(error), "fault")
            return
        if binary.path is None:
            yield self._problem(path, "missing-tarball", "there is no tarball of it", "fault")
        elif deep and binary.checksum and _sha256(f"{self._folder}/{binary.path}") != binary.checksum:
            yield self._problem(binary.path, "checksum", f"its sha256 is not the one in {path}", "fault")

    def _add_signature(self, path: str, signed: bool) -> None:
        """Take up whether a file is signed, and with which key; raises OSError."""
        (self._signed if signed else self._unsigned).append(path)
        with suppress(ValueError):
            if signed and (key := issuer(self._load(path, MAX_FILE))):
                self._signed_with.setdefault(key, []).append(path)

    def _signatures(self) -> Iterator[Problem]:
        """Yield what is not signed beside what is, and what nobody can check with the keys of the cache."""
        if self._signed and self._unsigned:
            every = plural(len(self._signed) + len(self._unsigned), "spec")
            message = f"{len(self._unsigned)} of {every} are not signed, the first is {self._unsigned[0]}"
            yield self._problem("", "signature", message, "note")
        published: set[str] = set()
        for path in public_keys(self._folder, self._layout):
            try:
                data = self._load(path, MAX_FILE)
                if path.endswith(".json"):
                    blob = read_manifest(data).of_type(KEY_TYPE)
                    data = self._load((blob and blob.path) or path, MAX_FILE)
                published |= key_ids(data)
            except (OSError, ValueError) as error:
                yield self._problem(path, "unreadable", str(error), "fault")
        for key, paths in self._signed_with.items():
            if key not in published:
                specs = plural(len(paths), "spec")
                message = f"{specs} signed with a key that the cache does not have, {key}; the first is {paths[0]}"
                yield self._problem("", "signature", message, "note")

    def _length_and_checksum(self, blob: Blob, path: str, data: bytes) -> Iterator[Problem]:
        if len(data) != blob.content_length:
            message = f"{len(data):,} bytes, but {blob.content_length:,} in its manifest"
            yield self._problem(path, "length", message, "fault")
        elif hashlib.sha256(data).hexdigest() != blob.checksum:
            yield self._problem(path, "checksum", "its sha256 is not the one in its manifest", "fault")

    def _unnamed_blobs(self) -> Iterator[Problem]:
        """Blobs that no manifest names, such as older indexes: what they take is free to be had."""
        for folder, _, names in os.walk(f"{self._folder}/v3/manifests"):
            where = os.path.relpath(folder, self._folder)
            for name in names:
                if name.endswith("manifest.json") and not name.endswith(".spec.manifest.json"):
                    self._named.update(self._blobs_of(f"{where}/{name}"))
        sizes = {}
        for folder, _, names in os.walk(f"{self._folder}/blobs"):
            where = os.path.relpath(folder, self._folder)
            for name in names:
                if f"{where}/{name}" not in self._named:
                    sizes[f"{where}/{name}"] = os.lstat(f"{folder}/{name}").st_size
        if sizes:
            message = f"{plural(len(sizes), 'blob')} that no manifest names, {sum(sizes.values()):,} bytes"
            yield self._problem(min(sizes), "unreferenced", message, "note")

    def _blobs_of(self, path: str) -> Iterator[str]:
        try:
            yield from filter(None, (blob.path for blob in read_manifest(self._load(path, MAX_FILE)).blobs))
        except (OSError, ValueError):
            return

    def _load(self, path: str, limit: int) -> bytes:
        return load(self._folder, path, limit)[1]

    def _problem(self, path: str, kind: str, message: str, level: Literal["fault", "note"]) -> Problem:
        text = message.encode(errors="backslashreplace").decode()
        return Problem(path=f"{self._folder}/{path}".rstrip("/"), level=level, kind=kind, message=text)


def _spec_files(folder: str, v2: str) -> dict[str, str]:
    try:
        return spec_files(folder, v2)
    except OSError:
        return {}


def _sha256(path: str) -> str | None:
    """Return the checksum of a file; None for one that cannot be read."""
    try:
        with open(path, "rb") as file:
            found = hashlib.sha256()
            while block := file.read(BLOCK):
                found.update(block)
    except OSError:
        return None
    return found.hexdigest()

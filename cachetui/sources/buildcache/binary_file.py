"""The file of a binary: its size, its checksum, and whether its manifest or spec file is signed.

Read for the specs that are looked at, never for all. A signature is noticed, not verified.
Input: the folder of a build cache, and what its index says of a spec.
"""

from __future__ import annotations

import os

from msgspec import Struct

from cachetui.sources.buildcache.files import MAX_FILE, load
from cachetui.sources.buildcache.layouts import SPEC_MANIFESTS, Layout, layout_of, spec_files, spec_manifests
from cachetui.sources.buildcache.manifests import INSTALL_TYPE, read_manifest, read_spec_file


class Binary(Struct, frozen=True):
    """A binary as its cache has it."""

    path: str | None
    """The tarball, in the folder of the cache; None where its checksum is none."""
    size: int | None
    """Bytes to download; None where the cache does not say."""
    checksum: str | None
    """The sha256 that the tarball should have."""
    signed: bool | None
    """None where that is not known."""


class Binaries:
    """The binaries of one build cache."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._layout: Layout | None = None
        self._manifests: dict[str, str] | None = None
        self._spec_files: dict[str, str] | None = None

    def find(self, name: str, version: str, spec_hash: str) -> Binary | None:
        """The binary of a spec; None where the cache has none, or it cannot be read."""
        if self._layout is None:
            self._layout = layout_of(self._folder)
        try:
            found = self._in_v3(name, version, spec_hash) if self._layout.v3 else None
            if found is None and self._layout.v2 is not None:
                found = self._in_v2(self._layout.v2, spec_hash)
        except (OSError, ValueError):
            return None
        return found

    def _in_v3(self, name: str, version: str, spec_hash: str) -> Binary | None:
        path = f"{SPEC_MANIFESTS}/{name}/{name}-{version}-{spec_hash}.spec.manifest.json"
        if "/" in name + version + spec_hash or not os.path.isfile(f"{self._folder}/{path}"):
            # characters that are unfit for a file are written otherwise
            if self._manifests is None:
                self._manifests = spec_manifests(self._folder)
            path = self._manifests.get(spec_hash, "")
        return self.of_manifest(path) if path else None

    def of_manifest(self, path: str) -> Binary | None:
        """The binary that a manifest of layout v3 names; raises OSError and ValueError."""
        manifest = read_manifest(load(self._folder, path, MAX_FILE)[1])
        blob = manifest.of_type(INSTALL_TYPE)
        if blob is None:
            return None
        size = blob.content_length if blob.content_length >= 0 else None
        return Binary(blob.path, size, blob.checksum if blob.path else None, manifest.signed)

    def _in_v2(self, v2: str, spec_hash: str) -> Binary | None:
        if self._spec_files is None:
            self._spec_files = spec_files(self._folder, v2)
        path = self._spec_files.get(spec_hash)
        return self.of_spec_file(v2, path) if path else None

    def of_spec_file(self, v2: str, path: str) -> Binary:
        """The binary of a spec file of layout v2; raises OSError and ValueError."""
        spec = read_spec_file(load(self._folder, path, MAX_FILE)[1], yaml=path.endswith(".yaml"))
        tarball = self._tarball(v2, path[len(v2) :].partition(".spec.")[0] if ".spec." in path else "")
        size = os.stat(f"{self._folder}/{tarball}").st_size if tarball else None
        return Binary(tarball, size, spec.checksum, spec.signed)

    def _tarball(self, v2: str, base: str) -> str | None:
        """Where the tarball is of a spec file with this name: two folders are named by how the name begins."""
        for outer in _folders(f"{self._folder}/{v2}", base):
            for inner in _folders(f"{self._folder}/{v2}{outer}", base[len(outer) + 1 :]):
                for last in (base[len(outer) + len(inner) + 2 : -33], base[len(outer) + 1 : -33]):
                    path = f"{v2}{outer}/{inner}/{last}/{base}.spack"
                    if os.path.isfile(f"{self._folder}/{path}"):
                        return path
            path = f"{v2}{outer}/{base[len(outer) + 1 : -33]}/{base}.spack"
            if os.path.isfile(f"{self._folder}/{path}"):
                return path
        return None


def _folders(folder: str, base: str) -> list[str]:
    """The folders in a folder whose names a name begins with."""
    try:
        with os.scandir(folder) as entries:
            return [each.name for each in entries if base.startswith(f"{each.name}-") and each.is_dir()]
    except OSError:
        return []

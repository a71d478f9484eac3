"""The file of a binary: its size and its checksum; and whether its manifest or spec file is signed.

Read for the specs that are looked at, never for all. A signature is noticed, not verified.
Input: the folder of a build cache, and what its index says of a spec.
"""

from __future__ import annotations

import os
from functools import cached_property

from msgspec import Struct

from cachetui.sources.buildcache.layouts import SPEC_MANIFESTS, Layout, layout_of, spec_files, spec_manifests
from cachetui.sources.buildcache.manifests import INSTALL_TYPE, MAX_FILE, read_manifest, read_spec_file
from cachetui.sources.files import load

LAYOUT_VERSION = b'"buildcache_layout_version"'
"""What the spec files have in them whose signature is around them."""


class Binary(Struct, frozen=True):
    """A binary as its cache has it."""

    path: str | None
    """The tarball, in the folder of the cache; None where its checksum is none."""
    size: int | None
    """Bytes to download; None where the cache does not say."""
    checksum: str | None
    """The sha256 that the tarball should have."""


class Binaries:
    """The binaries of one build cache."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find(self, name: str, version: str, spec_hash: str) -> Binary | None:
        """Return the binary of a spec; None where the cache has none, or it cannot be read."""
        try:
            path = self._manifest(name, version, spec_hash)
            found = self.of_manifest(path) if path else None
            if found is None and (path := self._spec_files.get(spec_hash)):
                found = self.of_spec_file(self._layout.v2 or "", path)
        except (OSError, ValueError):
            return None
        return found

    def is_signed(self, name: str, version: str, spec_hash: str) -> bool | None:
        """Return whether a binary is signed; None where that is not known."""
        try:
            path = self._manifest(name, version, spec_hash)
            if path:
                return read_manifest(load(self._folder, path, MAX_FILE)[1]).signed
            path = self._spec_files.get(spec_hash)
            return is_signed_spec_file(self._folder, path) if path else None
        except (OSError, ValueError):
            return None

    @cached_property
    def _layout(self) -> Layout:
        return layout_of(self._folder)

    @cached_property
    def _manifests(self) -> dict[str, str]:
        return spec_manifests(self._folder)

    @cached_property
    def _spec_files(self) -> dict[str, str]:
        return {} if self._layout.v2 is None else spec_files(self._folder, self._layout.v2)

    def _manifest(self, name: str, version: str, spec_hash: str) -> str | None:
        """Return the manifest of layout v3; None where there is none."""
        if not self._layout.v3:
            return None
        path = f"{SPEC_MANIFESTS}/{name}/{name}-{version}-{spec_hash}.spec.manifest.json"
        if "/" in name + version + spec_hash or not os.path.isfile(f"{self._folder}/{path}"):
            # characters that are unfit for a file are written otherwise
            return self._manifests.get(spec_hash)
        return path

    def of_manifest(self, path: str) -> Binary | None:
        """Return the binary that a manifest of layout v3 names; raises OSError and ValueError."""
        manifest = read_manifest(load(self._folder, path, MAX_FILE)[1])
        blob = manifest.of_type(INSTALL_TYPE)
        if blob is None:
            return None
        size = blob.content_length if blob.content_length >= 0 else None
        return Binary(blob.path, size, blob.checksum if blob.path else None)

    def of_spec_file(self, v2: str, path: str) -> Binary:
        """Return the binary of a spec file of layout v2; raises OSError and ValueError."""
        spec = read_spec_file(load(self._folder, path, MAX_FILE)[1], yaml=path.endswith(".yaml"))
        tarball = self._tarball(v2, path[len(v2) :].partition(".spec.")[0] if ".spec." in path else "")
        size = os.stat(f"{self._folder}/{tarball}").st_size if tarball else None
        return Binary(tarball, size, spec.checksum)

    def _tarball(self, v2: str, base: str) -> str | None:
        """Return where the tarball is of a spec file with this name: two folders are named by how the name begins."""
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


def is_signed_spec_file(folder: str, path: str) -> bool | None:
    """Return whether a spec file of layout v2 is signed; None where a signature would be in the tarball: to Spack 0.17.

    Raises OSError.
    """
    if path.endswith(".sig"):
        return True
    return False if LAYOUT_VERSION in load(folder, path, MAX_FILE)[1] else None


def _folders(folder: str, base: str) -> list[str]:
    """Return the folders in a folder whose names a name begins with."""
    try:
        with os.scandir(folder) as entries:
            return [each.name for each in entries if base.startswith(f"{each.name}-") and each.is_dir()]
    except OSError:
        return []

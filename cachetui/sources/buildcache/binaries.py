"""The files of the binaries in a build cache: their names, signatures and sizes, and the files to delete.

A signature is detected, not verified.
Input: the folder of a build cache, or the local copy of a build cache on a server. The files may have any content.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property

from cachetui.model.spec import Spec
from cachetui.sources.buildcache.layouts import (
    MANIFESTS,
    SPEC_MANIFEST,
    SPEC_MANIFESTS,
    Layout,
    every_spec_file,
    files_below,
    layout_of,
)
from cachetui.sources.buildcache.manifests import INSTALL_TYPE, MAX_FILE_BYTES, Blob, CacheManifest, read_manifest
from cachetui.sources.buildcache.openpgp import is_whole
from cachetui.sources.files import load
from cachetui.sources.source import ContentError
from cachetui.sources.transport.errors import FetchError

LAYOUT_VERSION = b'"buildcache_layout_version"'
"""A key in all spec files since Spack 0.18. Before, the signature was in the tarball, not in the spec file."""

_UNFIT = re.compile(r"[^A-Za-z0-9_+.-]")


def file_name(text: str) -> str:
    """Replace each character that Spack does not use in file names by `_`."""
    return _UNFIT.sub("_", text)


def spec_manifest(spec: Spec) -> str:
    """Return the path of a spec's manifest in layout v3."""
    name = file_name(f"{spec.package}-{spec.version}-{spec.hash}")
    return f"{SPEC_MANIFESTS}/{file_name(spec.package)}/{name}.spec.manifest.json"


def tarball_of(folder: str, spec_file: str, name: str, version: str) -> str | None:
    """Return the path of the tarball for a spec file of layout v2, or None if the tarball is missing.

    The tarball is in a folder named after the architecture. Before Spack 1.0, this folder has a subfolder for each
    compiler.
    """
    v2, slash, file = spec_file.rpartition("/")
    base = file.rpartition(".spec.")[0]
    package = file_name(f"{name}-{version}")
    parts = base.removesuffix(f"-{package}{base[-33:]}").split("-")
    cuts = sorted(range(1, len(parts) + 1), key=lambda cut: cut != 3)  # an architecture is `linux-debian12-zen3`
    paths = (f"{v2}{slash}{'/'.join(filter(None, ('-'.join(parts[:cut]), '-'.join(parts[cut:]))))}" for cut in cuts)
    tarballs = (f"{path}/{package}/{base}.spack" for path in paths)
    return next((path for path in tarballs if os.path.exists(f"{folder}/{path}")), None)


def is_signed_spec_file(folder: str, path: str) -> bool | None:
    """Return whether a spec file of layout v2 is signed. Raises OSError.

    Return None if the file is unsigned and was written before Spack 0.18. In this case the signature may be in the
    tarball.
    """
    if path.endswith(".sig"):
        return True
    return False if LAYOUT_VERSION in load(f"{folder}/{path}", MAX_FILE_BYTES) else None


def path_v2(spec: Spec) -> str:
    """Return the path of a spec's tarball in layout v2. Raises FetchError if the path contains `.` or `..`."""
    arch = f"{spec.platform}-{spec.os}-{spec.target}"
    compiler = (spec.compiler or "none@none").replace("@=", "@").replace("@", "-")
    folder = (arch, compiler, f"{spec.package}-{spec.version}")
    name = f"{arch}-{compiler}-{spec.package}-{spec.version}-{spec.hash}.spack"
    parts = [file_name(part) for part in ("build_cache", *folder, name)]
    if any(not part.strip(".") for part in parts):
        raise FetchError("the path of its tarball must not contain . or ..")
    return "/".join(parts)


def is_url(cache: str | None) -> bool:
    """Return whether a build cache is on a server."""
    return cache is not None and "://" in cache


def binary_in(manifest: bytes) -> tuple[Blob, str, bool]:
    """Return the blob of a binary, the path of the blob, and whether the manifest is signed.

    `manifest` is the content of a manifest of layout v3. Raises ValueError if the manifest does not refer to a binary,
    or if the signature is incomplete.
    """
    found = read_manifest(manifest)
    blob = found.of_type(INSTALL_TYPE)
    if blob is None or blob.path is None or (found.signed and not is_whole(manifest)):
        raise ValueError("it lists no binary, or is incomplete")
    return blob, blob.path, found.signed


class Binaries:
    """The binaries in the folder of one build cache."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def size(self, spec: Spec) -> int | None:
        """Return the download size of a spec in bytes, or None if unknown."""
        with suppress(OSError, ValueError):
            if manifest := self._manifest(spec_manifest(spec)):
                blob = manifest.of_type(INSTALL_TYPE)
                return blob.content_length if blob and blob.content_length >= 0 else None
            path = next(iter(self.spec_files.get(spec.hash or "", ())), "")
            if tarball := tarball_of(self.folder, path, spec.package, spec.version or ""):
                return os.stat(f"{self.folder}/{tarball}").st_size
        return None

    def is_signed(self, spec: Spec | None = None) -> bool | None:
        """Return whether the binary of a spec is signed, or None if unknown.

        Without a spec, examine the first binary in the folder.
        """
        with suppress(OSError, ValueError):
            path = spec_manifest(spec) if spec else next(files_below(self.folder, SPEC_MANIFESTS), "")
            if manifest := self._manifest(path):
                return manifest.signed
            files = self.spec_files.get(spec.hash or "", []) if spec else next(iter(self.spec_files.values()), [])
            return is_signed_spec_file(self.folder, files[0]) if files else None
        return None

    def layers(self, spec: Spec) -> int:
        """Return the number of layers of a spec's image in a registry, or 0 if unknown."""
        with suppress(OSError, ValueError):
            manifest = self._manifest(spec_manifest(spec))
            return manifest.layers if manifest else 0
        return 0

    @cached_property
    def has_signed(self) -> bool | None:
        """Whether the first binary in the folder is signed. None if unknown."""
        return self.is_signed()

    @cached_property
    def layout(self) -> Layout:
        """The layouts of the build cache."""
        return layout_of(self.folder)

    @cached_property
    def spec_files(self) -> dict[str, list[str]]:
        """The spec files of layout v2, keyed by hash. Raises OSError."""
        return {} if self.layout.v2 is None else every_spec_file(self.folder, self.layout.v2)

    def _manifest(self, path: str) -> CacheManifest | None:
        is_there = os.path.isfile(f"{self.folder}/{path}")
        return read_manifest(load(f"{self.folder}/{path}", MAX_FILE_BYTES)) if is_there else None


class CacheFiles:
    """The files of each binary in the folder of a build cache.

    In layout v3, several manifests (of binaries, indexes or keys) may refer to the same blob. Therefore all manifests
    are read before any blob is deleted. Raises OSError or ContentError if a folder or file is unreadable, because an
    unreadable manifest may refer to any blob.
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
        """Return the time of the last push of a binary, in seconds since the epoch."""
        return max(os.stat(f"{self.folder}/{path}").st_mtime for path in self.of[spec_hash])

    def freed(self, specs: Mapping[str, tuple[str, str | None]]) -> Iterator[tuple[str, str]]:
        """Yield the files to delete with these binaries. Each result is the hash of a binary and an absolute path.

        `specs` maps the hash of each binary to its package and version.
        """
        going = {path: each for each in filter(self.of.__contains__, specs) for path in self.of[each]}
        blobs = {path: self._blobs(path) for path in self._manifests}
        settled = {blob for path in blobs.keys() - going.keys() for blob in blobs[path]}
        """The files not to yield: files to keep, and files that were already yielded."""
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
            blobs = read_manifest(load(f"{self.folder}/{path}", MAX_FILE_BYTES)).blobs
        except (OSError, ValueError) as error:
            raise ContentError(f"{self.folder}/{path} cannot be read: {error}") from None
        return [blob.path for blob in blobs if blob.path]

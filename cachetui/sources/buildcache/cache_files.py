"""Find the files of each binary in the folder of a build cache, and the files to delete when binaries are removed.

Input: the folder of a build cache, with any content.
"""

import os
from collections.abc import Iterator, Mapping

from cachetui.sources.buildcache.binaries import tarball_of
from cachetui.sources.buildcache.layouts import MANIFESTS, SPEC_MANIFEST, every_spec_file, files_below, layout_of
from cachetui.sources.buildcache.manifests import MAX_FILE_BYTES, read_manifest
from cachetui.sources.files import load
from cachetui.sources.source import ContentError


class CacheFiles:
    """The files of each binary in the folder of a build cache.

    In layout v3, several manifests (of binaries, indexes or keys) may refer to the same blob. Therefore all manifests
    are read before any blob is deleted. An unreadable folder or file may refer to any blob, so it raises OSError or
    ContentError.
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
        """Yield the files to delete when all these binaries are removed, as pairs of a hash and an absolute path.

        `specs` maps each hash to its package and version.
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

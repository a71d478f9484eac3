"""Read manifests and spec files of a build cache, with or without a clear signature.

Signatures are detected, but never verified. A checksum from a manifest becomes part of a path only if the checksum has
exactly 64 hexadecimal digits.
Input: bytes of any origin.
"""

import re
from collections.abc import Sequence
from mmap import mmap
from typing import TypeVar

import msgspec
from msgspec import Raw, Struct

from cachetui.sources.buildcache.node import WrittenNode, read_node
from cachetui.sources.files import decompressed
from cachetui.sources.yaml_data import read_yaml

MAX_FILE_BYTES = 64 * 2**20
"""Maximum size of a manifest or spec file in bytes, decompressed."""

MAX_MANIFEST_BYTES = 2**20
"""Maximum size of a manifest from a server, in bytes."""

MAX_KEYS = 50
"""Maximum number of public keys to read from a build cache on a server."""

FINGERPRINT = re.compile(r"[0-9A-F]{40}")

INDEX_TYPE = "application/vnd.spack.db.v"
SPEC_TYPE = "application/vnd.spack.spec.v"
INSTALL_TYPE = "application/vnd.spack.install.v"
"""Prefixes of media types. In a media type, a version number follows the prefix."""

NEWEST = {INDEX_TYPE: 9, SPEC_TYPE: 6}
"""The newest known versions of the database and of the spec file."""

CONFIG_TYPES = (
    "",
    "application/vnd.oci.image.config.v1+json",
    "application/vnd.docker.container.image.v1+json",
)
"""The possible media types of an image's configuration in a registry."""

_ARMOUR = b"-----BEGIN PGP SIGNED MESSAGE-----"


Decoded = TypeVar("Decoded")


class Blob(Struct, frozen=True, rename="camel"):
    """One entry of a manifest."""

    media_type: str
    checksum: str
    content_length: int = -1
    """The size of the stored blob in bytes, or a negative number if the manifest omits the size."""
    checksum_algorithm: str = "sha256"

    @property
    def path(self) -> str | None:
        """The path of the blob in the build cache. None if the checksum is invalid."""
        if self.checksum_algorithm != "sha256" or not re.fullmatch("[0-9a-f]{64}", self.checksum):
            return None
        return f"blobs/sha256/{self.checksum[:2]}/{self.checksum}"


class _Layer(Struct, frozen=True, rename="camel"):
    digest: str = ""
    size: int = -1
    media_type: str = ""


class _ManifestDocument(Struct):
    """A manifest of layout v3, or the manifest of an image in a registry."""

    data: list[Blob] | None = None
    layers: list[_Layer] = []
    config: _Layer = _Layer()


class CacheManifest(Struct, frozen=True):
    """A manifest of layout v3, or of an image in a registry.

    For an image, `blobs` contains the layers that Spack reads, and the configuration.
    """

    blobs: Sequence[Blob]
    signed: bool
    layers: int = 0
    """The number of layers of an image in a registry."""

    def of_type(self, prefix: str) -> Blob | None:
        """Return the blob whose media type begins with `prefix`, or None if missing.

        A media type ends with a version. If several blobs match, return the blob with the newest readable version. If
        no version is readable, return the blob with the oldest version.
        """

        def rank(blob: Blob) -> int:
            number = re.match(r"[0-9]{1,9}", blob.media_type[len(prefix) :])
            version = int(number[0]) if number else 0
            return version if version <= NEWEST.get(prefix, version) else -version

        return max((blob for blob in self.blobs if blob.media_type.startswith(prefix)), key=rank, default=None)


class SpecFile(Struct, frozen=True):
    """The spec file of one binary."""

    nodes: Sequence[WrittenNode]
    """The node of the spec, followed by the nodes of its dependencies. Never empty."""
    faults: Sequence[str]
    """The errors of single nodes."""


class _Checksum(Struct, frozen=True):
    hash: str = ""


class _SpecDocument(Struct):
    spec: Raw
    binary_cache_checksum: _Checksum = _Checksum()


class _NodeList(Struct):
    nodes: list[Raw]


class _KeyList(Struct):
    keys: dict[str, Raw]


def without_signature(data: bytes) -> tuple[bytes, bool]:
    """Return the data without its clear signature, and whether there was a signature."""
    if not data.lstrip().startswith(_ARMOUR):
        return data, False
    behind = re.split(rb"\r?\n[ \t]*(?=\r?\n)", data.lstrip(), maxsplit=1)[1:]
    inside = re.split(rb"\r?\n-----BEGIN PGP SIGNATURE-----", b"".join(behind), maxsplit=1)[0]
    return re.sub(rb"^- ", b"", inside.partition(b"\n")[2], flags=re.MULTILINE), True


def read_manifest(data: bytes) -> CacheManifest:
    """Read a manifest. Raises ValueError."""
    text, signed = without_signature(data)
    written = decoded(text, _ManifestDocument)
    if written.data is None and not written.layers:
        raise ValueError("it lists no files")
    # in a registry, the last layer of a spec's image is the binary, and an index image has only one layer, the index
    kinds = [(INSTALL_TYPE, layer) for layer in written.layers[-1:]]
    if len(written.layers) == 1 and written.config.media_type in CONFIG_TYPES:
        kinds.append((INDEX_TYPE, written.layers[0]))
    kinds.append((SPEC_TYPE, written.config))
    images = [Blob(kind, layer.digest.removeprefix("sha256:"), layer.size) for kind, layer in kinds if layer.digest]
    return CacheManifest([*(written.data or ()), *images], signed, len(written.layers))


def decoded(text: bytes | str | mmap, kind: type[Decoded]) -> Decoded:
    """Decode JSON. Raises ValueError."""
    try:
        return msgspec.json.decode(text, type=kind)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def checksum_in(data: bytes, *, yaml: bool = False) -> tuple[bool, str]:
    """Return whether a spec file is signed, and the sha256 of its tarball (empty if unknown). Raises ValueError."""
    text, signed = without_signature(decompressed(data, MAX_FILE_BYTES))
    return signed, "" if yaml else decoded(text, _SpecDocument).binary_cache_checksum.hash


def fingerprints(data: bytes) -> list[str]:
    """Read the file that lists the public keys of a build cache. Raises ValueError.

    Return the fingerprints of the keys, at most `MAX_KEYS`.
    """
    return [each for each in decoded(data, _KeyList).keys if FINGERPRINT.fullmatch(each)][:MAX_KEYS]


def read_spec_file(data: bytes, *, yaml: bool = False) -> SpecFile:
    """Read a spec file of any version, also compressed or signed. Raises ValueError."""
    text, _ = without_signature(decompressed(data, MAX_FILE_BYTES))
    if yaml:
        try:
            text = msgspec.json.encode(read_yaml(text))
        except (TypeError, OverflowError) as error:
            raise ValueError(str(error)) from None
    inside = bytes(decoded(text, _SpecDocument).spec)
    nodes = decoded(inside, list[Raw]) if inside.startswith(b"[") else decoded(inside, _NodeList).nodes
    found: list[WrittenNode] = []
    faults = []
    for place, node in enumerate(nodes):
        try:
            found.append(read_node(node))
        except (ValueError, RecursionError) as error:
            if not place:
                raise ValueError(f"its first node cannot be read: {error}") from None
            faults.append(f"node {place + 1} cannot be read: {error}")
    if not found:
        raise ValueError("it has no nodes")
    return SpecFile(found, faults)

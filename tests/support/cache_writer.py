"""Write build caches of any graph, in layout v2 and v3, as Spack does; tarballs are a few made-up bytes."""

import gzip
import json
import os
from base64 import b32encode
from collections.abc import Container, Iterable, Mapping, Sequence
from hashlib import sha1, sha256
from pathlib import Path
from typing import Any

from cachetui.sources.buildcache.columns import nodes_of
from cachetui.sources.buildcache.node import Entry, read_node
from cachetui.sources.buildcache.tag_builder import TagBuilder
from cachetui.store.graph import TagGraph

Node = dict[str, Any]
"""A node in the form of specfile 5."""

ARCH = {"platform": "linux", "platform_os": "ubuntu24.04", "target": "x86_64_v3"}


def node(
    name: str, version: str = "1.0", needs: Sequence[tuple[Node, Sequence[str], Sequence[str]]] = (), **fields: Any
) -> Node:
    """Return a node. `needs`: its edges as (node, types, virtuals). Its hash follows from the other values."""
    dependencies = [edge(other["name"], other["hash"], types, virtuals) for other, types, virtuals in needs]
    made: Node = {
        "name": name,
        "version": version,
        "arch": ARCH,
        "namespace": "builtin",
        "parameters": {"shared": True},
    }
    made |= fields
    made |= {"package_hash": "p" * 52 + "====", "dependencies": dependencies}
    made |= {"annotations": {"original_specfile_version": 5}}
    return {"hash": hash_of(json.dumps(made, sort_keys=True))} | made


def edge(name: str, node_hash: str, types: Sequence[str], virtuals: Sequence[str]) -> dict[str, Any]:
    """Return an edge to a node with this hash."""
    return {"name": name, "hash": node_hash, "parameters": {"deptypes": list(types), "virtuals": list(virtuals)}}


def tag_graph(path: str, tag: str, nodes: Iterable[Node], binaries: Container[str]) -> TagGraph:
    """Return the graph of these nodes, with binaries for these hashes."""
    entries = {each["hash"]: Entry(read_node(compact(each)), each["hash"] in binaries) for each in nodes}
    builder = TagBuilder(path, tag)
    builder.add([nodes_of(entries)], "")
    return builder.finished({})[1]


def external(name: str, version: str, path: str = "/usr") -> Node:
    """Return a node that is installed outside Spack."""
    return node(name, version, external={"path": path, "module": None, "extra_attributes": {}})


def write_lock(path: Path, nodes: Iterable[Node], roots: Iterable[Node]) -> Path:
    """Write a lock file with these nodes and roots; return its path."""
    lock = {
        "_meta": {"file-type": "spack-lockfile", "lockfile-version": 6, "specfile-version": 5},
        "roots": [{"hash": root["hash"], "spec": root["name"]} for root in roots],
        "concrete_specs": {each["hash"]: each for each in nodes},
    }
    path.write_text(json.dumps(lock))
    return path


def hash_of(text: str) -> str:
    """Return a hash of 32 characters, like Spack's."""
    return b32encode(sha1(text.encode(), usedforsecurity=False).digest()).decode().lower()


def database(nodes: Iterable[Node], binaries: Iterable[Node]) -> bytes:
    """Return an index of these nodes."""
    held = {each["hash"] for each in binaries}
    installs = {each["hash"]: {"spec": each, "ref_count": 0, "in_buildcache": each["hash"] in held} for each in nodes}
    return compact({"database": {"version": "8", "installs": installs}})


def write_v3(
    folder: Path,
    nodes: Sequence[Node],
    binaries: Sequence[Node],
    *,
    signed: bool = False,
    lengths: Mapping[str, int] | None = None,
) -> Path:
    """Write a cache of layout v3 with an index; return its folder. `lengths`: lengths of tarballs by package name."""
    for each in binaries:
        tarball = f"tarball of {each['hash']}".encode()
        spec = gzip.compress(compact(_spec_file(each, nodes)), mtime=0)
        install = _blob(folder, tarball, "application/vnd.spack.install.v2.tar+gzip", "gzip")
        install["contentLength"] = (lengths or {}).get(each["name"], len(tarball))
        os.truncate(_blob_path(folder, install["checksum"]), install["contentLength"])  # a sparse file, not real bytes
        blobs = [install, _blob(folder, spec, "application/vnd.spack.spec.v5+json", "gzip")]
        path = folder / "v3" / "manifests" / "spec" / each["name"]
        name = f"{each['name']}-{each['version']}-{each['hash']}.spec.manifest.json"
        _write(path / name, signed_text(_manifest(blobs)) if signed else _manifest(blobs))
    return write_index_v3(folder, nodes, binaries)


def write_manifest_v3(folder: Path, spec_hash: str, path: Path, *, signed: bool = False) -> None:
    """Write the manifest and tarball of a binary, without its spec file."""
    tarball = _blob(folder, f"tarball of {spec_hash}".encode(), "application/vnd.spack.install.v2.tar+gzip", "gzip")
    _write(path, signed_text(_manifest([tarball])) if signed else _manifest([tarball]))


def write_index_v3(folder: Path, nodes: Iterable[Node], binaries: Iterable[Node]) -> Path:
    """Write the index of a cache of layout v3, without its binaries; return the folder."""
    index = _blob(folder, database(nodes, binaries), "application/vnd.spack.db.v8+json", "none")
    _write(folder / "v3" / "manifests" / "index" / "index.manifest.json", _manifest([index]))
    _write(folder / "v3" / "layout.json", b'{"signing": "gpg"}')
    return folder


def write_v2(folder: Path, nodes: Sequence[Node], binaries: Sequence[Node], *, signed: bool = False) -> Path:
    """Write a cache of layout v2 with an index; return its folder."""
    cache = folder / "build_cache"
    for each in binaries:
        arch, name = "linux-ubuntu24.04-x86_64_v3", f"{each['name']}-{each['version']}"
        base = f"{arch}-gcc-13.2.0-{name}-{each['hash']}"
        tarball = f"tarball of {each['hash']}".encode()
        _write(cache / arch / "gcc-13.2.0" / name / f"{base}.spack", tarball)
        checksum = {"hash_algorithm": "sha256", "hash": sha256(tarball).hexdigest()}
        text = json.dumps(_spec_file(each, nodes) | {"binary_cache_checksum": checksum}, indent=0).encode()
        _write(cache / f"{base}.spec.json{'.sig' if signed else ''}", signed_text(text) if signed else text)
    index = database(nodes, binaries)
    _write(cache / "index.json", index)
    _write(cache / "index.json.hash", sha256(index).hexdigest().encode())
    return folder


def compact(document: Any) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


def _spec_file(root: Node, nodes: Sequence[Node]) -> dict[str, Any]:
    others = [each for each in nodes if each is not root]
    return {"spec": {"_meta": {"version": 5}, "nodes": [root, *others]}, "buildcache_layout_version": 2}


def _blob(folder: Path, data: bytes, media_type: str, compression: str) -> dict[str, Any]:
    checksum = sha256(data).hexdigest()
    _write(_blob_path(folder, checksum), data)
    return {
        "contentLength": len(data),
        "mediaType": media_type,
        "compression": compression,
        "checksumAlgorithm": "sha256",
        "checksum": checksum,
    }


def _blob_path(folder: Path, checksum: str) -> Path:
    return folder / "blobs" / "sha256" / checksum[:2] / checksum


def _manifest(blobs: Sequence[dict[str, Any]]) -> bytes:
    return json.dumps({"version": 3, "data": list(blobs)}, indent=0).encode()


def signed_text(text: bytes) -> bytes:
    """Return the text with a signature around it. The signature names no key."""
    head = b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n"
    return head + text + b"\n-----BEGIN PGP SIGNATURE-----\n\nnone\n-----END PGP SIGNATURE-----\n"


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)

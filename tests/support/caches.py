"""The build caches that Spack wrote, and the specs that Spack read from them."""

import os
import shutil
from pathlib import Path
from typing import Any

import msgspec

from cachetui.model.spec import Spec
from cachetui.search.index import Index
from cachetui.sources.buildcache.binaries import path_v2, spec_manifest
from cachetui.sources.buildcache.manifests import read_manifest
from cachetui.sources.folder import FolderSource
from cachetui.store.merge import built
from tests.support.aged import aged
from tests.support.cache_writer import hash_of, signed_text, write_manifest_v3
from tests.support.places import ROOT

CACHES = ROOT / "tests" / "buildcaches"

READ_BY_SPACK = {
    "v2-spack0.18.signed.by-1.1.0": "v2/spack-0.18/signed",
    "v2.develop_btest.by-0.23.1": "v2/spack-0.23.1/develop/btest",
    "v2.develop_btest.by-1.1.0": "v2/spack-0.23.1/develop/btest",
    "v2.develop_tools.by-0.23.1": "v2/spack-0.23.1/develop/tools",
    "v2.spliced.by-0.23.1": "v2/spack-0.23.1/spliced",
    "v3.develop_btest.by-1.1.0": "v3/spack-1.1.0/develop/btest",
    "v3.develop_tools.by-1.1.0": "v3/spack-1.1.0/develop/tools",
}
"""The folder of the build cache that each file with Spack's recorded output is about."""


def spack_read(name: str) -> list[dict[str, Any]]:
    """Return the specs that Spack read from an index."""
    document = msgspec.json.decode((CACHES / "oracle" / "spack-read" / f"{name}.json").read_bytes())
    found: list[dict[str, Any]] = document["specs"]
    return found


def satisfied(name: str) -> dict[str, list[str] | str]:
    """Return, for each query, the hashes that match in Spack. If Spack refuses the query, return its message."""
    document = msgspec.json.decode((CACHES / "oracle" / "spack-read" / f"{name}.json").read_bytes())
    found: dict[str, list[str] | str] = document["satisfies"]
    return found


def index_of_folder(folder: Path | str) -> Index:
    """Return the index of everything in a folder."""
    return Index(built([segment for segment, _ in FolderSource(str(folder)).read() if segment is not None]))


def specs_of(index: Index) -> list[Spec]:
    """Return the specs of all rows."""
    return [index.spec(row) for row in range(len(index))]


def packages_of(index: Index) -> list[str]:
    """Return the package of each row, sorted by name."""
    return sorted(spec.package for spec in specs_of(index))


def stacks_of(index: Index) -> dict[str, set[str]]:
    """Return the stacks of each tag."""
    found: dict[str, set[str]] = {}
    for spec in specs_of(index):
        found.setdefault(spec.tag, set()).update(spec.stacks)
    return found


def placed(cache: Path, target: Path) -> Path:
    """Copy a cache, and make its files so old that cachetui trusts their modification times."""
    shutil.copytree(cache, target, dirs_exist_ok=True)
    return aged(target)


def large_index(specs: int) -> bytes:
    """Return an index of layout v2. It repeats the entries of a cache that Spack wrote, with other hashes."""
    index = msgspec.json.decode((CACHES / "v2/spack-0.23.1/develop/btest/build_cache/index.json").read_bytes())
    entries = [each for each in index["database"]["installs"].values() if each.get("in_buildcache")]
    installs = index["database"]["installs"] = {}
    for number in range(specs):
        entry, new_hash = entries[number % len(entries)], hash_of(str(number))
        installs[new_hash] = entry | {"spec": entry["spec"] | {"hash": new_hash}}
    return msgspec.json.encode(index)


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the content of each file below a folder, by its relative path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def whole_caches(folder: Path) -> Path:
    """Copy all caches with every file that their indexes name, because the tests contain only some of the files."""
    shutil.copytree(CACHES, folder)
    for name in ("v3", "build_cache"):
        for part in sorted(folder.rglob(name)):
            if "manifests" not in part.parts and part.parent != folder:
                _complete(part.parent, is_v3=name == "v3")
    return folder


def _complete(cache: Path, *, is_v3: bool) -> None:
    """Add the missing files of one layout of a cache. They are signed if the existing files are signed.

    Also give shortened tarballs their full length.
    """
    files = list(cache.glob("v3/manifests/spec/*/*.json") if is_v3 else cache.glob("build_cache/*.spec.json*"))
    signed = any(b"BEGIN PGP" in file.read_bytes()[:100] for file in files)
    for spec in specs_of(index_of_folder(cache)):
        if is_v3:
            manifest = cache / spec_manifest(spec)
            if not manifest.exists():
                write_manifest_v3(cache, spec.hash or "", manifest, signed=signed)
            for blob in read_manifest(manifest.read_bytes()).blobs:
                (cache / (blob.path or "")).touch()
                os.truncate(cache / (blob.path or ""), blob.content_length)
        elif not any(spec.hash in file.name for file in files if spec.hash):
            tarball = cache / path_v2(spec)
            tarball.parent.mkdir(parents=True, exist_ok=True)
            tarball.touch()
            text = b'{"spec": {"nodes": []}, "binary_cache_checksum": {"hash": ""}}'
            spec_file = cache / "build_cache" / f"{tarball.stem}.spec.json{'.sig' if signed else ''}"
            spec_file.write_bytes(signed_text(text) if signed else text)

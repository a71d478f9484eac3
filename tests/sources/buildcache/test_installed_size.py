"""The size of installed specs, from manifests and prefixes of any kind."""

import json
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from cachetui.catalogue import Catalogue
from cachetui.model.spec import Spec
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache import remote_binaries
from cachetui.sources.buildcache.remote_binaries import MAX_PREFIX_BYTES, Sizes, installed_size
from tests.support.cache_writer import node, write_v3
from tests.support.installs import index_of
from tests.support.trees import record, write_tree

LINK = {"mode": 41471, "dest": "a"}


def spec_at(prefix: Path | None, state: str = "installed") -> Spec:
    index = index_of("1.1.0")
    return replace(index.spec(0), prefix=None if prefix is None else str(prefix), state=state)


def prefix_of(folder: Path, manifest: str | None = None) -> Path:
    """Return a prefix with the given manifest."""
    (folder / ".spack").mkdir(parents=True)
    if manifest is not None:
        (folder / ".spack" / "install_manifest.json").write_text(manifest)
    return folder


@pytest.mark.parametrize(
    ("manifest", "size"),
    [
        (json.dumps({"/p/a": {"size": 3}, "/p/b": {"size": 4, "hash": "x"}, "/p": {"mode": 1}, "/p/c": LINK}), 7),
        ("{}", 0),
        ('{"/p/a": {"size": -1}}', None),
        ('{"/p/a": {"size": "3"}}', None),
        ('{"/p/a": {"size": null}}', None),
        ('{"/p/a": {"size": 1e30}}', None),
        ('{"/p/a": {"size": ' + "9" * 5000 + "}}", None),
        (json.dumps({f"/p/{k}": {"size": MAX_PREFIX_BYTES} for k in range(2)}), None),
        ('{"/p/a": {"x": ' + "[" * 100_000 + "]" * 100_000 + "}}", None),
        ("[" * 100_000, None),
        ('["/p/a"]', None),
        ('{"/p/a"', None),
        ("", None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_installed_size_is_read_from_install_manifest(tmp_path: Path, manifest: str, size: int | None) -> None:
    assert installed_size(spec_at(prefix_of(tmp_path / "p", manifest))) == size


def test_special_or_too_large_install_manifest_gives_unknown_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = prefix_of(tmp_path / "p")
    os.mkfifo(prefix / ".spack" / "install_manifest.json")
    assert installed_size(spec_at(prefix)) is None
    large = prefix_of(tmp_path / "q", "{}")
    monkeypatch.setattr(remote_binaries, "MAX_FILE_BYTES", 1)
    assert installed_size(spec_at(large)) is None


def test_size_without_install_manifest_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("123")
    assert installed_size(spec_at(tmp_path)) is None
    prefix = prefix_of(tmp_path / "p", "{}")
    for state in ("external", "missing", "deprecated"):
        assert installed_size(spec_at(prefix, state)) is None
    assert installed_size(spec_at(prefix, "gone")) == 0
    for odd in (None, Path("/usr"), Path("/p\0q"), Path("/p\udc80"), tmp_path / "nowhere", tmp_path / "file"):
        assert installed_size(spec_at(odd)) is None


def test_download_size_of_cached_binary_overrides_installed_size(tmp_path: Path) -> None:
    """Sizes by hash are download sizes."""
    zlib, cmake = node("zlib"), node("cmake")
    hashes = [zlib["hash"], cmake["hash"]]
    records = {each["hash"]: record(each["name"]) | {"spec": each} for each in (zlib, cmake)}
    tree = write_tree(tmp_path / "tree", records, prefixes=False)
    for each in records.values():
        prefix_of(Path(each["path"]), '{"/p/a": {"size": 12}}')
    write_v3(tmp_path / "mirror", [zlib], [zlib], lengths={"zlib": 99})
    index = Catalogue([str(tree), str(tmp_path / "mirror")], Settings(), index_cache=False).load()
    assert dict(Sizes(index).each(hashes)) == {zlib["hash"]: 99, cmake["hash"]: 12}

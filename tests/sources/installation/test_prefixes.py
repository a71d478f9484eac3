"""The current prefixes of a moved tree, or of a tree on another mount point."""

from pathlib import Path

import pytest

from cachetui.sources.buildcache.node import Record
from cachetui.sources.installation.source import MAX_PATH_CHARACTERS, MAX_PROBED_PREFIXES, prefixes

PADDED = "/srv/tree/" + "/".join(["__spack_path_placeholder__"] * 8)


def record(path: str | None, *, is_external: bool = False) -> Record:
    return Record("installed", False, None, path, is_external=is_external)


@pytest.mark.parametrize(
    ("old", "below"),
    [
        ("/srv/tree", ["linux/a", "linux/b", "darwin/c"]),
        ("/srv/tree", ["linux-x86_64_v3/a-1", "linux-x86_64_v3/b-2"]),  # all in the same folder
        ("/srv/tree", ["linux/gcc-12/a"]),  # only one
        ("/srv/a/srv/a", ["srv/a/x"]),  # a repeated part of the path
        (PADDED, ["linux/a", "linux/b"]),
        ("/", ["linux/a", "linux/b"]),
    ],
)
def test_prefixes_of_moved_tree_are_found(tmp_path: Path, old: str, below: list[str]) -> None:
    paths = [f"{old.rstrip('/')}/{each}" for each in below]
    for each in below:
        (tmp_path / each).mkdir(parents=True)
    gone = "/elsewhere/and/gone"
    now = prefixes(str(tmp_path), map(record, [*paths, gone]))
    assert [now(path) for path in paths] == [f"{tmp_path}/{each}" for each in below]
    assert now(gone) == (f"{tmp_path}{gone}" if old == "/" else gone)


def test_padded_prefix_is_found_below_moved_tree(tmp_path: Path) -> None:
    padding = PADDED.removeprefix("/srv/tree/")
    (tmp_path / padding / "linux" / "a").mkdir(parents=True)
    now = prefixes(str(tmp_path), [record(f"{PADDED}/linux/a")])
    assert now(f"{PADDED}/linux/a") == f"{tmp_path}/{padding}/linux/a"


def test_unmoved_tree_keeps_its_prefixes(tmp_path: Path) -> None:
    paths = [f"{tmp_path}/linux/{name}" for name in "abc"]
    (tmp_path / "linux" / "a").mkdir(parents=True)
    now = prefixes(str(tmp_path), map(record, paths))
    assert [now(path) for path in paths] == paths


def test_empty_unmoved_tree_keeps_its_prefixes(tmp_path: Path) -> None:
    now = prefixes(str(tmp_path), [record(f"{tmp_path}/linux/a")])
    assert now(f"{tmp_path}/linux/a") == f"{tmp_path}/linux/a"


def test_prefix_without_folder_in_moved_tree_is_unknown(tmp_path: Path) -> None:
    now = prefixes(str(tmp_path), map(record, ["/srv/tree/linux/a", "/srv/tree/linux/b"]))
    assert now("/srv/tree/linux/a") is None


def test_moved_tree_is_found_if_some_prefixes_are_missing(tmp_path: Path) -> None:
    paths = [f"/srv/tree/linux/{k}" for k in range(5 * MAX_PROBED_PREFIXES)]
    for path in paths[::2]:
        (tmp_path / path.removeprefix("/srv/tree/")).mkdir(parents=True)
    now = prefixes(str(tmp_path), map(record, paths))
    assert now(paths[1]) == f"{tmp_path}/linux/1"


@pytest.mark.parametrize("path", [None, "", "None", "linux/a", "/srv/a\0b", "/" + "a/" * MAX_PATH_CHARACTERS])
def test_invalid_path_has_no_prefix(tmp_path: Path, path: str | None) -> None:
    (tmp_path / "linux" / "b").mkdir(parents=True)
    now = prefixes(str(tmp_path), [record(path), record("/srv/tree/linux/b"), record("/usr", is_external=True)])
    assert now(path) is None
    assert now("/srv/tree/linux/b") == f"{tmp_path}/linux/b"

"""`prune`: its output and files, and the cases in which it ends because too little is known."""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.cache_writer import Node, database, node, write_index_v3, write_v2, write_v3
from tests.support.caches import CACHES, index_of_folder
from tests.support.commands import answered, refusal
from tests.support.installs import INSTALLS
from tests.support.locks import ENVS
from tests.support.mirror_server import serving
from tests.support.places import SAMPLE_CONTENT
from tests.support.schemas import faults

Output = pytest.CaptureFixture[str]

TOOLS = CACHES / "v3/spack-1.1.0/develop/tools"

ORACLE = json.loads((CACHES / "oracle" / "prune.json").read_text())

ZLIB = node("zlib")
MAKE = node("gmake")
HDF5 = node("hdf5", needs=[(ZLIB, ["link"], []), (MAKE, ["build"], [])])
OLD = node("zlib", "0.9")
NODES = [ZLIB, MAKE, HDF5, OLD]

Write = Callable[[Path, list[Node], list[Node]], Path]


def json_of(capsys: Output, *words: str) -> Any:
    status, out, err = answered(capsys, "prune", *words, "--format", "json")
    assert status < 2, err
    assert faults("prune", out) == []
    return json.loads(out)


def names(document: Any) -> list[str]:
    """Return the removable specs, as `package@version`."""
    return [f"{each['package']}@{each['version']}" for each in document["remove"]]


@pytest.fixture(params=[write_v2, write_v3])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    write: Write = request.param
    return write(tmp_path / "mirror", NODES, NODES)


@pytest.mark.parametrize("recorded", ORACLE, ids=lambda recorded: f"{recorded['cache']} {' '.join(recorded['keep'])}")
def test_prune_lists_same_files_as_spack_deletes(recorded: Any, capsys: Output, tmp_path: Path) -> None:
    folder, keeplist, paths = CACHES / recorded["cache"], tmp_path / "keep", tmp_path / "paths"
    found = json_of(capsys, str(folder), "--keep", *recorded["keep"], f"--keeplist={keeplist}", f"--paths={paths}")
    assert keeplist.read_text().splitlines() == recorded["keeplist"] == found["keep"]
    assert sorted(f"{each['package']}/{each['hash'][:7]}" for each in found["remove"]) == sorted(recorded["dry_run"])
    listed = [path for each in found["remove"] for path in each["paths"]]
    assert paths.read_text().splitlines() == listed
    relative = {os.path.relpath(path, folder) for path in listed}
    assert {path for path in relative if not path.startswith("build_cache/")} == set(recorded["deleted"])
    assert found["bytes"] == sum(os.path.getsize(path) for path in listed)


def test_prune_deletes_no_files(cache: Path, capsys: Output) -> None:
    before = sorted(cache.rglob("*"))
    assert names(json_of(capsys, str(cache), "--keep", "hdf5")) == ["gmake@1.0", "zlib@0.9"]
    assert sorted(cache.rglob("*")) == before


def test_prune_keeps_build_dependencies_on_request(cache: Path, capsys: Output) -> None:
    assert names(json_of(capsys, str(cache), "--keep", "hdf5", "--with-build")) == ["zlib@0.9"]


def test_option_keep_matches_all_builds_of_name_or_hash_prefix(cache: Path, capsys: Output) -> None:
    assert names(json_of(capsys, str(cache), "--keep", "zlib")) == ["gmake@1.0", "hdf5@1.0"]
    assert names(json_of(capsys, str(cache), "--keep", f"/{OLD['hash'][:9]}", "gmake")) == ["hdf5@1.0", "zlib@1.0"]


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        ("hdf5\nnosuch\n# gone\n", ["gmake@1.0", "zlib@0.9"]),
        ("hdf5\nzlib@99\n", ["gmake@1.0"]),
        ("zlib@99\n", ["gmake@1.0", "hdf5@1.0"]),
        (f"hdf5\n/{'z' * 32}\n", f"/{'z' * 32} matches no spec"),
        ("spack: {specs: [hdf5, '+mpi']}", "+mpi"),
        ("spack: {specs: [hdf5], include: ['https://host/roots.yaml']}", "include https://host/roots.yaml"),
        ("nosuch\n", "matches no"),
        ("hdf5 [\n", "cannot read"),
    ],
)
def test_prune_keeps_all_builds_of_package_if_no_build_matches(
    cache: Path, capsys: Output, tmp_path: Path, keep: str, expected: list[str] | str
) -> None:
    wanted = tmp_path / "keep.txt"
    wanted.write_text(keep)
    if isinstance(expected, str):
        assert expected in refusal(capsys, ["prune", str(cache), "--keep", "hdf5", "--keep", str(wanted)])
    else:
        assert names(json_of(capsys, str(cache), "--keep", str(wanted))) == expected


def test_prune_refuses_to_keep_binary_with_unknown_dependencies(capsys: Output, tmp_path: Path) -> None:
    bare = {key: HDF5[key] for key in ("hash", "name", "version")}
    folder = str(write_v2(tmp_path / "mirror", [bare, ZLIB], [bare, ZLIB]))
    assert f"the dependencies of hdf5/{HDF5['hash']}" in refusal(capsys, ["prune", folder, "--keep", "hdf5"])
    assert names(json_of(capsys, folder, "--keep", "zlib")) == ["hdf5@1.0"]


def test_option_keep_with_lock_keeps_dependencies_of_its_roots(capsys: Output) -> None:
    found = json_of(capsys, str(TOOLS), "--keep", str(ENVS / "spack-1.1/tools"))
    assert names(found) == ["compiler-wrapper@1.0", "gmake@4.4.1", "gmake@4.4.1"]


def test_option_older_keeps_new_binaries_and_their_dependencies(cache: Path, capsys: Output) -> None:
    assert names(json_of(capsys, str(cache), "--older", "30")) == []
    month_ago = time.time() - 31 * 24 * 60 * 60
    for each in (ZLIB, OLD, MAKE):
        for path in cache.rglob(f"*{each['hash']}*"):
            os.utime(path, (month_ago, month_ago))
    assert names(json_of(capsys, str(cache), "--older", "30")) == ["gmake@1.0", "zlib@0.9"]
    assert names(json_of(capsys, str(cache), "--older", "30", "--keep", "gmake")) == ["zlib@0.9"]
    assert names(json_of(capsys, str(cache), "--older", "32")) == []
    for path in cache.rglob("*"):
        os.utime(path, (month_ago, month_ago))
    assert "prune would keep nothing" in refusal(capsys, ["prune", str(cache), "--older", "30"])


def test_option_keep_tag_keeps_specs_of_tag_in_every_cache(capsys: Output, tmp_path: Path) -> None:
    write_v3(tmp_path / "develop" / "e4s", NODES, [HDF5, ZLIB, MAKE])
    write_v2(tmp_path / "v1" / "e4s", NODES, NODES)
    assert names(json_of(capsys, str(tmp_path), "--keep-tag", "develop")) == ["zlib@0.9"]
    found = json_of(capsys, str(tmp_path), "--keep", "hdf5")
    stacks = [{os.path.relpath(path, tmp_path)[:4] for path in each["paths"]} for each in found["remove"]]
    assert stacks == [{"deve", "v1/e"}, {"v1/e"}]


# Unknown dependencies


def test_prune_fails_if_a_manifest_is_unreadable(capsys: Output, tmp_path: Path) -> None:
    cache = write_v3(tmp_path / "mirror", NODES, NODES)
    kept = next(cache.rglob(f"*{HDF5['hash']}*"))
    kept.write_text("{")
    assert f"{kept} cannot be read" in refusal(capsys, ["prune", str(cache), "--keep", "hdf5"])


def test_prune_fails_if_index_lacks_a_binary(capsys: Output, tmp_path: Path) -> None:
    cache = write_v2(write_v3(tmp_path / "mirror", NODES, NODES), NODES, NODES)
    write_index_v3(cache, NODES[:3], NODES[:3])
    (cache / "build_cache" / "index.json").write_bytes(database(NODES[:3], NODES[:3]))
    err = refusal(capsys, ["prune", str(cache), "--keep", "hdf5"])
    assert f"does not list 1 pushed spec, such as /{OLD['hash']}" in err


def test_prune_fails_if_index_was_read_only_partly(capsys: Output, tmp_path: Path) -> None:
    cache = write_v2(tmp_path / "mirror", NODES, NODES)
    index = cache / "build_cache" / "index.json"
    index.write_text(index.read_text().replace('"version":"1.0"', '"version":1', 1))
    assert "the needed specs cannot be determined" in refusal(capsys, ["prune", str(cache), "--keep", "hdf5"])


def test_prune_fails_if_cache_contains_a_symlinked_folder(capsys: Output, tmp_path: Path) -> None:
    cache = write_v3(tmp_path / "mirror", NODES, NODES)
    shutil.move(cache / "v3/manifests/spec/gmake", tmp_path / "elsewhere")
    (cache / "v3/manifests/spec/gmake").symlink_to(tmp_path / "elsewhere")
    assert "is a link to a folder, which cachetui does not follow" in refusal(
        capsys, ["prune", str(cache), "--keep", "hdf5"]
    )


def test_prune_fails_if_an_opened_installation_is_damaged(capsys: Output, tmp_path: Path) -> None:
    words = [f"--content={TOOLS}", f"--content={INSTALLS / '1.1.0'}", f"--upstream=lost={tmp_path}", "--keep", "gmake"]
    assert names(json_of(capsys, *words)) == names(json_of(capsys, *words[:2], *words[3:]))
    (tmp_path / ".spack-db").mkdir()
    (tmp_path / ".spack-db" / "index.json").write_text("{")
    assert f"the needed specs cannot be determined, because 1.1.0/{tmp_path}" in refusal(capsys, ["prune", *words])


def test_prune_refuses_pages(capsys: Output) -> None:
    assert "needs a build cache" in refusal(capsys, ["prune", SAMPLE_CONTENT, "--keep", "hdf5"])


def test_prune_refuses_to_list_a_file_name_with_line_break(capsys: Output, tmp_path: Path) -> None:
    cache = write_v2(tmp_path / "mirror", NODES, NODES)
    file = next(cache.glob(f"build_cache/*{OLD['hash']}*"))
    file.rename(file.with_name(f"x\n-{OLD['hash']}.spec.json"))
    paths = tmp_path / "paths"
    words = ["prune", str(cache), "--keep", "hdf5", "--paths", str(paths)]
    assert "a list must not contain" in refusal(capsys, words)
    assert list(tmp_path.iterdir()) == [cache]
    assert names(json_of(capsys, *words[1:-2])) == ["gmake@1.0", "zlib@0.9"]


# On a server


def test_prune_of_server_refuses_options_that_need_a_folder(capsys: Output, tmp_path: Path) -> None:
    files = {f"tools/{path.relative_to(TOOLS)}": path.read_bytes() for path in TOOLS.rglob("*") if path.is_file()}
    with serving(files) as server:
        content = f"{server.url}/tools"
        found = json_of(capsys, content, "--keep", "zlib", "--keeplist", str(tmp_path / "keep"))
        for option in (["--older", "3"], ["--paths", str(tmp_path / "paths")]):
            assert "need a folder" in refusal(capsys, ["prune", content, "--keep", "zlib", *option])
    for option in (["--offline"], []):  # the server is unreachable, and specs pushed since the local copy would be lost
        assert "the needed specs cannot be determined" in refusal(capsys, ["prune", content, "--keep", "zlib", *option])
    assert found["keep"] == ORACLE[0]["keeplist"] == (tmp_path / "keep").read_text().splitlines()
    assert [each["paths"] for each in found["remove"]] == [[]] * 5
    assert found["bytes"] == sum(each["bytes"] for each in found["remove"]) == 26840
    assert [path.name for path in tmp_path.iterdir()] == ["keep"]


def test_prune_lists_no_files_if_cache_has_only_an_index(capsys: Output, tmp_path: Path) -> None:
    cache = write_index_v3(tmp_path / "mirror", NODES, NODES)
    assert len(index_of_folder(cache)) == 4
    assert json_of(capsys, str(cache), "--keep", "zlib") == {
        "schema": "cachetui/prune/1",
        "keep": sorted([ZLIB["hash"], OLD["hash"]]),
        "remove": [],
        "bytes": 0,
    }

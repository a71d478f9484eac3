"""`check`: real caches and locks, the forms of the answer, and the exit status."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cachetui.model.host import Host
from cachetui.query.parts.facets import FitsPart
from tests.support.cache_writer import node, write_v2, write_v3
from tests.support.caches import CACHES
from tests.support.commands import answered
from tests.support.installs import INSTALLS, UPSTREAM, index_of, write_beside
from tests.support.locks import ENVS
from tests.support.places import SAMPLE_MIRROR


@pytest.mark.parametrize(
    ("lock", "cache", "missing"),
    [
        ("spack-0.23/btest", "v2/spack-0.23.1/develop/btest", 0),
        ("spack-0.23/tools", "v2/spack-0.23.1/develop/tools", 0),
        ("spack-0.23/tools", "v3/migrated-by-1.1.0/tools-v2-and-v3", 0),
        ("spack-0.23/splice", "v2/spack-0.23.1/spliced", 0),
        ("spack-1.1/btest", "v3/spack-1.1.0/develop/btest", 0),
        ("spack-1.1/btest", "v3/spack-1.1.0/runtime-only", 0),
        ("spack-1.1/tools", "v3/spack-1.1.0/develop/tools", 0),
        ("spack-1.1/btest", "v3/spack-1.1.0/only-roots", 20),
    ],
)
def test_real_locks_and_the_caches_that_were_pushed_from_them(
    capsys: pytest.CaptureFixture[str], lock: str, cache: str, missing: int
) -> None:
    status, out, _ = answered(capsys, "check", str(CACHES / cache), str(ENVS / lock), "--format", "json")
    found = json.loads(out)
    assert (found["complete"], status) == (not missing, int(bool(missing)))
    assert len({each["hash"] for root in found["roots"] for each in root["missing"]}) == missing
    assert found["causes"] == []


def test_check_without_env_reads_the_current_folder(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cache = str(CACHES / "v3/spack-1.1.0/develop/btest")
    monkeypatch.chdir(ENVS / "spack-1.1/btest")
    status, _, err = answered(capsys, "check", cache, *HOST)
    assert (status, err.splitlines()[0]) == (0, "cachetui: check reads spack.lock of the current folder")
    monkeypatch.chdir(tmp_path)
    assert answered(capsys, "check", cache)[0] == 2


@pytest.mark.parametrize(
    ("environment", "cache"),
    [
        ("spack-1.1/btest", "v3/spack-1.1.0/develop/btest"),
        ("spack-1.1/tools", "v3/spack-1.1.0/develop/tools"),
    ],
)
def test_what_a_cache_was_built_from_is_all_there(
    capsys: pytest.CaptureFixture[str], environment: str, cache: str
) -> None:
    manifest = str(ENVS / environment / "spack.yaml")
    assert answered(capsys, "check", str(CACHES / cache), manifest, *HOST)[0] == 0
    assert answered(capsys, "coverage", str(CACHES / cache), "--expect", manifest, "--exit-code")[0] == 0


@pytest.mark.parametrize(
    ("flags", "status"), [('ldflags=="-L/opt/x y"', 0), ('cflags="-O3 -g"', 0), ("cflags=-g", 0), ("cflags=-O9", 1)]
)
def test_compiler_flags_are_asked_for(capsys: pytest.CaptureFixture[str], flags: str, status: int) -> None:
    cache = str(CACHES / "v3/spack-1.1.0/develop/btest")
    assert answered(capsys, "check", cache, f"bt-hdf {flags}", *HOST)[0] == status
    assert answered(capsys, "find", cache, f"bt-hdf {flags}")[0] == status


def test_as_the_installer_of_spack_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """`spack install --cache-only` of bt-app from only-roots fails over nine nodes and two externals."""
    cache = str(CACHES / "v3/spack-1.1.0/only-roots")
    status, out, _ = answered(capsys, "check", cache, "/7z46s2xt5wiqu3xodm5pbk2hiw64bx2x", "--format", "json")
    (root,) = json.loads(out)["roots"]
    assert (status, root["needs"], len(root["missing"])) == (1, 9, 8)
    assert {each["package"] for each in root["externals"]} == {"bt-ssl", "glibc"}
    assert {each["package"] for each in root["missing"]} == {
        *("bt-data", "gcc-runtime", "bt-mpich", "bt-hdf", "bt-py", "py-bt-num", "bt-blas-a", "bt-core"),
    }


TREE, USER = str(INSTALLS / "1.1.0"), str(INSTALLS / "user-1.1")
LAB = f"{TREE}/var/spack/environments/lab"

OF_APP = "bzip2 gcc-runtime hdf5 oniguruma xz zlib-ng zstd"


@pytest.mark.parametrize(
    ("words", "verdict", "installed"),
    [
        ([LAB, "-C", "mirror"], "not complete: from binaries 2 of 4; missing 2", ""),
        ([LAB, "-C", TREE], "complete: installed 3", "bzip2 xz zstd"),
        ([LAB, "-C", TREE, "-C", "mirror"], "complete: installed 3", "bzip2 xz zstd"),
        (["spack.lock", "-C", "mirror"], "not complete: from binaries 5 of 10; missing 5", ""),
        (["spack.lock", "-C", TREE], "not complete: installed 7; from binaries 0 of 3; missing 3", OF_APP),
        (
            ["spack.lock", "-C", TREE, "-C", "mirror"],
            "not complete: installed 7; from binaries 2 of 3; missing 1",
            OF_APP,
        ),
        (
            ["spack.lock", "-C", TREE, "-C", "mirror", "--tag=mirror/mirror"],
            "not complete: installed 7; from binaries 2 of 3; missing 1",
            OF_APP,
        ),
        (
            ["spack.lock", "-C", TREE, "-C", "mirror", "--stack=local"],
            "not complete: installed 7; from binaries 0 of 3; missing 3",
            OF_APP,
        ),
        (["sqlite", "-C", TREE], "complete: installed 1", "sqlite"),
        (["sqlite", "-C", TREE, "--with-build"], "complete: installed 1", "sqlite"),
        (["oniguruma", "-C", TREE], "complete: installed 1", "oniguruma"),
        (["openssl", "-C", TREE], "complete: ", ""),
        (["bison", "-C", TREE], "not complete: no build of bison", ""),
        (["libpng@1.6.37", "-C", TREE], "not complete: no build of libpng@1.6.37", ""),
        (["/b63je5l", "-C", TREE], "not complete: installed 2; from binaries 0 of 1; missing 1", "gcc-runtime zlib-ng"),
        (
            ["libpng@1.6.37", "-C", TREE, "-C", "mirror"],
            "complete: installed 2; from binaries 1 of 1; 43 B",
            "gcc-runtime zlib-ng",
        ),
        (["/vkngosu", "-C", TREE], "not complete: installed 1; from binaries 0 of 2; missing 2", "gcc-runtime"),
        (["netcdf-c", "-C", USER], "complete: installed 1", "netcdf-c"),
        (["sqlite", "-C", USER], "not complete: no build of sqlite", ""),
        (["sqlite", "-C", USER, "--upstream", UPSTREAM], "complete: installed 1", "sqlite"),
    ],
)
def test_what_is_installed_is_there_and_what_only_it_needs_is_not_needed(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    verdict: str,
    installed: str,
) -> None:
    monkeypatch.chdir(write_beside(tmp_path))
    status, out, _ = answered(capsys, "check", *words)
    assert (out.splitlines()[0].rstrip(), status) == (verdict.rstrip(), int(not verdict.startswith("complete")))
    found = json.loads(answered(capsys, "check", *words, "--format=json")[1])
    indexes = index_of("1.1.0"), index_of("user-1.1")
    names = {each.hash_of(row): each.spec(row).package for each in indexes for row in each.all_rows}
    assert sorted(map(names.__getitem__, found["installed"])) == installed.split()
    assert {each["stack"] for each in found["mirrors"]} <= {""}, "no installation is a mirror"


HOST = ("--fits", "linux-ubuntu24.04-icelake")


def test_only_a_host_that_is_named_decides(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    old = "linux-debian12-zen3"
    monkeypatch.setenv("CACHETUI_HOST", old)
    assert answered(capsys, "check", SAMPLE_MIRROR, "/jzycrm3")[0] == 1
    monkeypatch.delenv("CACHETUI_HOST")
    monkeypatch.setattr(FitsPart, "of", lambda _: FitsPart(Host.parse(old)))  # this machine is an old one
    for asked in ("/jzycrm3", "python"):
        status, out, err = answered(capsys, "check", SAMPLE_MIRROR, asked)
        assert (status, out.startswith("complete: ")) == (0, True)
        assert f"would not run on this machine, {old}" in err


@pytest.mark.parametrize("write", [write_v2, write_v3])
def test_the_size_is_that_of_the_files_of_the_cache(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], write: Callable[..., Path]
) -> None:
    zlib = node("zlib", "1.3.1")
    hdf5 = node("hdf5", "1.14.3", [(zlib, ["link"], [])])
    write(tmp_path, [zlib, hdf5], [zlib, hdf5])
    status, out, _ = answered(capsys, "check", str(tmp_path), f"/{hdf5['hash']}", "--format", "json")
    (root,) = json.loads(out)["roots"]
    assert (status, root["needs"], root["bytes"]) == (0, 2, 2 * len(f"tarball of {zlib['hash']}"))

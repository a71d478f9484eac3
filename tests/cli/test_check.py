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
from tests.support.locks import BTEST, CORE, ENVS, changed_at_the_bottom
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


@pytest.mark.parametrize(
    ("environment", "cache"),
    [
        ("spack-0.23/btest", "v2/spack-0.23.1/develop/btest"),
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
    assert {each["name"] for each in root["externals"]} == {"bt-ssl", "glibc"}
    assert {each["name"] for each in root["missing"]} == {
        *("bt-data", "gcc-runtime", "bt-mpich", "bt-hdf", "bt-py", "py-bt-num", "bt-blas-a", "bt-core"),
    }


HOST = ("--fits", "linux-ubuntu24.04-icelake")


def test_after_the_verdict_come_the_roots_that_miss_then_causes_then_what_is_missing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cache, lock = str(CACHES / "v3/spack-1.1.0/develop/btest"), changed_at_the_bottom(tmp_path)
    status, out, _ = answered(capsys, "check", cache, lock, "bt-core")
    assert status == 1
    verdict, roots, causes, missing, *_ = (block.splitlines() for block in out.split("\n\n"))
    assert verdict[0] == "not complete: 7 of 28 binaries missing"
    assert [" no " in line for line in roots[1:]] == [True] * 2 + [False] * 7
    cause = 'bt-core: ~shared here +shared (/4f5apt2); 6 of 7 misses follow; packages.yaml: require: "bt-core +shared"'
    assert causes == [cause]
    assert len(missing) == 8
    _, out, _ = answered(capsys, "check", cache, lock, "--format", "json")
    (cause,) = json.loads(out)["causes"]
    assert (cause["package"], cause["hash"], cause["nearest"]) == ("bt-core", f"x{CORE[1:]}", CORE)
    assert cause["differs"] == {"variants": ["~shared", "+shared"]}
    assert len(cause["follows"]) == 6


def test_the_keys_of_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(CACHES / "v3/spack-1.1.0")
    _, out, _ = answered(capsys, "check", folder, "--stack", "tools", BTEST, "--format", "json")
    found = json.loads(out)
    assert {"complete", "roots", "causes"} <= set(found)
    root = found["roots"][0]
    assert {"asked", "hash", "complete", "needs", "bytes", "missing", "externals"} <= set(root)
    missing = root["missing"][0]
    assert {"hash", "name", "version", "found_in"} <= set(missing)
    assert missing["found_in"] == [folder, "develop", "btest"]
    assert [folder, "develop", "btest"] in found["mirrors"]
    assert found["causes"]
    assert {"package", "hash", "nearest", "differs", "follows"} <= set(found["causes"][0])


def test_what_does_not_run_on_the_host_is_told_with_it_and_why(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = ("--fits", "linux-debian12-zen3")
    status, out, _ = answered(capsys, "check", SAMPLE_MIRROR, "/jzycrm3", *old)
    first = "not complete: 6 of 6 binaries do not run on linux-debian12-zen3"
    assert (status, out.splitlines()[0]) == (1, first)
    monkeypatch.setenv("CACHETUI_HOST", old[1])
    assert answered(capsys, "check", SAMPLE_MIRROR, "/jzycrm3")[0] == 1
    monkeypatch.delenv("CACHETUI_HOST")
    monkeypatch.setattr(FitsPart, "of", lambda _: FitsPart(Host.parse(old[1])))  # this machine is an old one
    for asked in ("/jzycrm3", "python"):
        status, out, err = answered(capsys, "check", SAMPLE_MIRROR, asked)
        assert (status, out.startswith("complete: ")) == (0, True)
        assert "would not run on this machine, linux-debian12-zen3" in err
    monkeypatch.undo()
    said = "no build of it runs on linux-debian12-zen3: needs glibc 2.39, the host has 2.36"
    status, out, err = answered(capsys, "check", SAMPLE_MIRROR, "python", *old)
    assert (status, out.count(said), err) == (1, 1, "")
    err = answered(capsys, "check", SAMPLE_MIRROR, "python", *old, "--format=csv")[2]
    assert err == f"cachetui: python: {said}\n"


def test_several_contents_and_a_default(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    roots, rest = str(CACHES / "v3/spack-1.1.0/only-roots"), str(CACHES / "v3/spack-1.1.0/runtime-only")
    environment = str(ENVS / "spack-1.1" / "btest")
    both = ("-C", roots, "-C", rest)
    assert answered(capsys, "check", *both, environment)[0] == 0
    _, out, _ = answered(capsys, "check", *both, environment, "--tag", "only-roots", "--format", "json")
    found = json.loads(out)
    assert found["roots"][0]["missing"][0]["found_in"] == [rest, "runtime-only", ""]
    monkeypatch.setenv("CACHETUI_CONTENT", roots)
    monkeypatch.chdir(Path(BTEST).parent)
    assert answered(capsys, "check", "spack.lock")[0] == 1
    assert answered(capsys, "check", BTEST)[0] == 2


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

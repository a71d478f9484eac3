"""`check` on real caches and locks: its verdict, formats and exit status."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cachetui.model.host import Host
from tests.support.cache_writer import node, write_v2, write_v3
from tests.support.caches import files_of
from tests.support.commands import answered
from tests.support.installs import INSTALLS, UPSTREAM, index_of, write_beside
from tests.support.locks import ENVS
from tests.support.mirror_server import serving
from tests.support.places import SAMPLE_MIRROR


@pytest.mark.parametrize(
    ("lock", "cache", "missing"),
    [
        ("spack-0.23/btest", "v2/spack-0.23.1/develop/btest", 0),
        ("spack-0.23/tools", "v2/spack-0.23.1/develop/tools", 0),
        ("spack-0.23/tools", "v3/migrated-by-1.1.0/tools-v2-and-v3", 0),
        ("spack-0.23/splice", "v2/spack-0.23.1/develop/btest", 0),
        ("spack-0.23/splice", "v2/spack-0.23.1/spliced", 3),
        ("spack-1.1/btest", "v3/spack-1.1.0/develop/btest", 0),
        ("spack-1.1/btest", "v3/spack-1.1.0/runtime-only", 0),
        ("spack-1.1/tools", "v3/spack-1.1.0/develop/tools", 0),
        ("spack-1.1/btest", "v3/spack-1.1.0/only-roots", 20),
    ],
)
def test_check_finds_exactly_the_missing_specs_of_real_lock(
    capsys: pytest.CaptureFixture[str], caches: Path, lock: str, cache: str, missing: int
) -> None:
    status, out, _ = answered(capsys, "check", str(caches / cache), str(ENVS / lock), "--format", "json")
    found = json.loads(out)
    assert (found["complete"], status) == (not missing, int(bool(missing)))
    assert len({each["hash"] for root in found["roots"] for each in root["missing"]}) == missing


def test_check_without_environment_reads_lock_of_current_folder(
    capsys: pytest.CaptureFixture[str], caches: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cache = str(caches / "v3/spack-1.1.0/develop/btest")
    monkeypatch.chdir(ENVS / "spack-1.1/btest")
    status, _, err = answered(capsys, "check", cache, *HOST)
    assert (status, err.splitlines()[0]) == (0, "cachetui: check reads spack.lock in the current folder")
    monkeypatch.chdir(tmp_path)
    assert answered(capsys, "check", cache)[0] == 2


@pytest.mark.parametrize(
    ("environment", "cache"),
    [
        ("spack-1.1/btest", "v3/spack-1.1.0/develop/btest"),
        ("spack-1.1/tools", "v3/spack-1.1.0/develop/tools"),
    ],
)
def test_environment_is_complete_in_its_own_build_cache(
    capsys: pytest.CaptureFixture[str], caches: Path, environment: str, cache: str
) -> None:
    manifest = str(ENVS / environment / "spack.yaml")
    assert answered(capsys, "check", str(caches / cache), manifest, *HOST)[0] == 0
    assert answered(capsys, "coverage", str(caches / cache), "--expect", manifest, "--exit-code")[0] == 0


@pytest.mark.parametrize(
    ("flags", "status"), [('ldflags=="-L/opt/x y"', 0), ('cflags="-O3 -g"', 0), ("cflags=-g", 0), ("cflags=-O9", 1)]
)
def test_compiler_flags_in_queries_are_compared_with_specs(
    capsys: pytest.CaptureFixture[str], caches: Path, flags: str, status: int
) -> None:
    cache = str(caches / "v3/spack-1.1.0/develop/btest")
    assert answered(capsys, "check", cache, f"bt-hdf {flags}", *HOST)[1].startswith("no: ") is bool(status)
    assert answered(capsys, "find", cache, f"bt-hdf {flags}")[0] == status


def test_check_reports_same_missing_specs_as_spack_install(capsys: pytest.CaptureFixture[str], caches: Path) -> None:
    """`spack install --cache-only` of bt-app from only-roots fails because of nine nodes and two externals."""
    cache = str(caches / "v3/spack-1.1.0/only-roots")
    status, out, _ = answered(capsys, "check", cache, "/7z46s2xt5wiqu3xodm5pbk2hiw64bx2x", "--format", "json")
    (root,) = json.loads(out)["roots"]
    assert (status, root["needs"], len(root["missing"])) == (1, 9, 8)
    assert {each["package"] for each in root["externals"]} == {"bt-ssl", "glibc"}
    assert {each["package"] for each in root["missing"]} == {
        *("bt-data", "gcc-runtime", "bt-mpich", "bt-hdf", "bt-py", "py-bt-num", "bt-blas-a", "bt-core"),
    }


TREE, USER = str(INSTALLS / "1.1.0"), str(INSTALLS / "user-1.1")
LAB = f"{TREE}/var/spack/environments/lab"

ONE_MISSING = "no: 1 of 4 roots misses 1 of 3 binaries (app@1.0); 7 installed"
THREE_MISSING = "no: 1 of 4 roots misses 3 of 3 binaries (app@1.0, libpng@1.6.37, ncurses@6.5-20250705); 7 installed"
NO_NCURSES = "no: 1 of 1 root misses 1 of 1 binary (ncurses@6.5-20250705); {} installed"

OF_APP = "bzip2 gcc-runtime hdf5 oniguruma xz zlib-ng zstd"


@pytest.mark.parametrize(
    ("words", "verdict", "installed"),
    [
        ([LAB, "-C", "mirror"], "no: 3 of 3 roots miss 2 of 4 binaries (gcc-runtime@12.2.0, bzip2@1.0.8)", ""),
        ([LAB, "-C", TREE], "yes: 4 installed", "bzip2 gcc-runtime xz zstd"),
        ([LAB, "-C", TREE, "-C", "mirror"], "yes: 4 installed", "bzip2 gcc-runtime xz zstd"),
        (
            ["spack.lock", "-C", "mirror"],
            "no: 4 of 4 roots miss 5 of 10 binaries (app@1.0, oniguruma@6.9.10, gcc-runtime@12.2.0 and 2 more)",
            "",
        ),
        (["spack.lock", "-C", TREE], THREE_MISSING, OF_APP),
        (["spack.lock", "-C", TREE, "-C", "mirror"], ONE_MISSING, OF_APP),
        (["spack.lock", "-C", TREE, "-C", "mirror", "--tag=mirror/mirror"], ONE_MISSING, OF_APP),
        (["spack.lock", "-C", TREE, "-C", "mirror", "--stack=local"], THREE_MISSING, OF_APP),
        (["sqlite", "-C", TREE], NO_NCURSES.format(4), "gcc-runtime readline sqlite zlib-ng"),
        (
            ["sqlite", "-C", TREE, "--with-build"],
            NO_NCURSES.format(5),
            "compiler-wrapper gcc-runtime readline sqlite zlib-ng",
        ),
        (["oniguruma", "-C", TREE], "yes: 2 installed", "gcc-runtime oniguruma"),
        (["openssl", "-C", TREE], "yes: ", ""),
        (["bison", "-C", TREE], "no: 1 of 1 root has no binary (bison)", ""),
        (["libpng@1.6.37", "-C", TREE], "no: 1 of 1 root has no binary (libpng@1.6.37)", ""),
        (
            ["/b63je5l", "-C", TREE],
            "no: 1 of 1 root misses 1 of 1 binary (libpng@1.6.37); 2 installed",
            "gcc-runtime zlib-ng",
        ),
        (
            ["libpng@1.6.37", "-C", TREE, "-C", "mirror"],
            "yes: 1 of 1 binary; 43 B; 2 installed",
            "gcc-runtime zlib-ng",
        ),
        (
            ["/vkngosu", "-C", TREE],
            "no: 1 of 1 root misses 2 of 2 binaries (m4@1.4.20, libsigsegv@2.14); 1 installed",
            "gcc-runtime",
        ),
        (
            ["netcdf-c", "-C", USER],
            "no: 1 of 1 root misses 5 of 5 binaries (bzip2, gcc-runtime, glibc and 2 more); 1 installed",
            "netcdf-c",
        ),
        (
            ["netcdf-c", "-C", USER, "--upstream", UPSTREAM],
            "yes: 5 installed",
            "bzip2 gcc-runtime hdf5 netcdf-c zlib-ng",
        ),
        (["sqlite", "-C", USER], "no: 1 of 1 root has no binary (sqlite)", ""),
        (["sqlite", "-C", USER, "--upstream", UPSTREAM], NO_NCURSES.format(4), "gcc-runtime readline sqlite zlib-ng"),
    ],
)
def test_check_counts_installed_specs_as_present_even_without_binary(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    verdict: str,
    installed: str,
) -> None:
    monkeypatch.chdir(write_beside(tmp_path))
    status, out, _ = answered(capsys, "check", *words)
    assert (out.splitlines()[0].rstrip(), status) == (verdict.rstrip(), int(not verdict.startswith("yes")))
    found = json.loads(answered(capsys, "check", *words, "--format=json")[1])
    indexes = index_of("1.1.0"), index_of("user-1.1")
    names = {each.hash_of(row): each.spec(row).package for each in indexes for row in each.all_rows}
    assert sorted(map(names.__getitem__, found["installed"])) == installed.split()
    assert {each["stack"] for each in found["mirrors"]} <= {""}, "an installation is not a mirror"


HOST = ("--fits", "linux-ubuntu24.04-icelake")


def test_check_verdict_ignores_the_detected_host(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = "linux-debian12-zen3"
    monkeypatch.setenv("CACHETUI_HOST", old)
    assert answered(capsys, "check", SAMPLE_MIRROR, "/jzycrm3")[0] == 1
    monkeypatch.delenv("CACHETUI_HOST")
    monkeypatch.setattr("cachetui.model.host._this_machine", lambda: Host.parse(old))
    for asked in ("/jzycrm3", "python"):
        status, out, err = answered(capsys, "check", SAMPLE_MIRROR, asked)
        assert (status, out.startswith("yes: ")) == (0, True)
        assert f"do not run on this machine, {old}" in err


@pytest.mark.parametrize("write", [write_v2, write_v3])
def test_check_reports_total_size_of_needed_tarballs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], write: Callable[..., Path]
) -> None:
    zlib = node("zlib", "1.3.1")
    hdf5 = node("hdf5", "1.14.3", [(zlib, ["link"], [])])
    write(tmp_path, [zlib, hdf5], [zlib, hdf5])
    status, out, _ = answered(capsys, "check", str(tmp_path), f"/{hdf5['hash']}", "--format", "json")
    (root,) = json.loads(out)["roots"]
    assert (status, root["needs"], root["bytes"]) == (0, 2, 2 * len(f"tarball of {zlib['hash']}"))


@pytest.mark.parametrize("write", [write_v2, write_v3])
def test_check_verifies_files_on_request_in_folder_and_on_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], write: Callable[..., Path]
) -> None:
    zlib = node("zlib", "1.3.1", compiler={"name": "gcc", "version": "13.2.0"})
    write(tmp_path, [zlib], [zlib])
    asked = f"/{zlib['hash']}"
    tarball = next(path for path in tmp_path.rglob("*") if path.is_file() and path.read_bytes()[:7] == b"tarball")
    whole = tarball.read_bytes()
    with serving(files_of(tmp_path)) as server:
        for harm, verify, missing in (
            (whole, False, 0),
            (whole[::-1], False, 0),
            (whole[::-1], True, 1),
            (None, False, 1),
        ):
            if harm is None:
                tarball.unlink()
            else:
                tarball.write_bytes(harm)
            server.files.clear()
            server.files.update(files_of(tmp_path))
            option, requests = ("--verify", "3 requests") if verify else ("--ask", "2 requests")
            assert answered(capsys, "check", str(tmp_path), asked, option)[0] == missing
            assert answered(capsys, "check", server.url, asked)[0] == 0, "without --ask, only the index counts"
            status, _, err = answered(capsys, "check", server.url, asked, option)
            assert (status, requests in err) == (missing, True)
            status, out, err = answered(capsys, "doctor", server.url, "--verify", "--format=json")
            assert [each["hashes"] for each in json.loads(out)] == [[zlib["hash"]]] * (harm != whole)
            assert (status, "3 requests" in err) == (int(harm != whole), True)


@pytest.mark.parametrize(
    ("specs", "verdict"),
    [
        (["netcdf-c", "zlib-ng@2.2.4", "python"], "yes"),
        (["netcdf-c", "zlib-ng@2.2.1"], "no: 2 of 2 roots conflict with each other (zlib-ng: 2 builds)"),
        (["hdf5", "zlib-ng@2.2.1"], "yes"),  # check selects the build of hdf5 that fits
        (["netcdf-c", "/d4zk6o3n4jj3q2rx4cq44upqdeykrqpu"], "yes"),  # a root given by hash need not fit the others
    ],
)
def test_check_fails_if_roots_need_different_builds_of_one_package(
    capsys: pytest.CaptureFixture[str], specs: list[str], verdict: str
) -> None:
    assert answered(capsys, "check", SAMPLE_MIRROR, *specs)[1].startswith(verdict)


@pytest.mark.parametrize(
    ("unify", "roots", "verdict"),
    [
        ("true", "netcdf-c, zlib-ng@2.2.1", "no"),
        ("when_possible", "netcdf-c, zlib-ng@2.2.1", "unknown"),  # Spack may build both together
        ("when_possible", "zlib-ng@2.2.4, zlib-ng@2.2.1", "yes"),
        ("false", "netcdf-c, zlib-ng@2.2.1", "yes"),
    ],
)
def test_setting_unify_decides_whether_roots_may_use_different_builds(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, unify: str, roots: str, verdict: str
) -> None:
    (tmp_path / "spack.yaml").write_text(f"spack:\n  specs: [{roots}]\n  concretizer: {{unify: {unify}}}\n")
    assert answered(capsys, "check", SAMPLE_MIRROR, f"{tmp_path}/")[1].startswith(verdict)


def test_unknown_key_in_manifest_makes_verdict_unknown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "spack.yaml"
    for root, verdict in (("python", "unknown"), ("python@9", "no")):
        file.write_text(f"spack:\n  specs: [{root}]\n  packges: {{}}\n")
        status, out, _ = answered(capsys, "check", SAMPLE_MIRROR, str(file), "--format", "json")
        found = json.loads(out)
        assert (status, found["verdict"]) == (1, verdict)
        assert found["not_applied"] == ["packges: in spack.yaml is not applied"]

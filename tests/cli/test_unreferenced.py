"""What one can prune: `doctor --unreferenced`, and `deps --dependents --all`."""

from __future__ import annotations

import json

import pytest

from tests.support.caches import CACHES
from tests.support.commands import answered, refusal
from tests.support.places import SAMPLE_CONTENT

CACHE = str(CACHES / "v3/spack-1.1.0/develop/btest")
LOCK = str(CACHES / "oracle/envs/spack-1.1/btest/spack.lock")
CORE = "/4f5apt24ub7ufvjsd73opxz6sena4ys3"


def test_what_nothing_needs(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = answered(capsys, "doctor", CACHE, "--unreferenced", "--format", "json")
    found = json.loads(out)
    assert status == 1
    assert {"bt-app", "bt-hdf"} <= {each["package"] for each in found}
    assert "gcc-runtime" not in {each["package"] for each in found}
    assert f"{len(found)} binaries that nothing needs" in err
    assert answered(capsys, "doctor", CACHE, LOCK, "--unreferenced", "--count")[:2] == (0, "0\n")
    _, out, _ = answered(capsys, "doctor", CACHE, CORE, "--unreferenced")
    assert out.split()[:5] == ["hash", "package", "version", "bytes", "caches"]


def test_what_would_break(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = answered(capsys, "deps", CACHE, CORE, "--dependents", "--all", "--format", "json")
    found = json.loads(out)
    assert status == 0
    assert {"bt-app", "bt-hdf", "bt-mpich"} <= {each["package"] for each in found}
    assert found[0]["caches"] == [["btest", ""]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["doctor", CACHE, "zlib", "--unreferenced"], "zlib is no root: name whole hashes or a spack.lock"),
        (["doctor", CACHE, "/opt", "--unreferenced"], "/opt is no root: name whole hashes or a spack.lock"),
        (["doctor", CACHE, "/opt/", "--unreferenced"], "/opt/ is no environment"),
        (["doctor", CACHE, "nosuch/spack.lock", "--unreferenced"], "No such file"),
        (["doctor", SAMPLE_CONTENT, "--unreferenced"], "needs dependencies"),
        (["deps", CACHE, CORE, "--all"], "--all goes with --dependents: add that, or leave --all out"),
    ],
)
def test_what_cannot_be_done(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert message in refusal(capsys, words)

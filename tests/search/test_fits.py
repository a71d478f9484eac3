"""The C library of a build decides whether the build runs on a host, if the graph records the library."""

import json
from pathlib import Path

import pytest

from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.suggest.nearest_build import nearest_builds
from tests.support.cache_writer import ARCH, Node, external, node, write_v3
from tests.support.caches import index_of_folder
from tests.support.commands import answered

HOST = "linux-debian12-icelake"
"""Its glibc is 2.36."""


def built(version: str, libc: str, target: str) -> tuple[Node, Node]:
    """Return a build for ubuntu24.04 (glibc 2.39), and the glibc of the given version with which it was built."""
    glibc = external("glibc", libc)
    return node("hdf5", version, [(glibc, ["link"], ["libc"])], arch=ARCH | {"target": target}), glibc


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    made = [built("1.14.5", "2.36", "x86_64"), built("1.14.4", "2.36", "x86_64_v3"), built("1.14.3", "2.39", "x86_64")]
    made.append(built("1.14.2", "2.38", "x86_64"))
    unique = {each["hash"]: each for pair in made for each in pair}
    return write_v3(tmp_path, list(unique.values()), [binary for binary, _ in made])


def versions(index: Index, text: str) -> list[str | None]:
    return [index.spec(row).version for row in Results.of(index, Query.parse(text)).in_order()]


def test_binaries_with_recorded_libc_are_sorted_by_best_target(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert versions(index_of_folder(cache), f"hdf5 fits={HOST}") == ["1.14.4", "1.14.5"]
    _, out, _ = answered(capsys, "check", str(cache), "hdf5", "--fits", HOST, "--format", "json")
    (root,) = json.loads(out)["roots"]
    _, out, _ = answered(capsys, "find", str(cache), "hdf5", "--fits", HOST, "--format", "json")
    assert [each["version"] for each in json.loads(out)] == ["1.14.4", "1.14.5"]
    assert root["hash"] == json.loads(out)[0]["hash"]


def test_nearest_builds_state_each_libc_too_new_for_host(cache: Path) -> None:
    index, query = index_of_folder(cache), Query.parse(f"hdf5@:1.14.3 fits={HOST}")
    reasons = ["needs glibc 2.38, the host has 2.36", "needs glibc 2.39, the host has 2.36"]
    near = [each.phrase for build in nearest_builds(index, query) for each in build.differences]
    assert [reason for reason in reasons if any(reason in phrase for phrase in near)] == reasons

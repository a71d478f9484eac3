"""An unreadable index is an error with its reason in every command."""

import json
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from cachetui.sources.transport.client import Client, Patience
from tests.support.cache_writer import node, write_v3
from tests.support.caches import CACHES, files_of
from tests.support.ci import junit, prometheus
from tests.support.commands import answered, refusal
from tests.support.mirror_server import serving, status

V2, V3 = CACHES / "v2/spack-0.23.1/develop/tools", CACHES / "v3/spack-1.1.0/develop/tools"

HASH = "a" * 32

COMMANDS = [
    ["find", "zlib"],
    ["find", "--count"],
    ["which", HASH],
    ["check", "zlib"],
    ["coverage"],
    ["diff"],
    ["tags"],
    ["deps", HASH],
]


def cut(index: Path) -> None:
    index.write_bytes(index.read_bytes()[:1000])


def sign_in(index: Path) -> None:
    index.write_text("<html>Sign in</html>")


def empty(index: Path) -> None:
    index.write_bytes(b"")


def without_entries(index: Path) -> None:
    index.write_text('{"database": {"version": "8", "installs": [1]}}')


HARMS = [(V2, cut), (V2, sign_in), (V2, empty), (V2, without_entries), (V3, cut), (V3, empty), (V3, Path.unlink)]


def index_file(cache: Path) -> Path:
    """Return the index file of a cache."""
    if (cache / "build_cache").is_dir():
        return cache / "build_cache" / "index.json"
    (blob,) = json.loads((cache / "v3/manifests/index/index.manifest.json").read_text())["data"]
    checksum = str(blob["checksum"])
    return cache / "blobs/sha256" / checksum[:2] / checksum


@pytest.fixture(params=HARMS, ids=lambda case: f"{case[0].parent.parent.parent.name}-{case[1].__name__}")
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A build cache with a damaged index."""
    cache, harm = request.param
    assert isinstance(cache, Path)
    shutil.copytree(cache, tmp_path / "broken")
    harm(index_file(tmp_path / "broken"))
    return tmp_path / "broken"


@pytest.fixture(params=["folder", "url"])
def content(request: pytest.FixtureRequest, broken: Path) -> Iterator[str]:
    if request.param == "folder":
        yield str(broken)
        return
    with serving(files_of(broken)) as server:
        yield server.url


def test_every_command_reports_why_index_is_unreadable(content: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command, *words in COMMANDS:
        said = refusal(capsys, [command, content, *words])
        assert f"the index of {content} cannot be read: " in said


BOTH = CACHES / "v3/migrated-by-1.1.0/tools-v2-and-v3"


@pytest.mark.parametrize("with_index", [True, False])
@pytest.mark.parametrize("harm", [cut, empty, Path.unlink])
def test_other_layout_is_read_if_one_layout_is_unreadable(
    harm: Callable[[Path], None], with_index: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    v2, both = tmp_path / "v2", tmp_path / "both"
    shutil.copytree(BOTH, both)
    if not with_index:
        (both / "build_cache" / "index.json").unlink()
    shutil.copytree(both / "build_cache", v2 / "build_cache")
    manifest = json.loads((both / "v3/manifests/index/index.manifest.json").read_text())
    checksum = manifest["data"][0]["checksum"]
    harm(both / "blobs/sha256" / checksum[:2] / checksum)
    words = ("zlib", "--format", "{hash} {version}")
    code, out, err = answered(capsys, "find", str(both), *words)
    assert (code, out) == answered(capsys, "find", str(v2), *words)[:2]
    assert code == 0
    assert f"the index of {both} cannot be read: " in err
    code, out, _ = answered(capsys, "doctor", str(both), "--format", "json")
    assert code == 1
    assert any(problem["kind"] == "unread_index" for problem in json.loads(out))


@pytest.mark.parametrize("harm", [cut, Path.unlink])
def test_unreadable_mirror_is_listed_as_unread(
    harm: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(V3, tmp_path / "broken")
    harm(index_file(tmp_path / "broken"))
    mirrors = {"whole": V2.as_uri(), "broken": (tmp_path / "broken").as_uri(), "container": "gs://bucket/cache"}
    file = tmp_path / "mirrors.yaml"
    file.write_text(json.dumps({"mirrors": mirrors}))
    code, out, err = answered(capsys, "find", str(file), "--count")
    assert (code, out != "0\n") == (0, True)
    assert f"the index of {tmp_path / 'broken'} cannot be read: " in err
    assert "the mirror container cannot be read: " in err
    code, out, _ = answered(capsys, "check", str(file), "nosuch")
    assert code == 1
    assert "not read: broken, container" in out.splitlines()[0]
    unread = json.loads(answered(capsys, "check", str(file), "nosuch", "--format", "json")[1])["unread"]
    assert [(each["content"], each["path"]) for each in unread] == [
        (str(file), "./broken/"),
        (str(file), "./container/"),
    ]


@pytest.mark.parametrize(("layout", "complete"), [(V2, False), (V3, True)])  # a blob has a checksum that can be wrong
def test_broken_v2_index_makes_verdict_unknown(
    caches: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], layout: Path, complete: bool
) -> None:
    whole = caches / layout.relative_to(CACHES)
    shutil.copytree(whole, tmp_path / "broken")
    cut(index_file(tmp_path / "broken"))
    file = tmp_path / "mirrors.yaml"
    file.write_text(json.dumps({"mirrors": {"broken": (tmp_path / "broken").as_uri(), "whole": whole.as_uri()}}))
    verdicts = [
        answered(capsys, "check", str(file), "zlib", *more)[1].split(":")[0] for more in ([], ["--stack=whole"])
    ]
    assert verdicts == ["yes" if complete else "unknown", "yes"]


def test_verdict_on_unreadable_stack_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for stack in ("one", "two"):
        zlib = node("zlib")
        write_v3(tmp_path / "caches" / "develop" / stack, [zlib], [zlib])
    words = ("check", str(tmp_path / "caches"), "--all")
    names = junit(answered(capsys, *words, "--format=junit")[1]).passing
    empty(index_file(tmp_path / "caches" / "develop" / "two"))
    status, out, _ = answered(capsys, *words)
    assert (status, out.split()[-1]) == (1, "unknown")
    status, out, _ = answered(capsys, *words, "--format=json")
    found = json.loads(out)
    assert (status, found["verdict"], [each["verdict"] for each in found["stacks"]]) == (
        1,
        "unknown",
        ["yes", "unknown"],
    )
    assert "- complete: 1 of 2 stacks, 1 unknown\n" in answered(capsys, *words, "--format=markdown")[1]
    assert junit(answered(capsys, *words, "--format=junit")[1]) == (names[:1], names[1:], [])
    metrics = prometheus(answered(capsys, *words, "--format=prometheus")[1])
    assert [value for _, value in metrics["cachetui_stack_unread"]] == [0, 1]
    assert answered(capsys, *words, "--stack=one")[0] == 0
    for options in ([], ["--tag=develop"], ["--stack=two"]):
        for written in ("table", "csv", "json", "markdown", "html", "junit", "gitlab", "prometheus"):
            status, out, _ = answered(capsys, *words, *options, "--format", written)
            assert (status, "two" in out) == (1, True)
    assert "no stack twos; nearest: two" in refusal(capsys, [*words, "--stack=twos"])


def test_verdict_on_unreadable_mirror_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mirrors.yaml"
    file.write_text(json.dumps({"mirrors": {"whole": V2.as_uri(), "container": "gs://bucket/cache"}}))
    status, out, _ = answered(capsys, "check", str(file), "--all", "--stack=container", "--format=json")
    (stack,) = json.loads(out)["stacks"]
    assert (status, stack["tag"], stack["stack"], stack["verdict"]) == (1, "mirrors", "container", "unknown")


def test_unreachable_mirror_server_gets_few_requests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = Patience(backoff=0.01)
    monkeypatch.setattr("cachetui.sources.transport.client.Client", partial(Client, patience=quick))
    file = tmp_path / "mirrors.yaml"
    with serving({}) as server:
        server.misbehaves("away/v3/manifests/index/index.manifest.json", status(500))
        file.write_text(json.dumps({"mirrors": {"whole": V2.as_uri(), "away": f"{server.url}/away"}}))
        for _ in range(2):
            assert answered(capsys, "find", str(file), "zlib")[0] == 0
        assert len(server.requests) <= 3 * (quick.attempts + 1)

"""Commands on URLs: their output and status, and the local copies."""

import json
import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cachetui.settings.folders import CHECKED
from tests.support.caches import CACHES, files_of
from tests.support.commands import answered
from tests.support.mirror_server import MirrorServer, falls_silent, serving
from tests.support.places import CACHETUI

CACHE = "v3/spack-1.1.0/develop/tools"

MANIFEST = f"{CACHE}/v3/manifests/index/index.manifest.json"


@pytest.fixture
def server() -> Iterator[MirrorServer]:
    """Serve a cache of layout v3."""
    with serving({f"{CACHE}/{path}": data for path, data in files_of(CACHES / CACHE).items()}) as running:
        yield running


def test_command_prints_same_output_for_url_and_folder(
    server: MirrorServer, capsys: pytest.CaptureFixture[str]
) -> None:
    url, folder = f"{server.url}/{CACHE}", str(CACHES / CACHE)
    found = json.loads(answered(capsys, "find", folder, "--format=json")[1])
    some = found[0]["hash"]
    for words in (
        ["find", "--format={name}/{hash}"],
        ["find", "--count"],
        ["which", some],
        ["coverage", "--count"],
        ["tags"],
        ["deps", some],
    ):
        command, *rest = words
        assert answered(capsys, command, url, *rest)[:2] == answered(capsys, command, folder, *rest)[:2]


def test_check_omits_sizes_that_need_too_many_requests(
    server: MirrorServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, folder = f"{server.url}/{CACHE}", str(CACHES / CACHE)
    some = answered(capsys, "find", folder, "--format=/{hash}")[1].split()[0]

    def size(content: str) -> int | None:
        (root,) = json.loads(answered(capsys, "check", content, some, "--format=json")[1])["roots"]
        assert isinstance(root["bytes"], int | None)
        return root["bytes"]

    assert size(url) == size(folder) is not None
    monkeypatch.setattr("cachetui.cli.session.SIZE_REQUESTS", 0)
    assert size(url) is None


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["oci://ghcr.io"], "the name of a repository is missing"),
        (["http://mirror.example.org/a"], "http: is not encrypted"),
        (["https://me:geheim@localhost/a"], "~/.netrc"),
        (["https://localhost/a", "--offline", "--fresh"], "give one of them"),
        (["https://localhost/\x1b[31m"], "no spaces"),
    ],
)
def test_invalid_url_gives_one_line_error_with_status_2(
    capsys: pytest.CaptureFixture[str], words: list[str], why: str
) -> None:
    code, out, err = answered(capsys, "find", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert why in err
    assert "geheim" not in err
    assert "\x1b" not in err


def test_ctrl_c_ends_download_at_once(server: MirrorServer, home: Path) -> None:
    both = {MANIFEST, f"{CACHE}/build_cache/index.json"}
    for path in both:
        server.misbehaves(path, falls_silent())
    command = [*CACHETUI, "find", f"{server.url}/{CACHE}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as running:
        while not both <= set(server.paths):
            assert running.poll() is None
        os.killpg(running.pid, signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, b"", b"")


def test_terminal_shows_download_progress(server: MirrorServer) -> None:
    server.files[f"{CACHE}/build_cache/index.json"] = b'{"database": {"version": "8", "installs": {}}}' + b" " * 10**6
    server.misbehaves(f"{CACHE}/build_cache/index.json", falls_silent(900_000))
    terminal, inside = pty.openpty()
    command = [*CACHETUI, "find", "--count", f"{server.url}/{CACHE}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=inside) as running:
        os.close(inside)
        seen = b""
        while b"0.9 of 1.0 MB, " not in seen:
            seen += os.read(terminal, 1000)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
    os.close(terminal)
    assert b"\x1b" not in seen


def test_browser_refuses_offline_url_without_local_copy(server: MirrorServer) -> None:
    why = f"cachetui: {server.url}/{CACHE} has no local copy: leave out --offline to download it"
    terminal, inside = pty.openpty()
    command = [*CACHETUI, f"{server.url}/{CACHE}", "--offline"]
    ended = subprocess.run(command, stdin=inside, stdout=inside, stderr=inside, check=False)
    os.close(inside)
    said = os.read(terminal, 1000).decode()
    os.close(terminal)
    assert (ended.returncode, said) == (2, f"{why}\r\n")
    assert server.requests == []


# Kept files


def test_local_copies_are_listed_and_removed(
    server: MirrorServer, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    url = f"{server.url}/{CACHE}"
    assert answered(capsys, "cache", "--format=json")[:2] == (0, "[]\n")
    answered(capsys, "find", url)
    code, out, err = answered(capsys, "cache", "--format=json")
    copy, saved = json.loads(out)
    assert (code, copy["kind"], copy["url"], saved["kind"], saved["url"]) == (0, "copy", url, "indexes", None)
    assert copy["bytes"] > 10_000
    assert 0 <= copy["age"] < 60
    assert f"MB in {os.environ['CACHETUI_CACHE_DIR']}; to remove all, run cachetui cache clean" in err
    assert answered(capsys, "cache")[1].splitlines()[1].split()[0] == url
    index = next((home / "cache").glob("*.index"))
    note = Path(f"{index}{CHECKED}")
    note.touch()
    code, _, err = answered(capsys, "cache", "clean")
    assert (code, err.startswith("cachetui: removed ")) == (0, True)
    assert answered(capsys, "cache", "--format=json")[1] == "[]\n"
    assert not note.exists()


def test_doctor_on_url_reports_no_missing_files(server: MirrorServer, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = answered(capsys, "doctor", f"{server.url}/{CACHE}", "--format=json")
    kinds = {problem["kind"] for problem in json.loads(out)}
    assert (code, kinds - {"missing_dependency"}) == (0, set())

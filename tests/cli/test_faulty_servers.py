"""Commands on broken, hostile or unreachable servers: the local copy with its age, or one line and status 2."""

import gzip
import json
import os
import stat
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.support.cache_list import listed_files
from tests.support.caches import CACHES, files_of
from tests.support.certificates import Authority
from tests.support.commands import answered
from tests.support.mirror_server import (
    Fault,
    MirrorServer,
    endless,
    falls_silent,
    halves,
    redirect,
    sends,
    serving,
    status,
)
from tests.support.registries import registry_files

INDEX = CACHES / "v2/spack-0.23.1/develop/btest/build_cache/index.json"

TAGS = "v2/site/cache/tags/list"

LAYOUTS: dict[str, Callable[[], dict[str, bytes]]] = {
    "v2": cache(lambda: files_of(CACHES / "v2/spack-0.23.1/develop/btest")),
    "v3": cache(lambda: files_of(CACHES / "v3/spack-1.1.0/develop/btest")),
    "list": cache(lambda: listed_files("develop", "develop-2026-01-04")),
    "registry": cache(lambda: registry_files(INDEX.read_bytes())),
    "tags": cache(lambda: {TAGS: registry_files(b"", [f"bt-core-1.0-{'a' * 32}.spack"])[TAGS]}),
}

AT_ONCE: dict[str, Fault] = {
    "login page": sends(b"<html>log in</html>"),
    "no answer": sends(b""),
    "errors": sends(b'{"errors": []}'),
    "half": halves,
    "bomb": sends(gzip.compress(bytes(2**22)), Content_Encoding="gzip"),
    "circle": redirect("/circle"),
    "elsewhere": redirect("file:///etc/passwd"),
    "signed": redirect("http://mirror.example.org/a?X-Amz-Signature=geheim"),
} | {str(number): status(number) for number in (204, 206, 401, 403, 416, 418)}

ASKED_AGAIN: dict[str, Fault] = {
    "429": status(429),
    "500": status(500),
    "breaks off": sends(b"{", length=2000),
    "silent": falls_silent(),
    "drips": endless(100),
    "endless": endless(5e6),
}
"""Faults after which cachetui tries again, so that they are slow without a local copy."""

UNENDING = ("silent", "drips", "endless")


def content_of(server: MirrorServer, layout: str) -> str:
    return f"oci+{server.url}/site/cache" if layout in ("registry", "tags") else server.url


def files_in(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"") for path in folder.rglob("*")
    }


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("fault", [*AT_ONCE, *ASKED_AGAIN])
def test_command_on_broken_server_prints_same_output_from_local_copy(
    capsys: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch, layout: str, fault: str
) -> None:
    with serving(LAYOUTS[layout]()) as server:
        content = content_of(server, layout)
        find = ("find", content, "--format={hash}", "--list-tags")
        before = answered(capsys, *find)[:2]
        assert before[0] == 0
        server.misbehaves("*", (AT_ONCE | ASKED_AGAIN)[fault])
        with monkeypatch.context() as impatient:
            if fault in UNENDING:
                impatient.setattr("cachetui.cli.session.SERVER_SECONDS", 0.1)
                impatient.setattr("cachetui.sources.buildcache.server.MIN_WAIT_SECONDS", 0.1)
            for _ in range(2):
                started = time.monotonic()
                code, out, err = answered(capsys, *find)
                assert time.monotonic() - started < 10
                assert (code, out) == before
                assert "from less than a minute ago" in err
                assert "geheim" not in err
        seen = server.requests.copy() if fault in UNENDING else server.requests  # an abandoned request may arrive later
        seen.clear()
        kept = files_in(home)
        assert answered(capsys, *find, "--offline")[:2] == before
        problems = json.loads(answered(capsys, "doctor", content, "--offline", "--format=json")[1])
        assert ("stale", "note") in {(each["kind"], each["level"]) for each in problems}
        assert (seen, files_in(home)) == ([], kept)
        del server.faults["*"]
        code, out, err = answered(capsys, *find)
        assert (code, out) == before
        assert "from less than" not in err


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("fault", AT_ONCE)
def test_broken_server_without_local_copy_gives_one_line_error(
    capsys: pytest.CaptureFixture[str], home: Path, layout: str, fault: str
) -> None:
    with serving(LAYOUTS[layout]()) as server:
        server.misbehaves("*", AT_ONCE[fault])
        code, out, err = answered(capsys, "find", content_of(server, layout), "--list-tags")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "geheim" not in err
        assert not list(home.rglob("files"))


def test_cache_removed_from_server_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(LAYOUTS["v3"]()) as server:
        before = answered(capsys, "find", server.url)[:2]
        server.files = {}
        code, out, err = answered(capsys, "find", server.url)
        assert (code, out) == (2, "")
        assert "to read the local copy, give --offline" in err
        assert answered(capsys, "find", server.url, "--offline")[:2] == before


def test_invalid_certificate_falls_back_to_local_copy(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = Authority(tmp_path)
    with serving(LAYOUTS["v3"](), authority.context("localhost")) as server:
        assert answered(capsys, "find", server.url)[0] == 2
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.trusted))
        before = answered(capsys, "find", server.url)[:2]
        monkeypatch.delenv("SSL_CERT_FILE")
        code, out, err = answered(capsys, "find", server.url)
        assert (code, out) == before
        assert "is not trusted (self-signed certificate" in err or "is not trusted (unable to get" in err
        assert "to send no request, give --offline" in err


@pytest.mark.parametrize("command", ["find", "doctor"])
def test_cache_folder_is_private(
    capsys: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("CACHETUI_CACHE_DIR", str(home / "a/b"))
    with serving(LAYOUTS["v3"]()) as server:
        for content in (server.url, str(CACHES / "v3/spack-1.1.0/develop/btest")):
            answered(capsys, command, content)
    folders = [path for path in (home / "a").rglob("*") if path.is_dir()]
    assert {stat.S_IMODE(os.stat(path).st_mode) for path in (home / "a", *folders)} == {0o700}


@pytest.mark.parametrize("kind", ["list", "contents", "mirrors.yaml"])
def test_doctor_reports_each_local_copy_that_may_be_outdated(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stacks = ["btest", "tools"]
    with serving(listed_files("develop")) as server:
        urls = [f"{server.url}/develop/{stack}" for stack in stacks]
        mirrors = tmp_path / "mirrors.yaml"
        mirrors.write_text(json.dumps({"mirrors": dict(zip(stacks, urls, strict=True))}))
        content = {"list": [server.url], "contents": ["-C", urls[0], "-C", urls[1]], "mirrors.yaml": [str(mirrors)]}
        words = ["doctor", *content[kind], "--format", "json"]
        answered(capsys, *words)
        for stack in stacks:
            server.misbehaves(f"develop/{stack}/v3/manifests/index/index.manifest.json", status(500))
        _, out, err = answered(capsys, *words)
    messages = [problem["message"] for problem in json.loads(out) if problem["kind"] == "stale"]
    assert all(message in err for message in messages)
    if kind == "list":  # after the first failure, cachetui sends no more requests to this server
        assert any(url in message for url in urls for message in messages)
    else:
        assert all(url in message for url, message in zip(urls, sorted(messages), strict=True))

"""The log of `--debug`, with a server that wants a password or a token and redirects to a signed URL."""

import base64
import stat
from pathlib import Path

import pytest

from tests.support.caches import CACHES, files_of
from tests.support.commands import answered, refusal
from tests.support.mirror_server import Handler, redirect, serving

CACHE = CACHES / "v3/spack-1.1.0/develop/tools"

SECRETS = ("geheim", "unsaid", base64.b64encode(b"me:geheim").decode(), "Signature")


@pytest.mark.parametrize("way", ["password", "token"])
def test_debug_log_contains_requests_but_no_secrets(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str
) -> None:
    netrc, file = tmp_path / "netrc", tmp_path / "log"
    netrc.write_text("machine localhost login me password geheim\n")
    monkeypatch.setenv(*("NETRC", str(netrc)) if way == "password" else ("CACHETUI_TOKEN_localhost", "geheim"))
    manifest = "v3/manifests/index/index.manifest.json"

    def closed(handler: Handler) -> None:
        handler.serve() if handler.headers.get("Authorization") else handler.answer(401, b"")

    with serving(dict(files_of(CACHE))) as server:
        server.files["moved?X-Amz-Signature=unsaid"] = server.files[manifest]
        server.misbehaves("*", closed)
        server.misbehaves(manifest, redirect(f"{server.url}/moved?X-Amz-Signature=unsaid"))
        status, out, err = answered(capsys, "find", server.url, "--debug", "--count")
        assert (status, out) == (0, f"{len(answered(capsys, 'find', str(CACHE))[1].splitlines())}\n")
        size = len(server.files[manifest])
        assert f"GET {server.url}/{manifest} 302, " in err
        assert f"GET {server.url}/moved?… 200, {size} bytes, 0." in err
        assert f"{manifest}: downloaded\n" in err
        assert ".index: none\n" in err
        assert f"read {server.url}: RemoteSource {server.url}\n" in err
        monkeypatch.setenv("CACHETUI_DEBUG", str(file))
        assert "GET" not in answered(capsys, "find", server.url, "--count")[2]
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert ".index: valid, last checked 20" in file.read_text()
    assert answered(capsys, "find", server.url, "--count")[0] == 0
    assert f"local copy of {server.url}: used, because {server.url}/" in file.read_text()
    assert not [secret for secret in SECRETS if secret in err + file.read_text()]


def test_unwritable_debug_log_is_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "set CACHETUI_DEBUG=FILE" in refusal(capsys, [str(CACHE), "--debug"])
    monkeypatch.setenv("CACHETUI_DEBUG", str(tmp_path))
    assert f"the log file {tmp_path} cannot be written (Is a directory): change CACHETUI_DEBUG" in refusal(
        capsys, ["find", str(CACHE)]
    )

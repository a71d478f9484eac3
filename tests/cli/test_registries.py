"""What commands answer of build caches in container registries."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cachetui.catalogue import Catalogue
from cachetui.report.paste import TRUST, copies, environment
from cachetui.sources.buildcache.binaries import seems_signed
from tests.support.caches import CACHES
from tests.support.commands import answered
from tests.support.mirror_server import MirrorServer, redirect, sends, serving, status
from tests.support.registries import guarded, real_registry, registry_files

INDEX = (CACHES / "v2/spack-0.23.1/develop/btest/build_cache/index.json").read_bytes()

MANIFEST = "v2/site/cache/manifests/index.spack"


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The real one."""
    with real_registry(tmp_path_factory.mktemp("registry")) as host:
        yield f"oci+http://{host}/site"


@pytest.fixture
def server() -> Iterator[MirrorServer]:
    """Serves one repository, site/cache."""
    with serving(registry_files(INDEX)) as running:
        yield running


def content_of(server: MirrorServer) -> str:
    return f"oci+{server.url}/site/cache"


# Signatures


def test_a_spec_in_a_registry_is_not_signed(registry: str, capsys: pytest.CaptureFixture[str]) -> None:
    content = f"{registry}/spack-cache"
    _, out, _ = answered(capsys, "find", content, "jq", "--format=json")
    assert [spec["signed"] for spec in json.loads(out)] == [False]
    _, out, _ = answered(capsys, "check", content, "jq")
    assert "signed: no\n" in out
    index = Catalogue(content, os.environ).load()
    specs = [index.spec(row) for row in index.all_rows]
    added = f"spack mirror add --unsigned spack-spack-cache {content}"
    assert dict(copies(specs, None, index.graph, seems_signed))["mirror"] == added
    text = "".join(environment(specs, None, index.graph, seems_signed))
    assert f'{{url: "{content}", signed: false}}' in text
    assert TRUST not in text


# Messages


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    code, out, err = answered(capsys, "find", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "token=" not in err
    assert "?" not in err
    return err.removeprefix("cachetui: ")


HOW = "give a password by docker login, podman login or a mirrors.yaml (access_pair)"


@pytest.mark.parametrize(
    ("repository", "options", "said"),
    [
        (
            "unindexed",
            (),
            "127.0.0.1 has no index.spack in site/unindexed, or it is private: "
            f"{HOW}; without an index, which spack buildcache update-index writes, --list-tags lists what its tags "
            "name",
        ),
        ("nosuch", ("--list-tags",), f"127.0.0.1 has no repository site/nosuch, or it is private: {HOW}"),
    ],
)
def test_without_an_index_it_is_said_what_to_do(
    registry: str, capsys: pytest.CaptureFixture[str], repository: str, options: tuple[str, ...], said: str
) -> None:
    assert refused(capsys, f"{registry}/{repository}", *options) == f"{registry}/{repository}: {said}\n"


def manifest(**keys: Any) -> bytes:
    return json.dumps({"schemaVersion": 2, **keys}).encode()


LAYER = {"digest": f"sha256:{'0' * 64}", "size": 2}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (manifest(manifests=[]), "an image for several architectures"),
        (manifest(fsLayers=[]), "in schema 1"),
        (manifest(config={"mediaType": "application/vnd.cncf.helm.config.v1+json"}, layers=[LAYER]), "an artifact"),
        (manifest(config={}, layers=[LAYER] * 3), "an image, no index"),
        (b"<html>", "no manifest"),
        (b"[" * 100_000, "no manifest"),
    ],
)
def test_an_index_of_another_kind_is_named(
    server: MirrorServer, capsys: pytest.CaptureFixture[str], data: bytes, said: str
) -> None:
    server.files[MANIFEST] = data
    content = content_of(server)
    err = refused(capsys, content)
    assert err.startswith(f"the index of {content} cannot be read: its tag index.spack is {said}")
    assert "spack buildcache update-index writes one" in err
    assert server.paths == [MANIFEST]


# Passwords


def logged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **config: Any) -> None:
    """Write docker's configuration."""
    (tmp_path / "config.json").write_text(json.dumps(config))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))


def auth(login: str) -> dict[str, str]:
    return {"auth": base64.b64encode(login.encode()).decode()}


def host_of(server: MirrorServer) -> str:
    return server.url.partition("://")[2]


@pytest.mark.parametrize("scheme", ["basic", "bearer"])
def test_a_private_repository_is_read_with_a_password_only(
    server: MirrorServer,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
) -> None:
    server.misbehaves("*", guarded(scheme))
    content = content_of(server)
    err = refused(capsys, content)
    assert err.startswith(f"{content}: localhost:")
    assert err.endswith(f"{HOW}\n")
    logged_in(tmp_path, monkeypatch, auths={"ghcr.io": auth("user:secret")})
    assert refused(capsys, content) == err
    logged_in(tmp_path, monkeypatch, auths={host_of(server): auth("user:wrong")})
    assert "the user and the password that are known" in refused(capsys, content)
    for name in ("{}", "https://{}", "https://{}/v1/"):
        logged_in(tmp_path, monkeypatch, auths={name.format(host_of(server)): auth("user:secret")})
        assert answered(capsys, "find", content, "--fresh")[0] == 0
    logged_in(tmp_path, monkeypatch, auths={host_of(server): {**auth("user:secret"), "identitytoken": "x"}})
    assert answered(capsys, "find", content, "--fresh")[2].count("less than a minute ago") == 1
    sent = {header for _, headers in server.requests if (header := headers.get("Authorization"))}
    assert len(sent) == (2 if scheme == "basic" else 3)


def test_of_a_wrong_password_it_is_said_where_none_is_needed(
    server: MirrorServer, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged_in(tmp_path, monkeypatch, auths={host_of(server): auth("user:wrong")})
    said = "does not take the user and the password that are known"
    for is_public in (True, False):
        server.misbehaves("*", guarded("bearer", is_public=is_public))
        err = refused(capsys, content_of(server))
        assert said in err
        assert ("without them it gives a token" in err) == is_public
        assert len([path for path in server.paths if path.startswith("token?")]) == 2
        server.requests.clear()


def test_a_token_that_is_given_elsewhere_is_asked_for_without_the_password(
    server: MirrorServer, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged_in(tmp_path, monkeypatch, auths={host_of(server): auth("user:secret")})
    with serving({}) as other:
        server.misbehaves("*", guarded("bearer"))
        server.misbehaves(
            "token?scope=repository:site/cache:pull&client_id=cachetui", redirect(f"{other.url}/token?more")
        )
        other.misbehaves("*", sends(b'{"token": "T9"}'))
        assert answered(capsys, "find", content_of(server))[0] == 0
        assert [headers.get("Authorization") for _, headers in other.requests] == [None]


@pytest.mark.parametrize("scheme", ["basic", "bearer"])
@pytest.mark.parametrize("written", ["clear", "variables", "list"])
def test_the_password_of_a_mirrors_yaml_goes_to_its_registry(
    server: MirrorServer,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
    written: str,
) -> None:
    server.misbehaves("*", guarded(scheme))
    monkeypatch.setenv("REGISTRY_USER", "user")
    monkeypatch.setenv("REGISTRY_SECRET", "secret")
    pair = {
        "clear": {"id": "user", "secret": "secret"},
        "variables": {"id_variable": "REGISTRY_USER", "secret_variable": "REGISTRY_SECRET"},
        "list": ["user", "secret"],
    }[written]
    url = content_of(server)
    mirrors = {"one": {"fetch": {"url": url, "access_pair": pair}}, "two": {"url": url, "access_pair": pair}}
    file = tmp_path / "mirrors.yaml"
    for name, entry in mirrors.items():
        file.write_text(json.dumps({"mirrors": {name: entry}}))
        server.requests.clear()
        code, out, err = answered(capsys, "find", str(file), "--format={stacks}")
        assert (code, set(out.split())) == (0, {name}), err
        basic = f"Basic {auth('user:secret')['auth']}"
        with_password = {path for path, headers in server.requests if headers.get("Authorization") == basic}
        assert with_password
        assert all(path.startswith("token?") for path in with_password) == (scheme == "bearer")


@pytest.mark.parametrize("key", ["credsStore", "credHelpers"])
def test_a_helper_is_run_only_where_that_is_allowed(
    server: MirrorServer, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    helper = tmp_path / "docker-credential-made-up"
    helper.write_text(
        f'#!/bin/sh\necho "$1 $(cat)" >> {tmp_path}/asked\necho \'{{"Username": "user", "Secret": "secret"}}\'\n'
    )
    helper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    value: Any = "made-up" if key == "credsStore" else {host_of(server): "made-up"}
    logged_in(tmp_path, monkeypatch, **{key: value})
    server.misbehaves("*", guarded("bearer"))
    assert HOW in refused(capsys, content_of(server))
    assert not (tmp_path / "asked").exists()
    assert answered(capsys, "find", content_of(server), "--credential-helpers")[0] == 0
    assert set((tmp_path / "asked").read_text().splitlines()) == {f"get {host_of(server)}"}


@pytest.mark.parametrize("variable", ["REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR"])
def test_nothing_of_a_password_is_shown_or_kept(
    server: MirrorServer,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    home: Path,
    variable: str,
) -> None:
    file = tmp_path / "containers/auth.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"auths": {host_of(server): auth("user:secret")}}))
    monkeypatch.setenv(variable, str(file if variable == "REGISTRY_AUTH_FILE" else tmp_path))
    server.misbehaves("*", guarded("bearer"))
    content = content_of(server)
    shown = [
        answered(capsys, command, content, *words)
        for command, *words in (["find"], ["doctor"], ["check", "bt-core"], ["cache"], ["find", "--offline"])
    ]
    server.misbehaves("*", status(403))
    shown.append(answered(capsys, "find", content))
    kept = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert kept
    for secret in ("secret", "T9", auth("user:secret")["auth"]):
        assert not any(secret in text for _, *texts in shown for text in texts)
        assert not any(secret.encode() in data for data in kept)


# Doctor


def test_doctor_compares_the_index_with_the_tags(registry: str, capsys: pytest.CaptureFixture[str]) -> None:
    def health(repository: str, *options: str) -> tuple[int, dict[str, str]]:
        code, out, _ = answered(capsys, "doctor", f"{registry}/{repository}", "--format=json", *options)
        return code, {each["level"]: each["message"] for each in json.loads(out) if each["kind"] == "index"}

    gone = "1 spec of the index without tag, the first is /"
    pushed = "1 spec pushed, but not in the index, the first is /"
    code, found = health("stale")
    assert code == 1
    assert found["fault"].startswith(gone)
    assert found["note"].startswith(pushed)
    assert health("spack-cache") == (0, {})
    assert answered(capsys, "find", f"{registry}/stale")[0::2] == (0, "cachetui: 4 specs; searched: stale\n")

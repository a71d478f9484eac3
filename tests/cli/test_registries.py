"""Commands on build caches in container registries."""

import base64
import json
import os
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from cachetui.catalogue import Catalogue
from cachetui.query.query import Query
from cachetui.report.specs import TRUST, copies, environment
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache import tag_list
from cachetui.sources.buildcache.remote_binaries import RemoteBinaries, Sizes, pull_command, seems_signed
from cachetui.sources.remote import RemoteSource
from cachetui.sources.source import Asking
from cachetui.sources.transport.errors import AwayError
from cachetui.workers.cancelling import never
from tests.support.caches import CACHES
from tests.support.commands import answered
from tests.support.mirror_server import Fault, MirrorServer, breaks_off, etag_of, redirect, sends, serving, status
from tests.support.registries import guarded, real_registry, registry_files
from tests.support.specs import SPEC

INDEX = (CACHES / "v2/spack-0.23.1/develop/btest/build_cache/index.json").read_bytes()

MANIFEST = "v2/site/cache/manifests/index.spack"


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real registry."""
    with real_registry(tmp_path_factory.mktemp("registry")) as host:
        yield f"oci+http://{host}/site"


@pytest.fixture
def server() -> Iterator[MirrorServer]:
    """Serve one repository, site/cache."""
    with serving(registry_files(INDEX)) as running:
        yield running


def content_of(server: MirrorServer) -> str:
    return f"oci+{server.url}/site/cache"


# Signatures


def test_spec_in_registry_is_unsigned(registry: str, capsys: pytest.CaptureFixture[str]) -> None:
    content = f"{registry}/spack-cache"
    _, out, _ = answered(capsys, "find", content, "jq", "--format=json")
    assert [spec["signed"] for spec in json.loads(out)] == [False]
    _, out, _ = answered(capsys, "check", content, "jq")
    assert "signed: no\n" in out
    index = Catalogue(content, Settings(os.environ)).load()
    specs = [index.spec(row) for row in index.all_rows]
    added = f"spack mirror add --unsigned spack-spack-cache {content}"
    assert dict(copies(specs, None, index.graph, seems_signed(index.graph, Settings(os.environ))))["mirror"] == added
    text = "".join(environment(specs, None, index.graph, seems_signed(index.graph, Settings(os.environ))))
    assert f'{{url: "{content}", signed: false}}' in text
    assert TRUST not in text


# Messages


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    code, out, err = answered(capsys, "find", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "token=" not in err
    assert "?" not in err
    return err.removeprefix("cachetui: ")


HOW = "docker login, podman login or a mirrors.yaml (access_pair)"


@pytest.mark.parametrize(
    ("repository", "options", "said"),
    [
        (
            "unindexed",
            (),
            "127.0.0.1 has no index.spack in the repository site/unindexed, or it is private and needs a password from "
            f"{HOW}; write an index with spack buildcache update-index, or list the specs by tag with --list-tags",
        ),
        (
            "nosuch",
            ("--list-tags",),
            f"127.0.0.1 has no repository site/nosuch, or it is private and needs a password from {HOW}",
        ),
    ],
)
def test_error_message_about_missing_registry_index_suggests_remedy(
    registry: str, capsys: pytest.CaptureFixture[str], repository: str, options: tuple[str, ...], said: str
) -> None:
    assert refused(capsys, f"{registry}/{repository}", *options) == f"{registry}/{repository}: {said}\n"


def manifest(**keys: Any) -> bytes:
    return json.dumps({"schemaVersion": 2, **keys}).encode()


LAYER = {"digest": f"sha256:{'0' * 64}", "size": 2}


@pytest.mark.parametrize(
    "data",
    [
        manifest(manifests=[]),  # for several architectures
        manifest(fsLayers=[]),  # of the obsolete schema 1
        manifest(config={"mediaType": "application/vnd.cncf.helm.config.v1+json"}, layers=[LAYER]),
        manifest(config={}, layers=[LAYER] * 3),
        b"<html>",
        b"[" * 100_000,
        b'{"manifests": ' + b"[" * 10_000,
        b'{"x": ' + b"[" * 10_000,
    ],
)
def test_registry_index_with_invalid_manifest_is_refused(
    server: MirrorServer, capsys: pytest.CaptureFixture[str], data: bytes
) -> None:
    server.files[MANIFEST] = data
    content, why = content_of(server), "its tag index.spack is not the manifest of an index"
    err = refused(capsys, content)
    assert err.startswith(f"the index of {content} cannot be read: {why}")
    assert "to write an index, run spack buildcache update-index" in err
    assert server.paths == [MANIFEST]


# Passwords


def logged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **config: Any) -> None:
    """Write the configuration of docker."""
    (tmp_path / "config.json").write_text(json.dumps(config))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))


def auth(login: str) -> dict[str, str]:
    return {"auth": base64.b64encode(login.encode()).decode()}


def host_of(server: MirrorServer) -> str:
    return server.url.partition("://")[2]


@pytest.mark.parametrize(
    "config", [{"auths": None}, {"auths": {"ghcr.io": None}}, {"auths": []}, {"credsStore": 1}, []]
)
def test_error_message_states_path_of_invalid_login_file(
    server: MirrorServer,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    config: Any,
) -> None:
    server.misbehaves("*", guarded("basic"))
    logged_in(tmp_path, monkeypatch)
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert f"{tmp_path}/config.json cannot be read: Expected `" in refused(capsys, content_of(server))


@pytest.mark.parametrize("scheme", ["basic", "bearer"])
def test_private_repository_needs_a_password(
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
    assert "the stored user and password" in refused(capsys, content)
    for name in ("{}", "https://{}", "https://{}/v1/", "{}/site", "{}/site/cache"):
        logged_in(tmp_path, monkeypatch, auths={name.format(host_of(server)): auth("user:secret")})
        assert answered(capsys, "find", content, "--fresh")[0] == 0
    logged_in(tmp_path, monkeypatch, auths={host_of(server): {**auth("user:secret"), "identitytoken": "x"}})
    assert answered(capsys, "find", content, "--fresh")[2].count("less than a minute ago") == 1
    sent = {header for _, headers in server.requests if (header := headers.get("Authorization"))}
    assert len(sent) == (2 if scheme == "basic" else 3)


def test_wrong_registry_password_is_reported(
    server: MirrorServer, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged_in(tmp_path, monkeypatch, auths={host_of(server): auth("user:wrong")})
    said = "does not accept the stored user and password"
    for is_public in (True, False):
        server.misbehaves("*", guarded("bearer", is_public=is_public))
        err = refused(capsys, content_of(server))
        assert said in err
        assert ("gives a token without them" in err) == is_public
        assert len([path for path in server.paths if path.startswith("token?")]) == 2
        server.requests.clear()


def test_expired_token_is_renewed_once(server: MirrorServer, capsys: pytest.CaptureFixture[str]) -> None:
    guard = guarded("bearer", is_public=True)
    (blob,) = (path for path in server.files if "/blobs/" in path)
    server.misbehaves("*", guard)
    expired = status(401, WWW_Authenticate=f'Bearer realm="{server.url}/token"')
    for times, code in ((1, 0), (2, 2)):
        server.requests.clear()
        server.misbehaves(blob, *[expired] * times, guard)
        assert answered(capsys, "find", content_of(server))[0] == code
        assert len([path for path in server.paths if path.startswith("token?")]) == 2
        answered(capsys, "cache", "clean")


def test_redirected_token_server_never_gets_password(
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


def test_option_realm_permits_password_for_token_server_on_other_host(
    server: MirrorServer, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged_in(tmp_path, monkeypatch, auths={host_of(server): auth("user:secret")})
    basic = f"Basic {auth('user:secret')['auth']}"
    with serving({}) as other:
        challenge = status(401, WWW_Authenticate=f'Bearer realm="{other.url}/token"')
        other.misbehaves("*", sends(b'{"token": "T9"}'))
        host = other.url.removeprefix("http://")
        server.misbehaves("*", challenge)
        assert f"--realm {host}" in refused(capsys, content_of(server))
        assert f"--realm {host}" in refused(capsys, content_of(server), "--realm", "localhost")
        assert not other.requests
        for words in (["--realm", host], ["--realm=other.example.org", f"--realm={host}"]):
            refused(capsys, content_of(server), *words)
            assert other.requests.pop()[1].get("Authorization") == basic
        other.misbehaves("*", status(404))
        assert "token from a server that does not exist" in refused(capsys, content_of(server), "--realm", host)


@pytest.mark.parametrize("scheme", ["basic", "bearer"])
@pytest.mark.parametrize("written", ["clear", "variables", "list"])
def test_password_in_mirrors_yaml_is_sent_to_its_registry(
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
        code, out, err = answered(capsys, "find", str(file), "--allow-env", "--format={stacks}")
        assert (code, set(out.split())) == (0, {name}), err
        basic = f"Basic {auth('user:secret')['auth']}"
        with_password = {path for path, headers in server.requests if headers.get("Authorization") == basic}
        assert with_password
        assert all(path.startswith("token?") for path in with_password) == (scheme == "bearer")
    spec_hash = "esseyovjpo7mc4secwuv6hwia6wcad24"
    server.files[f"v2/site/cache/manifests/bt-core-1.1.4-{spec_hash}.spack"] = server.files[MANIFEST]
    (root,) = json.loads(answered(capsys, "check", str(file), "--allow-env", f"/{spec_hash}", "--format=json")[1])[
        "roots"
    ]
    assert root["bytes"] == len(INDEX)
    _, out, _ = answered(capsys, "doctor", str(file), "--allow-env", "--format=json")
    assert {each["kind"] for each in json.loads(out)} == {"index"}


@pytest.mark.parametrize("key", ["credsStore", "credHelpers"])
def test_credential_helper_runs_only_with_its_option(
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
def test_registry_password_is_never_shown_or_saved(
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


def test_doctor_compares_registry_index_with_image_tags(registry: str, capsys: pytest.CaptureFixture[str]) -> None:
    def health(repository: str, *options: str) -> tuple[int, dict[str, str]]:
        code, out, _ = answered(capsys, "doctor", f"{registry}/{repository}", "--format=json", *options)
        return code, {each["level"]: each["message"] for each in json.loads(out) if each["kind"] == "index"}

    gone = "1 spec of the index has no tag, such as /"
    pushed = "1 pushed spec is not in the index, such as /"
    code, found = health("stale")
    assert code == 1
    assert found["fault"].startswith(gone)
    assert found["note"].startswith(pushed)
    assert health("spack-cache") == (0, {})
    assert answered(capsys, "find", f"{registry}/stale")[0::2] == (0, "cachetui: 4 specs; searched: stale\n")


# Lists of tags


def tag(number: int) -> str:
    alphabet = "abcdefghijklmnopqrstuvwxyz234567"
    return f"pkg-1.{number}-{alphabet[number // 32] * 16}{alphabet[number % 32] * 16}.spack"


def page_of(data: bytes, following: str) -> Fault:
    """Return a page of tags with the path of the next page; empty for the last page."""
    link = {"Link": f'</{following}>; rel="next"'} if following else {}
    return lambda handler: handler.answer(200, data, link)


def paged(server: MirrorServer, pages: int) -> list[str]:
    """Make the server list its tags on pages of a hundred; return the paths of the pages."""
    paths = ["v2/site/cache/tags/list", *(f"v2/site/cache/tags/list?last={page}" for page in range(1, pages))]
    for page, path in enumerate(paths):
        data = json.dumps({"tags": [tag(number) for number in range(100 * page, 100 * page + 100)]}).encode()
        following = paths[page + 1] if page + 1 < pages else ""
        server.misbehaves(path, page_of(data, following))
    del server.files[MANIFEST]
    return paths


def test_interrupted_tag_listing_is_retried(server: MirrorServer, capsys: pytest.CaptureFixture[str]) -> None:
    content, find = content_of(server), ("--list-tags", "--count")
    paths = paged(server, 5)
    sound = server.faults[paths[3]][0]
    server.misbehaves(paths[3], status(500, Retry_After="0"), status(403))
    assert "403" in refused(capsys, content, *find)
    assert server.paths == [MANIFEST, *paths[:4], paths[3]]
    server.misbehaves(paths[3], sound)
    for words in (find, (*find, "--offline")):
        server.requests.clear()
        code, out, err = answered(capsys, "find", content, *words)
        assert (code, out) == (0, "500\n")
        assert f"{content} has no index: its specs come from tag names" in err
        assert server.paths == ([] if "--offline" in words else [MANIFEST, *paths])
    server.misbehaves(paths[1], status(500))
    code, out, err = answered(capsys, "find", content, *find)
    assert (code, out) == (0, "500\n")
    assert "status 500" in err
    problems = json.loads(answered(capsys, "doctor", content, "--offline", "--format=json")[1])
    assert {each["kind"] for each in problems} == {"stale", "by_tags"}
    server.misbehaves(MANIFEST, sends(registry_files(INDEX)[MANIFEST]))
    code, _, err = answered(capsys, "find", content, *find)
    assert (code, "come from tag names" in err) == (0, False)


def test_image_tags_of_registry_are_listed_only_on_request(
    server: MirrorServer, capsys: pytest.CaptureFixture[str]
) -> None:
    paged(server, 1)
    assert "list the specs by tag with --list-tags" in refused(capsys, content_of(server))
    assert server.paths == [MANIFEST]


@pytest.mark.parametrize(
    ("pages", "following", "message", "requests"),
    [
        (8, None, "too many pages", 7),
        (5, None, "too many tags", 5),
        (1, 0, "never ends: the server sent the same page again", 2),
        (3, 1, "never ends: the server sent the same page again", 4),
    ],
)
def test_endless_tag_listing_is_refused(
    server: MirrorServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    pages: int,
    following: int | None,
    message: str,
    requests: int,
) -> None:
    paths = paged(server, pages)
    monkeypatch.setattr(tag_list, "MAX_PAGES", 6)
    monkeypatch.setattr(tag_list, "MAX_TAGS", 600 if pages > 6 else 300)
    if following is not None:
        server.misbehaves(paths[-1], page_of(b'{"tags": []}', paths[following]))
    assert message in refused(capsys, content_of(server), "--list-tags")
    assert len(server.paths) == requests


# Faults of registries only


@pytest.mark.parametrize("scheme", ["basic", "bearer"])
def test_storage_server_never_gets_password_or_token(
    server: MirrorServer,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
) -> None:
    logged_in(tmp_path, monkeypatch, auths={host_of(server): auth("user:secret")})
    (blob,) = (path for path in server.files if "/blobs/" in path)
    with serving({"storage?sig=geheim": INDEX}) as storage:
        server.misbehaves("*", guarded(scheme))
        server.misbehaves(blob, redirect(f"{storage.url}/storage?sig=geheim"))
        assert answered(capsys, "find", content_of(server))[0] == 0
        assert [headers.get("Authorization") for _, headers in storage.requests] == [None]
    assert any(headers.get("Authorization") for path, headers in server.requests if path == blob)


def test_interrupted_download_of_registry_index_is_continued(
    server: MirrorServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (blob,) = (path for path in server.files if "/blobs/" in path)
    server.misbehaves(blob, breaks_off(1000), None)
    assert answered(capsys, "find", content_of(server))[0] == 0
    asked = [headers for path, headers in server.requests if path == blob]
    assert [headers.get("Range") for headers in asked] == [None, "bytes=1000-"]


def test_local_copy_is_kept_if_registry_digest_is_wrong(
    server: MirrorServer, capsys: pytest.CaptureFixture[str]
) -> None:
    find = ("find", content_of(server), "--format={hash}")
    before = answered(capsys, *find)[:2]
    newer = registry_files(INDEX.replace(b"2023.10", b"2023.11"))
    (blob,) = (path for path in newer if "/blobs/" in path)
    lies = {
        "a blob": {**newer, blob: newer[blob].replace(b"2023.11", b"2023.12")},
        "a length": {**newer, MANIFEST: newer[MANIFEST].replace(b'"size": ', b'"size": 9, "x": ')},
    }
    for lie, files in lies.items():
        server.files = files
        server.requests.clear()
        code, out, err = answered(capsys, *find)
        assert ((code, out), "from less than a minute ago" in err) == (before, True), lie
        assert server.paths.count(MANIFEST) == 1
    server.files = newer
    server.misbehaves(MANIFEST, sends(newer[MANIFEST], Docker_Content_Digest=f"sha256:{'0' * 64}"))
    code, out, err = answered(capsys, *find)
    assert ((code, out), "does not have the expected checksum" in err) == (before, True)
    del server.faults[MANIFEST]
    code, out, err = answered(capsys, *find)
    assert ((code, out), "from less than" in err) == (before, False)


def test_retry_waits_as_long_as_the_registry_requests(
    server: MirrorServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("cachetui.sources.transport.client.pause", lambda seconds, _: pauses.append(seconds))
    server.misbehaves(MANIFEST, status(429, Retry_After="7"), status(503), None)
    assert answered(capsys, "find", content_of(server))[0] == 0
    assert pauses == [7.0, 1.0]


def test_each_start_requests_registry_manifest_once(server: MirrorServer, capsys: pytest.CaptureFixture[str]) -> None:
    """Docker Hub counts each manifest request."""
    for _ in range(2):
        answered(capsys, "find", content_of(server))
    first, second = (headers for path, headers in server.requests if path == MANIFEST)
    assert (first.get("If-None-Match"), second.get("If-None-Match")) == (None, etag_of(server.files[MANIFEST]))
    assert len(server.paths) == 3


def test_size_request_adds_details_to_spec_known_from_image_tag(
    registry: str, capsys: pytest.CaptureFixture[str]
) -> None:
    content = f"{registry}/unindexed"

    def found(*options: str) -> list[str]:
        _, out, _ = answered(capsys, "find", content, "--format={name} {version} {compiler} {os} {target}", *options)
        return out.splitlines()

    assert found("--list-tags") == ["jq 1.8.1   "]
    index = Catalogue(content, Settings(os.environ), asking=Asking(offline=True)).load()
    changed: list[None] = []
    remote = RemoteBinaries(Settings(os.environ), Asking(), changed=lambda: changed.append(None))
    assert [Sizes(index, remote)(index.spec(0).hash or "") for _ in range(2)] == [3907] * 2
    assert len(changed) == 1
    assert found("--list-tags") == found("--offline") == ["jq 1.8.1 gcc@12.2.0 debian12 x86_64_v3"]


# Sizes


def test_total_size_counts_each_registry_layer_once(registry: str, capsys: pytest.CaptureFixture[str]) -> None:
    content = f"{registry}/spack-cache"
    _, out, _ = answered(capsys, "check", content, "hdf5", "--format=json")
    (root,) = json.loads(out)["roots"]
    assert (root["needs"], root["bytes"]) == (3, 21418 + 5377 + 4764)


def test_check_requests_only_few_sizes_from_registry(
    registry: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cachetui.cli.session.SIZE_REQUESTS", 2)
    err = answered(capsys, "check", f"{registry}/spack-cache", "hdf5")[2]
    assert "sizes are not shown, because each of the 3 binaries needs a request\n" in err


def test_docker_hub_is_never_polled_for_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cachetui.sources.remote.WATCH_SECONDS", 0.0)
    for url, times in (("oci://ghcr.io/site/cache", 3), ("oci://index.docker.io/site/cache", 0)):
        is_over = partial(next, iter([False] * 3), True)
        watching = RemoteSource(url, url, Settings(os.environ), Asking()).watch(is_over)
        assert len(list(islice(watching, 3))) == times


def test_size_of_binary_is_never_requested_from_docker_hub() -> None:
    binaries = RemoteBinaries(Settings({**os.environ, "https_proxy": "http://127.0.0.1:9"}), Asking())
    with pytest.raises(AwayError):  # nobody listens there
        binaries.size("oci://ghcr.io/site/cache", SPEC, never)
    assert binaries.size("oci://index.docker.io/site/cache", SPEC, never) is None


def test_binary_pushed_with_base_image_has_docker_pull_command(registry: str) -> None:
    def pulled(repository: str) -> str:
        index = Catalogue(f"{registry}/{repository}", Settings(os.environ)).load()
        (row,) = index.rows(Query.parse("hdf5"))
        spec = index.spec(row)
        assert not pull_command(spec, index.graph, Settings(os.environ))  # its data were not downloaded
        assert Sizes(index, RemoteBinaries(Settings(os.environ), Asking()))(spec.hash or "")
        return pull_command(spec, index.graph, Settings(os.environ))

    host = registry.removeprefix("oci+http://")
    assert pulled("images") == f"docker pull {host}/images:hdf5-1.14.6-bxejg4zwpjk5ob7mud6onmzrsttce6pb.spack"
    assert not pulled("spack-cache")


def test_spec_known_only_from_image_tag_has_unknown_dependencies(
    server: MirrorServer, capsys: pytest.CaptureFixture[str]
) -> None:
    paged(server, 1)
    content, some = content_of(server), tag(3)[-38:-6]
    code, out, _ = answered(capsys, "check", content, f"/{some}", "--list-tags")
    assert (code, out.startswith("unknown: 1 of 1 root has no recorded dependencies ")) == (1, True)
    _, out, err = answered(capsys, "check", content, "--all", "--offline", "--format=json")
    assert [each["complete_binaries"] for each in json.loads(out)["stacks"]] == [None]
    code, _, err = answered(capsys, "deps", content, f"/{some}", "--offline")
    assert (code, "are not recorded in this content" in err) == (1, True)
    for value in ("yes", "no"):
        assert answered(capsys, "find", content, f"complete={value}", "--offline", "--count")[1] == "0\n"
    code, _, err = answered(capsys, "prune", content, "--keep", f"/{some}", "--offline")
    assert (code, "the needed specs cannot be determined: " in err) == (2, True)

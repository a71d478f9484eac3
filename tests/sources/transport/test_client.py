"""Certificates, passwords, redirects and proxies, with the behaviour that users of curl expect."""

import re
from contextlib import closing
from urllib.parse import parse_qs, urlsplit

import pytest

from cachetui.sources.transport.client import MAX_CONNECTIONS, Client
from cachetui.sources.transport.credentials import Signing
from cachetui.sources.transport.errors import FetchError
from tests.support.certificates import Authority
from tests.support.mirror_server import Handler, redirect, serving, status
from tests.support.proxy import tunnelling

TOKEN = {"CACHETUI_TOKEN_localhost": "geheim", "NETRC": "/dev/null/netrc"}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def content(client: Client, url: str) -> bytes:
    with closing(client.ask(url, {})) as reply:
        return b"".join(reply.pieces())


# Certificates


def test_untrusted_certificate_is_refused(authority: Authority) -> None:
    with serving({"a": b"content"}, authority.context("localhost")) as server:
        with pytest.raises(
            FetchError, match=r"is not trusted \(.*certificate.*\): for certificates of your site, set SSL_CERT_FILE"
        ):
            content(Client({}), f"{server.url}/a")
        assert server.requests == []


def test_certificate_for_another_host_is_refused(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.trusted))
    with serving({"a": b"content"}, authority.context("other.example.org")) as server:
        with pytest.raises(FetchError, match=r"is not trusted \(.*Hostname mismatch"):
            content(Client({}), f"{server.url}/a")
        assert server.requests == []


def test_insecure_option_accepts_untrusted_certificate(authority: Authority) -> None:
    with serving({"a": b"content"}, authority.context("localhost")) as server:
        assert content(Client({}, insecure=True), f"{server.url}/a") == b"content"


def test_redirects_do_not_use_up_connections() -> None:
    with serving({"a": b"content" * 1_000_000}) as server:
        server.misbehaves("elsewhere", redirect("/a"))
        client = Client({})
        for _ in range(MAX_CONNECTIONS + 1):
            with closing(client.ask(f"{server.url}/elsewhere", {})) as reply:
                assert reply.status == 200


# Passwords


def test_token_is_sent_only_to_its_host() -> None:
    with serving({"a": b"content"}) as server, serving({"b": b"elsewhere"}) as other:
        server.misbehaves("here", redirect("/a"))
        server.misbehaves("there", redirect(f"{other.url}/b"))
        client = Client(TOKEN)
        assert content(client, f"{server.url}/here") == b"content"
        assert [headers["Authorization"] for _, headers in server.requests] == ["Bearer geheim"] * 2
        assert content(client, f"{server.url}/there") == b"elsewhere"
        assert [headers["Authorization"] for _, headers in other.requests] == [None]


@pytest.mark.parametrize(
    "realm", ["http://{}/v2/a/tags/b", "https://[", "https://[::1", "https://user:secret@host/", ""]
)
def test_invalid_token_url_of_registry_is_an_error(realm: str) -> None:
    with serving({}) as server:
        challenge = f'Bearer realm="{realm.format(urlsplit(server.url).netloc)}"'
        server.misbehaves("*", status(401, WWW_Authenticate=challenge))
        with pytest.raises(FetchError, match=r"requires a token from|gives no token"):
            content(Client({}), f"{server.url}/v2/a/manifests/b")
        assert len(server.requests) <= 2


def test_nested_repositories_get_separate_tokens() -> None:
    def guard(handler: Handler) -> None:
        path, query = urlsplit(handler.path)[2:4]
        if path == "/token":
            handler.answer(200, b'{"token": "%s"}' % parse_qs(query)["scope"][0].split(":")[1].encode())
        elif handler.headers.get("Authorization") == f"Bearer {path[4 : path.index('/manifests/')]}":
            handler.serve()
        else:
            realm = f"http://{handler.headers['Host']}/token"
            handler.answer(401, b"", {"WWW-Authenticate": f'Bearer realm="{realm}"'})

    with serving({"v2/a/manifests/x": b"above", "v2/a/b/manifests/x": b"below"}) as server:
        server.misbehaves("*", guard)
        client = Client({})
        for path, found in (("a", b"above"), ("a/b", b"below"), ("a", b"above")):
            assert content(client, f"{server.url}/v2/{path}/manifests/x") == found


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://mirror.example.org/a", True),
        ("http://mirror.example.org/a", False),
        ("http://localhost/a", True),
    ],
)
def test_secrets_are_never_sent_unencrypted(url: str, sent: bool) -> None:
    environ = {"CACHETUI_TOKEN_mirror_example_org": "geheim"} | TOKEN
    assert bool(Client(environ)._authorization("GET", url)) == sent
    assert not Client(environ, insecure=True)._authorization("GET", "https://mirror.example.org/a")


@pytest.mark.parametrize(
    ("url", "token", "is_signed"),
    [
        ("https://minio.lab:9000/cache/a", "session", True),
        ("http://minio.lab:9000/cache/a", "", True),
        ("http://minio.lab:9000/cache/a", "session", False),
        ("https://minio.lab:9000/other/a", "", False),
        ("https://minio.lab/cache/a", "", False),
    ],
)
def test_request_outside_url_of_signing_key_is_never_signed(url: str, token: str, is_signed: bool) -> None:
    client = Client({})
    for scheme in ("http", "https"):
        client.allow(f"{scheme}://minio.lab:9000/cache", Signing("KEYID", "TOPSECRET", token))
    sent = client._authorization("GET", url)
    assert ("Authorization" in sent, sent.get("x-amz-security-token", "")) == (is_signed, token * is_signed)
    assert not any("TOPSECRET" in value for value in sent.values())


def test_redirect_from_https_to_http_is_refused(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.trusted))
    with serving({"a": b"content"}, authority.context("localhost")) as server, serving({"b": b"b"}) as other:
        server.misbehaves("there", redirect(f"{other.url}/b"))
        with pytest.raises(FetchError, match="because it is not encrypted"):
            content(Client({}), f"{server.url}/there")
        assert other.requests == []


# Proxies


def test_proxy_from_environment_variable_is_used(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.trusted))
    with (
        serving({"a": b"content"}, authority.context("mirror.example.org")) as server,
        tunnelling(server.server_address[1]) as (proxy, asked),
    ):
        monkeypatch.setenv("https_proxy", f"http://me:geheim@{proxy}")
        assert content(Client({}), "https://mirror.example.org/a") == b"content"
        assert asked[0].startswith("CONNECT mirror.example.org:443 HTTP/1.")
        assert "proxy-authorization: Basic bWU6Z2VoZWlt" in asked[0]
        assert "Proxy-Authorization" not in dict(server.requests[0][1])


def test_no_proxy_variable_disables_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving({"a": b"content"}) as server, tunnelling(server.server_address[1]) as (proxy, asked):
        monkeypatch.setenv("http_proxy", proxy)
        assert content(Client({}), f"{server.url}/a") == b"content"
        assert len(asked) == 1
        monkeypatch.setenv("no_proxy", "localhost")
        assert content(Client({}), f"{server.url}/a") == b"content"
        assert len(asked) == 1


def test_error_about_unreachable_proxy_hides_proxy_password(monkeypatch: pytest.MonkeyPatch) -> None:
    with tunnelling(1) as (proxy, _):
        pass
    monkeypatch.setenv("https_proxy", f"http://me:geheim@{proxy}")
    with pytest.raises(FetchError, match="the proxy refuses the connection") as raised:
        Client({}).ask("https://mirror.example.org/a", {})
    assert "geheim" not in str(raised.value)


@pytest.mark.parametrize(
    ("proxy", "name"),
    [
        ("socks5://me:geheim@localhost:1", "socks5://localhost:1"),
        ("http://me:ge/heim@localhost:1", "http://localhost:1"),
        ("http://localhost:port", "http://localhost:port"),
        ("http://localhost:99999999", "http://localhost:99999999"),
        ("http://[::1", "http://[::1"),
        ("http://me:€@localhost:1", "http://localhost:1"),
        ("http://", "http://"),
    ],
)
def test_error_of_invalid_proxy_hides_its_password(proxy: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", proxy)
    with pytest.raises(FetchError, match=re.escape(f"the proxy {name} cannot be used")):
        Client({}).ask("https://mirror.example.org/a", {})

"""What a private mirror is given, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from cachetui.sources.transport.credentials import access, authorization, variable

TOKEN = "CACHETUI_TOKEN_mirror_example_org"


@pytest.mark.parametrize(
    ("host", "name", "token", "header"),
    [
        ("mirror.example.org", TOKEN, "abc", "Bearer abc"),
        ("mirror.example.com", TOKEN, "abc", None),
        ("binaries.spack.io", TOKEN, "abc", None),
        ("mirror.example.org", TOKEN.upper(), "abc", "Bearer abc"),
        ("mirror.example.org", TOKEN, "", None),
        ("mirror.example.org", TOKEN, "a b", None),
        ("mirror.example.org", TOKEN, "a\r\nHost: b", None),
        ("mirror.example.org", TOKEN, "ä", None),
    ],
)
def test_a_token_is_of_one_host_and_sent_if_it_is_one(host: str, name: str, token: str, header: str | None) -> None:
    assert authorization(host, {name: token, "NETRC": "/nonexistent"}) == header


def test_no_two_hosts_share_a_variable() -> None:
    hosts = ("mirror.example.org", "mirror-example.org", "mirror.example-org", "mirror--example.org", "a.b.c", "a-b.c")
    assert variable(hosts[0]) == TOKEN
    assert len({variable(host) for host in hosts}) == len(hosts)
    assert {variable(host) for host in ("a_b.org", "a.-b", "a..b", "-a", "::1", "")} == {None}


@pytest.mark.parametrize(
    ("host", "text", "header"),
    [
        ("mirror.example.org", "login me password geheim\ndefault login a password b", "Basic bWU6Z2VoZWlt"),
        ("other.example.org", "login me password geheim\ndefault login a password b", None),
        ("mirror.example.org", "nonsense", None),
    ],
)
def test_netrc_is_read_if_it_can_be(tmp_path: Path, host: str, text: str, header: str | None) -> None:
    (tmp_path / "netrc").write_text(f"machine mirror.example.org {text}\n")
    assert authorization(host, {"NETRC": str(tmp_path / "netrc")}) == header


@pytest.mark.parametrize(
    ("entry", "header", "unset"),
    [
        ({"access_token_variable": "TOKEN"}, "Bearer abc", []),
        ({"access_token_variable": "OTHER"}, None, ["OTHER"]),
        ({"access_token": "abc"}, "Bearer abc", []),
        ({"access_pair": {"id": "me", "secret_variable": "SECRET"}}, "Basic bWU6Z2VoZWlt", []),
        ({"access_pair": {"id_variable": "USER", "secret_variable": "SECRET"}}, "Basic bWU6Z2VoZWlt", []),
        ({"access_pair": {"id_variable": "USER", "secret_variable": "OTHER"}}, None, ["OTHER"]),
        ({"access_pair": ["me", "geheim"]}, "Basic bWU6Z2VoZWlt", []),
        ({"access_pair": {"id": "me", "secret_variable": "BYTES"}}, "Basic bWU6/w==", []),
        ({"access_pair": 7, "access_token_variable": [1]}, None, []),
        ({"access_token": "a\r\nHost: b"}, None, []),
        ({}, None, []),
    ],
)
def test_access_as_a_mirrors_file_says_it(entry: dict[str, object], header: str | None, unset: list[str]) -> None:
    assert access(entry, {"TOKEN": "abc", "USER": "me", "SECRET": "geheim", "BYTES": "\udcff"}) == (header, unset)

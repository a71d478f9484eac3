"""What a private mirror is given, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from cachetui.sources.transport.credentials import access, authorization, variable


def test_a_token_is_of_one_host() -> None:
    environ = {"CACHETUI_TOKEN_mirror_example_org": "abc", "NETRC": "/nonexistent"}
    assert variable("mirror.example.org") == "CACHETUI_TOKEN_mirror_example_org"
    assert authorization("mirror.example.org", environ) == "Bearer abc"
    assert authorization("mirror.example.com", environ) is None
    assert authorization("binaries.spack.io", environ) is None


def test_no_two_hosts_share_a_variable() -> None:
    hosts = ("mirror.example.org", "mirror-example.org", "mirror.example-org", "mirror--example.org", "a.b.c", "a-b.c")
    assert len({variable(host) for host in hosts}) == len(hosts)
    assert {variable(host) for host in ("a_b.org", "a.-b", "a..b", "-a", "::1", "")} == {None}


def test_the_case_of_a_variable_does_not_matter() -> None:
    environ = {"CACHETUI_TOKEN_MIRROR_EXAMPLE_ORG": "abc"}
    assert authorization("mirror.example.org", environ) == "Bearer abc"


@pytest.mark.parametrize("token", ["", "a b", "a\r\nHost: b", "ä"])
def test_what_is_no_token_is_not_sent(token: str) -> None:
    environ = {"CACHETUI_TOKEN_mirror_example_org": token, "NETRC": "/nonexistent"}
    assert authorization("mirror.example.org", environ) is None


def test_netrc_is_read(tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine mirror.example.org login me password geheim\ndefault login a password b\n")
    environ = {"NETRC": str(netrc)}
    assert authorization("mirror.example.org", environ) == "Basic bWU6Z2VoZWlt"
    assert authorization("other.example.org", environ) is None


def test_a_netrc_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine mirror.example.org nonsense\n")
    assert authorization("mirror.example.org", {"NETRC": str(netrc)}) is None


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

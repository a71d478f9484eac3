"""What a private mirror is given, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from cachetui.sources.buildcache.fetch.credentials import authorization, variable


def test_a_token_is_of_one_host() -> None:
    environ = {"CACHETUI_TOKEN_mirror_example_org": "abc", "NETRC": "/nonexistent"}
    assert variable("mirror.example.org") == "CACHETUI_TOKEN_mirror_example_org"
    assert authorization("mirror.example.org", environ) == "Bearer abc"
    assert authorization("mirror.example.com", environ) is None
    assert authorization("binaries.spack.io", environ) is None


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

"""The secrets of a private mirror are sent only to that mirror."""

from pathlib import Path

import pytest

from cachetui.sources.transport.credentials import Signing, access, authorization, variable

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
def test_valid_token_is_sent_only_to_its_host(host: str, name: str, token: str, header: str | None) -> None:
    assert authorization(host, {name: token, "NETRC": "/dev/null/netrc"}) == header


def test_different_hosts_have_different_token_variables() -> None:
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
def test_password_for_a_host_is_read_from_netrc(tmp_path: Path, host: str, text: str, header: str | None) -> None:
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
def test_credentials_of_mirror_are_read_from_mirrors_yaml(
    entry: dict[str, object], header: str | None, unset: list[str]
) -> None:
    assert access(
        entry, "https://mirror.example.org", {"TOKEN": "abc", "USER": "me", "SECRET": "geheim", "BYTES": "\udcff"}
    ) == (header, unset)


@pytest.mark.parametrize(
    ("entry", "key"),
    [
        ({"access_pair": ["me", "geheim"]}, Signing("me", "geheim")),
        ({"access_pair": ["me", "geheim"], "access_token_variable": "TOKEN"}, Signing("me", "geheim", "abc")),
        ({"access_pair": {"id": "me", "secret_variable": "OTHER"}}, None),
        ({"access_pair": ["me\n", "geheim"]}, None),
        ({"access_token_variable": "TOKEN"}, None),
        ({"profile": "lab"}, Signing("lab-id", "lab-secret", "lab-token")),
        ({"profile": "nosuch"}, None),
    ],
)
def test_signing_key_of_bucket_is_read_from_mirrors_yaml(
    tmp_path: Path, entry: dict[str, object], key: Signing | None
) -> None:
    keys = ("aws_access_key_id = lab-id", "aws_secret_access_key = lab-secret", "aws_session_token = lab-token")
    (tmp_path / "aws").write_text("\n".join(("[lab]", *keys)))
    environ = {"TOKEN": "abc", "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "aws")}
    assert access(entry, "s3://bucket/prefix", environ)[0] == key


@pytest.mark.parametrize(
    ("query", "signature"),
    [
        ("lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        ("max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ],
)
def test_signature_equals_published_aws_examples(query: str, signature: str) -> None:
    key = Signing("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    sent = key.headers("GET", f"https://examplebucket.s3.amazonaws.com/?{query}", 1369353600)
    assert sent["Authorization"].endswith(f",Signature={signature}")

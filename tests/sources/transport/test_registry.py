"""Data from registries: headers, tokens and errors of any origin."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.sources.transport.registry import Challenge, challenges, error_code, tag_of, token_in, token_url


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ('Bearer realm="https://a/t",service="s",scope="c"', [("bearer", "https://a/t", "s", "c")]),
        ('BASIC Realm="r"', [("basic", "r", "", "")]),
        ('Basic realm="r", Bearer realm=https://a/t', [("bearer", "https://a/t", "", ""), ("basic", "r", "", "")]),
        ('Negotiate, Digest realm="r"', []),
        ("", []),
    ],
)
def test_authentication_challenges_are_parsed(header: str, found: list[tuple[str, str, str, str]]) -> None:
    assert list(challenges(header)) == [Challenge(*each) for each in found]


@pytest.mark.parametrize(
    ("scope", "asked"),
    [
        ("repository:a/b:pull", "repository%3Aa%2Fb%3Apull"),
        ("repository:a/b:pull,push", "repository%3Aa%2Fb%3Apull"),
        ("", "repository%3Aa%2Fb%3Apull"),
    ],
)
def test_cachetui_requests_only_tokens_for_pulling(scope: str, asked: str) -> None:
    url = token_url(Challenge("bearer", "https://auth/token?x=1", "s", scope), "a/b")
    assert url == f"https://auth/token?x=1&service=s&scope={asked}&client_id=cachetui"


@given(st.text())
def test_arbitrary_challenge_header_is_parsed_safely(text: str) -> None:
    assert all(each.scheme in ("bearer", "basic") for each in challenges(text))


@given(
    st.binary()
    | st.recursive(
        st.none() | st.text(),
        lambda inner: st.dictionaries(st.sampled_from(["token", "access_token", "errors", "code"]), inner),
    ).map(lambda each: json.dumps(each).encode())
)
def test_arbitrary_response_of_token_server_is_parsed_safely(data: bytes) -> None:
    token = token_in(data)
    assert token.isascii()
    assert token.isprintable()
    assert error_code(data).isascii()


def test_shortened_registry_tag_ends_with_the_full_hash() -> None:
    spec = f"name-{'1' * 200}-{'a' * 32}"
    assert len(tag_of(spec)) == 128
    assert tag_of(spec).endswith(f"1-{'a' * 32}.spack")
    assert tag_of("git-2+x=1-abc") == "git-2_x_1-abc.spack"

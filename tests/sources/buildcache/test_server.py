"""The list of build caches that a server publishes."""

import msgspec
import pytest

from cachetui.sources.buildcache.layouts import V2_INDEX, V3_INDEX
from cachetui.sources.buildcache.server import read_listing
from cachetui.sources.transport.errors import WrongContentError

BLOB = "blobs/sha256/01/0123"


def listing(**tags: list[str]) -> bytes:
    return msgspec.json.encode({tag: [{"label": "a", "url": url} for url in urls] for tag, urls in tags.items()})


def test_every_kind_of_entry_in_public_cache_list_is_read() -> None:
    found = read_listing(
        listing(
            develop=[
                f"s3://spack-binaries/develop/{BLOB}",
                f"s3://spack-binaries/develop/e4s/{BLOB}",
                "s3://spack-binaries/develop/e4s-arm/v3/manifests/index/index.manifest.json",
            ],
            v1=["s3://spack-binaries/v1/e4s/build_cache/index.json"],
        )
    )
    assert found == {
        "develop": [
            ("develop/", V3_INDEX),
            ("develop/e4s/", V3_INDEX),
            ("develop/e4s-arm/", V3_INDEX),
        ],
        "v1": [("v1/e4s/", V2_INDEX)],
    }


@pytest.mark.parametrize(
    "url",
    [
        "s3://spack-binaries/other/e4s/build_cache/index.json",
        "s3://spack-binaries/develop/../../etc/build_cache/index.json",
        "s3://spack-binaries/develop/./build_cache/index.json",
        "s3://spack-binaries/develop//build_cache/index.json",
        "s3://spack-binaries/develop/e 4s/build_cache/index.json",
        "s3://spack-binaries/develop/e4s\r\n/build_cache/index.json",
        "s3://spack-binaries/develop/\x1b[31m/build_cache/index.json",
        f"s3://spack-binaries/develop/{'x' * 300}/build_cache/index.json",
        "s3://spack-binaries/develop/e4s",
        "/develop/e4s/build_cache/index.json",
        "",
    ],
)
def test_listed_cache_with_url_outside_the_server_is_skipped(url: str) -> None:
    good = f"s3://spack-binaries/develop/e4s/{BLOB}"
    assert read_listing(listing(develop=[url, good])) == {"develop": [("develop/e4s/", V3_INDEX)]}


def test_listed_tag_with_slash_is_refused() -> None:
    with pytest.raises(WrongContentError, match="list contains no build cache"):
        read_listing(listing(**{"releases/v1": [f"s3://spack-binaries/releases/v1/e4s/{BLOB}"]}))


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"errors": []}', b'{"develop": 5}', b'{"develop": [{"label": "a"}]}', b"<html>"]
)
def test_invalid_list_of_caches_is_an_error(data: bytes) -> None:
    with pytest.raises(WrongContentError):
        read_listing(data)

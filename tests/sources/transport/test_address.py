"""The addresses that a user may give instead of a folder."""

import pytest

from cachetui.sources.source import ContentError
from cachetui.sources.transport.address import is_address, resolve

CHECKSUM = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://mirror.example.org/develop/e4s/", "https://mirror.example.org/develop/e4s"),
        ("HTTPS://Mirror.Example.ORG//a//b", "https://mirror.example.org/a/b"),
        ("https://m.example.org:8443/a", "https://m.example.org:8443/a"),
        ("https://m.example.org/a/v3/manifests/index/index.manifest.json", "https://m.example.org/a"),
        ("https://m.example.org/a/build_cache/index.json", "https://m.example.org/a"),
        ("https://m.example.org/a/build_cache", "https://m.example.org/a/build_cache"),
        (f"https://m.example.org/a/blobs/sha256/01/{CHECKSUM}", "https://m.example.org/a"),
        ("https://m.example.org/cache_spack_io_index.json", "https://m.example.org"),
        ("https://m.example.org/a%20b", "https://m.example.org/a%20b"),
        ("http://localhost:8000/a", "http://localhost:8000/a"),
        ("http://127.0.0.1/a", "http://127.0.0.1/a"),
        ("http://[::1]:80/a", "http://[::1]:80/a"),
        ("s3://spack-binaries/develop", "https://binaries.spack.io/develop"),
        ("s3://bucket/prefix/", "https://bucket.s3.amazonaws.com/prefix"),
        ("s3://my.bucket/prefix", "https://s3.amazonaws.com/my.bucket/prefix"),
        ("spack:", "https://binaries.spack.io"),
        ("spack:develop/e4s", "https://binaries.spack.io/develop/e4s"),
        ("spack://develop/e4s", "https://binaries.spack.io/develop/e4s"),
        ("oci://ghcr.io/Owner/Cache", "oci://ghcr.io/owner/cache"),
        ("oci://ghcr.io/owner/cache:latest/", "oci://ghcr.io/owner/cache"),
        (f"oci://ghcr.io/owner/cache@sha256:{CHECKSUM}", "oci://ghcr.io/owner/cache"),
        ("oci://owner/cache", "oci://index.docker.io/owner/cache"),
        ("oci://cache", "oci://index.docker.io/library/cache"),
        ("oci://docker.io/owner/cache", "oci://index.docker.io/owner/cache"),
        ("oci://Registry/cache", "oci://registry/cache"),
        ("oci+http://localhost:5000/a/b", "oci+http://localhost:5000/a/b"),
        ("file:///srv/my%20mirror", "/srv/my mirror"),
        ("file://localhost/srv/mirror", "/srv/mirror"),
    ],
)
def test_url_is_recognized_and_normalized(text: str, url: str) -> None:
    assert is_address(text)
    assert resolve(text) == url


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("http://mirror.example.org/a", "not encrypted: use https://mirror.example.org, or give --insecure"),
        ("http://127.0.0.1.example.org/a", "not encrypted"),
        ("http://localhost.example.org/a", "not encrypted"),
        ("oci+http://ghcr.io/org/cache", "not encrypted: use oci://ghcr.io/org/cache, or give --insecure"),
        (
            "oci://registry.example.org",
            "the name of a repository is missing: write oci://registry.example.org/OWNER/NAME",
        ),
        ("oci://me:geheim@ghcr.io/a", "use docker login"),
        ("oci://ghcr.io:x/a", "the name of a registry is missing"),
        ("oci://ghcr.io/a/../b", "the name of a repository must have only"),
        ("oci://ghcr.io/a?b", "must not contain ? or #"),
        ("gs://bucket/a", "cachetui does not know gs: use https:"),
        ("ftp://mirror.example.org/a", "cachetui does not know ftp:"),
        ("https://mirror.example.org/a?b=c", "must not contain ? or #"),
        ("https://mirror.example.org/a#b", "must not contain ? or #"),
        ("https://mirror.example.org/../a", "must not contain .."),
        ("spack:../a", "must not contain .."),
        ("s3://spack-binaries/../a", "must not contain .."),
        ("https://", "the name of a server is missing"),
        ("https:///a", "the name of a server is missing"),
        ("https://mirror.example.org:port/a", "the name of a server is missing"),
        ("s3://B/a", "the name of a bucket is missing"),
        ("https://mirror.example.org/a\r\nHost: b", "no spaces"),
        ("https://mirror.example.org/\x1b[31m", "no spaces"),
        ("https://mirror.example.org/ä", "only ASCII characters"),
        ("file://other.example.org/srv", "must be a path on this machine"),
        ("file://srv", "must be a path on this machine"),
        ("file:///a%00b", "must not contain a zero byte"),
    ],
)
def test_unusable_url_is_refused_with_reason(text: str, why: str) -> None:
    assert is_address(text)
    with pytest.raises(ContentError) as raised:
        resolve(text)
    message = str(raised.value)
    assert why in message
    assert message.isprintable()


def test_insecure_option_allows_http_url() -> None:
    assert resolve("http://mirror.example.org/a", insecure=True) == "http://mirror.example.org/a"


def test_password_in_url_is_refused_and_hidden() -> None:
    with pytest.raises(ContentError) as raised:
        resolve("https://me:geheim@mirror.example.org/a")
    assert "geheim" not in str(raised.value)
    assert "~/.netrc" in str(raised.value)


@pytest.mark.parametrize("text", ["./content", "/srv/mirror", "hdf5", "c:", "spack", "os=ubuntu", "a:b", "hdf5@1:2"])
def test_path_or_query_is_not_mistaken_for_url(text: str) -> None:
    assert not is_address(text)


@pytest.mark.parametrize(
    ("text", "endpoint", "region", "url"),
    [
        ("s3://cache/a", "https://minio.lab:9000", "", "https://minio.lab:9000/cache/a"),
        ("s3://cache/a", "minio.lab", "eu-west-1", "https://minio.lab/cache/a"),
        ("s3://cache/a", "http://127.0.0.1:9000/", "", "http://127.0.0.1:9000/cache/a"),
        ("s3://spack-binaries/a", "", "", "https://spack-binaries.s3.amazonaws.com/a"),
        ("s3://cache/a", "", "eu-west-1", "https://cache.s3.eu-west-1.amazonaws.com/a"),
        ("s3://cache/a", "http://minio.lab", "", "is not encrypted"),
        ("s3://cache/a", "ftp://minio.lab", "", "is not an https: URL"),
        ("s3://cache/a", "https://user:word@minio.lab", "", "must not contain a password"),
    ],
)
def test_bucket_address_becomes_url_of_endpoint_or_aws(text: str, endpoint: str, region: str, url: str) -> None:
    if "://" in url:
        assert resolve(text, endpoint=endpoint, region=region) == url
    else:
        with pytest.raises(ContentError, match=url):
            resolve(text, endpoint=endpoint, region=region)

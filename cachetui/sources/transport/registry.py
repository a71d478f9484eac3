"""Build caches in container registries: the URLs of the files, and the requests for tokens.

A registry has one image for each spec, and one image for the index. The layer of the index image is a plain
`index.json`. In the local copy, the manifests and blobs have the same paths as in layout v3.
Input: paths in a local copy, and headers of registries.
"""

import re
from collections.abc import Iterator
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from cachetui.sources.transport.address import REGISTRIES, is_repository

MANIFESTS = ", ".join(
    (
        "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.v2+json",
    )
)
"""The media types that the client accepts. Without the second type, a registry may send obsolete manifests."""

MAX_TAG_CHARACTERS = 128
"""Maximum number of characters of a tag. Spack keeps only the first 64 and the last 64 characters of a longer tag."""

MAX_HEADER_CHARACTERS = 2048

_BLOB = re.compile(r"(?:.*/)?blobs/sha256/../([0-9a-f]{64})")
_SPEC = re.compile(r".*/([^/]+)\.spec\.manifest\.json")
_REQUEST = re.compile(r"(?P<repository>https?://[^/]+/v2/(?P<name>.+))/(?:manifests|blobs|tags)/[^/]+")
_CHALLENGE = re.compile(
    r'(?:(?P<scheme>[A-Za-z]+)[ ]+)?(?P<key>[A-Za-z_]+)[ ]*=[ ]*(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s,"]+))'
)


def request_of(url: str, path: str) -> tuple[str, dict[str, str]]:
    """Return the URL and the headers of the request for a file. `path` is the path in the local copy of `url`."""
    if not is_repository(url):
        return f"{url}/{quote(path)}", {}
    base = api_of(url)
    if blob := _BLOB.fullmatch(path):
        return f"{base}/blobs/sha256:{blob[1]}", {}
    spec = _SPEC.fullmatch(path)
    return f"{base}/manifests/{tag_of(spec[1]) if spec else 'index.spack'}", {"Accept": MANIFESTS}


def api_of(url: str) -> str:
    """Return the URL with which all requests to a repository begin."""
    scheme, _, rest = url.partition("://")
    host, _, name = rest.partition("/")
    return f"{REGISTRIES[scheme]}://{host}/v2/{name}"


def tag_of(spec: str) -> str:
    """Return the tag that the image of a spec has in a registry. `spec` is NAME-VERSION-HASH."""
    tag = re.sub(r"[^A-Za-z0-9_.-]", "_", f"{spec}.spack")
    half = MAX_TAG_CHARACTERS // 2
    return tag if len(tag) <= MAX_TAG_CHARACTERS else tag[:half] + tag[-half:]


class Challenge(msgspec.Struct, frozen=True):
    """A challenge in a `WWW-Authenticate` header. A challenge describes how to log in to a registry."""

    scheme: str
    """The scheme: `bearer` (a token) or `basic` (a user name and a password)."""
    realm: str
    service: str
    scope: str


def challenges(header: str) -> Iterator[Challenge]:
    """Yield the challenges in a `WWW-Authenticate` header, token challenges first."""
    found: list[tuple[str, dict[str, str]]] = []
    for match in _CHALLENGE.finditer(header[:MAX_HEADER_CHARACTERS]):
        if match["scheme"]:
            found.append((match["scheme"].lower(), {}))
        if found:
            found[-1][1][match["key"].lower()] = match["quoted"] or match["bare"] or ""
    for scheme, values in sorted(found, key=lambda each: each[0] != "bearer"):
        if scheme in ("bearer", "basic"):
            yield Challenge(scheme, *(values.get(key, "") for key in ("realm", "service", "scope")))


def repository_of(url: str) -> tuple[str, str] | None:
    """Find the repository to which the URL of a request belongs: return the repository's URL and its name.

    Return None if the URL belongs to another kind of server.
    """
    match = _REQUEST.fullmatch(url)
    return None if match is None else (match["repository"], match["name"])


def token_url(challenge: Challenge, name: str) -> str:
    """Return the URL from which to request a token that allows reading a repository."""
    scope = re.sub(r":[a-z,*]+$", ":pull", challenge.scope) or f"repository:{name}:pull"
    asked = {"service": challenge.service, "scope": scope, "client_id": "cachetui"}
    separator = "&" if urlsplit(challenge.realm).query else "?"
    return challenge.realm + separator + urlencode({key: value for key, value in asked.items() if value})


def token_in(data: bytes) -> str:
    """Return the token in the response of a token server. The result is empty if the response is invalid."""
    try:
        written = msgspec.json.decode(data, type=dict[str, object])
    except (ValueError, RecursionError):
        return ""
    found = written.get("token") or written.get("access_token")
    return found if isinstance(found, str) and re.fullmatch(r"[!-~]{1,20000}", found) else ""


def error_code(body: bytes) -> str:
    """Return the error code in the response of a registry, for example `NAME_UNKNOWN`. Empty if the code is missing."""
    found = re.search(rb'"code"\s*:\s*"([A-Z_]{1,40})"', body[:4096])
    return found[1].decode() if found else ""

"""Build caches in container registries: which request brings which file of a copy, and the answer to challenges.

A registry has one image for each spec and one for the index, whose layer is the plain `index.json`. In a copy the
manifests are in the places of those of layout v3, and so are the blobs.
Input: paths of a copy, and headers of registries.
"""

import re
from collections.abc import Iterator
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from msgspec import Struct

from cachetui.sources.transport.address import REGISTRIES, is_repository

MANIFESTS = ", ".join(
    (
        "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.v2+json",
    )
)
"""The media types to ask for: without the second one a registry may answer in a form that is long out of use."""

MAX_TAG_CHARACTERS = 128
"""Maximum number of characters of a tag; Spack shortens a longer one to its first and last half."""

MAX_HEADER_CHARACTERS = 2048

_BLOB = re.compile(r"(?:.*/)?blobs/sha256/../([0-9a-f]{64})")
_SPEC = re.compile(r".*/([^/]+)\.spec\.manifest\.json")
_REQUEST = re.compile(r"(?P<repository>https?://[^/]+/v2/(?P<name>.+))/(?:manifests|blobs|tags)/[^/]+")
_CHALLENGE = re.compile(
    r'(?:(?P<scheme>[A-Za-z]+)[ ]+)?(?P<key>[A-Za-z_]+)[ ]*=[ ]*(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s,"]+))'
)


def request_of(url: str, path: str) -> tuple[str, dict[str, str]]:
    """Return the URL and the headers of the request for a file of the copy of a URL."""
    if not is_repository(url):
        return f"{url}/{quote(path)}", {}
    base = api_of(url)
    if blob := _BLOB.fullmatch(path):
        return f"{base}/blobs/sha256:{blob[1]}", {}
    spec = _SPEC.fullmatch(path)
    return f"{base}/manifests/{tag_of(spec[1]) if spec else 'index.spack'}", {"Accept": MANIFESTS}


def api_of(url: str) -> str:
    """Return the URL that the requests about a repository begin with."""
    scheme, _, rest = url.partition("://")
    host, _, name = rest.partition("/")
    return f"{REGISTRIES[scheme]}://{host}/v2/{name}"


def tag_of(spec: str) -> str:
    """Return the tag of a spec, given as NAME-VERSION-HASH."""
    tag = re.sub(r"[^A-Za-z0-9_.-]", "_", f"{spec}.spack")
    half = MAX_TAG_CHARACTERS // 2
    return tag if len(tag) <= MAX_TAG_CHARACTERS else tag[:half] + tag[-half:]


class Challenge(Struct, frozen=True):
    """The demand of a registry before it answers."""

    scheme: str
    """`bearer` or `basic`."""
    realm: str
    service: str
    scope: str


def challenges(header: str) -> Iterator[Challenge]:
    """Yield the challenges of a `WWW-Authenticate` header, a token first."""
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
    """Return the common beginning of requests about a repository, and its name, from one of them, else None."""
    match = _REQUEST.fullmatch(url)
    return None if match is None else (match["repository"], match["name"])


def token_url(challenge: Challenge, name: str) -> str:
    """Return the URL that gives a token to read a repository."""
    scope = re.sub(r":[a-z,*]+$", ":pull", challenge.scope) or f"repository:{name}:pull"
    asked = {"service": challenge.service, "scope": scope, "client_id": "cachetui"}
    separator = "&" if urlsplit(challenge.realm).query else "?"
    return challenge.realm + separator + urlencode({key: value for key, value in asked.items() if value})


def token_in(data: bytes) -> str:
    """Return the token of an answer; empty if there is none."""
    try:
        written = msgspec.json.decode(data, type=dict[str, object])
    except (ValueError, RecursionError):
        return ""
    found = written.get("token") or written.get("access_token")
    return found if isinstance(found, str) and re.fullmatch(r"[!-~]{1,20000}", found) else ""


def error_code(body: bytes) -> str:
    """Return the code of a registry's error, such as `NAME_UNKNOWN`; empty for none."""
    found = re.search(rb'"code"\s*:\s*"([A-Z_]{1,40})"', body[:4096])
    return found[1].decode() if found else ""

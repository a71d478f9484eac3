"""Check the URL that a user types, and convert this URL to the URL from which the program reads the build cache.

The valid schemes are `https:`, `http:` and `file:`, `s3:` for buckets, `spack:` for the public build caches, and `oci:`
and `oci+http:` for container registries. This module does not access files or servers.
"""

import re

from cachetui.safe_text import visible
from cachetui.sources.source import ContentError

PUBLIC = "https://binaries.spack.io"
"""The server of the public build caches. `spack:develop/e4s` means the path `develop/e4s` on this server."""

LISTING = "cache_spack_io_index.json"
"""The name of the file in which a server lists its build caches."""

BINARIES_SUFFIX = "#binaries"
"""A build cache has a second local copy, with the manifests of its binaries. This suffix is added to the copy's key."""

REGISTRIES = {"oci": "https", "oci+http": "http"}
"""The schemes of container registries, each with the scheme of the HTTP requests."""

DOCKER_HUB = "index.docker.io"
"""The host that answers requests for Docker Hub."""

_SCHEME = r"([A-Za-z][A-Za-z0-9+.-]*):(?=//)|([Ss][Pp][Aa][Cc][Kk]):"

# The patterns below are compiled only when a URL is read, because most content is a path.

_PART = r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*"

_BUCKET = r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"

_LOOPBACK = r"localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]"

_INNER_FILE = (
    r"/(?:v3/manifests/index/index\.manifest\.json|build_cache/index\.json|blobs/sha256/[0-9a-f]{2}/[0-9a-f]{64}|"
    + re.escape(LISTING)
    + r")\Z"
)
"""The end of a URL that points to a file inside a build cache. It is removed, because people copy such URLs."""


def is_address(text: str) -> bool:
    """Return whether the content that the user typed is a URL, not a path."""
    return ":" in text and re.match(_SCHEME, text) is not None


def is_repository(url: str) -> bool:
    """Return whether a URL from `resolve` is the URL of a container registry."""
    return url.partition("://")[0] in REGISTRIES


def is_counted(url: str) -> bool:
    """Return whether a URL is on Docker Hub, which counts and limits the requests for manifests."""
    return url.startswith(f"oci://{DOCKER_HUB}/")


def is_loopback(host: str) -> bool:
    """Return whether a host name, without a port, means this machine."""
    return re.fullmatch(_LOOPBACK, host.lower()) is not None


def shown(text: str) -> str:
    """Return a URL in a form that is safe to print. The password and the query are removed.

    A query may contain a signature that gives access, for example after a redirect to a bucket.
    """
    return visible(re.sub(r"\?.*", "?…", re.sub(r"//[^/]*@", "//", text), flags=re.DOTALL))


def resolve(text: str, *, insecure: bool = False, endpoint: str | None = None, region: str = "") -> str:
    """Return the `https:`, `http:`, `oci:` or `oci+http:` URL of a build cache. For a `file:` URL, return the path.

    `insecure` allows `http:` and `oci+http:` to other machines. `endpoint` is the server for `s3:` URLs. If `endpoint`
    is empty, the server is AWS in the `region`. If `endpoint` is None, the server is the public server of the bucket,
    or AWS if the bucket has no public server. Raises ContentError with the reason and a remedy, but without a password.
    """
    try:
        return _resolve(text, insecure, endpoint, region)
    except ValueError as error:
        raise ContentError(f"{shown(text)} cannot be opened: {error}") from None


def _resolve(text: str, insecure: bool, endpoint: str | None, region: str) -> str:
    found = re.match(_SCHEME, text)
    if found is None:
        raise ValueError("this is not a URL")
    scheme, rest = (found[1] or found[2]).lower(), text[found.end() :]
    if not re.fullmatch(r"[!-~]*", rest):
        raise ValueError("a URL must have only ASCII characters and no spaces: write a space as %20")
    if scheme == "spack":
        return _web(PUBLIC.removeprefix("https:") + "/" + rest.lstrip("/"), "https", insecure)
    if scheme == "file":
        return _local(rest)
    if scheme == "s3":
        bucket, _, prefix = rest.removeprefix("//").partition("/")
        is_public = bucket == "spack-binaries" and endpoint is None  # a public server has the same files
        rest = f"{PUBLIC.removeprefix('https:')}/{prefix}" if is_public else _bucket(bucket, prefix, region)
        scheme, _, host = (endpoint or "").rpartition("://")
        if scheme.lower() not in ("", "http", "https"):
            raise ValueError(f"the endpoint {shown(endpoint or '')} is not an https: URL")
        rest = f"//{host.rstrip('/')}/{bucket}/{prefix}" if host else rest
        return _web(rest, scheme.lower() or "https", insecure)
    if scheme in ("http", "https"):
        return _web(rest, scheme, insecure)
    if scheme in REGISTRIES:
        return _repository(rest, scheme, insecure)
    raise ValueError(f"cachetui does not know {scheme}: use https:, http:, file:, s3:, spack: or oci:")


def _repository(rest: str, scheme: str, insecure: bool) -> str:
    """Return the URL of a repository in a registry. Recognize the host by Spack's rule (`oci/image.py`)."""
    first, slash, name = rest.removeprefix("//").strip("/").partition("/")
    if "?" in rest or "#" in rest:
        raise ValueError("the URL of a repository must not contain ? or #: remove it and all that follows")
    if not re.search(r"[.:A-Z]|^localhost$", first):  # no host
        first, name = "docker.io", f"{first}/{name}" if slash else f"library/{first}"
    if "@" in first:
        raise ValueError("a URL must not contain a password, because the shell saves it: use docker login")
    if not re.fullmatch(r"[A-Za-z0-9._-]+(:\d{1,5})?", first):
        raise ValueError(f"the name of a registry is missing: write {scheme}://ghcr.io/owner/buildcache")
    name = re.sub(r"(?:@sha256:[0-9a-f]+|:[\w.-]+)+$", "", name).lower()
    if not name:
        raise ValueError(f"the name of a repository is missing: write {scheme}://{first}/OWNER/NAME")
    if not re.fullmatch(rf"{_PART}(?:/{_PART})*", name) or len(name) > 255:
        raise ValueError(
            "the name of a repository must have only lower-case characters, digits, and . _ - between them"
        )
    host = first.lower()
    if scheme == "oci+http" and not (insecure or is_loopback(host.partition(":")[0])):
        raise ValueError(f"oci+http: is not encrypted: use oci://{first}/{name}, or give --insecure")
    return f"{scheme}://{DOCKER_HUB if host == 'docker.io' else host}/{name}"


def _local(rest: str) -> str:
    from urllib.parse import unquote

    host, slash, path = rest.removeprefix("//").partition("/")
    if host not in ("", "localhost") or not slash:
        raise ValueError("a file: URL must be a path on this machine: file:///path/to/mirror")
    path = unquote(f"/{path}", errors="surrogateescape")
    if "\0" in path:
        raise ValueError("a file: URL must not contain a zero byte")
    return path


def _bucket(bucket: str, prefix: str, region: str) -> str:
    """Return the URL, without the scheme, of the object `prefix` in a bucket of AWS."""
    if not re.fullmatch(_BUCKET, bucket):
        raise ValueError("the name of a bucket is missing: write s3://bucket/prefix")
    host = f"s3.{region}.amazonaws.com" if region else "s3.amazonaws.com"
    # a certificate for *.s3.amazonaws.com is not valid for a bucket with dots in its name
    return f"//{host}/{bucket}/{prefix}" if "." in bucket else f"//{bucket}.{host}/{prefix}"


def _web(rest: str, scheme: str, insecure: bool) -> str:
    authority, _, path = rest.removeprefix("//").partition("/")
    if "@" in authority:
        raise ValueError("a URL must not contain a password, because the shell saves it: use ~/.netrc")
    if "?" in rest or "#" in rest:
        raise ValueError("the URL of a build cache must not contain ? or #: remove it and all that follows")
    found = re.fullmatch(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?", authority)
    if found is None:
        raise ValueError(f"the name of a server is missing: write {scheme}://mirror.example.org/path")
    parts = [part for part in path.split("/") if part]
    if ".." in parts or "." in parts:
        raise ValueError("the URL of a build cache must not contain ..")
    if scheme == "http" and not (insecure or is_loopback(found[1])):
        raise ValueError(f"http: is not encrypted: use https://{authority}, or give --insecure")
    return re.sub(_INNER_FILE, "", "/".join([f"{scheme}://{authority.lower()}", *parts]))

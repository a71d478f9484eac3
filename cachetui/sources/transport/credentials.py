"""Find the credentials for private mirrors.

Credentials come from environment variables, `.netrc`, the entries of a `mirrors.yaml`, and the credentials file of AWS.
For container registries, they also come from files and helper programs of docker and podman.
A credential is sent to only one host, and is never printed or written to a file. The secret key for S3 signs requests
(AWS signature, version 4), and is never sent.
Input: the environment, and the file that `NETRC` names, by default `~/.netrc`.
"""

import base64
import hashlib
import hmac
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

import msgspec
from msgspec import Struct

from cachetui.safe_text import visible
from cachetui.sources.files import load
from cachetui.sources.transport.address import DOCKER_HUB
from cachetui.sources.transport.errors import RefusedError

REGION = "us-east-1"
"""The default region. Servers other than AWS ignore the region."""

_EMPTY = hashlib.sha256(b"").hexdigest()
"""The sha256 of the content of a request, which is always empty."""


class Signing(Struct, frozen=True):
    """The key that signs requests for a bucket."""

    id: str
    secret: str
    token: str = ""
    """The session token, sent with each request. May be empty."""
    region: str = REGION

    def headers(self, method: str, url: str, seconds: float | None = None) -> dict[str, str]:
        """Return the headers that sign a request with empty content.

        `seconds` is the time of the request, in seconds since the epoch. The default is now.
        """
        parts, moment = urlsplit(url), time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(seconds))
        sent = {"host": parts.netloc, "x-amz-content-sha256": _EMPTY, "x-amz-date": moment}
        if self.token:
            sent["x-amz-security-token"] = self.token
        names, scope = ";".join(sent), f"{moment[:8]}/{self.region}/s3/aws4_request"
        path = quote(unquote(parts.path), safe="/-_.~") or "/"
        query = urlencode(sorted(parse_qsl(parts.query, keep_blank_values=True)), quote_via=quote)
        lines = (method, path, query, *(f"{name}:{value}" for name, value in sent.items()), "", names, _EMPTY)
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        key = f"AWS4{self.secret}".encode(errors="surrogateescape")
        for text in (*scope.split("/"), "\n".join(("AWS4-HMAC-SHA256", moment, scope, digest))):
            key = hmac.digest(key, text.encode(), "sha256")
        credential = f"Credential={self.id}/{scope},SignedHeaders={names},Signature={key.hex()}"
        return {**sent, "Authorization": f"AWS4-HMAC-SHA256 {credential}"}


PREFIX = "CACHETUI_TOKEN_"
"""The prefix of environment variables with the token for a host, such as `CACHETUI_TOKEN_mirror_example_org`."""

MAX_LOGINS_BYTES = 2**20

HELPER_SECONDS = 10
"""A helper program that should return a password is stopped after this number of seconds."""

Credential = str | Signing
"""An `Authorization` header, or a key that signs requests."""

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"


def variable(host: str) -> str | None:
    """Return the name of the environment variable with the token for a host. None for an invalid host name.

    The host has no port. In the name, `_` replaces a dot, and `__` replaces a dash. Different hosts have different
    names, because a dot in a host name is never next to another dot or a dash.
    """
    is_name = re.fullmatch(rf"{_LABEL}(?:\.{_LABEL})*", host)
    return PREFIX + host.replace("-", "__").replace(".", "_") if is_name else None


def authorization(host: str, environ: Mapping[str, str]) -> str | None:
    """Return the `Authorization` header for a host (without a port), or None if its credentials are missing."""
    wanted = variable(host)
    for name, token in environ.items():
        if wanted and name.upper() == wanted.upper() and _is_header(token):
            return f"Bearer {token}"
    found = _from_netrc(host, environ)
    return None if found is None else _basic(found)


def named_by(entry: Mapping[str, Any]) -> list[str]:
    """Return the names of the environment variables and of the AWS profile from which an entry takes its credentials.

    `entry` is an entry of a `mirrors.yaml`.
    """
    pair, profile = entry.get("access_pair"), entry.get("profile")
    maps = (entry, pair if isinstance(pair, dict) else {})
    names = [str(value) for each in maps for key, value in each.items() if key.endswith("_variable")]
    return names + [f"profile {profile}"] * bool(profile)


def access(entry: Mapping[str, Any], url: str, environ: Mapping[str, str]) -> tuple[Credential | None, list[str]]:
    """Return the credential for an entry of a `mirrors.yaml`, and the unset environment variables that the entry names.

    The credential is None if missing. For `s3:`, the credential is a key that signs requests. For any other
    URL, the credential is a header. The entry uses Spack's keys, such as `access_token_variable` and `access_pair`.
    """
    unset: list[str] = []

    def value(entry: object, key: str) -> str:
        """Return the value of `key` in an entry; empty if missing.

        If the entry has the key `KEY_variable`, return the value of the environment variable with this name instead.
        """
        if not isinstance(entry, dict):
            return ""
        variable = entry.get(f"{key}_variable")
        if isinstance(variable, str) and variable not in environ:
            unset.append(variable)
        found = environ.get(variable) if isinstance(variable, str) else entry.get(key)
        return found if isinstance(found, str) else ""

    token, pair = value(entry, "access_token"), entry.get("access_pair")
    if isinstance(pair, list) and len(pair) == 2:
        pair = {"id": pair[0], "secret": pair[1]}
    name, secret = value(pair, "id"), value(pair, "secret")
    if url.startswith("s3:"):
        if not pair and isinstance(profile := entry.get("profile"), str):
            name, secret, token = _of_profile(profile, environ)
        is_whole = secret and _is_header(name) and (not token or _is_header(token))
        region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or REGION
        return Signing(name, secret, token, region) if is_whole else None, unset
    if token and _is_header(token):
        return f"Bearer {token}", unset
    return _basic((name, secret)) if name and secret else None, unset


def _of_profile(profile: str, environ: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the id, the secret and the token of a profile in AWS's credentials file. Missing values are empty."""
    import configparser  # late: few entries name a profile

    found = configparser.RawConfigParser()
    with suppress(OSError, ValueError, configparser.Error):
        found.read(environ.get("AWS_SHARED_CREDENTIALS_FILE") or os.path.expanduser("~/.aws/credentials"))
    keys = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
    name, secret, token = (found.get(profile, key, fallback="") for key in keys)
    return name, secret, token


def of_registry(host: str, name: str, environ: Mapping[str, str], *, run_helpers: bool) -> str | None:
    """Return the `Authorization` header for a repository, with the user and the password from docker or podman.

    Return None if the password is unknown. With `run_helpers`, this function may run `docker-credential-NAME get`, if
    docker's configuration names this program. Raises RefusedError if a file of docker or podman cannot be read.
    """
    names = list(_names_of(host, name))
    runtime = environ.get("XDG_RUNTIME_DIR")
    for path in (
        os.path.join(environ.get("DOCKER_CONFIG") or os.path.expanduser("~/.docker"), "config.json"),
        environ.get("REGISTRY_AUTH_FILE"),
        f"{runtime}/containers/auth.json" if runtime else None,
    ):
        config = _Logins() if path is None else _logins(path)
        for login in (config.auths[name] for name in names if name in config.auths):
            if not login.token and re.fullmatch(r"[A-Za-z0-9+/=]{1,10000}", login.auth):
                return f"Basic {login.auth}"
        program = next((config.helpers[name] for name in names if name in config.helpers), config.store)
        if (
            program
            and run_helpers
            and (pair := _from_helper(program, f"https://{host}/v1/" if host == DOCKER_HUB else host))
        ):
            return _basic(pair)
    return None


def _names_of(host: str, name: str) -> Iterator[str]:
    """Yield the keys under which docker and podman may store the password for a repository, most specific first."""
    folders = name.split("/")
    for each in ("docker.io", host) if host == DOCKER_HUB else (host,):
        yield from ("/".join((each, *folders[:depth])) for depth in range(len(folders), -1, -1))
        yield from (f"https://{each}{end}" for end in ("", "/v1/", "/v2/"))


class _Login(Struct):
    auth: str = ""
    """USER:PASSWORD in base64."""
    token: str = msgspec.field(name="identitytoken", default="")
    """A token that docker stores instead of a password. This program does not use such logins."""


class _Logins(Struct):
    """The `config.json` of docker, or the `auth.json` of podman."""

    auths: dict[str, _Login] = {}
    helpers: dict[str, str] = msgspec.field(name="credHelpers", default_factory=dict)
    store: str = msgspec.field(name="credsStore", default="")


def _logins(path: str) -> _Logins:
    """Return the logins in a file. Empty if the file does not exist. Raises RefusedError if the file cannot be read."""
    try:
        return msgspec.json.decode(load(path, MAX_LOGINS_BYTES), type=_Logins)
    except (FileNotFoundError, NotADirectoryError):
        return _Logins()
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise RefusedError(f"{visible(path)} cannot be read: {reason}; correct the file, or log in again") from None


def _from_helper(program: str, host: str) -> tuple[str, str] | None:
    """Run a helper program, and return the user and the password for a host, or None for an unknown host."""
    if not re.fullmatch(r"[A-Za-z0-9._-]+", program):
        return None
    import subprocess  # late: few users have such a program

    command = [f"docker-credential-{program}", "get"]
    with suppress(OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError):
        output = subprocess.run(
            command, input=host.encode(), capture_output=True, timeout=HELPER_SECONDS, check=True
        ).stdout
        written = msgspec.json.decode(output, type=dict[str, str])
        return written["Username"], written["Secret"]
    return None


def _basic(pair: tuple[str, str]) -> str:
    return "Basic " + base64.b64encode(":".join(pair).encode(errors="surrogateescape")).decode()


def _is_header(token: str) -> bool:
    return re.fullmatch(r"[!-~]+", token) is not None


def _from_netrc(host: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the user and the password for a host from `.netrc`; None if the entry for this host is missing.

    The entry `default` is not used.
    """
    path = environ.get("NETRC") or os.path.expanduser("~/.netrc")
    if not os.path.exists(path):
        return None
    import netrc  # late: few users have such a file

    with suppress(OSError, ValueError, netrc.NetrcParseError):
        found = netrc.netrc(path).hosts.get(host)
        if found is not None and any(found):
            return found[0] or found[1] or "", found[2] or ""
    return None

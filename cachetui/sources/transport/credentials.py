"""Credentials for private mirrors: a token from the environment, name and password from `.netrc`, or those that the
entry of a `mirrors.yaml` names.

Each is sent to one host only, and never printed or written to a file.
Input: the environment, and the file that `NETRC` names, else `~/.netrc`.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

PREFIX = "CACHETUI_TOKEN_"
"""Prefix of the variable with the token for a host: `CACHETUI_TOKEN_mirror_example_org`."""

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"


def variable(host: str) -> str | None:
    """Return the environment variable for the token of this host (without its port); None for an invalid name.

    `_` stands for a dot and `__` for a dash, so that no two hosts share one: in the name of a host a dot is never
    beside a dot or a dash.
    """
    if not re.fullmatch(rf"{_LABEL}(?:\.{_LABEL})*", host):
        return None
    return PREFIX + host.replace("-", "__").replace(".", "_")


def authorization(host: str, environ: Mapping[str, str]) -> str | None:
    """Return the `Authorization` header for this host (without its port); None where there are no credentials."""
    wanted = variable(host)
    for name, token in environ.items():
        if wanted and name.upper() == wanted.upper() and _is_header(token):
            return f"Bearer {token}"
    found = _from_netrc(host, environ)
    return None if found is None else _basic(found)


def access(entry: Mapping[str, Any], environ: Mapping[str, str]) -> tuple[str | None, list[str]]:
    """Return the `Authorization` header for an entry of a `mirrors.yaml`, or None, and the variables that are not set.

    The entry has Spack's keys, such as `access_token_variable` and `access_pair`.
    """
    unset: list[str] = []

    def value(entry: object, key: str) -> str | None:
        """Return the value of the variable that `KEY_variable` names, else the value of KEY."""
        if not isinstance(entry, dict):
            return None
        variable = entry.get(f"{key}_variable")
        if isinstance(variable, str) and variable not in environ:
            unset.append(variable)
        found = environ.get(variable) if isinstance(variable, str) else entry.get(key)
        return found if isinstance(found, str) else None

    token, pair = value(entry, "access_token"), entry.get("access_pair")
    if token and _is_header(token):
        return f"Bearer {token}", unset
    if isinstance(pair, list) and len(pair) == 2:
        pair = {"id": pair[0], "secret": pair[1]}
    name, secret = value(pair, "id"), value(pair, "secret")
    return None if name is None or secret is None else _basic((name, secret)), unset


def _basic(pair: tuple[str, str]) -> str:
    return "Basic " + base64.b64encode(":".join(pair).encode(errors="surrogateescape")).decode()


def _is_header(token: str) -> bool:
    return re.fullmatch(r"[!-~]+", token) is not None


def _from_netrc(host: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """Return name and password for a host; the entry `default` is not used."""
    path = environ.get("NETRC") or os.path.expanduser("~/.netrc")
    if not os.path.exists(path):
        return None
    import netrc  # late: few have such a file

    with suppress(OSError, ValueError, netrc.NetrcParseError):
        found = netrc.netrc(path).hosts.get(host)
        if found is not None and any(found):
            return found[0] or found[1] or "", found[2] or ""
    return None

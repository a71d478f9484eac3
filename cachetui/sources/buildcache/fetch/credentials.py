"""What a private mirror asks for: a token from the environment, or a name and password from `.netrc`.

Each belongs to one host and is given to no other. Nothing of it is ever printed or written to a file.
Input: the environment, and the file that `NETRC` names, else `~/.netrc`.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from contextlib import suppress

PREFIX = "CACHETUI_TOKEN_"
"""How the name of the variable with the token of a host begins: `CACHETUI_TOKEN_mirror_example_org`."""


def variable(host: str) -> str:
    """The name of the environment variable for the token of this host (without its port)."""
    return PREFIX + re.sub(r"[^A-Za-z0-9]", "_", host)


def authorization(host: str, environ: Mapping[str, str]) -> str | None:
    """The `Authorization` header for this host (without its port); None where nothing is known of it."""
    wanted = variable(host).upper()
    for name, token in environ.items():
        if name.upper() == wanted and _is_header(token):
            return f"Bearer {token}"
    found = _from_netrc(host, environ)
    if found is None:
        return None
    return "Basic " + base64.b64encode(":".join(found).encode()).decode()


def _is_header(token: str) -> bool:
    return re.fullmatch(r"[!-~]+", token) is not None


def _from_netrc(host: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """Name and password of a host; an entry `default` is none of it."""
    path = environ.get("NETRC") or os.path.expanduser("~/.netrc")
    if not os.path.exists(path):
        return None
    import netrc  # late: few have such a file

    with suppress(OSError, ValueError, netrc.NetrcParseError):
        found = netrc.netrc(path).hosts.get(host)
        if found is not None and any(found):
            return found[0] or found[1] or "", found[2] or ""
    return None

"""The list of build caches that a server publishes: `cache_spack_io_index.json`, as the public one does every day.

For each tag it has the stacks, each with the URL of an index. The URLs are those of a bucket: what counts is the path
after it. An entry that leads elsewhere than below its tag is left out.
Input: bytes of any origin.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from cachetui.sources.buildcache.fetched_index import V2_INDEX, V3_INDEX
from cachetui.sources.transport.errors import WrongContentError

MOST = 16 * 1024 * 1024
"""Bytes that a list may have."""

_INDEX = re.compile(r"[a-z0-9]+://[^/]+/(?P<path>.+?)/(?:(?P<v2>build_cache/index\.json)|(?:v3|blobs)/.*)", re.DOTALL)

_PATH = re.compile(r"(?:(?!\.+/)[A-Za-z0-9_.+=@-]{1,200}/){1,8}")


class _Entry(Struct):
    url: str


class ListedCache(Struct, frozen=True):
    """A build cache of a server."""

    folder: str
    """Its path on the server, with `/` at its end."""
    layout: str
    """Which index it has."""


def read_listing(data: bytes) -> Mapping[str, Sequence[ListedCache]]:
    """For each tag its build caches, at least one; raises WrongContentError."""
    found: dict[str, list[ListedCache]] = {}
    try:
        listed = msgspec.json.decode(data, type=dict[str, list[_Entry]])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise WrongContentError(f"it is no list of build caches: {error}") from None
    for tag, entries in listed.items():
        for entry in entries:
            match = _INDEX.fullmatch(entry.url)
            folder = f"{match['path']}/" if match else ""
            if match and folder.startswith(f"{tag}/") and _PATH.fullmatch(folder):
                found.setdefault(tag, []).append(ListedCache(folder, V2_INDEX if match["v2"] else V3_INDEX))
    if not found:
        raise WrongContentError("it lists no build cache")
    return found

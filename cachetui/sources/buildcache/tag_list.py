"""The specs of a repository as its tags name them, for a registry without an index.

A tag has name, version and hash of a spec, and nothing else of it. Listing is bounded: each page names the next one,
which is only followed on the same host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import msgspec
from msgspec import Struct

from cachetui.settings.folders import make_private, replacing
from cachetui.sources.transport.address import shown
from cachetui.sources.transport.errors import WrongContentError
from cachetui.sources.transport.registry import api_of
from cachetui.workers.cancelling import Cancelled

if TYPE_CHECKING:
    from cachetui.sources.transport.client import Client

MOST_PAGES = 2000

MOST_BYTES = 16 * 2**20
"""Most bytes of a page."""

SUFFIX = ".spack"

INDEX_TAG = "index.spack"

_TAG = re.compile(r"(?P<name>.+?)-(?P<version>v?[0-9].*|develop|main|master)-(?P<hash>[a-z2-7]{32})\.spack")
"""Name and version may both have a `-`: a version begins with a digit, or is a branch."""

_NEXT = re.compile(r"<([^<>]+)>\s*;[^,]*rel=\"?next\"?")


class _Page(Struct):
    tags: list[str] | None = None


def list_tags(client: Client, url: str, cancelled: Cancelled) -> Iterator[str]:
    """Yield each tag of a spec once, in the order of the registry; raises FetchError and Interrupted."""
    page: str | None = f"{api_of(url)}/tags/list"
    seen: set[str] = set()
    for _ in range(MOST_PAGES):
        if page is None:
            return
        with closing(client.ask(page, {"Accept": "application/json"}, cancelled)) as reply:
            data = bytearray()
            for piece in reply.pieces():
                data += piece
                if len(data) > MOST_BYTES:
                    raise WrongContentError(f"{shown(page)} has more than {MOST_BYTES:,} bytes")
            link = _NEXT.search(reply.headers.get("Link", "")[:8192])
        try:
            tags = msgspec.json.decode(bytes(data), type=_Page).tags or []
        except (ValueError, RecursionError) as error:
            raise WrongContentError(f"{shown(page)} is no list of tags: {error}") from None
        new = [tag for tag in dict.fromkeys(tags) if tag.endswith(SUFFIX) and tag != INDEX_TAG and tag not in seen]
        seen.update(new)
        yield from new
        page = _followed(page, link[1]) if link else None


def _followed(page: str, link: str) -> str | None:
    """Return the URL of the next page; None for one on another host."""
    following = urljoin(page, link)
    same = urlsplit(following)[:2] == urlsplit(page)[:2] and following.isascii() and following.isprintable()
    return following if same else None


def hash_in(tag: str) -> str:
    """Return the hash that stands in a tag; empty for none."""
    found = re.search(r"([a-z2-7]{32})\.spack$", tag)
    return found[1] if found else ""


def write_index(place: Path, tags: Iterable[str]) -> None:
    """Write the index of what tags name, as Spack would write it of these specs."""
    installs = {}
    for tag in tags:
        if spec_hash := hash_in(tag):
            found = _TAG.fullmatch(tag)
            before = tag[: -len(spec_hash) - len(SUFFIX) - 1]
            name, _, version = (found["name"], "-", found["version"]) if found else before.rpartition("-")
            spec = {"name": name or spec_hash, "version": version, "hash": spec_hash}
            installs[spec_hash] = {"spec": spec, "in_buildcache": True}
    make_private(place.parent)
    with replacing(place) as file:
        file.write(msgspec.json.encode({"database": {"version": "8", "installs": installs}}))

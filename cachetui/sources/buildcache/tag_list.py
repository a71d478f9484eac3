"""List the image tags of a registry that has no index, and make an index from the image tags.

An image tag contains only the name, version and hash of a spec. The registry sends the image tags in pages, and each
page links to the next page. A link to another host is refused. The numbers of pages and image tags are limited.
"""

import math
import re
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import msgspec

from cachetui.model.budget import MAX_PAGES, Budget, OverBudgetError
from cachetui.safe_text import visible
from cachetui.sources.transport.address import shown
from cachetui.sources.transport.cache import TransferProgress
from cachetui.sources.transport.errors import (
    WrongContentError,
)
from cachetui.sources.transport.registry import MAX_HEADER_CHARACTERS, api_of
from cachetui.workers.cancelling import Cancelled, never

if TYPE_CHECKING:
    from cachetui.sources.transport.client import Client

MAX_TAGS = 1_000_000
"""Maximum number of image tags on all pages together."""

MAX_PAGE_BYTES = 16 * 2**20

_SPEC_TAG = re.compile(r"(?!index\.spack)[A-Za-z0-9_][A-Za-z0-9_.-]{0,121}\.spack")

_TAG = re.compile(r"(?P<name>.+?)-(?P<version>v?[0-9].*|develop|main|master)-(?P<hash>[a-z2-7]{32})\.spack")
"""An image tag. A name and a version may both contain `-`, but a version begins with a digit, or is a branch."""

_NEXT = re.compile(r"<([^<>]+)>\s*;[^,]*rel=\"?next\"?")


class _TagPage(msgspec.Struct):
    """A response of a registry: one page of its list of image tags."""

    tags: list[str] | None = None


def list_tags(
    client: "Client",
    url: str,
    cancelled: Cancelled = never,
    *,
    until: float = math.inf,
    moved: Callable[[TransferProgress], object] = lambda _: None,
) -> list[str]:
    """Return the image tags that belong to specs, in the order of the registry at this URL.

    `moved` is called with the progress. The requests stop at the time `until` (on the monotonic clock). Raises
    FetchError and Interrupted.
    """
    part = f"the tag list of {shown(url)}"
    pages, specs = Budget(part, "pages", MAX_PAGES), Budget(part, "tags", MAX_TAGS)
    page: str | None = f"{api_of(url)}/tags/list"
    tags: dict[str, None] = {}
    seen, done = set[str](), 0
    try:
        while page is not None:
            pages.spend()
            found, following, size = client.insist(
                partial(_read_tags, client, page, cancelled, until), cancelled, until
            )
            specs.spend(len(found))
            tags |= found
            done += size
            moved(TransferProgress(done, None))
            seen.add(page)
            page = following
            if page in seen:
                raise OverBudgetError(f"{part} never ends: the server sent the same page again")
    except OverBudgetError as error:
        raise WrongContentError(str(error)) from None
    return list(tags)


def _read_tags(
    client: "Client", page: str, cancelled: Cancelled, until: float
) -> tuple[dict[str, None], str | None, int]:
    """Read one page of a registry's list of image tags. `page` is the URL.

    Return the image tags that belong to specs, the URL of the next page or None, and the size of the page in bytes.
    """
    with closing(client.ask(page, {"Accept": "application/json"}, cancelled, until)) as reply:
        data = reply.read(MAX_PAGE_BYTES)
        link = _NEXT.search(reply.headers.get("Link", "")[:MAX_HEADER_CHARACTERS])
    try:
        tags = msgspec.json.decode(data, type=_TagPage).tags
    except (ValueError, RecursionError) as error:
        raise WrongContentError(f"{shown(page)} is not a list of tags: {visible(str(error))}") from None
    of_specs = dict.fromkeys(filter(_SPEC_TAG.fullmatch, tags or ()))
    return of_specs, _followed(page, link[1]) if link else None, len(data)


def _followed(page: str, link: str) -> str:
    """Return the URL of the next page, from the `link` on a page.

    Raises WrongContentError if the URL is invalid or on another host.
    """
    with suppress(ValueError):
        following = urljoin(page, link)
        if urlsplit(following)[:2] == urlsplit(page)[:2] and following.isascii() and following.isprintable():
            return following
    raise WrongContentError(f"{shown(page)} links to a next page on another host: {visible(link)}")


def hash_in(tag: str) -> str:
    """Return the hash in an image tag, or an empty string if the image tag has no hash."""
    return "".join(re.findall(r"([a-z2-7]{32})\.spack$", tag))


def index_of(tags: Iterable[str]) -> bytes:
    """Return an index of the specs in these image tags. The index has Spack's format."""
    installs = {}
    for tag, spec_hash in ((tag, found) for tag in tags if (found := hash_in(tag))):
        match = _TAG.fullmatch(tag)
        before = tag[: -len(spec_hash) - len("-.spack")]
        name, version = (match["name"], match["version"]) if match else before.rpartition("-")[::2]
        spec = {"name": name or spec_hash, "version": version, "hash": spec_hash}
        installs[spec_hash] = {"spec": spec, "in_buildcache": True}
    return msgspec.json.encode({"database": {"version": "8", "installs": installs}})

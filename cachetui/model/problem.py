"""Errors and warnings about content, the keys that signed it, and errors of the user."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

UNREAD = "unread"
"""The kind of a problem: the file system refused to read a file or folder."""

UNREAD_CACHE = "unread_cache"
"""The kind of a problem: a whole build cache could not be read. The message names the cache."""

NEWER = "newer"
"""The kind of a problem: a file has keys or a version that this program does not know."""

NEW_KEY = "cachetui did not read the unknown key {!r}, which a newer Spack wrote"

UNREAD_INDEX = "unread_index"
"""The kind of a problem: only the index of a build cache in a folder could not be read."""

BROKEN_INDEX = "broken_index"
"""The kind of a problem: an index is invalid JSON. Spack then finds nothing by an index, in any mirror."""

UNREAD_CACHES = (UNREAD_CACHE, UNREAD_INDEX, BROKEN_INDEX)

Verdict = Literal["yes", "no", "unknown"]
"""Whether something would install from binaries."""


Reason = Literal[
    "no_hash",
    "no_package",
    "no_build",
    "not_installed",
    "excluded_by_require",
    "ambiguous",
    "unreadable",
    "not_recorded",
    "missing",
    "unfit",
]
"""The reason why a requested spec is missing or incomplete."""


CheckReason = Reason | Literal["unread", "disagrees", "undecided", "external", "preferred"]
"""The reasons of `check`. `unread`: an unread file may have it. `disagrees`: it needs another build of
a package than other roots do; `undecided`: the search for builds that agree ran out of its budget;
`external`: the host may lack one. `preferred`: Spack may prefer another build, which has no binary.
"""


class UserError(Exception):
    """A request that cannot be met. The message is one line: what happened, then what to do."""


class Problem(Struct, frozen=True, kw_only=True):
    """One error or warning about a content. The message may quote a page: escape it before you show it."""

    path: str
    line: int | None = None
    """Counted from 1."""
    level: Literal["fault", "note"] = "fault"
    kind: str
    message: str
    hashes: tuple[str, ...] = ()
    """The specs that the problem concerns, if any; the message names some of them."""

    @classmethod
    def of(
        cls,
        path: str,
        kind: str,
        message: str,
        level: Literal["fault", "note"] = "fault",
        line: int | None = None,
        hashes: Iterable[str] = (),
    ) -> "Problem":
        """Return a problem. Lone surrogates in its message, which stand for bytes outside UTF-8, are escaped."""
        text = message.encode(errors="backslashreplace").decode()
        return cls(path=path, line=line, level=level, kind=kind, message=text, hashes=tuple(hashes))


class Signer(Struct, frozen=True):
    """The binaries of one cache that one key signed, or those without a signature."""

    tag: str
    stack: str
    signed: bool | None
    """Whether they are signed; None if unknown, as Spack 0.17 and older do not record it."""
    key: str | None
    """The id of the key, if the signature gives it."""
    published: bool
    """Whether the cache has this key."""
    specs: int
    first: str
    """The path of the first of their manifests or spec files."""
    hashes: tuple[str, ...] = ()

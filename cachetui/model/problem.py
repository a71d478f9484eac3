"""Errors and warnings about the content, signers of binaries, and errors in a user's request."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

UNREAD = "unread"
"""A kind of problem: the file system refused to read a file or folder."""

UNREAD_CACHE = "unread_cache"
"""A kind of problem: a whole build cache is unreadable. The message names the cache."""

NEWER = "newer"
"""A kind of problem: a file has an unknown key or version."""

NEW_KEY = "cachetui did not read the unknown key {!r}, which a newer Spack wrote"

UNREAD_INDEX = "unread_index"
"""A kind of problem: the index of a build cache in a folder is unreadable, but its other files are readable."""

BROKEN_INDEX = "broken_index"
"""A kind of problem: an index is invalid JSON. Spack then ignores the indexes of all mirrors."""

UNREAD_CACHES = (UNREAD_CACHE, UNREAD_INDEX, BROKEN_INDEX)

Level = Literal["fault", "note"]
"""How serious a problem is: an error or a warning."""

Verdict = Literal["yes", "no", "unknown"]
"""Whether Spack can install the requested specs from binaries."""


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
"""The reasons of `check`.

- `unread`: an unread file may contain the binary.
- `disagrees`: the root and other roots need different builds of one package.
- `undecided`: the search for builds without such a conflict reached its limit.
- `external`: the host may lack an external package.
- `preferred`: Spack may prefer another build, which lacks a binary.
"""


class UserError(Exception):
    """An error in a user's request. The message is one line: first the event, then the remedy."""


class Problem(Struct, frozen=True, kw_only=True):
    """An error or warning about the content. The message may quote a page and must be escaped before it is shown."""

    path: str
    line: int | None = None
    """The line number, counted from 1; None if the line is unknown."""
    level: Level = "fault"
    kind: str
    message: str
    hashes: tuple[str, ...] = ()
    """The hashes of the affected specs; the message names some of them."""

    @classmethod
    def of(
        cls,
        path: str,
        kind: str,
        message: str,
        level: Level = "fault",
        line: int | None = None,
        hashes: Iterable[str] = (),
    ) -> "Problem":
        """Return a problem. Surrogates in the message, which represent invalid UTF-8, are escaped."""
        text = message.encode(errors="backslashreplace").decode()
        return cls(path=path, line=line, level=level, kind=kind, message=text, hashes=tuple(hashes))


class Signer(Struct, frozen=True):
    """The binaries of one cache that one key signed, or the unsigned binaries of one cache."""

    tag: str
    stack: str
    signed: bool | None
    """Whether the binaries are signed; None if unknown, because Spack up to 0.17 does not record signatures."""
    key: str | None
    """The id of the key; None if the signature or the id is missing."""
    published: bool
    """Whether the cache has this key."""
    specs: int
    first: str
    """The path of the manifest or spec file of the first binary."""
    hashes: tuple[str, ...] = ()

"""The errors and warnings of content, the sources that it is trusted from, and errors of the user."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

UNREAD = "unread"
"""The kind of a problem for a file or folder that the file system did not let us read."""

UNREAD_CACHE = "unread_cache"
"""The kind of a problem for a whole build cache that could not be read; the message names the cache."""

NEWER = "newer"
"""The kind of a problem for a file with more than this program knows."""

NEW_KEY = "the key {!r} is unknown: a newer Spack wrote it; cachetui did not read it"

UNREAD_INDEX = "unread_index"
"""The kind of a problem for a build cache in a folder of which only the index could not be read."""

BROKEN_INDEX = "broken_index"
"""The kind of a problem for the same, if it is no JSON: Spack finds nothing by an index then, in no mirror."""

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
"""The reason for which a requested spec is missing or incomplete."""


CheckReason = Reason | Literal["unread", "disagrees", "undecided", "external", "preferred"]
"""The reasons of `check`. `unread`: an unread file may have it. `disagrees`: it needs another build of
a package than other roots do; `undecided`: the search for builds that agree ran out of its budget;
`external`: the host may lack one. `preferred`: Spack may prefer another build, which has no binary.
"""


class UserError(Exception):
    """A request that cannot be met; the message is one line with the event and the remedy."""


class Problem(Struct, frozen=True, kw_only=True):
    """One thing that is wrong with a catalogue. The message may quote the page: escape it before it is shown."""

    path: str
    line: int | None = None
    """Counted from 1."""
    level: Literal["fault", "note"] = "fault"
    kind: str
    message: str
    hashes: tuple[str, ...] = ()
    """The specs that it is about, if it is about specs; the message names some of them."""

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
        """Return a problem with escapes for lone surrogates in its message: bytes outside UTF-8 are read as these."""
        text = message.encode(errors="backslashreplace").decode()
        return cls(path=path, line=line, level=level, kind=kind, message=text, hashes=tuple(hashes))


class Signer(Struct, frozen=True):
    """The binaries of one cache that are signed with one key, or those that are not signed."""

    tag: str
    stack: str
    signed: bool | None
    """None if that is unknown: Spack 0.17 and older do not record it."""
    key: str | None
    """The id of the key, if the signature gives it."""
    published: bool
    """Whether the cache has this key."""
    specs: int
    first: str
    """The path of the first of their manifests or spec files."""
    hashes: tuple[str, ...] = ()

"""Whether one build cache has the binary of a spec."""

from msgspec import Struct


class Presence(Struct, frozen=True):
    """The answer of the files of one build cache, or of its server."""

    there: bool | None
    """None for an unread file."""
    signed: bool | None = None
    """None if unknown."""
    key: str = ""
    """The id of the key of its signature; empty for an unsigned binary, or if the signature omits it."""
    published: bool = True
    """Whether the cache has this key, and an installation that is open trusts it."""
    refused: bool = False
    """Whether the binary is there, and Spack passes over it because of its signature."""
    bytes: int | None = None
    """The size of its tarball."""


ABSENT, UNREAD = Presence(False), Presence(None)

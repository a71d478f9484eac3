"""Whether one build cache has the binary of a spec."""

from msgspec import Struct


class Presence(Struct, frozen=True):
    """What the files of one build cache, or its server, say about one binary."""

    there: bool | None
    """Whether the binary is there; None if its file could not be read."""
    signed: bool | None = None
    """None if unknown."""
    key: str = ""
    """The id of the key of its signature; empty for an unsigned binary, or if the signature omits it."""
    published: bool = True
    """Whether the cache has this key, and an installation that is open trusts it."""
    refused: bool = False
    """Whether the binary is there, but Spack does not use it because of its signature."""
    bytes: int | None = None
    """The size of its tarball."""


ABSENT, UNREAD = Presence(False), Presence(None)

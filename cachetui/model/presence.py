"""Whether one build cache has the binary of a spec."""

from msgspec import Struct


class Presence(Struct, frozen=True):
    """The state of one binary in one build cache, from its files or its server."""

    there: bool | None
    """Whether the binary exists; None if its file is unreadable."""
    signed: bool | None = None
    """Whether the binary is signed; None if unknown."""
    key: str = ""
    """The id of the key that signed the binary; empty for an unsigned binary, or if the signature omits the id."""
    published: bool = True
    """Whether the cache publishes this key and the installation (if one is open) trusts the key."""
    refused: bool = False
    """Whether the binary exists, but Spack refuses its signature."""
    bytes: int | None = None
    """The size of the tarball, in bytes; None if unknown."""


ABSENT, UNREAD = Presence(False), Presence(None)

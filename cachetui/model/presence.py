"""Whether one build cache has the binary of a spec."""

from msgspec import Struct


class Presence(Struct, frozen=True):
    """The answer of the files of one build cache, or of its server."""

    there: bool | None
    """None for an unread file."""
    signed: bool | None = None
    """None if unknown."""
    key: str = ""
    """The id of the key of a signature that nobody could verify with the keys at hand."""
    refused: bool = False
    """Whether the binary is there, and Spack passes over it because of its signature."""
    bytes: int | None = None
    """The size of its tarball."""


ABSENT, UNREAD = Presence(False), Presence(None)

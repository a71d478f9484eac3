"""Why something could not be fetched. The message of each is a line for the user, with the URL and no password."""

from __future__ import annotations


class FetchError(Exception):
    """What was asked for did not come; the message is a line for the user, with the URL."""


class MissingError(FetchError):
    """The server does not have it (404, 410), or not for us (401, 403)."""

    may_be_there = False
    """Whether it may be there all the same, but not for us."""


class AwayError(FetchError):
    """The server cannot be reached, or not now: another time it may answer."""

    retry_after: float | None = None
    """Seconds after which the server wants to be asked again."""


class WrongContentError(FetchError):
    """The server sent something else than what was named: another length, or another checksum."""

"""Why something could not be fetched. The message of each is a line for the user, with the URL and no password."""

from __future__ import annotations


class FetchError(Exception):
    """What was asked for did not come; the message is a line for the user, with the URL."""


class MissingError(FetchError):
    """The server does not have it (404, 410)."""


class RefusedError(FetchError):
    """The server does not give it to us (401, 403), whether it has it or not."""


class AwayError(FetchError):
    """The server cannot be reached, or not now: another time it may answer."""

    retry_after = 0.0
    """Seconds after which the server wants to be asked again."""


class UntrustedError(FetchError):
    """The server is not known to be the one that it should be."""


class DiskError(FetchError):
    """The local copy cannot be read or written."""


class WrongContentError(FetchError):
    """The server sent something else than what was asked for: no index, another length, or another checksum."""

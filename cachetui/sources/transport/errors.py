"""Errors of downloads. The message of each is a line for the user, with the URL and without any password."""


class FetchError(Exception):
    """A download failed."""


class MissingError(FetchError):
    """The server does not have it (404, 410)."""


class NoRepositoryError(MissingError):
    """The registry says that it does not have the repository at all."""


class RefusedError(FetchError):
    """The server denies access (401, 403), whether it has the file or not."""


class AwayError(FetchError):
    """The server cannot be reached now; it may be worth trying again."""

    retry_after = 0.0
    """Seconds after which the server allows another attempt."""


class UntrustedError(FetchError):
    """The certificate of the server is not trusted."""


class DiskError(FetchError):
    """The local copy cannot be read or written."""


class WrongContentError(FetchError):
    """The server sent wrong content: no index, too many bytes, or another checksum."""

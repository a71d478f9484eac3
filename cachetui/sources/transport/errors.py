"""Errors of downloads. Each message is one line for the user, with the URL but without a password."""


class FetchError(OSError):
    """A download failed."""


class MissingError(FetchError, FileNotFoundError):
    """The server does not have the file (status 404 or 410)."""


class NoRepositoryError(MissingError):
    """The registry does not have the repository."""


class RefusedError(FetchError):
    """The server denies access (status 401 or 403). The file may exist or not."""


class AwayError(FetchError):
    """The server cannot be reached now. A later attempt may succeed."""

    retry_after = 0.0
    """Number of seconds after which the server allows another attempt."""


class UntrustedError(FetchError):
    """The certificate of the server is not trusted."""


class DiskError(FetchError):
    """The local copy cannot be read or written."""


class WrongContentError(FetchError):
    """The server sent wrong content: for example a web page instead of an index, or content with a wrong checksum."""

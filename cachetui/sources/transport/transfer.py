"""Download one URL into one file, with several attempts. The size and the checksum of the file are checked.

If a transfer fails, the beginning of the file is kept. If the checksum of the whole file is known, the next attempt
requests only the rest of the file, even in a later run of the program.
"""

import hashlib
import math
import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from cachetui.settings.folders import OwnFolder
from cachetui.sources.transport.address import shown
from cachetui.sources.transport.errors import AwayError, FetchError, WrongContentError
from cachetui.workers.cancelling import Cancelled, never

if TYPE_CHECKING:
    from cachetui.sources.transport.client import Client


MAX_VALIDATOR_BYTES = 1000


class Download(Struct, frozen=True):
    """A file to download."""

    url: str
    most: int
    """The maximum size of the file in bytes, after decoding."""
    checksum: str | None = None
    """The sha256 of the file, in hexadecimal digits."""
    headers: Mapping[str, str] = {}
    """Additional headers of the request."""


class Validators(Struct, frozen=True):
    """The headers of a response that identify the version of a file."""

    etag: str = ""
    modified: str = ""
    """The `Last-Modified` header. Empty if the file is so new that it may change within the same second."""
    digest: str = ""
    """The sha256 that a registry gives for a manifest."""

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> "Validators":
        etag, modified = headers.get("ETag", ""), headers.get("Last-Modified", "")
        return cls(
            etag if _is_header(etag) else "",
            modified if _is_header(modified) and modified != headers.get("Date") else "",
            found[1]
            if (found := re.fullmatch(r"sha256:([0-9a-f]{64})", headers.get("Docker-Content-Digest", "")))
            else "",
        )

    @property
    def condition(self) -> dict[str, str]:
        """The headers of a conditional request. The server sends the file only if the file has changed."""
        if self.etag:
            return {"If-None-Match": self.etag}
        return {"If-Modified-Since": self.modified} if self.modified else {}


class TransferProgress(Struct, frozen=True):
    """The progress of a download, in encoded bytes."""

    done: int
    total: int | None
    """The size of the file in encoded bytes. None if the server omits the size."""
    file: Path = Path()
    """The path of the unfinished file, which contains the decoded bytes received so far."""


class Transfers:
    """The progress of all downloads."""

    def __init__(self) -> None:
        self._moved: dict[str, TransferProgress] = {}
        self._started = time.monotonic()

    def moved(self, path: str, progress: TransferProgress) -> None:
        """Set the progress of a file. `path` is the path of the file in the copy."""
        self._moved[path] = progress

    @property
    def largest(self) -> tuple[str, TransferProgress] | None:
        """The path (in the copy) and the progress of the download that has received the most bytes so far."""
        return max(list(self._moved.items()), key=lambda each: each[1].done, default=None)

    @property
    def text(self) -> str:
        """The progress and speed of all downloads, such as `12.3 of 96.0 MB, 9.8 MB/s`. Empty before the first byte."""
        moved, took = list(self._moved.values()), time.monotonic() - self._started
        done = sum(each.done for each in moved)
        totals = [each.total for each in moved if each.total is not None]
        of_all = f" of {sum(totals) / 1e6:.1f}" if len(totals) == len(moved) else ""
        return f"{done / 1e6:.1f}{of_all} MB, {done / 1e6 / max(took, 0.001):.1f} MB/s" if done else ""


def transfer(
    client: "Client",
    wanted: Download,
    folder: OwnFolder,
    name: str,
    known: Validators | None = None,
    *,
    moved: Callable[[TransferProgress], None],
    until: float = math.inf,
    cancelled: Cancelled = never,
) -> Validators | None:
    """Download a URL into a file, and return the validators of the file.

    Return None if the server still has the `known` version. `moved` is called with the progress. By default, there are
    several attempts. With `until`, there is only one attempt, which ends at this time on the monotonic clock. Raises
    WrongContentError, other FetchErrors (see `client`), Interrupted, and OSError if the file cannot be written.
    """

    def attempt() -> Validators | None:
        there = _bytes_there(wanted, folder, name)
        try:
            return _attempt(client, wanted, folder, name, known, there, moved, until, cancelled)
        except AwayError:
            raise
        except OSError:
            folder.remove(name)
            if there:  # repeat the download from the beginning
                return attempt()
            raise

    return client.insist(attempt, cancelled, until)


def _attempt(
    client: "Client",
    wanted: Download,
    folder: OwnFolder,
    name: str,
    known: Validators | None,
    there: int,
    moved: Callable[[TransferProgress], None],
    until: float,
    cancelled: Cancelled,
) -> Validators | None:
    """Make one attempt to download a file. If `there` bytes already exist on the disk, request only the rest.

    See `transfer`.
    """
    headers = {**wanted.headers, **(known.condition if known else {})}
    if there:
        headers = {**wanted.headers, "Range": f"bytes={there}-", "Accept-Encoding": "identity"}
    with closing(client.ask(wanted.url, headers, cancelled, until)) as reply:
        if reply.status == 304 and known:
            return None
        goes_on = there > 0 and reply.status == 206
        if reply.status != 200 and not goes_on:
            raise FetchError(f"{shown(reply.url)} cannot be downloaded: the server answers with status {reply.status}")
        sent = Validators.of(reply.headers)
        if goes_on and not reply.headers.get("Content-Range", "").startswith(f"bytes {there}-"):
            raise WrongContentError(f"{shown(wanted.url)} changed during the download: try again")
        before = there if goes_on else 0
        if not goes_on:
            folder.remove(name)
        length = length_in(reply.headers.get("Content-Length", ""))
        total = None if length is None else before + length
        with open(folder.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND), "a+b") as part:

            def write() -> None:
                for piece in reply.pieces():
                    part.write(piece)  # raises an error if the caller stopped waiting and closed the file
                    if part.tell() > wanted.most:
                        raise WrongContentError(f"{shown(wanted.url)} has more than {wanted.most:,} bytes")
                    moved(TransferProgress(before + reply.received, total, folder.path / name))

            reply.wait(write)
            part.seek(0)
            checksum = wanted.checksum or sent.digest
            if checksum and hashlib.file_digest(part, "sha256").hexdigest() != checksum:
                raise WrongContentError(f"{shown(wanted.url)} does not have the expected checksum")
        return sent


def _bytes_there(wanted: Download, folder: OwnFolder, name: str) -> int:
    """Return the number of bytes from an earlier attempt that can be kept."""
    with suppress(OSError):
        there = folder.status(name).st_size
        return there if wanted.checksum and there < wanted.most else 0
    return 0


def _is_header(text: str) -> bool:
    return len(text) < MAX_VALIDATOR_BYTES and text.isascii() and text.isprintable()


def length_in(text: str) -> int | None:
    """Return the number in a `Content-Length` header, or None for an invalid header."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None

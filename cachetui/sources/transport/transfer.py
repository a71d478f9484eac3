"""One URL into one file: asked again where it broke off, checked, and never longer than what was named.

What came stays, and the next attempt (of this run or of a later one) asks for the rest alone: where the checksum of the
whole is known, or what tells that it is the same file still, which is noted beside it.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from cachetui.sources.transport.address import shown
from cachetui.sources.transport.errors import AwayError, FetchError, WrongContentError
from cachetui.workers.cancelling import Cancelled, never, pause

if TYPE_CHECKING:
    from cachetui.sources.transport.client import Client


class Download(Struct, frozen=True):
    """What is asked for."""

    url: str
    most: int
    """Bytes that it may have at most, decoded."""
    checksum: str | None = None
    """Its sha256, in hexadecimal letters."""


class Validators(Struct, frozen=True):
    """By what a server tells whether it would send the same again."""

    etag: str = ""
    modified: str = ""
    """The `Last-Modified` header; empty where it is too young to tell two versions apart."""

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> Validators:
        etag, modified = headers.get("ETag", ""), headers.get("Last-Modified", "")
        return cls(
            etag if _is_header(etag) else "",
            # what changed within the second of the answer may change again in it
            modified if _is_header(modified) and modified != headers.get("Date") else "",
        )

    @property
    def condition(self) -> dict[str, str]:
        """The headers that ask for what is different from this alone."""
        if self.etag:
            return {"If-None-Match": self.etag}
        return {"If-Modified-Since": self.modified} if self.modified else {}

    @property
    def strong(self) -> str:
        """What holds for the very bytes; empty where there is nothing."""
        return self.etag if self.etag.startswith('"') else "" if self.etag else self.modified


class TransferProgress(Struct, frozen=True):
    """How far a transfer is, in bytes as they are sent."""

    done: int
    total: int | None
    """None where the server does not say."""
    file: Path
    """What has come so far, decoded."""


class Transfers:
    """How far all that is on its way has come."""

    def __init__(self) -> None:
        self._moved: dict[str, TransferProgress] = {}
        self._started = time.monotonic()

    def moved(self, path: str, progress: TransferProgress) -> None:
        """Take up how far a file is."""
        self._moved[path] = progress

    @property
    def largest(self) -> tuple[str, TransferProgress] | None:
        """The file of which most has come, by its path in the copy."""
        return max(list(self._moved.items()), key=lambda each: each[1].done, default=None)

    @property
    def text(self) -> str:
        """So many bytes and the rate, such as `12.3 of 96.0 MB, 9.8 MB/s`; empty where nothing came yet."""
        moved, took = list(self._moved.values()), time.monotonic() - self._started
        done = sum(each.done for each in moved)
        totals = [each.total for each in moved if each.total is not None]
        of_all = f" of {sum(totals) / 1e6:.1f}" if len(totals) == len(moved) else ""
        return f"{done / 1e6:.1f}{of_all} MB, {done / 1e6 / max(took, 0.001):.1f} MB/s" if done else ""


def transfer(
    client: Client,
    wanted: Download,
    file: Path,
    known: Validators | None = None,
    *,
    moved: Callable[[TransferProgress], None],
    until: float = math.inf,
    cancelled: Cancelled = never,
) -> Validators | None:
    """Fetch the URL into a file; return None where the server still has what is `known`.

    With a time `until` of the monotonic clock, for one who can do without, it asks once and gives up then. `moved` is
    told how far it is. Raises WrongContentError, FetchError (see `client`), Interrupted soon after `cancelled` says so,
    and OSError where the disk refuses.
    """
    patience, failed = client.patience, 0
    while True:
        there, strong = _beginning(wanted, file)
        try:
            return _attempt(client, wanted, file, known, there, strong, moved, until, cancelled)
        except AwayError as error:
            failed += 1
            if until < math.inf or failed >= patience.attempts:
                raise
            pause(max(patience.backoff * 2 ** (failed - 1), error.retry_after), cancelled)
        except (FetchError, OSError):
            file.unlink(missing_ok=True)
            _note_of(file).unlink(missing_ok=True)
            if not there:
                raise


def _attempt(
    client: Client,
    wanted: Download,
    file: Path,
    known: Validators | None,
    there: int,
    strong: str,
    moved: Callable[[TransferProgress], None],
    until: float,
    cancelled: Cancelled,
) -> Validators | None:
    """Ask once, for the rest where there is a beginning; see `transfer`."""
    headers = known.condition if known else {}
    if there:
        headers = {"Range": f"bytes={there}-", "Accept-Encoding": "identity"}
        headers |= {"If-Range": strong} if strong else {}
    with closing(client.ask(wanted.url, headers, cancelled, until)) as reply:
        if reply.status == 304 and known:
            return None
        goes_on = there > 0 and reply.status == 206
        if reply.status != 200 and not goes_on:
            raise FetchError(f"{shown(reply.url)} cannot be had: the server answers with status {reply.status}")
        sent = Validators.of(reply.headers)
        if goes_on and not reply.headers.get("Content-Range", "").startswith(f"bytes {there}-"):
            raise WrongContentError(f"{shown(wanted.url)} goes on in another place")
        if goes_on and not wanted.checksum and sent.strong != strong:
            raise WrongContentError(f"{shown(wanted.url)} goes on in another file")
        before = there if goes_on else 0
        if not goes_on:
            file.unlink(missing_ok=True)
            _note_of(file).write_text(sent.strong)
        length = length_in(reply.headers.get("Content-Length", ""))
        total = None if length is None else before + length
        with open(file, "a+b") as part:

            def write() -> None:
                for piece in reply.pieces():
                    part.write(piece)  # it is refused once nobody waits, for then the file is closed
                    if part.tell() > wanted.most:
                        raise WrongContentError(f"{shown(wanted.url)} has more than {wanted.most:,} bytes")
                    moved(TransferProgress(before + reply.came, total, file))

            reply.wait(write)
            part.seek(0)
            if wanted.checksum and hashlib.file_digest(part, "sha256").hexdigest() != wanted.checksum:
                raise WrongContentError(f"{shown(wanted.url)} is not what its checksum says")
        _note_of(file).unlink(missing_ok=True)
        return sent


def _beginning(wanted: Download, file: Path) -> tuple[int, str]:
    """Return how many bytes are there that can be gone on with, and what was strong of them; 0 for none."""
    with suppress(OSError):
        there, strong = file.stat().st_size, _note_of(file).read_text()
        if there < wanted.most and (strong or wanted.checksum):
            return there, strong
    return 0, ""


def _note_of(file: Path) -> Path:
    return file.with_suffix(".strong")


def _is_header(text: str) -> bool:
    return len(text) < 1000 and text.isascii() and text.isprintable()


def length_in(text: str) -> int | None:
    """Return the number of bytes that a header says; None where it says none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None

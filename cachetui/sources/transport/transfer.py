"""One URL into one file: asked again where it broke, checked, and never longer than what was named.

What came before a break stays in the file, with what the server said of it in `.json` beside it, and the next attempt
(of this run or of a later one) asks for the rest alone. What is sent encoded begins anew.
Invariant: the file that `transfer` leaves is whole, and has the checksum that was asked for.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from cachetui.sources.transport.address import shown
from cachetui.sources.transport.errors import AwayError, FetchError, WrongContentError
from cachetui.workers.cancelling import PATIENCE, Cancelled, Interrupted, never

if TYPE_CHECKING:
    from cachetui.sources.transport.client import Client, Reply


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


class Begun(Struct, frozen=True):
    """What the server said of a transfer that has begun."""

    url: str
    validators: Validators


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
    *,
    known: Validators | None = None,
    until: float = math.inf,
    cancelled: Cancelled = never,
    transfers: Transfers | None = None,
    path: str = "",
) -> Validators | None:
    """Fetch the URL into a file; return None where the server still has what is `known`.

    With a time `until` of the monotonic clock, for one who can do without, it asks once and gives up then. `transfers`
    is told by `path` how far it is. Raises WrongContentError, FetchError (see `client`), Interrupted soon after
    `cancelled` says so, and OSError where the disk refuses. What came stays for the next time, if the disk could take
    it and it was right.
    """
    work = _Transfer(wanted, file, transfers, path)
    patience, failed = client.patience, 0
    while True:
        try:
            return work.attempt(client, known, cancelled, until)
        except (OSError, WrongContentError):
            work.forget()
            raise
        except AwayError as error:
            failed += 1
            pause = max(patience.backoff * 2 ** (failed - 1), error.retry_after or 0.0)
            if until < math.inf or failed >= patience.attempts:
                raise
            if pause > patience.longest_wait:
                raise AwayError(f"{error}, and asks us to come back in {pause:.0f} seconds") from None
            _wait(pause, cancelled)


def _wait(seconds: float, cancelled: Cancelled) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if cancelled():
            raise Interrupted
        time.sleep(min(PATIENCE, left))


class _Transfer:
    """The work of `transfer`."""

    def __init__(self, wanted: Download, file: Path, transfers: Transfers | None, path: str) -> None:
        self._wanted = wanted
        self._file = file
        self._notes = file.with_name(f"{file.name}.json")
        self._transfers = transfers
        self._path = path

    def attempt(
        self, client: Client, known: Validators | None, cancelled: Cancelled, until: float
    ) -> Validators | None:
        """Ask once, for the rest where there is a beginning."""
        begun, there = self._beginning()
        headers = known.condition if known else {}
        if there:
            headers = {"Range": f"bytes={there}-", "Accept-Encoding": "identity"}
            headers |= {"If-Range": begun.strong} if begun.strong else {}
        with client.get(self._wanted.url, headers, cancelled, until) as reply:
            sent = Validators.of(reply.headers)
            if there:
                starts_there = reply.headers.get("Content-Range", "").startswith(f"bytes {there}-")
                is_same = sent.strong == begun.strong and not _is_encoded(reply)
                if reply.status == 206 and starts_there and is_same:
                    return self._receive(reply, sent, there)
                self.forget()
                if reply.status != 200:
                    # our beginning is longer than all that the server has, or it goes on elsewhere, or in another file
                    return self.attempt(client, known, cancelled, until)
            elif reply.status == 304 and known:
                return None
            if reply.status != 200:
                raise FetchError(f"{shown(reply.url)} cannot be had: the server answers with status {reply.status}")
            return self._receive(reply, sent, 0)

    def _beginning(self) -> tuple[Validators, int]:
        """Return what is there of an earlier attempt that can be gone on with: what was said of it, and its bytes."""
        with suppress(OSError, msgspec.MsgspecError):
            begun = msgspec.json.decode(self._notes.read_bytes(), type=Begun)
            if begun.url == self._wanted.url:
                return begun.validators, self._file.stat().st_size
        return Validators(), 0

    def forget(self) -> None:
        """Remove all that is there."""
        self._notes.unlink(missing_ok=True)
        self._file.unlink(missing_ok=True)

    def _receive(self, reply: Reply, sent: Validators, there: int) -> Validators:
        """Write what comes behind what is there, and check the whole."""
        if not there:
            self.forget()
        length = length_in(reply.headers.get("Content-Length", ""))
        total = None if length is None else there + length
        with open(self._file, "ab") as file:
            if not _is_encoded(reply) and (sent.strong or self._wanted.checksum):
                self._notes.write_bytes(msgspec.json.encode(Begun(self._wanted.url, sent)))

            def write() -> None:
                for piece in reply.pieces():
                    file.write(piece)  # it is refused once nobody waits, for then the file is closed
                    if file.tell() > self._wanted.most:
                        raise self._wrong(f"has more than {self._wanted.most:,} bytes")
                    if self._transfers is not None:
                        self._transfers.moved(self._path, TransferProgress(there + reply.came, total, self._file))

            reply.wait(write)
        if self._wanted.checksum is not None:
            with open(self._file, "rb") as whole:
                if hashlib.file_digest(whole, "sha256").hexdigest() != self._wanted.checksum:
                    raise self._wrong("is not what its checksum says")
        self._notes.unlink(missing_ok=True)
        return sent

    def _wrong(self, what: str) -> WrongContentError:
        return WrongContentError(f"{shown(self._wanted.url)} {what}")


def _is_header(text: str) -> bool:
    return len(text) < 1000 and text.isascii() and text.isprintable()


def _is_encoded(reply: Reply) -> bool:
    return reply.headers.get("Content-Encoding", "identity").lower() != "identity"


def length_in(text: str) -> int | None:
    """Return the number of bytes that a header says; None where it says none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None

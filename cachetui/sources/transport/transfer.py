"""One URL into one file: asked again where it broke, decoded, checked, and never longer than what was named.

What came before a break stays in a file `.part`, with what the server said of it in `.part.json`, and the next
attempt (of this run or of a later one) asks for the rest alone.
Invariant: the file that `transfer` gives is whole, and has the length and the checksum that were asked for.
"""

from __future__ import annotations

import hashlib
import math
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias

import msgspec
from msgspec import Struct

from cachetui.safe_text import visible
from cachetui.sources.transport.address import shown
from cachetui.sources.transport.errors import AwayError, FetchError, WrongContentError
from cachetui.workers.cancelling import Cancelled, Interrupted, never

if TYPE_CHECKING:
    from cachetui.sources.transport.client import Client, Reply

LOOK = 0.05
"""Seconds between two looks whether anybody still waits."""

DECODED_AT_ONCE = 1024 * 1024
"""Bytes that are decoded at a time, at most: a few bytes may decode to any number."""

WORTH = 256 * 1024
"""An attempt that came this many bytes further than the one before does not count as one that failed."""


class Download(Struct, frozen=True):
    """What is asked for."""

    url: str
    most: int
    """Bytes that it may have at most, decoded."""
    length: int | None = None
    """Bytes that it must have."""
    checksum: str | None = None
    """Its sha256, in hexadecimal letters."""

    @property
    def limit(self) -> int:
        """Bytes that it may have, decoded."""
        return self.most if self.length is None else self.length


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
    encoding: str
    validators: Validators

    def goes_on_in(self, headers: Mapping[str, str]) -> bool:
        """Whether the rest that a server sends is of the file that it began to send: two are never put together."""
        own, other = self.validators, Validators(headers.get("ETag", ""), headers.get("Last-Modified", ""))
        named = ((own.etag, other.etag), (own.modified, other.modified))
        same = all(one == two for one, two in named if one and two)
        return same and (not own.strong or own.strong == other.strong) and _encoding(headers) == self.encoding


class TransferProgress(Struct, frozen=True):
    """How far a transfer is, in bytes as they are sent."""

    done: int
    total: int | None
    """None where the server does not say."""
    file: Path | None = None
    """What has come so far, decoded."""
    decoded: int = 0
    """Its bytes."""


class Received(Struct, frozen=True):
    """A file that has come whole."""

    path: Path
    """For the caller to move or remove."""
    validators: Validators
    checksum: str


Progressed: TypeAlias = Callable[[TransferProgress], None]


def transfer(
    client: Client,
    wanted: Download,
    part: Path,
    *,
    known: Validators | None = None,
    patient: bool = True,
    until: float = math.inf,
    cancelled: Cancelled = never,
    progressed: Progressed | None = None,
) -> Received | None:
    """Fetches the URL into a file beside `part`; None where the server still has what is `known`.

    Not `patient`: it asks once, and at the time `until` of the monotonic clock it gives up. Raises WrongContentError,
    FetchError (see `client`), Interrupted soon after `cancelled` says so, and OSError where the disk refuses; then it
    leaves nothing there. Else what came before stays for the next time.
    """
    work = _Transfer(client, wanted, part, until, cancelled, progressed)
    patience = client.patience
    failed, reached = 0, 0
    while True:
        try:
            return work.attempt(known)
        except OSError:
            work.forget()
            raise
        except AwayError as error:
            failed = 1 if work.reached >= reached + WORTH else failed + 1
            reached = max(reached, work.reached)
            pause = max(patience.backoff * 2 ** (failed - 1), error.retry_after or 0.0)
            if not patient or failed >= patience.attempts:
                raise
            if pause > patience.longest_wait:
                raise AwayError(f"{error}, and asks us to come back in {pause:.0f} seconds") from None
            _wait(pause, cancelled)


def _wait(seconds: float, cancelled: Cancelled) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if cancelled():
            raise Interrupted
        time.sleep(min(LOOK, left))


class _Transfer:
    """The work of `transfer`."""

    def __init__(
        self,
        client: Client,
        wanted: Download,
        part: Path,
        until: float,
        cancelled: Cancelled,
        progressed: Progressed | None,
    ) -> None:
        self._client = client
        self._wanted = wanted
        self._part = part
        self._whole = part.with_name(f"{part.name}.whole")
        self._notes = part.with_name(f"{part.name}.json")
        self._until = until
        self._cancelled = cancelled
        self._progressed = progressed
        self.reached = 0
        """Bytes of the file that are there."""
        self._decoded = 0
        """The same, decoded."""

    def attempt(self, known: Validators | None) -> Received | None:
        """Ask once, for the rest where there is a beginning."""
        begun, there = self._beginning()
        headers = known.condition if known else {}
        if begun and there:
            headers = {"Range": f"bytes={there}-"}
            if begun.validators.strong:
                headers["If-Range"] = begun.validators.strong
        with self._client.get(self._wanted.url, headers, self._cancelled, self._until) as reply:
            if begun and there:
                goes_on = reply.headers.get("Content-Range", "").startswith(f"bytes {there}-")
                if reply.status == 206 and goes_on and begun.goes_on_in(reply.headers):
                    return self._receive(reply, begun, there)
                self.forget()
                if reply.status != 200:
                    # our beginning is longer than all that the server has, or it goes on elsewhere, or in another file
                    return self.attempt(known)
            elif reply.status == 304 and known:
                return None
            if reply.status != 200:
                raise FetchError(f"{shown(reply.url)} cannot be had: the server answers with status {reply.status}")
            begun = Begun(self._wanted.url, _encoding(reply.headers), Validators.of(reply.headers))
            self._notes.write_bytes(msgspec.json.encode(begun))
            return self._receive(reply, begun, 0)

    def _beginning(self) -> tuple[Begun | None, int]:
        """Return what is there of an earlier attempt that can be gone on with, and its bytes; forget anything else."""
        with suppress(OSError, msgspec.MsgspecError):
            begun = msgspec.json.decode(self._notes.read_bytes(), type=Begun)
            sure = begun.validators.strong or (self._wanted.checksum and not begun.encoding)
            if begun.url == self._wanted.url and sure:
                return begun, self._part.stat().st_size
        self.forget()
        return None, 0

    def forget(self) -> None:
        """Remove all that is there."""
        for path in (self._part, self._whole, self._notes):
            path.unlink(missing_ok=True)

    def _receive(self, reply: Reply, begun: Begun, there: int) -> Received:
        """Write what comes after what is there, and decode it at the same time."""
        wanted, digest = self._wanted, hashlib.sha256()
        length = length_in(reply.headers.get("Content-Length", ""))
        total = None if length is None else there + length
        file = self._whole if begun.encoding else self._part
        self._decoded = 0
        try:
            if total is not None and total > (wanted.most if begun.encoding else wanted.limit):
                raise DecodingError(f"has {total:,} bytes, {wanted.limit:,} were expected")
            with (
                open(self._part, "r+b" if there else "w+b") as part,
                open(self._whole, "wb") if begun.encoding else nullcontext() as output,
            ):
                for block in decoded(self._pieces(reply, part, file, there, total), begun.encoding):
                    self._decoded += len(block)
                    digest.update(block)
                    if output is not None:
                        output.write(block)
                    if self._decoded > wanted.limit:
                        raise DecodingError(f"has more than {wanted.limit:,} bytes")
            if wanted.length not in (None, self._decoded):
                raise DecodingError(f"has {self._decoded:,} bytes, {wanted.length:,} were expected")
            checksum = digest.hexdigest()
            if wanted.checksum not in (None, checksum):
                raise DecodingError("is not what its checksum says")
        except DecodingError as error:
            self.forget()
            raise WrongContentError(f"{shown(wanted.url)} {error}") from None
        self._notes.unlink()
        if begun.encoding:
            self._part.unlink()
        return Received(file, begun.validators, checksum)

    def _pieces(self, reply: Reply, part: BinaryIO, file: Path, there: int, total: int | None) -> Iterator[bytes]:
        """Yield what is there, then what comes, which is written behind it; `file` has what is decoded."""
        while piece := part.read(DECODED_AT_ONCE):
            yield piece
            if self._cancelled():
                raise Interrupted
        part.seek(0, os.SEEK_END)
        self.reached = there
        for piece in reply.pieces():
            part.write(piece)
            self.reached += len(piece)
            yield piece
            if self.reached > self._wanted.most:
                raise DecodingError(f"has more than {self._wanted.most:,} bytes")
            if self._progressed:
                self._progressed(TransferProgress(self.reached, total, file, self._decoded))


# Headers


def _is_header(text: str) -> bool:
    return len(text) < 1000 and text.isascii() and text.isprintable()


def _encoding(headers: Mapping[str, str]) -> str:
    encoding = headers.get("Content-Encoding", "").lower()
    return "" if encoding == "identity" else encoding


def length_in(text: str) -> int | None:
    """Return the number of bytes that a header says; None where it says none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


# What is sent, decoded (gzip, zstd)


class DecodingError(Exception):
    """What came is not what was asked for; the message says what it is or has."""


class _Decompressor(Protocol):
    """As of zlib and zstd."""

    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...


def decoded(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Yield what is sent in a `Content-Encoding`, as what it is; raises DecodingError."""
    decompressor = _decompressor(encoding)
    if decompressor is None:
        yield from pieces
        return
    for piece in pieces:
        while not decompressor.eof:
            try:
                block = decompressor.decompress(piece, DECODED_AT_ONCE)
            except Exception as error:  # each library has an error of its own
                raise DecodingError(f"cannot be decoded ({visible(str(error))})") from None
            yield block
            piece = getattr(decompressor, "unconsumed_tail", b"")
            if not piece and len(block) < DECODED_AT_ONCE:
                break
    if not decompressor.eof:
        raise DecodingError("cannot be decoded (it is cut short)")


def _decompressor(encoding: str) -> _Decompressor | None:
    if encoding in ("gzip", "x-gzip"):
        return zlib.decompressobj(zlib.MAX_WBITS | 16)
    if encoding == "zstd":
        if sys.version_info >= (3, 14):
            from compression.zstd import ZstdDecompressor
        else:
            from backports.zstd import ZstdDecompressor
        return ZstdDecompressor()
    if encoding:
        raise DecodingError(f"cannot be decoded (the encoding {visible(encoding[:40])} was not asked for)")
    return None

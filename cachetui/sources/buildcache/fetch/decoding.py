"""What a server sends, decoded (gzip, zstd) in small parts, counted and hashed on the way.

A few bytes may decode to any number: whoever takes them looks at the length after every megabyte.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from cachetui.safe_text import visible

DECODED_AT_ONCE = 1024 * 1024
"""Bytes that are decoded at a time, at most."""


class DecodingError(Exception):
    """What came is not what its encoding says; the message says why."""


class _Decompressor(Protocol):
    """As of zlib and zstd."""

    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...


class Decoded:
    """Takes what is sent, piece by piece, and writes what it is decoded; a context manager."""

    def __init__(
        self, file: Path | None = None, output: BinaryIO | None = None, decompressor: _Decompressor | None = None
    ) -> None:
        self.file = file
        """Where it is written; None where nothing has to be decoded."""
        self._output = output
        self._decompressor = decompressor
        self.length = 0
        """Bytes so far, decoded."""
        self.digest = hashlib.sha256()
        """Of what is decoded so far."""

    def __enter__(self) -> Decoded:
        return self

    def __exit__(self, *_: object) -> None:
        if self._output is not None:
            self._output.close()

    def take(self, piece: bytes) -> Iterator[None]:
        """Takes a piece; yields after every `DECODED_AT_ONCE` bytes that come of it. Raises DecodingError."""
        if self._decompressor is None:
            self._add(piece)
            yield
            return
        while not self._decompressor.eof:
            try:
                decoded = self._decompressor.decompress(piece, DECODED_AT_ONCE)
            except Exception as error:  # each library has an error of its own
                raise DecodingError(visible(str(error))) from None
            self._add(decoded)
            yield
            piece = getattr(self._decompressor, "unconsumed_tail", b"")
            if not piece and len(decoded) < DECODED_AT_ONCE:
                return

    def end(self) -> None:
        """Says that all pieces are taken; raises DecodingError where that cannot be."""
        if self._decompressor is not None and not self._decompressor.eof:
            raise DecodingError("it is cut short")

    def _add(self, decoded: bytes) -> None:
        self.length += len(decoded)
        self.digest.update(decoded)
        if self._output is not None:
            self._output.write(decoded)


def decoder(encoding: str, target: Path) -> Decoded:
    """What takes up the content of this `Content-Encoding`; what it decodes is written to the target.

    Nothing is written where there is no encoding. Raises DecodingError for one that is not known.
    """
    if not encoding:
        return Decoded()
    decompressor: _Decompressor
    if encoding in ("gzip", "x-gzip"):
        decompressor = zlib.decompressobj(zlib.MAX_WBITS | 16)
    elif encoding == "zstd":
        decompressor = _zstd_decompressor()
    else:
        raise DecodingError(f"the encoding {visible(encoding[:40])} was not asked for")
    return Decoded(target, open(target, "wb"), decompressor)


def _zstd_decompressor() -> _Decompressor:
    import sys

    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdDecompressor
    else:
        from backports.zstd import ZstdDecompressor
    return ZstdDecompressor()

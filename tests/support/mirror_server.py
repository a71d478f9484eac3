"""A web server on loopback with the files of a mirror; it can simulate faults.

It uses real sockets, optionally TLS, and answers conditional requests and ranges like other servers.
"""

from __future__ import annotations

import gzip
import hashlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from email.message import Message
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias
from urllib.parse import unquote

Fault: TypeAlias = "Callable[[Handler], None]"
"""A function that answers a request in place of the server."""

OLD = "Mon, 01 Jan 2024 00:00:00 GMT"


@lru_cache
def etag_of(content: bytes) -> str:
    """Return the ETag of the content."""
    return f'"{hashlib.md5(content).hexdigest()}"'


class MirrorServer(ThreadingHTTPServer):
    """A server of `files`, whose keys are paths without the first slash."""

    daemon_threads = False
    request_queue_size = 64

    def __init__(self, files: dict[str, bytes], context: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = files
        self.faults: dict[str, list[Fault]] = {}
        """The faults of each path. Each fault is used once. After that, the last fault is used for all requests."""
        self.requests: list[tuple[str, Message]] = []
        """Every requested path with its headers."""
        self.etags = True
        self.dates = True
        self.ranges = True
        self.compresses = False
        self.delay = 0.0
        """Seconds before each answer."""
        self.rate: float | None = None
        """Maximum number of bytes a second on each connection."""
        self.stopped = threading.Event()
        self._connections: set[socket.socket] = set()
        self._context = context
        scheme = "https" if context else "http"
        self.url = f"{scheme}://localhost:{self.server_address[1]}"

    def finish_request(self, request: Any, client_address: Any) -> None:
        with suppress(OSError):
            if self._context is not None:
                request = self._context.wrap_socket(request, server_side=True)
            with request:
                self._connections.add(request)
                super().finish_request(request, client_address)
                self._connections.discard(request)

    def server_close(self) -> None:
        """End every connection."""
        self.stopped.set()
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        super().server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that hang up."""

    @property
    def paths(self) -> list[str]:
        """Return the requested paths in order."""
        return [path for path, _ in self.requests]

    def misbehaves(self, path: str, *faults: Fault | None) -> None:
        """Answer requests for a path (`*`: any path) with these faults in turn, then always with the last fault.

        The fault None is a correct answer.
        """
        self.faults[path] = [each or Handler.serve for each in faults]


class Handler(BaseHTTPRequestHandler):
    """A connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: MirrorServer
    most: int | None = None
    """Maximum number of bytes of content that are sent, whatever its length."""

    def do_GET(self) -> None:
        path = unquote(self.path[1:])
        self.server.requests.append((path, self.headers))
        self.server.stopped.wait(self.server.delay)
        faults = self.server.faults.get(path) or self.server.faults.get("*")
        if faults:
            (faults.pop(0) if len(faults) > 1 else faults[0])(self)
        else:
            self.serve()

    def do_HEAD(self) -> None:
        self.do_GET()

    def serve(self) -> None:
        """Answer correctly."""
        content = self.server.files.get(unquote(self.path[1:]))
        if content is None:
            self.answer(404, b"<html>no such file</html>")
            return
        headers: dict[str, str] = {}
        if self.server.compresses and "gzip" in self.headers.get("Accept-Encoding", ""):
            content = gzip.compress(content, mtime=0)
            headers["Content-Encoding"] = "gzip"
        etag = etag_of(content)
        headers |= {"ETag": etag} if self.server.etags else {}
        headers |= {"Last-Modified": OLD} if self.server.dates else {}
        same = self.headers.get("If-None-Match") == etag or (
            "If-None-Match" not in self.headers and self.headers.get("If-Modified-Since") == OLD
        )
        if same:
            self.answer(304, b"", headers)
        elif self.server.ranges and "Range" in self.headers and self.headers.get("If-Range", etag) in (etag, OLD):
            start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self.answer(206, content[start:], headers)
        else:
            self.answer(200, content, headers)

    def answer(
        self, status: int, content: bytes, headers: Mapping[str, str] | None = None, length: int | None = None
    ) -> None:
        """Send this content; `length` replaces its real length in the header."""
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(content) if length is None else length))
        self.end_headers()
        if self.command == "GET":
            self._send(content[: self.most])

    def _send(self, content: bytes) -> None:
        rate = self.server.rate
        if rate is None:
            self.wfile.write(content)
            return
        started = time.monotonic()
        piece = max(1, int(rate / 100))
        for at in range(0, len(content), piece):
            self.wfile.write(content[at : at + piece])
            self.wfile.flush()
            if self.server.stopped.wait(max(0.0, started + (at + piece) / rate - time.monotonic())):
                return

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def serving(files: dict[str, bytes], context: ssl.SSLContext | None = None) -> Iterator[MirrorServer]:
    """Run a server of these files while the block runs."""
    server = MirrorServer(files, context)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


# Faults


def status(number: int, **headers: str) -> Fault:
    """Answer with this status; `Retry_After` is the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: handler.answer(number, b"<html>\x1b[31mno</html>", named)


def redirect(location: str) -> Fault:
    """Redirect the client."""
    return status(302, Location=location)


def breaks_off(after: int) -> Fault:
    """Hang up after this number of bytes of the content."""

    def fault(handler: Handler) -> None:
        handler.most = after
        handler.serve()
        handler.most = None
        handler.close_connection = True

    return fault


def falls_silent(after: int | None = None) -> Fault:
    """Send this number of bytes of the content (None: not even a header), then nothing more, but stay connected."""

    def fault(handler: Handler) -> None:
        if after is not None:
            content = handler.server.files[unquote(handler.path[1:])]
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(content)))
            handler.end_headers()
            handler.wfile.write(content[:after])
            handler.wfile.flush()
        handler.server.stopped.wait()
        handler.close_connection = True

    return fault


def dawdles(after: int, until: threading.Event) -> Fault:
    """Send this number of bytes, then almost nothing until the event is set, then the rest."""

    def fault(handler: Handler) -> None:
        content = handler.server.files[unquote(handler.path[1:])]
        handler.answer(200, content[:after], length=len(content))
        sent = after
        while sent < len(content) and not until.wait(0.02):
            handler.wfile.write(content[sent : sent + 1000])
            handler.wfile.flush()
            sent += 1000
        handler.wfile.write(content[sent:])

    return fault


def sends(content: bytes, *, length: int | None = None, **headers: str) -> Fault:
    """Send this content instead of the requested one."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def fault(handler: Handler) -> None:
        handler.answer(200, content, named, length)
        handler.close_connection = True

    return fault


def halves(handler: Handler) -> None:
    """Send the first half as if it were everything."""
    content = handler.server.files.get(unquote(handler.path[1:]), b"")
    handler.answer(200, content[: len(content) // 2])


def endless(rate: float) -> Fault:
    """Send this number of bytes a second forever."""

    def fault(handler: Handler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not handler.server.stopped.wait(0.05):
            handler.wfile.write(b" " * max(1, int(rate / 20)))
            handler.wfile.flush()

    return fault

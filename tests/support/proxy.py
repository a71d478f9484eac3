"""A proxy on loopback that connects every client to one server, whatever name it requests."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def tunnelling(port: int) -> Iterator[tuple[str, list[str]]]:
    """Run a proxy that connects every client to one port of this machine, and records the requests."""
    asked: list[str] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        with suppress(OSError):
            while True:
                inside, _ = listener.accept()
                threading.Thread(target=lead, args=(inside,), daemon=True).start()

    def lead(inside: socket.socket) -> None:
        with inside, suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                head += inside.recv(4096)
            asked.append(head.decode())
            with socket.create_connection(("127.0.0.1", port)) as outside:
                if head.startswith(b"CONNECT "):
                    inside.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                else:
                    method, url, rest = head.split(b" ", 2)
                    outside.sendall(b"%s /%s %s" % (method, url.split(b"/", 3)[3], rest))
                back = threading.Thread(target=pump, args=(outside, inside), daemon=True)
                back.start()
                pump(inside, outside)
                back.join()

    def pump(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}", asked
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()

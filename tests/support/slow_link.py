"""An sshd of the tests on this machine, and a slow link to it through a proxy that delays every byte.

Only the given folder is read or written. The server accepts one new key.
"""

import asyncio
import getpass
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

RATE = 8192
"""Bytes a second towards the user."""

ROUND_TRIP = 0.150
"""Seconds for a round trip."""

CHUNK = 256
"""Bytes in a chunk, so that the rate is kept without bursts."""


EMPTY_FOLDER = Path("/run/sshd")
"""The folder in which a server started by root isolates a visitor who has not logged in yet."""

OWN_RUN = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /run && mkdir -m 755 "$0" && exec "$@"')
"""A command prefix with a private /run, if that folder exists."""


class NoServerError(Exception):
    """The installed ssh server does not start; the message comes from the server."""


def sshd() -> str | None:
    """Return the full path of the ssh server; None if the server, `ssh` or `ssh-keygen` is not installed."""
    if not (shutil.which("ssh") and shutil.which("ssh-keygen")):
        return None
    return shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@contextmanager
def slow_link(folder: Path) -> Iterator[list[str]]:
    """Yield a command prefix. It runs a command in a terminal at the other end of the slow link."""
    with _server(folder) as port, _throttled(port) as outside:
        yield _ssh(folder, outside)


@contextmanager
def link(folder: Path) -> Iterator[list[str]]:
    """Yield a command prefix. It runs a command at the other end of a link without delay."""
    with _server(folder) as port:
        yield _ssh(folder, port)


def _ssh(folder: Path, port: int) -> list[str]:
    return [
        *("ssh", "-F", "/dev/null", "-tt", "-q", "-p", str(port), "-i", str(folder / "user")),
        *("-oStrictHostKeyChecking=no", f"-oUserKnownHostsFile={folder / 'known'}", "-oIdentitiesOnly=yes"),
        f"{getpass.getuser()}@127.0.0.1",
    ]


@contextmanager
def _server(folder: Path) -> Iterator[int]:
    """Start an ssh server with new keys in this folder for the server and the user; return its port."""
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    shutil.copy(folder / "user.pub", folder / "authorized")
    port = _free_port()
    settings = [
        f"-oPort={port}",
        "-oListenAddress=127.0.0.1",
        f"-oHostKey={folder / 'host'}",
        f"-oAuthorizedKeysFile={folder / 'authorized'}",
        f"-oPidFile={folder / 'pid'}",
        *("-oStrictModes=no", "-oPermitRootLogin=yes", "-oUsePAM=no", "-oPrintMotd=no", "-oPrintLastLog=no"),
    ]
    program = sshd()
    assert program is not None
    command = [program, "-D", "-e", "-f", "/dev/null", *settings]
    if os.geteuid() == 0 and not EMPTY_FOLDER.is_dir():  # the service creates it, but may never have run
        command = [*OWN_RUN, str(EMPTY_FOLDER), *command]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        if "listening" not in line:
            raise NoServerError(line.strip())
        yield port
    finally:
        server.terminate()
        server.communicate()


@contextmanager
def _throttled(port: int) -> Iterator[int]:
    """Start a proxy for another port; return its port."""
    listening: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]] = Future()
    thread = Thread(target=lambda: asyncio.run(_serve(port, listening)), daemon=True)
    thread.start()
    loop, over, outside = listening.result(10)
    try:
        yield outside
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()


async def _serve(port: int, listening: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]]) -> None:
    over = asyncio.Event()
    open_links: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        open_links.add(task)
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port, limit=CHUNK)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(_pass_on(reader, inner_writer, None))
                both.create_task(_pass_on(inner_reader, writer, RATE))
        except asyncio.CancelledError:
            pass  # the end of the proxy; asyncio would report a cancelled handler
        finally:
            for end in (writer, inner_writer):
                end.close()
                with suppress(ConnectionError):
                    await end.wait_closed()

    server = await asyncio.start_server(accept, "127.0.0.1", 0, limit=CHUNK)
    listening.set_result((asyncio.get_running_loop(), over, server.sockets[0].getsockname()[1]))
    await over.wait()
    server.close()
    for link in open_links:
        link.cancel()
    await asyncio.gather(*open_links, return_exceptions=True)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, rate: int | None) -> None:
    """Pass on the bytes, each after half a round trip. `rate`: bytes a second; None for no limit."""
    loop = asyncio.get_running_loop()

    def deliver(data: bytes) -> None:
        if data:
            writer.write(data)
        else:
            writer.close()

    data = b"more"
    with suppress(ConnectionError):
        while data:
            data = await reader.read(CHUNK)
            if rate is not None:
                await asyncio.sleep(len(data) / rate)
            loop.call_later(ROUND_TRIP / 2, deliver, data)
    await asyncio.sleep(ROUND_TRIP)

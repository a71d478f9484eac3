"""The download of a URL into a file, from correct, broken or hostile servers."""

import gzip
import hashlib
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cachetui.settings.folders import own_folder
from cachetui.sources.transport.cache import PARTS, Download, TransferProgress, Validators, transfer
from cachetui.sources.transport.client import Client, Patience
from cachetui.sources.transport.errors import (
    AwayError,
    FetchError,
    MissingError,
    RefusedError,
    WrongContentError,
)
from cachetui.workers.cancelling import Interrupted
from tests.support.mirror_server import (
    Fault,
    MirrorServer,
    breaks_off,
    endless,
    falls_silent,
    redirect,
    sends,
    serving,
    status,
)

if sys.version_info >= (3, 14):
    from compression.zstd import compress as zstd_compress
else:
    from backports.zstd import compress as zstd_compress

CONTENT = random.Random(20).randbytes(700_000)

MEGABYTE = 1024 * 1024

PART = "0123456789" * 2
"""A name that a local copy may give to a download."""


@pytest.fixture
def server() -> Iterator[MirrorServer]:
    with serving({"index": CONTENT, "small": b"small"}) as running:
        yield running


@pytest.fixture
def client() -> Client:
    return Client(os.environ, patience=Patience(attempts=3, backoff=0.01))


def blob(server: MirrorServer) -> Download:
    """Return the download of content with a known checksum."""
    return Download(f"{server.url}/index", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())


def received(client: Client, wanted: Download, part: Path, **options: Any) -> bytes:
    assert fetched(client, wanted, part, **options) is not None
    return part.read_bytes()


def fetched(client: Client, wanted: Download, part: Path, **options: Any) -> Validators | None:
    with own_folder(part.parent, created=PARTS) as folder:
        return transfer(client, wanted, folder, part.name, **{"moved": nothing} | options)


def nothing(_: TransferProgress) -> None:
    """Ignore the progress of a download."""


# Correct servers


@pytest.mark.parametrize("compresses", [False, True])
def test_downloaded_file_is_complete(server: MirrorServer, client: Client, tmp_path: Path, compresses: bool) -> None:
    server.compresses = compresses
    moved: list[TransferProgress] = []
    assert received(client, blob(server), tmp_path / PART, moved=moved.append) == CONTENT
    assert moved[-1].done == moved[-1].total
    assert [each.done for each in moved] == sorted(each.done for each in moved)


def test_zstd_response_is_decoded(server: MirrorServer, client: Client, tmp_path: Path) -> None:
    server.misbehaves("index", sends(zstd_compress(CONTENT), Content_Encoding="zstd"))
    assert received(client, blob(server), tmp_path / PART) == CONTENT
    assert "zstd" in server.requests[0][1]["Accept-Encoding"]


def test_unchanged_file_is_not_downloaded_again(server: MirrorServer, client: Client, tmp_path: Path) -> None:
    wanted = Download(f"{server.url}/small", 1000)
    for etags, dates in ((True, True), (True, False), (False, True)):
        server.etags, server.dates = etags, dates
        server.files["small"] = b"small"
        known = fetched(client, wanted, tmp_path / PART)
        assert known is not None
        assert fetched(client, wanted, tmp_path / PART, known=known) is None
        if etags:
            server.files["small"] = b"other"
            assert received(client, wanted, tmp_path / PART, known=known) == b"other"


def test_modification_date_equal_to_server_time_is_ignored() -> None:
    now = "Sun, 22 Nov 2026 01:00:00 GMT"
    assert Validators.of({"Last-Modified": now, "Date": now}) == Validators()
    assert Validators.of({"Last-Modified": now, "Date": "Sun, 22 Nov 2026 01:00:01 GMT"}).modified == now


# Interrupted and continued


@pytest.mark.parametrize(
    ("ranges", "checked", "asked"),
    [
        (True, True, [None, "bytes=400000-", "bytes=500000-"]),
        (True, False, [None, None, None]),  # only a checksum shows that it is still the same file
        (False, True, [None, "bytes=400000-", "bytes=100000-"]),  # everything is sent again each time
    ],
)
def test_interrupted_download_continues_at_the_same_position(
    server: MirrorServer, client: Client, tmp_path: Path, ranges: bool, checked: bool, asked: list[str | None]
) -> None:
    server.ranges = ranges
    server.misbehaves("index", breaks_off(400_000), breaks_off(100_000), None)
    wanted = blob(server) if checked else Download(f"{server.url}/index", MEGABYTE)
    assert received(client, wanted, tmp_path / PART) == CONTENT
    assert [headers.get("Range") for _, headers in server.requests] == asked


def goes_on(content: bytes) -> Fault:
    """Answer with this text as the end of the file."""
    place = {"Content-Range": f"bytes {len(CONTENT) - len(content)}-{len(CONTENT) - 1}/{len(CONTENT)}"}
    return lambda handler: handler.answer(206, content, place)


@pytest.mark.parametrize(
    "faults",
    [
        (breaks_off(400_000), goes_on(b"x" * 600_000)),
        (breaks_off(400_000), goes_on(b"x" * 300_000)),
        (breaks_off(400_000), goes_on(CONTENT[500_000:])),  # the rest from another position
    ],
)
def test_download_never_mixes_two_revisions(
    server: MirrorServer, client: Client, tmp_path: Path, faults: tuple[Fault, Fault]
) -> None:
    """A later part of another revision is discarded, even if the server claims that the file is unchanged."""
    server.misbehaves("index", *faults, None)
    assert received(client, blob(server), tmp_path / PART) == CONTENT


@pytest.mark.parametrize("compresses", [False, True])
def test_interrupted_download_continues_at_next_start(
    server: MirrorServer, client: Client, tmp_path: Path, compresses: bool
) -> None:
    server.compresses = compresses
    server.misbehaves("index", breaks_off(400_000), status(500))
    with pytest.raises(AwayError, match="status 500"):
        received(client, blob(server), tmp_path / PART)
    del server.faults["index"], server.requests[:]
    there = (tmp_path / PART).stat().st_size
    assert there > 300_000
    assert received(client, blob(server), tmp_path / PART) == CONTENT
    assert [headers.get("Range") for _, headers in server.requests] == [f"bytes={there}-"]


@pytest.mark.parametrize("damage", [b"x" * 400_000, b"x" * 2_000_000])
def test_damaged_partial_download_is_replaced(
    server: MirrorServer, client: Client, tmp_path: Path, damage: bytes
) -> None:
    (tmp_path / PART).write_bytes(damage)
    assert received(client, blob(server), tmp_path / PART) == CONTENT


def test_cancelled_download_ends_soon(server: MirrorServer, client: Client, tmp_path: Path) -> None:
    server.misbehaves("index", falls_silent(400_000))
    came: list[TransferProgress] = []
    started = time.monotonic()
    patient = Client(os.environ, patience=Patience())
    with pytest.raises(Interrupted):
        fetched(patient, blob(server), tmp_path / PART, moved=came.append, cancelled=lambda: bool(came))
    assert time.monotonic() - started < 5


# Unreachable, broken or hostile servers


@pytest.mark.parametrize(
    ("fault", "error", "why"),
    [
        (status(404), MissingError, "does not exist (status 404)"),
        (status(410), MissingError, "does not exist (status 410)"),
        (status(403), RefusedError, "(status 403): if it is private, give a token in CACHETUI_TOKEN_localhost"),
        (status(401), RefusedError, "the server refuses"),
        (status(418), FetchError, "answers with status 418"),
        (status(204), FetchError, "answers with status 204"),
        (status(206), FetchError, "answers with status 206"),
        (status(304), FetchError, "answers with status 304"),
        (status(416), FetchError, "answers with status 416"),
        (status(500), AwayError, "cannot be downloaded now: the server answers with status 500"),
        (status(429, Retry_After="9" * 5000), AwayError, "status 429"),
        (status(503, Retry_After="\x7fsoon"), AwayError, "status 503"),
        (redirect(""), FetchError, "is redirected to an empty address: cachetui cannot follow this URL"),
        (redirect("/index"), FetchError, "is redirected more than 5 times"),
        (redirect("file:///etc/passwd"), FetchError, "is redirected to file:///etc/passwd"),
        (
            redirect("ftp://localhost/a"),
            FetchError,
            "is redirected to ftp://localhost/a: cachetui cannot follow this URL",
        ),
        (redirect("http://mirror.example.org/a"), FetchError, "to follow redirects to http:, give --insecure"),
        (redirect("http://me:geheim@localhost/a"), FetchError, "does not follow a URL with a password"),
        (redirect("http://mirror.example.org/a?X-Amz-Signature=geheim"), FetchError, "mirror.example.org/a?…"),
        (redirect("http://[::1/a"), FetchError, "cachetui cannot follow this URL"),
        (redirect("https://\x1b[31m/a"), FetchError, "cachetui cannot follow this URL"),
        (breaks_off(0), AwayError, "was cut off before the file was complete"),
        (breaks_off(1000), AwayError, "was cut off before the file was complete"),
        (sends(CONTENT[:-1]), WrongContentError, "does not have the expected checksum"),
        (sends(CONTENT + b"x"), WrongContentError, "has more than 700,000 bytes"),
        (sends(CONTENT[:-1], length=700_000), AwayError, "was cut off before the file was complete"),
        (sends(b"x" * 700_000), WrongContentError, "does not have the expected checksum"),
        (sends(CONTENT, Content_Encoding="gzip"), WrongContentError, "cannot be decoded"),
        (
            sends(gzip.compress(CONTENT)[:-9], Content_Encoding="gzip"),
            WrongContentError,
            "does not have the expected checksum",
        ),
        (sends(zstd_compress(CONTENT)[:-9], Content_Encoding="zstd"), WrongContentError, "cannot be decoded"),
        (sends(CONTENT, Content_Encoding="zstd"), WrongContentError, "cannot be decoded"),
        (sends(b"x" * 700_001, length=2 * 1024**3), WrongContentError, "has more than 700,000 bytes"),
    ],
)
def test_broken_server_gives_one_line_error(
    server: MirrorServer, client: Client, tmp_path: Path, fault: Any, error: type[Exception], why: str
) -> None:
    server.misbehaves("index", fault)
    with pytest.raises(FetchError) as raised:
        received(client, blob(server), tmp_path / PART)
    message = str(raised.value)
    assert why in message
    assert type(raised.value) is error
    assert message.isprintable()
    assert "geheim" not in message


@pytest.mark.parametrize("fault", [endless(5), falls_silent(1000), falls_silent()])
def test_download_from_too_slow_server_is_stopped(server: MirrorServer, tmp_path: Path, fault: Any) -> None:
    server.misbehaves("index", fault)
    impatient = Client(os.environ, patience=Patience(silence=0.1, attempts=1))
    with pytest.raises(AwayError, match="the server sends almost no data"):
        received(impatient, blob(server), tmp_path / PART)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_compressed_response_above_size_limit_is_refused(
    server: MirrorServer, client: Client, tmp_path: Path, encoding: str
) -> None:
    bomb = gzip.compress(bytes(64 * MEGABYTE)) if encoding == "gzip" else zstd_compress(bytes(64 * MEGABYTE))
    server.misbehaves("index", sends(bomb, Content_Encoding=encoding))
    with pytest.raises(WrongContentError, match="has more than 700,000 bytes"):
        received(client, blob(server), tmp_path / PART)
    assert not (tmp_path / PART).exists()


def test_missing_server_gives_one_line_error(client: Client, tmp_path: Path) -> None:
    with serving({}) as gone:
        url = gone.url
    with pytest.raises(AwayError, match="cannot be reached: Connection refused"):
        received(client, Download(f"{url}/index", 1000), tmp_path / PART)
    with pytest.raises(AwayError, match="the name of this server is unknown"):
        received(client, Download("https://mirror.invalid/index", 1000), tmp_path / PART)

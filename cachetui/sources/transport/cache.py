"""The local copy of a mirror, in the user's cache folder. A file has the same path in the copy and on the server.

A file with a known checksum is downloaded only once. For any other file, each run of the program sends one conditional
request. A new file is checked before it replaces the old file.

Invariant: every file in the copy is complete, because a file is moved into the copy at the end of the download.
Therefore several processes can use a copy at the same time. A lock for each file ensures that only one process
downloads the file.

If a transfer fails, the beginning of the file is kept. If the checksum of the whole file is known, the next attempt
requests only the rest of the file, even in a later run of the program.
Input: the responses of a server.
"""

import hashlib
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from cachetui.debug_log import log
from cachetui.settings.folders import TEMPORARY, OwnFolder, own_folder
from cachetui.settings.settings import Settings
from cachetui.sources.source import Asking
from cachetui.sources.transport.address import shown
from cachetui.sources.transport.errors import AwayError, DiskError, FetchError, UntrustedError, WrongContentError
from cachetui.sources.transport.registry import request_of
from cachetui.workers.cancelling import Cancelled, never

if TYPE_CHECKING:
    from cachetui.sources.transport.client import Client

# Downloads: one URL into one file, with several attempts

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
    """The progress of a download, in bytes of the encoded (compressed) content."""

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
        """The download that has received the most bytes: the path in the copy, and the progress.

        None before the first download.
        """
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
    download: Download,
    folder: OwnFolder,
    name: str,
    known: Validators | None = None,
    *,
    moved: Callable[[TransferProgress], None],
    until: float = math.inf,
    cancelled: Cancelled = never,
) -> Validators | None:
    """Download a URL into the file `name`, and return the validators of the file.

    `known` are the validators of an existing copy. Return None if this copy is up to date. `moved` is called with the
    progress. By default, there are several attempts. With `until`, there is only one attempt, which ends at this time
    on the monotonic clock. Raises WrongContentError, other FetchErrors (see `client`), Interrupted, and OSError if the
    file cannot be written.
    """

    def attempt() -> Validators | None:
        there = _bytes_there(download, folder, name)
        try:
            return _attempt(client, download, folder, name, known, there, moved, until, cancelled)
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
    download: Download,
    folder: OwnFolder,
    name: str,
    known: Validators | None,
    there: int,
    moved: Callable[[TransferProgress], None],
    until: float,
    cancelled: Cancelled,
) -> Validators | None:
    """Make one attempt to download a file, and return the validators of the new file, as `transfer` does.

    If `there` bytes already exist on the disk, request only the rest.
    """
    headers = {**download.headers, **(known.condition if known else {})}
    if there:
        headers = {**download.headers, "Range": f"bytes={there}-", "Accept-Encoding": "identity"}
    with closing(client.ask(download.url, headers, cancelled, until)) as reply:
        if reply.status == 304 and known:
            return None
        goes_on = there > 0 and reply.status == 206
        if reply.status != 200 and not goes_on:
            raise FetchError(f"{shown(reply.url)} cannot be downloaded: the server answers with status {reply.status}")
        sent = Validators.of(reply.headers)
        if goes_on and not reply.headers.get("Content-Range", "").startswith(f"bytes {there}-"):
            raise WrongContentError(f"{shown(download.url)} changed during the download: try again")
        before = there if goes_on else 0
        if not goes_on:
            folder.remove(name)
        length = length_in(reply.headers.get("Content-Length", ""))
        total = None if length is None else before + length
        with open(folder.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND), "a+b") as part:

            def write() -> None:
                for piece in reply.pieces():
                    part.write(piece)  # raises an error if the caller stopped waiting and closed the file
                    if part.tell() > download.most:
                        raise WrongContentError(f"{shown(download.url)} has more than {download.most:,} bytes")
                    moved(TransferProgress(before + reply.received, total, folder.path / name))

            reply.wait(write)
            part.seek(0)
            checksum = download.checksum or sent.digest
            if checksum and hashlib.file_digest(part, "sha256").hexdigest() != checksum:
                raise WrongContentError(f"{shown(download.url)} does not have the expected checksum")
        return sent


def _bytes_there(download: Download, folder: OwnFolder, name: str) -> int:
    """Return how many bytes of an earlier, unfinished download can be used; 0 if the download must start again."""
    with suppress(OSError):
        there = folder.status(name).st_size
        return there if download.checksum and there < download.most else 0
    return 0


def _is_header(text: str) -> bool:
    return len(text) < MAX_VALIDATOR_BYTES and text.isascii() and text.isprintable()


def length_in(text: str) -> int | None:
    """Return the number in a `Content-Length` header, or None for an invalid header."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


# Copies

FOLDER = "mirrors"
"""The name of the folder of all copies, in the user's cache folder."""

MIRROR = "mirror.json"
"""The name of the file that contains the URL of the mirror. The file is written at each use of the copy."""

SETTLED_SECONDS = 10.0
"""The modification time of a new file is set to this number of seconds ago.

Otherwise the next comparison would treat the file as changed, and read it again.
"""

FILES = re.compile(r"[A-Za-z0-9_.+=@~^%-][A-Za-z0-9_.+=@~^%, -]*")
"""The valid names of files and folders in a copy."""

PARTS = re.compile(rf"[0-9a-f]{{20}}(\.lock|\.strong({TEMPORARY})?)?|tags")
"""The names of the files of unfinished downloads. Earlier versions also used `tags` and the suffix `.strong`."""


class Servers:
    """The HTTP client, and the folder of all local copies. An instance may be used in several threads."""

    def __init__(self, settings: Settings, asking: Asking, allowed: Mapping[str, Any] | None = None) -> None:
        """`allowed` maps each URL to a credential, which is used for all files below this URL."""
        self.asking = asking
        self._credentials = allowed or {}
        self.cache_folder = Path(settings.cache_folder)
        self._environ = settings.environ

    @cached_property
    def client(self) -> "Client | None":
        """The HTTP client. None with `--offline`."""
        if self.asking.offline:
            return None
        from cachetui.sources.transport.client import Client  # late: this imports the HTTP library

        keep_within(self.cache_folder)
        asking = self.asking
        client = Client(
            self._environ,
            insecure=asking.insecure,
            credential_helpers=asking.credential_helpers,
            realms=asking.realms,
        )
        for url, credential in self._credentials.items():
            client.allow(url, credential)
        return client

    def copy(
        self,
        url: str,
        name: str = "",
        cancelled: Cancelled = never,
        transfers: Transfers | None = None,
    ) -> "Copy":
        """Return the local copy of the files at a URL. For the arguments, see `Copy`."""
        return Copy(url, self.cache_folder, self.client, name=name, cancelled=cancelled, transfers=transfers)


class Copy:
    """The local copy of the mirror at a URL. If the server cannot be reached, no more requests are sent."""

    def __init__(
        self,
        url: str,
        cache_folder: Path,
        client: "Client | None",
        *,
        name: str = "",
        cancelled: Cancelled = never,
        transfers: Transfers | None = None,
    ) -> None:
        """Without a `client`, the copy is only read. `transfers` collects the progress of downloads.

        `name` identifies the copy; the default is the URL. Different names at one URL have separate copies.
        """
        self.url = url
        self._name = name or url
        host = re.sub(r"[^a-z0-9.-]", "_", urlsplit(url).netloc)
        self.root = cache_folder / FOLDER / f"{host[:60]}-{_digest(self._name)}"
        self._cache_folder = cache_folder
        self.files = self.root / "files"
        """The folder of the downloaded files."""
        self._client, self._cancelled = client, cancelled
        self.transfers = transfers or Transfers()
        self._away: FetchError | None = None
        """The failure after which no more requests are sent to the server, or None before the first failure."""
        if client is None:
            self._away = AwayError(f"{shown(url)} has no local copy: leave out --offline to download it")

    def bring(
        self,
        path: str,
        most: int,
        accept: Callable[[Path], object],
        *,
        checksum: str | None = None,
        until: float = math.inf,
    ) -> Path:
        """Update a file of the copy to the state of the server, and return the path of the file.

        `most` is the maximum size in bytes. `accept` is called with the new file before it is moved into the copy.
        `accept` raises WrongContentError if the content is wrong, and may download other files that belong to the new
        file. With a `checksum` (sha256), `most` is the exact size, and an existing file of this size is used without a
        request. By default, there are several attempts. With `until`, there is only one attempt, which ends at this
        time on the monotonic clock. Raises FetchError and Interrupted.
        """
        place, started = self.place(path), time.time()
        if checksum and _has_size(place, most):
            log(f"local copy {place}: complete, so the server was not asked")
            return place
        with self._asking(path, until) as parts:
            part = _digest(path)
            confirmed = self.confirmed(path)
            if _has_size(place, most) if checksum else confirmed and confirmed >= started:
                log(f"local copy {place}: another process has just downloaded it or found it unchanged")
                return place
            assert self._client is not None
            known = None if checksum else self._known(path)
            url, headers = request_of(self.url, path)
            wanted = Download(url, most, checksum, headers)
            moved = partial(self.transfers.moved, path)
            sent = transfer(
                self._client, wanted, parts, part, known, moved=moved, until=until, cancelled=self._cancelled
            )
            with self.folder("notes", make=True) as notes:
                try:
                    accept(parts.path / part if sent else place)
                except WrongContentError:  # so that the whole file is downloaded the next time
                    parts.remove(part) if sent else notes.remove(f"{part}.json")
                    raise
                if sent:
                    self._put(parts, part, path)
                _write(notes, f"{part}.json", sent or known)
        log(f"local copy {place}: {'downloaded' if sent else 'not modified'}")
        return place

    def _put(self, parts: OwnFolder, part: str, path: str) -> None:
        """Move the downloaded file `part` to `path` in the copy.

        Set the modification times of the file and of all folders above it to `SETTLED_SECONDS` ago.
        """
        past = time.time() - SETTLED_SECONDS
        os.utime(part, (past, past), dir_fd=parts.descriptor, follow_symlinks=False)
        above, _, name = f"files/{path}".rpartition("/")
        with self.folder(above, make=True) as folder:
            os.replace(part, name, src_dir_fd=parts.descriptor, dst_dir_fd=folder.descriptor)
        while above:
            with self.folder(above) as folder:
                os.utime(folder.descriptor, (past, past))
            above = above.rpartition("/")[0]

    @contextmanager
    def folder(self, below: str = "", *, make: bool = False) -> Iterator[OwnFolder]:
        """Open a folder of the copy. Raises OSError."""
        path = f"{FOLDER}/{self.root.name}/{below}"
        with own_folder(self._cache_folder, path, make=make, created=PARTS if below == "parts" else FILES) as folder:
            yield folder

    @contextmanager
    def _asking(self, path: str, until: float) -> Iterator[OwnFolder]:
        """Hold the lock of a file, and yield the folder for unfinished downloads.

        Raises AwayError if another process still holds the lock at the time `until`. Also raises DiskError and
        Interrupted. After an AwayError or a DiskError, all later calls raise the same error.
        """
        if self._away:
            raise self._away
        try:
            self.make()
            lock, patience = f"{_digest(path)}.lock", until - time.monotonic()
            with self.folder("parts") as parts, parts.alone(lock, patience, self._cancelled):
                yield parts
        except (AwayError, UntrustedError, DiskError) as error:
            self._away = error
            raise
        except FetchError:
            raise
        except BlockingIOError:
            self._away = AwayError(f"another process is still downloading {shown(self.url)}")
            raise self._away from None
        except OSError as error:
            self._away = self.disk_error(error)
            raise self._away from None

    # On the disk

    def disk_error(self, error: OSError) -> DiskError:
        """Return the DiskError for a failure to read or write the copy."""
        where = f"the local copy of {shown(self.url)} in {self.root}"
        return DiskError(f"{where} cannot be used ({error.strerror}): set CACHETUI_CACHE_DIR to another folder")

    def make(self) -> None:
        """Create the folders of the copy, and record the time of this use. Raises OSError."""
        for below in ("files", "notes", "parts"):
            with self.folder(below, make=True):
                pass
        with self.folder() as folder:
            _write(folder, MIRROR, {"url": self._name})

    def place(self, path: str) -> Path:
        """Return the path on the disk for a file, which may be missing. Raises FetchError for an invalid path."""
        parts = path.split("/")
        if any(not FILES.fullmatch(part) or set(part) == {"."} or len(part) > 250 for part in parts):
            raise FetchError(f"{shown(self.url)} refers to a file with an invalid name: {shown(path[:200])}")
        return self.files.joinpath(*parts)

    def _known(self, path: str) -> Validators | None:
        """Return the saved validators of a file, or None if the file or the validators are missing."""
        if self.place(path).is_file():
            with suppress(OSError, msgspec.MsgspecError):
                return msgspec.json.decode(self._validators_path(path).read_bytes(), type=Validators)
        return None

    def confirmed(self, path: str) -> float | None:
        """Return when the server last confirmed that a file of the copy is up to date, in seconds since the epoch.

        Return None if the copy lacks the file.
        """
        if self.place(path).is_file():
            for file in (self._validators_path(path), self.place(path)):
                with suppress(OSError):
                    return file.stat().st_mtime
        return None

    def _validators_path(self, path: str) -> Path:
        """Return the path of the small JSON file that stores the validators of a file of the copy.

        The modification time of the JSON file is the time when the server last confirmed that the file is up to date.
        """
        return self.root / "notes" / f"{_digest(path)}.json"

    def remove(self, path: str) -> None:
        """Remove a file that no longer exists on the server."""
        above, _, name = path.rpartition("/")
        with suppress(FileNotFoundError):  # the folder may be missing too
            with self.folder(f"files/{above}") as folder:
                folder.remove(name)
            with self.folder("notes") as notes:
                notes.remove(f"{_digest(path)}.json")

    def write(self, path: str, data: bytes) -> None:
        """Write a file that this program made from responses of the server. Raises OSError."""
        above, _, name = path.rpartition("/")
        with self.folder(f"files/{above}", make=True) as folder, folder.replacing(name) as file:
            file.write(data)

    def is_empty(self) -> bool:
        """Return whether the copy contains no files of the server."""
        with suppress(FileNotFoundError):  # removed by another process
            return not any(self.files.iterdir())
        return True

    def remove_if_empty(self) -> None:
        """Remove the copy if it is still empty, so that a mistyped URL leaves no trace."""
        with suppress(OSError):
            if self.is_empty() and all(path.suffix for path in (self.root / "parts").iterdir()):
                remove_copy(self.root)


def _has_size(file: Path, size: int) -> bool:
    """Return whether a file exists and has the expected size. A crash of the machine may have truncated the file."""
    return file.is_file() and file.stat().st_size == size


def _write(folder: OwnFolder, name: str, note: object) -> None:
    with folder.replacing(name) as file:
        file.write(msgspec.json.encode(note))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()


# All copies

MAX_COPIES_BYTES = 4 * 1024**3
"""Maximum total size of all copies in bytes. Above this size, the least recently used copies are removed."""

IN_USE_SECONDS = 3600.0
"""A copy is always kept for this number of seconds after its last use."""


class StoredCopy(Struct, frozen=True):
    """The size and age of a copy on the disk."""

    url: str
    folder: Path
    bytes: int
    files: int
    used: float
    """The time of the last use of the copy, in seconds since the epoch."""


def stored_copies(cache_folder: Path) -> list[StoredCopy]:
    """Return all copies, sorted by last use with the most recent first."""
    found: list[StoredCopy] = []
    with suppress(OSError):
        for folder in (cache_folder / FOLDER).iterdir():
            with suppress(OSError, KeyError, msgspec.MsgspecError):
                mirror = folder / MIRROR
                url = msgspec.json.decode(mirror.read_bytes(), type=dict[str, str])["url"]
                sizes = list(_sizes(folder))
                found.append(StoredCopy(url, folder, sum(sizes), len(sizes), mirror.stat().st_mtime))
    return sorted(found, key=lambda each: each.used, reverse=True)


ABANDONED_SECONDS = 7 * 86_400.0
"""The age in seconds after which an unfinished download is removed, because the server probably has a newer file."""


def keep_within(cache_folder: Path, most: int = MAX_COPIES_BYTES) -> None:
    """Remove old unfinished downloads and old copies.

    If all copies together have more than `most` bytes, remove the least recently used. Never remove a copy that was
    used in the last hour.
    """
    total = 0
    for copy in stored_copies(cache_folder):
        total += copy.bytes
        with suppress(OSError), own_folder(cache_folder, f"{FOLDER}/{copy.folder.name}/parts", created=PARTS) as parts:
            for name in parts.names():
                if not name.endswith(".lock") and time.time() - parts.status(name).st_mtime > ABANDONED_SECONDS:
                    parts.remove(name)
        if total > most and time.time() - copy.used > IN_USE_SECONDS:
            # other processes can still read the files that they have already opened
            with suppress(OSError):
                remove_copy(copy.folder)


def remove_copy(root: Path) -> None:
    """Remove a copy. Raises OSError."""
    with own_folder(root.parent, created=FILES) as copies:
        copies.clear(root.name)


def _sizes(folder: Path) -> Iterator[int]:
    """Yield the size in bytes of every file below a folder."""
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                yield os.lstat(f"{parent}/{name}").st_size

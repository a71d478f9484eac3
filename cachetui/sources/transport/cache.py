"""The local copy of one mirror: its files, at the paths that they have on the server, and notes on them.

A blob is named by its checksum, is checked when it comes and never asked for again. Any other file is asked for
again by what its server said of it, once a run. What comes takes the place of what was there only when it is kept.
It is in the user's cache folder, below `mirrors`. Invariant: a file of the copy is whole, for it was written elsewhere
and moved into place; so several processes may use one copy at a time, and one of them fetches what all of them want.
Input: what a server sends.
"""

from __future__ import annotations

import fcntl
import math
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias
from urllib.parse import quote, urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cachetui.sources.transport.address import shown
from cachetui.sources.transport.errors import AwayError, DiskError, FetchError, UntrustedError
from cachetui.sources.transport.transfer import Download, Received, TransferProgress, Validators, transfer
from cachetui.store.files import make_private
from cachetui.workers.cancelling import Cancelled, Interrupted, never

if TYPE_CHECKING:
    from cachetui.sources.transport.client import Client

OF_BINARIES = "#binaries"
"""After the URL of a build cache: the name of the copy that holds the manifests of its single binaries."""

CHECKSUM = re.compile(r"[0-9a-f]{64}")

SLACK = 64 * 1024
"""Bytes by which an encoding may make a blob longer."""

FileProgressed: TypeAlias = Callable[[str, TransferProgress], None]
"""Is told of a file of the copy, and how far it is."""

LOOK = 0.05
"""Seconds between two looks whether another process is done with a file."""

FOLDER = "mirrors"
"""Below the user's cache folder for this program."""

MIRROR = "mirror.json"
"""The file that says which mirror it is a copy of."""

SETTLED = 10.0
"""Seconds by which what comes is made older; nothing in a copy is ever written into, so that no change is missed."""

_NUMBERS = count()

_PART_OF_A_PATH = re.compile(r"[A-Za-z0-9_.+=@~^%-][A-Za-z0-9_.+=@~^%, -]*")


class CopyNote(Struct, frozen=True):
    """What is noted of a copy as a whole; the time of the file is that of its last use."""

    url: str


class Fetched(Struct, frozen=True):
    """What is known of a file of the copy."""

    asked: float
    """When the server last said that it is the newest, in seconds since the epoch."""
    checksum: str
    size: int
    time: int
    """Modification time in nanoseconds: with the size it tells whether this is still said of the same file."""
    validators: Validators


class LatestFile(Struct, frozen=True):
    """A file as the server has it now: what is in the copy already, or what waits to take its place."""

    copy: Copy
    path: str
    file: Path
    """Where it can be read, until `keep` is called."""
    fetched: Fetched
    is_new: bool
    """Whether it is not what the copy has."""

    @property
    def checksum(self) -> str:
        """The sha256 of the file."""
        return self.fetched.checksum

    def keep(self) -> Path:
        """Put it into its place in the copy; all that it names should be there by then. Raises DiskError."""
        place = self.copy.place(self.path)
        with self.copy.writing():
            if self.is_new:
                make_private(place.parent)
                os.replace(self.file, place)
                for folder in (parent for parent in place.parents if parent.is_relative_to(self.copy.files)):
                    settle(folder)
            self.copy.note(self.path, self.fetched)
        return place

    def drop(self) -> None:
        """Remove what has come of it, where it is not kept."""
        if self.is_new:
            self.file.unlink(missing_ok=True)


class Copy:
    """The local copy of the mirror at a URL."""

    def __init__(
        self,
        url: str,
        cache_folder: Path,
        client: Client | None,
        *,
        name: str = "",
        cancelled: Cancelled = never,
        progressed: FileProgressed | None = None,
    ) -> None:
        """Without a client nothing is ever asked or written; `name` is what it is known by, if that is not the URL."""
        self.url = url
        self._name = name or url
        self.root = folder_of(self._name, cache_folder)
        self.files = self.root / "files"
        """What the server has at the URL is here, as far as it was asked for."""
        self.cancelled = cancelled
        self.until = math.inf
        """Until when to wait for the server where the copy has a file already, on the monotonic clock."""
        self.away: FetchError | None = None
        """Why the server cannot be asked; then it is not asked again."""
        self._client = client
        self.begin()
        self._progressed = progressed

    def begin(self) -> None:
        """From now on the server is asked again, if it may be asked at all."""
        offline = f"there is no local copy of {shown(self.url)}, and --offline asks no server"
        self.away = AwayError(offline) if self._client is None else None

    def latest(self, path: str, most: int, *, anew: bool = False, patient: bool = True) -> LatestFile:
        """Return the file as the server has it now, at most so many bytes.

        `anew` asks for all of it, whatever is known of it; not `patient`, for one who can do without, it asks only
        once and `until` then. Raises FetchError and Interrupted.
        """
        place, started = self.place(path), time.time()
        with self._asking(path, patient) as part:
            known = self.fetched(path)
            if known and known.asked >= started and not anew:
                return LatestFile(self, path, place, known, is_new=False)
            wanted = Download(f"{self.url}/{quote(path)}", most)
            received = self._transfer(path, wanted, part, None if anew else known, patient)
            if received is None:
                assert known is not None
                return LatestFile(self, path, place, replace(known, asked=time.time()), is_new=False)
            fresh = unused(part)
            os.replace(received.path, fresh)
            settle(fresh)
            status = fresh.stat()
            fetched = Fetched(
                asked=time.time(),
                checksum=received.checksum,
                size=status.st_size,
                time=status.st_mtime_ns,
                validators=received.validators,
            )
            return LatestFile(self, path, fresh, fetched, is_new=True)

    def blob(self, folder: str, checksum: str, length: int, *, patient: bool = True) -> Path:
        """The blob of this checksum (sha256) and length of the build cache in a folder, empty or with `/` at its end.

        Raises as `latest` does, and for what can be no blob.
        """
        if not CHECKSUM.fullmatch(checksum) or length < 0:
            raise FetchError(f"{shown(self.url)} names a blob that cannot be one: {shown(checksum[:80])}")
        path = blob_path(folder, checksum)
        place = self.place(path)
        if place.is_file():
            return place
        with self._asking(path, patient) as part:
            if not place.is_file():
                wanted = Download(f"{self.url}/{quote(path)}", length + SLACK, length, checksum)
                received = self._transfer(path, wanted, part, None, patient)
                assert received is not None
                make_private(place.parent)
                settle(received.path)
                os.replace(received.path, place)
        return place

    def there(self, path: str) -> LatestFile | None:
        """Return the file as the copy has it, to be kept as the newest by now; None where there is none."""
        known = self.fetched(path)
        if known is None:
            return None
        return LatestFile(self, path, self.place(path), replace(known, asked=time.time()), is_new=False)

    @contextmanager
    def _asking(self, path: str, patient: bool) -> Iterator[Path]:
        """Yield where what comes of a file is put together, while no other process or thread fetches it.

        Raises DiskError, AwayError where others fetch it for too long, and Interrupted soon after it is cancelled.
        """
        if self.away:
            raise self.away
        part = self.root / "parts" / _digest(path)
        try:
            self.make()
            with self.writing(), open(part.with_name(f"{part.name}.lock"), "wb") as lock:
                while not _lock(lock):
                    if self.cancelled():
                        raise Interrupted
                    if not patient and time.monotonic() > self.until:
                        raise AwayError(f"{shown(self.url)} is still being fetched by another process")
                    time.sleep(LOOK)
                yield part
        except (AwayError, UntrustedError, DiskError) as error:
            self.away = error
            raise

    def _transfer(
        self, path: str, wanted: Download, part: Path, known: Fetched | None, patient: bool
    ) -> Received | None:
        told = self._progressed
        assert self._client is not None
        return transfer(
            self._client,
            wanted,
            part,
            known=known.validators if known else None,
            patient=patient,
            until=math.inf if patient else self.until,
            cancelled=self.cancelled,
            progressed=None if told is None else lambda moved: told(path, moved),
        )

    # On the disk

    def make(self) -> None:
        """Make the folders of the copy, and note that it is used now; raises DiskError."""
        with self.writing():
            for folder in (self.files, self.root / "notes", self.root / "parts"):
                make_private(folder)
            if self.root.stat().st_uid != os.geteuid():
                raise DiskError(f"the local copy {self.root} belongs to another user: CACHETUI_CACHE_DIR names another")
            note, noted = self.root / MIRROR, msgspec.json.encode(CopyNote(self._name))
            if note.exists() and note.read_bytes() == noted:
                os.utime(note)
            else:
                _write(note, noted)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Raise DiskError where the system refuses what is written within."""
        try:
            yield
        except OSError as error:
            raise DiskError(
                f"the local copy of {shown(self.url)} in {self.root} cannot be written ({error.strerror}):"
                " CACHETUI_CACHE_DIR names another folder"
            ) from None

    def place(self, path: str) -> Path:
        """Where the file of this path is in the copy, or would be; raises FetchError for a path that leaves it."""
        parts = path.split("/")
        if any(not _PART_OF_A_PATH.fullmatch(part) or set(part) == {"."} or len(part) > 250 for part in parts):
            raise FetchError(f"{shown(self.url)} names a file that cannot be one: {shown(path[:200])}")
        return self.files.joinpath(*parts)

    def fetched(self, path: str) -> Fetched | None:
        """Return what is known of a file of the copy; None where it is not there, or not as it came."""
        try:
            fetched = msgspec.json.decode(self._note_of(path).read_bytes(), type=Fetched)
            status = self.place(path).stat()
        except (OSError, msgspec.MsgspecError):
            return None
        return fetched if (fetched.size, fetched.time) == (status.st_size, status.st_mtime_ns) else None

    def asked(self, path: str) -> float | None:
        """When the server last said that a file of the copy is the newest; None where it is not there."""
        fetched = self.fetched(path)
        if fetched is not None:
            return fetched.asked
        with suppress(OSError):
            return self.place(path).stat().st_mtime
        return None

    def note(self, path: str, fetched: Fetched) -> None:
        """Note what is known of a file."""
        _write(self._note_of(path), msgspec.json.encode(fetched))

    def _note_of(self, path: str) -> Path:
        return self.root / "notes" / f"{_digest(path)}.json"

    def remove(self, path: str) -> None:
        """Remove a file that the server has no more."""
        self.place(path).unlink(missing_ok=True)
        self._note_of(path).unlink(missing_ok=True)

    def remove_if_empty(self) -> None:
        """Remove the copy where nothing has come, so that a URL that was mistyped leaves nothing."""
        with suppress(OSError):
            parts = [path for path in (self.root / "parts").iterdir() if path.suffix != ".lock"]
            if not any(self.files.iterdir()) and not parts:
                shutil.rmtree(self.root)


def blob_path(folder: str, checksum: str) -> str:
    """Return where the blob of this checksum is, in the build cache in a folder."""
    return f"{folder}blobs/sha256/{checksum[:2]}/{checksum}"


def _lock(file: BinaryIO) -> bool:
    """Return whether the file is locked by now; where files cannot be locked, two processes may fetch the same."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def settle(path: Path) -> None:
    """Make a file or folder look older than it is: what has just changed counts as changed for a while."""
    past = time.time() - SETTLED
    os.utime(path, (past, past))


def _write(path: Path, data: bytes) -> None:
    """Write a file so that any reader sees the one before or the whole new one; raises OSError."""
    unfinished = unused(path)
    try:
        unfinished.write_bytes(data)
        os.replace(unfinished, path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


def unused(path: Path) -> Path:
    """Return a name beside a file that nobody else uses."""
    return path.with_name(f"{path.name}.{os.getpid()}.{next(_NUMBERS)}.new")


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=10).hexdigest()


def folder_of(url: str, cache_folder: Path) -> Path:
    """Return where the copy of the mirror at a URL is, or would be."""
    host = re.sub(r"[^a-z0-9.-]", "_", urlsplit(url).netloc)
    return cache_folder / FOLDER / f"{host[:60]}-{_digest(url)}"


# All copies

MOST = 4 * 1024**3
"""Bytes that all copies may take together; the ones not used for longest are removed first."""

IN_USE = 3600.0
"""Seconds after its last use in which a copy is not removed for its size."""

ABANDONED = 7 * 86400.0
"""Seconds after which nobody goes on with what came of a file."""


class StoredCopy(Struct, frozen=True):
    """A copy on the disk."""

    url: str
    folder: Path
    bytes: int
    files: int
    used: float
    """When it was last used, in seconds since the epoch."""


def stored_copies(cache_folder: Path) -> list[StoredCopy]:
    """Return every copy, the one used last first."""
    found: list[StoredCopy] = []
    with suppress(OSError):
        for folder in (cache_folder / FOLDER).iterdir():
            with suppress(OSError, msgspec.MsgspecError):
                mirror = folder / MIRROR
                url = msgspec.json.decode(mirror.read_bytes(), type=CopyNote).url
                sizes = [status.st_size for _, status in _files(folder)]
                found.append(StoredCopy(url, folder, sum(sizes), len(sizes), mirror.stat().st_mtime))
    return sorted(found, key=lambda each: each.used, reverse=True)


def remove(copy: StoredCopy) -> None:
    """Remove a copy; who reads a file of it at the moment can read it to its end. Raises OSError."""
    shutil.rmtree(copy.folder)


def keep_within(cache_folder: Path, most: int = MOST) -> list[StoredCopy]:
    """Remove the copies not used for longest until all take no more than so many bytes; return these.

    One that was used in the last hour stays; what came of a file that nobody went on with for a week goes.
    """
    now, removed, total = time.time(), [], 0
    for copy in stored_copies(cache_folder):
        total += copy.bytes
        if total > most and now - copy.used > IN_USE:
            with suppress(OSError):
                remove(copy)
                removed.append(copy)
                continue
        for path, status in _files(copy.folder / "parts"):
            if now - status.st_mtime > ABANDONED:
                with suppress(OSError):
                    path.unlink()
    return removed


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield every file below a folder; what goes away meanwhile is left out."""
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            with suppress(OSError):
                yield path, path.stat(follow_symlinks=False)

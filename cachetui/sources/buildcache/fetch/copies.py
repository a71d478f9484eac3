"""The local copy of one mirror: its files, at the paths that they have on the server, in the user's cache folder.

A blob is named by its checksum, is checked when it comes and never asked for again. Any other file is asked for
again by what its server said of it, once a run; where the server is away the copy stands in for it.
Invariant: a file of the copy is whole, for it was written elsewhere and moved into place; so several processes may
use one copy at a time, and one of them fetches what all of them want.
"""

from __future__ import annotations

import fcntl
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

from cachetui.sources.buildcache.fetch.address import shown
from cachetui.sources.buildcache.fetch.errors import AwayError, FetchError, MissingError
from cachetui.sources.buildcache.fetch.transfer import Download, Received, TransferProgress, Validators, transfer
from cachetui.workers.cancelling import Cancelled, Interrupted, never

if TYPE_CHECKING:
    from cachetui.sources.buildcache.fetch.client import Client

LOOK = 0.05
"""Seconds between two looks whether another process is done with a file."""

FOLDER = "mirrors"
"""Below the user's cache folder for this program."""

MIRROR = "mirror.json"
"""The file that says which mirror it is a copy of."""

OF_BINARIES = "#binaries"
"""After the URL of a build cache: the name of the copy that holds the manifests of its single binaries."""

CHECKSUM = re.compile(r"[0-9a-f]{64}")

SLACK = 64 * 1024
"""Bytes by which an encoding may make a blob longer."""

SETTLED = 10.0
"""Seconds by which what comes is made older; nothing in a copy is ever written into, so that no change is missed."""

_NUMBERS = count()

_PART_OF_A_PATH = re.compile(r"[A-Za-z0-9_.+=@~^%-][A-Za-z0-9_.+=@~^%, -]*")

FileProgressed: TypeAlias = Callable[[str, TransferProgress], None]
"""Is told of a file of the copy, and how far it is."""


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


class LatestFile:
    """A file as the server has it now: what is in the copy already, or what waits to take its place."""

    def __init__(self, copy: Copy, path: str, file: Path, fetched: Fetched, *, is_new: bool) -> None:
        self.file = file
        """Where it can be read, until `keep` is called."""
        self.checksum = fetched.checksum
        self.asked = fetched.asked
        self.is_new = is_new
        """Whether it is not what the copy has."""
        self._copy = copy
        self._path = path
        self._fetched = fetched

    def keep(self) -> Path:
        """Puts it into its place in the copy; all that it names should be there by then."""
        place = self._copy.place(self._path)
        if self.is_new:
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.file, place)
            for folder in (parent for parent in place.parents if parent.is_relative_to(self._copy.files)):
                _settle(folder)
        self._copy.note(self._path, self._fetched)
        return place

    def drop(self) -> None:
        """Removes what has come of it, where it is not kept."""
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
        """Without a client nothing is ever asked; `name` is what the copy is known by, if that is not the URL.

        Raises FetchError where no copy can be made there.
        """
        self.url = url
        self._name = name or url
        self.root = folder_of(self._name, cache_folder)
        self.files = self.root / "files"
        """What the server has at the URL is here, as far as it was asked for."""
        self.cancelled = cancelled
        self.away: str | None = None
        """Why the server could not be asked; then it is not asked again."""
        self._client = client
        self._progressed = progressed
        self.make()

    # Asking

    def latest(self, path: str, most: int, *, anew: bool = False, patient: bool = True) -> LatestFile:
        """The file as the server has it now, at most so many bytes; what the copy has where the server is away.

        `anew` asks for all of it, whatever is known of it; not `patient`, for one who can do without, it asks only
        once. Raises FetchError, Interrupted and OSError.
        """
        place, started = self.place(path), time.time()
        with self._locked(path) as part:
            known = self.fetched(path)
            if known and (self._client is None or self.away or (known.asked >= started and not anew)):
                return LatestFile(self, path, place, known, is_new=False)
            wanted = Download(f"{self.url}/{quote(path)}", most)
            try:
                received = self._transfer(path, wanted, part, None if anew else known, patient and not known)
            except AwayError as error:
                if known is None or anew:
                    raise
                self.away = str(error)
                return LatestFile(self, path, place, known, is_new=False)
            if received is None:
                assert known is not None
                return LatestFile(self, path, place, replace(known, asked=time.time()), is_new=False)
            fresh = _unused(part)
            os.replace(received.path, fresh)
            _settle(fresh)
            status = fresh.stat()
            fetched = Fetched(
                asked=time.time(),
                checksum=received.checksum,
                size=status.st_size,
                time=status.st_mtime_ns,
                validators=received.validators,
            )
            return LatestFile(self, path, fresh, fetched, is_new=True)

    def blob(self, folder: str, checksum: str, length: int) -> Path:
        """The blob of this checksum (sha256) and length of the build cache in a folder, empty or with `/` at its end.

        Raises as `latest` does, and for what can be no blob.
        """
        if not CHECKSUM.fullmatch(checksum) or length < 0:
            raise FetchError(f"{shown(self.url)} names a blob that cannot be one: {shown(checksum[:80])}")
        path = blob_path(folder, checksum)
        place = self.place(path)
        if place.is_file():
            return place
        with self._locked(path) as part:
            if not place.is_file():
                wanted = Download(f"{self.url}/{quote(path)}", length + SLACK, length, checksum)
                received = self._transfer(path, wanted, part, None, True)
                assert received is not None
                place.parent.mkdir(parents=True, exist_ok=True)
                _settle(received.path)
                os.replace(received.path, place)
        return place

    def there(self, path: str, *, confirmed: bool = False) -> LatestFile | None:
        """The file as the copy has it, `confirmed` to be the newest by now; None where there is none."""
        known = self.fetched(path)
        if known is None:
            return None
        known = replace(known, asked=time.time()) if confirmed else known
        return LatestFile(self, path, self.place(path), known, is_new=False)

    def remove(self, path: str) -> None:
        """Removes a file that the server has no more."""
        self.place(path).unlink(missing_ok=True)
        self._note_of(path).unlink(missing_ok=True)

    def _transfer(
        self, path: str, wanted: Download, part: Path, known: Fetched | None, patient: bool
    ) -> Received | None:
        if self._client is None:
            missing = MissingError(f"{shown(wanted.url)} is not in the local copy, and --offline asks no server")
            missing.may_be_there = True
            raise missing
        if self.away:
            raise AwayError(self.away)
        told = self._progressed
        return transfer(
            self._client,
            wanted,
            part,
            known=known.validators if known else None,
            patient=patient,
            cancelled=self.cancelled,
            progressed=None if told is None else lambda moved: told(path, moved),
        )

    # What is there

    def remove_if_empty(self) -> None:
        """Removes the copy where nothing has come, so that a URL that was mistyped leaves nothing."""
        with suppress(OSError):
            parts = (path for path in (self.root / "parts").iterdir() if path.suffix != ".lock")
            if not any(self.files.iterdir()) and not any(parts):
                shutil.rmtree(self.root)

    def place(self, path: str) -> Path:
        """Where the file of this path is in the copy, or would be; raises FetchError for a path that leaves it."""
        parts = path.split("/")
        if any(not _PART_OF_A_PATH.fullmatch(part) or set(part) == {"."} or len(part) > 250 for part in parts):
            raise FetchError(f"{shown(self.url)} names a file that cannot be one: {shown(path[:200])}")
        return self.files.joinpath(*parts)

    def fetched(self, path: str) -> Fetched | None:
        """What is known of a file of the copy; None where it is not there, or not as it came."""
        try:
            fetched = msgspec.json.decode(self._note_of(path).read_bytes(), type=Fetched)
            status = self.place(path).stat()
        except (OSError, msgspec.MsgspecError):
            return None
        return fetched if (fetched.size, fetched.time) == (status.st_size, status.st_mtime_ns) else None

    def note(self, path: str, fetched: Fetched) -> None:
        """Notes what is known of a file."""
        note = self._note_of(path)
        unfinished = _unused(note)
        unfinished.write_bytes(msgspec.json.encode(fetched))
        os.replace(unfinished, note)

    def _note_of(self, path: str) -> Path:
        return self.root / "notes" / f"{_digest(path)}.json"

    # On the disk

    def make(self) -> None:
        """Makes the folders of the copy, and notes that it is used now; raises FetchError."""
        try:
            for folder in (self.root, self.files, self.root / "notes", self.root / "parts"):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self.root.stat().st_uid != os.geteuid():
                raise FetchError(
                    f"the local copy {self.root} belongs to another user: CACHETUI_CACHE_DIR names another"
                )
            (self.root / MIRROR).write_bytes(msgspec.json.encode(CopyNote(self._name)))
        except OSError as error:
            raise FetchError(
                f"no local copy of {shown(self.url)} can be made in {self.root} ({error.strerror}):"
                " CACHETUI_CACHE_DIR names another folder"
            ) from None

    @contextmanager
    def _locked(self, path: str) -> Iterator[Path]:
        """While no other process or thread fetches the file: where what comes of it is put together."""
        part = self.root / "parts" / _digest(path)
        with open(part.with_name(f"{part.name}.lock"), "wb") as lock:
            while not _lock(lock):
                if self.cancelled():
                    raise Interrupted
                time.sleep(LOOK)
            yield part


def _lock(file: BinaryIO) -> bool:
    """Whether the file is locked by now; where files cannot be locked, two processes may fetch the same."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _settle(path: Path) -> None:
    """Makes a file or folder look older than it is: what has just changed counts as changed for a while."""
    past = time.time() - SETTLED
    os.utime(path, (past, past))


def _unused(path: Path) -> Path:
    """A name beside a file that nobody else uses."""
    return path.with_name(f"{path.name}.{os.getpid()}.{next(_NUMBERS)}.new")


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=10).hexdigest()


def blob_path(folder: str, checksum: str) -> str:
    """Where the blob of this checksum is, in the build cache in a folder."""
    return f"{folder}blobs/sha256/{checksum[:2]}/{checksum}"


def folder_of(url: str, cache_folder: Path) -> Path:
    """Where the copy of the mirror at a URL is, or would be."""
    host = re.sub(r"[^a-z0-9.-]", "_", urlsplit(url).netloc)
    return cache_folder / FOLDER / f"{host[:60]}-{_digest(url)}"

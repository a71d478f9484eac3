"""The local copy of one mirror: what of it is asked for again, and what is taken as it is.

A blob is named by its checksum, is checked when it comes and never asked for again. Any other file is asked for
again by what its server said of it, once a run. What comes takes the place of what was there only when it is kept.
Input: what a server sends; `copy_folder` has it on the disk.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote

from msgspec.structs import replace

from cachetui.sources.transport.address import shown
from cachetui.sources.transport.copy_folder import CopyFolder, Fetched, settle, unused
from cachetui.sources.transport.errors import AwayError, DiskError, FetchError, UntrustedError
from cachetui.sources.transport.transfer import Download, Received, TransferProgress, transfer
from cachetui.store.files import make_private
from cachetui.workers.cancelling import Cancelled, never

if TYPE_CHECKING:
    from cachetui.sources.transport.client import Client

OF_BINARIES = "#binaries"
"""After the URL of a build cache: the name of the copy that holds the manifests of its single binaries."""

CHECKSUM = re.compile(r"[0-9a-f]{64}")

SLACK = 64 * 1024
"""Bytes by which an encoding may make a blob longer."""

FileProgressed: TypeAlias = Callable[[str, TransferProgress], None]
"""Is told of a file of the copy, and how far it is."""


class LatestFile:
    """A file as the server has it now: what is in the copy already, or what waits to take its place."""

    def __init__(self, local: CopyFolder, path: str, file: Path, fetched: Fetched, *, is_new: bool) -> None:
        self.file = file
        """Where it can be read, until `keep` is called."""
        self.checksum = fetched.checksum
        self.asked = fetched.asked
        self.is_new = is_new
        """Whether it is not what the copy has."""
        self._local = local
        self._path = path
        self._fetched = fetched

    def keep(self) -> Path:
        """Puts it into its place in the copy; all that it names should be there by then. Raises DiskError."""
        place = self._local.place(self._path)
        with self._local.writing():
            if self.is_new:
                make_private(place.parent)
                os.replace(self.file, place)
                for folder in (parent for parent in place.parents if parent.is_relative_to(self._local.files)):
                    settle(folder)
            self._local.note(self._path, self._fetched)
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
        """Without a client nothing is ever asked or written; `name` is what it is known by, if that is not the URL."""
        self.url = url
        self.local = CopyFolder(url, cache_folder, name=name or url)
        """What of it is on the disk."""
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
        """The file as the server has it now, at most so many bytes.

        `anew` asks for all of it, whatever is known of it; not `patient`, for one who can do without, it asks only
        once and `until` then. Raises FetchError and Interrupted.
        """
        place, started = self.local.place(path), time.time()
        with self._asking(path, patient) as part:
            known = self.local.fetched(path)
            if known and known.asked >= started and not anew:
                return LatestFile(self.local, path, place, known, is_new=False)
            wanted = Download(f"{self.url}/{quote(path)}", most)
            received = self._transfer(path, wanted, part, None if anew else known, patient)
            if received is None:
                assert known is not None
                return LatestFile(self.local, path, place, replace(known, asked=time.time()), is_new=False)
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
            return LatestFile(self.local, path, fresh, fetched, is_new=True)

    def blob(self, folder: str, checksum: str, length: int, *, patient: bool = True) -> Path:
        """The blob of this checksum (sha256) and length of the build cache in a folder, empty or with `/` at its end.

        Raises as `latest` does, and for what can be no blob.
        """
        if not CHECKSUM.fullmatch(checksum) or length < 0:
            raise FetchError(f"{shown(self.url)} names a blob that cannot be one: {shown(checksum[:80])}")
        path = blob_path(folder, checksum)
        place = self.local.place(path)
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
        """The file as the copy has it, to be kept as the newest by now; None where there is none."""
        known = self.local.fetched(path)
        if known is None:
            return None
        return LatestFile(self.local, path, self.local.place(path), replace(known, asked=time.time()), is_new=False)

    @contextmanager
    def _asking(self, path: str, patient: bool) -> Iterator[Path]:
        """Where what comes of a file is put together, while nobody else asks for it; see `CopyFolder.locked`."""
        if self.away:
            raise self.away
        try:
            self.local.make()
            with self.local.locked(path, self.cancelled, math.inf if patient else self.until) as part:
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


def blob_path(folder: str, checksum: str) -> str:
    """Where the blob of this checksum is, in the build cache in a folder."""
    return f"{folder}blobs/sha256/{checksum[:2]}/{checksum}"

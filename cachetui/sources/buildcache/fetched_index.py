"""The index of a build cache on a server, brought into the local copy: layout v3, layout v2, or both.

What comes is parsed before it takes the place of what was there, a manifest only once the blob that it names is there
too: so the copy is always one that can be read. An index that is pushed meanwhile is asked for once more.
Input: a copy, and the folder of the build cache within it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread

from msgspec import Struct

from cachetui.safe_text import visible
from cachetui.sources.buildcache.index_document import DatabaseError, check_index
from cachetui.sources.buildcache.manifests import INDEX_TYPE, Blob, read_manifest
from cachetui.sources.transport.address import shown
from cachetui.sources.transport.cache import CHECKSUM, Copy, LatestFile
from cachetui.sources.transport.errors import FetchError, MissingError, RefusedError, WrongContentError

V3_INDEX = "v3/manifests/index/index.manifest.json"
V2_INDEX = "build_cache/index.json"
V2_CHECKSUM = "build_cache/index.json.hash"

MAX_MANIFEST, MAX_INDEX, MAX_CHECKSUM = 1024 * 1024, 1024**3, 1024
"""Bytes that each may have; the largest index known has 185 million."""


def view_index(view: str) -> str:
    """The manifest of a view of a build cache; only layout v3 has views."""
    return f"v3/manifests/index/{view}/index.manifest.json"


class Outcome(Struct, frozen=True):
    """What asking for the indexes of a build cache gave; at least one of them is in the copy."""

    asked: float
    """When the server last said that what is in the copy is the newest, in seconds since the epoch."""
    why: FetchError | None = None
    """Why that was not now; None where it was."""


def bring_index(
    copy: Copy, folder: str, layouts: Sequence[str] = (V3_INDEX, V2_INDEX), *, patient: bool | None = None
) -> Outcome:
    """Brings the indexes of these layouts into the copy, as the server has them now.

    `folder` is empty or has `/` at its end. Whatever goes wrong, what is in the copy stays and is good enough; not
    `patient`, which is for one who has nothing else, it is asked once. Raises MissingError where the server says that
    there is none of them, and without a copy as `Copy.latest` does.
    """
    is_there = any(copy.asked(f"{folder}{layout}") is not None for layout in layouts)
    patient = not is_there if patient is None else patient
    attempts = [_Attempt(copy, folder, layout, patient=patient) for layout in layouts]
    # side by side, so that both take one round trip
    others = [Thread(target=attempt.run, daemon=True) for attempt in attempts[1:]]
    for other in others:
        other.start()
    attempts[0].run()
    for other in others:
        other.join()
    return _outcome(copy, folder, attempts, is_there=is_there)


def _outcome(copy: Copy, folder: str, attempts: Sequence[_Attempt], *, is_there: bool) -> Outcome:
    """What the attempts gave; `is_there` says that the copy had an index before."""
    for attempt in attempts:
        if attempt.error and not isinstance(attempt.error, FetchError):
            raise attempt.error
    there = {attempt: asked for attempt in attempts if (asked := copy.asked(attempt.path)) is not None}
    fresh = [attempt for attempt in attempts if attempt.error is None]
    # what is refused may not be there, as a bucket says it; then another layout is enough
    failed = [
        attempt.error
        for attempt in attempts
        if isinstance(attempt.error, FetchError)
        and not isinstance(attempt.error, MissingError)
        and not (isinstance(attempt.error, RefusedError) and fresh and attempt not in there)
    ]
    if failed:
        if not (is_there and there):
            for attempt in fresh:  # half a build cache is no copy
                copy.remove(attempt.path)
            if isinstance(failed[0], WrongContentError):
                where = shown(f"{copy.url}/{folder}".rstrip("/"))
                raise WrongContentError(f"the index of {where} cannot be read: {failed[0]}") from None
            raise failed[0]
        return Outcome(min(there.values()), failed[0])
    if not fresh:
        where = shown(f"{copy.url}/{folder}".rstrip("/"))
        neither, nor = ("neither ", " nor ") if len(attempts) > 1 else ("no ", "")
        names = nor.join(attempt.path[len(folder) :] for attempt in attempts)
        raise MissingError(f"{where} is no build cache: it has {neither}{names}")
    for attempt in attempts:
        if isinstance(attempt.error, MissingError):
            copy.remove(attempt.path)
    return Outcome(min((there[attempt] for attempt in fresh if attempt in there), default=time.time()))


class _Attempt:
    """Brings the index of one layout, and keeps what went wrong."""

    def __init__(self, copy: Copy, folder: str, layout: str, *, patient: bool) -> None:
        self.path = f"{folder}{layout}"
        self.error: Exception | None = None
        self._copy = copy
        self._folder = folder
        self._is_v2 = layout == V2_INDEX
        self._patient = patient

    def run(self) -> None:
        try:
            if self._is_v2:
                self._bring_v2()
            else:
                self._bring_v3()
        except Exception as error:  # raised by the one who waits for all; Ctrl+C ends that one at once
            self.error = error

    def _bring_v3(self) -> None:
        answer = self._copy.latest(self.path, MAX_MANIFEST, patient=self._patient)
        try:
            self._keep_with_blob(answer)
        except WrongContentError:
            # pushed meanwhile, perhaps: then the manifest is another one by now
            again = self._copy.latest(self.path, MAX_MANIFEST, anew=True, patient=self._patient)
            if again.checksum == answer.checksum:
                again.drop()
                raise
            self._keep_with_blob(again)

    def _keep_with_blob(self, answer: LatestFile) -> None:
        """Keeps a manifest once the index that it names is there; drops it where that does not come."""
        copy, url = self._copy, shown(f"{self._copy.url}/{self.path}")
        try:
            blob = _index_blob(answer.file)
            if blob is None or blob.path is None or not 0 <= blob.content_length <= MAX_INDEX:
                raise WrongContentError(f"{url} is no manifest of an index")
            try:
                file = copy.blob(self._folder, blob.checksum, blob.content_length, patient=self._patient)
            except (MissingError, RefusedError) as error:
                raise WrongContentError(f"{url} names an index that does not come: {error}") from None
            replaced = _index_blob(copy.place(self.path))
            if answer.is_new and (replaced is None or replaced.path != blob.path):
                self._check(file)
        except BaseException:
            answer.drop()
            raise
        answer.keep()
        if replaced is not None and replaced.path and replaced.path != blob.path:
            copy.remove(f"{self._folder}{replaced.path}")

    def _bring_v2(self) -> None:
        copy = self._copy
        known = copy.fetched(self.path)
        if known and not known.validators.condition and self._v2_checksum() == known.checksum:
            answer = copy.there(self.path)
            if answer is not None:
                answer.keep()
                return
        answer = copy.latest(self.path, MAX_INDEX, patient=self._patient)
        if answer.is_new:
            self._check(answer.file)
        answer.keep()

    def _v2_checksum(self) -> str | None:
        """What the server says is the checksum of its index; None where it does not say."""
        with suppress(MissingError, RefusedError, WrongContentError):
            answer = self._copy.latest(f"{self._folder}{V2_CHECKSUM}", MAX_CHECKSUM, patient=self._patient)
            text = answer.file.read_text(errors="replace").strip()
            answer.drop()
            if CHECKSUM.fullmatch(text):
                return text
        return None

    def _check(self, file: Path) -> None:
        """Removes what is no index, such as a page that asks for a password; then raises WrongContentError."""
        try:
            check_index(str(file))
        except DatabaseError as error:
            file.unlink(missing_ok=True)
            where = shown(f"{self._copy.url}/{self.path}")
            raise WrongContentError(f"{where} is no index of a build cache: {visible(str(error))}") from None


def _index_blob(manifest: Path) -> Blob | None:
    """The index that a manifest names; None where that is none, or not there."""
    with suppress(OSError, ValueError):
        return read_manifest(manifest.read_bytes()).of_type(INDEX_TYPE)
    return None

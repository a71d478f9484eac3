"""The index of a build cache on a server, brought into the local copy: layout v3, layout v2, or both.

A manifest takes its place only once the blob that it names is there, so the copy is always one that can be read. An
index that is pushed meanwhile is asked for once more.
Input: a copy, and the folder of the build cache within it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from threading import Thread

from msgspec import Struct

from cachetui.sources.buildcache.fetch.address import shown
from cachetui.sources.buildcache.fetch.copies import CHECKSUM, Copy, LatestFile
from cachetui.sources.buildcache.fetch.errors import AwayError, FetchError, MissingError, WrongContentError
from cachetui.sources.buildcache.manifests import INDEX_TYPE, Blob, read_manifest

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


def bring_index(copy: Copy, folder: str, layouts: Sequence[str] = (V3_INDEX, V2_INDEX)) -> Outcome:
    """Brings the indexes of these layouts into the copy, as the server has them now.

    `folder` is empty or has `/` at its end. Where the server is away, what is there stays. Raises MissingError where
    the server has none of them, and else as `Copy.latest` does; then the copy is as it was.
    """
    patient = not any(copy.local.fetched(f"{folder}{layout}") for layout in layouts)
    attempts = [_Attempt(copy, folder, layout, patient=patient) for layout in layouts]
    # side by side, so that both take one round trip
    others = [Thread(target=attempt.run, daemon=True) for attempt in attempts[1:]]
    for other in others:
        other.start()
    attempts[0].run()
    for other in others:
        other.join()
    return _outcome(copy, folder, attempts)


def _outcome(copy: Copy, folder: str, attempts: Sequence[_Attempt]) -> Outcome:
    errors = [attempt.error for attempt in attempts if attempt.error]
    for error in errors:
        if not isinstance(error, MissingError | AwayError):
            raise error
    there = [attempt.asked for attempt in attempts if attempt.asked is not None]
    if there:
        for attempt in attempts:
            if isinstance(attempt.error, MissingError) and not attempt.error.may_be_there:
                copy.local.remove(f"{folder}{attempt.layout}")
        return Outcome(min(there))
    layouts = [attempt.layout for attempt in attempts]
    refused = [error for error in errors if not isinstance(error, MissingError) or error.may_be_there]
    if refused or not errors:
        raise refused[0] if refused else FetchError(f"{shown(copy.url)} was not asked")
    where = shown(f"{copy.url}/{folder}".rstrip("/"))
    neither, nor = ("neither ", " nor ") if len(layouts) > 1 else ("no ", "")
    raise MissingError(f"{where} is no build cache: it has {neither}{nor.join(layouts)}")


class _Attempt:
    """Brings the index of one layout, and keeps what went wrong."""

    def __init__(self, copy: Copy, folder: str, layout: str, *, patient: bool) -> None:
        self.layout = layout
        self.asked: float | None = None
        self.error: Exception | None = None
        self._copy = copy
        self._folder = folder
        self._patient = patient

    def run(self) -> None:
        try:
            if self.layout == V2_INDEX:
                answer = _bring_v2(self._copy, self._folder, patient=self._patient)
            else:
                answer = _bring_v3(self._copy, self._folder, self.layout, patient=self._patient)
            self.asked = answer.asked
        except Exception as error:  # raised by the one who waits for all; Ctrl+C ends that one at once
            self.error = error


def _bring_v3(copy: Copy, folder: str, manifest: str, *, patient: bool) -> LatestFile:
    path = f"{folder}{manifest}"
    answer = copy.latest(path, MAX_MANIFEST, patient=patient)
    try:
        blob = _bring_blob(copy, folder, path, answer)
    except AwayError as error:
        answer.drop()
        before = copy.there(path)
        if before is None:
            raise
        copy.away = str(error)
        return before
    except (MissingError, WrongContentError) as error:
        answer.drop()
        # pushed meanwhile, perhaps: then the manifest is another one by now
        answer, checksum = copy.latest(path, MAX_MANIFEST, anew=True), answer.checksum
        if answer.checksum == checksum:
            answer.drop()
            raise error
        blob = _bring_blob(copy, folder, path, answer)
    except BaseException:
        answer.drop()
        raise
    replaced = _index_blob_there(copy, path)
    answer.keep()
    if replaced is not None and replaced.path and replaced.path != blob.path:
        copy.local.remove(f"{folder}{replaced.path}")
    return answer


def _bring_blob(copy: Copy, folder: str, path: str, answer: LatestFile) -> Blob:
    """The index that a manifest names."""
    blob = _index_blob(answer.file.read_bytes())
    if blob is None or blob.path is None or not 0 <= blob.content_length <= MAX_INDEX:
        raise WrongContentError(f"{shown(f'{copy.url}/{path}')} is no manifest of an index")
    copy.blob(folder, blob.checksum, blob.content_length)
    return blob


def _index_blob_there(copy: Copy, path: str) -> Blob | None:
    """The index that the copy has so far."""
    with suppress(OSError):
        return _index_blob(copy.local.place(path).read_bytes())
    return None


def _index_blob(manifest: bytes) -> Blob | None:
    with suppress(ValueError):
        return read_manifest(manifest).of_type(INDEX_TYPE)
    return None


def _bring_v2(copy: Copy, folder: str, *, patient: bool) -> LatestFile:
    path = f"{folder}{V2_INDEX}"
    known = copy.local.fetched(path)
    if known and not known.validators.condition and _v2_checksum(copy, folder) == known.checksum:
        answer = copy.there(path, confirmed=True)
        if answer is not None:
            answer.keep()
            return answer
    answer = copy.latest(path, MAX_INDEX, patient=patient)
    answer.keep()
    return answer


def _v2_checksum(copy: Copy, folder: str) -> str | None:
    """What the server says is the checksum of its index; None where it does not say."""
    with suppress(FetchError):
        text = copy.latest(f"{folder}{V2_CHECKSUM}", MAX_CHECKSUM).keep().read_text(errors="replace").strip()
        if CHECKSUM.fullmatch(text):
            return text
    return None

"""Download the index of a build cache to the local copy, in layout v3, layout v2, or both.

A new index is checked before it replaces the old index. A new manifest replaces the old manifest only after the
download of its blob. So the copy is readable at any time. If somebody pushes a new index during the download, the
manifest is requested a second time.
Input: a local copy, and the folder of the build cache in the copy.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

from msgspec import Struct

from cachetui.debug_log import log
from cachetui.safe_text import visible
from cachetui.sources.buildcache.index_document import MAX_INDEX_BYTES, check_index
from cachetui.sources.buildcache.layouts import V2_INDEX, V3_INDEX
from cachetui.sources.buildcache.manifests import INDEX_TYPE, MAX_MANIFEST_BYTES, Blob, read_manifest
from cachetui.sources.transport.address import is_repository, shown
from cachetui.sources.transport.cache import Copy
from cachetui.sources.transport.errors import (
    FetchError,
    MissingError,
    RefusedError,
    WrongContentError,
)


class OldCopy(Struct, frozen=True):
    """A local copy of a build cache that may be out of date."""

    confirmed: float
    """When the server last confirmed the copy, in seconds since the epoch."""
    why: FetchError
    """The reason why the server did not confirm the copy now."""


def bring_index(
    copy: Copy,
    folder: str,
    layouts: Sequence[str] = (V3_INDEX, V2_INDEX),
    until: float = math.inf,
    check: Callable[[str], None] = check_index,
) -> list[OldCopy]:
    """Update the indexes in the local copy. Return the reasons why the copy may be out of date.

    `folder` is the path of the build cache in the copy: empty, or with `/` at the end. `check` raises ValueError if a
    file is not an index. If there is already a copy, the update stops at the time `until` (on the monotonic clock).
    After any error, an existing copy stays unchanged. Raises MissingError if the server has no index. Raises FetchError
    if the update fails without an earlier copy. Also raises Interrupted.
    """
    paths = [f"{folder}{layout}" for layout in layouts]
    is_there = any(copy.confirmed(path) is not None for path in paths)
    is_listed = copy.confirmed(f"{folder}{V2_INDEX}") is not None  # an index made from image tags
    until = until if is_there or is_listed else math.inf

    def bring(path: str) -> FetchError | None:
        try:
            if path.endswith(V2_INDEX):
                copy.bring(path, MAX_INDEX_BYTES, partial(_check, copy, path, check), until=until)
            else:
                _bring_v3(copy, folder, path, until, check)
        except FetchError as error:
            return error
        return None

    with ThreadPoolExecutor(len(paths)) as pool:  # both requests in one round trip
        errors = dict(zip(paths, pool.map(bring, paths), strict=True))
    return _settled(copy, folder, errors, is_there=is_there)


def _settled(copy: Copy, folder: str, errors: Mapping[str, FetchError | None], *, is_there: bool) -> list[OldCopy]:
    """Return the result of `bring_index`, or raise its error.

    `errors` maps each requested path to an error, or to None for a successful request. `is_there` means that the copy
    had an index before the requests.
    """
    where = shown(f"{copy.url}/{folder}".rstrip("/"))
    there = {path: confirmed for path in errors if (confirmed := copy.confirmed(path)) is not None}
    fresh = [path for path, error in errors.items() if error is None]
    gone = [path for path, error in errors.items() if isinstance(error, MissingError)]
    # a bucket may deny access to a missing file; in this case the other layout is enough
    failed = [
        error
        for path, error in errors.items()
        if error and path not in gone and not (isinstance(error, RefusedError) and fresh and path not in there)
    ]
    if failed and is_there and there:
        log(f"local copy of {where}: used, because {failed[0]}")
        return [OldCopy(min(there.values()), failed[0])]
    if fresh:  # if a layout failed, do not keep half a build cache
        for path in fresh if failed else gone:
            copy.remove(path)
    if failed:
        if isinstance(failed[0], WrongContentError):
            raise WrongContentError(f"the index of {where} cannot be read: {failed[0]}")
        raise failed[0]
    if not fresh and is_repository(copy.url) and (error := errors[gone[0]]):
        raise type(error)(f"{where}: {error}")
    if not fresh:
        needed = " or ".join(path[len(folder) :] for path in errors)
        raise MissingError(f"{where} is not a build cache: found no {needed}")
    return []


def _bring_v3(copy: Copy, folder: str, path: str, until: float, check: Callable[[str], None]) -> None:
    """Download the index that the manifest at `path` refers to, then update the manifest."""
    before = _index_blob(copy.place(path))

    def bring_blob(manifest: Path) -> None:
        blob, url = _index_blob(manifest), shown(f"{copy.url}/{path}")
        if blob is None or blob.path is None or not 0 <= blob.content_length <= MAX_INDEX_BYTES:
            what = "its tag index.spack" if is_repository(copy.url) else url
            how = "to write an index, run spack buildcache update-index"
            raise WrongContentError(f"{what} is not the manifest of an index: {how}")
        accept = partial(_check, copy, path, check)
        try:
            copy.bring(f"{folder}{blob.path}", blob.content_length, accept, checksum=blob.checksum, until=until)
        except (MissingError, RefusedError) as error:
            raise WrongContentError(f"the index in {url} cannot be downloaded: {error}") from None

    try:
        copy.bring(path, MAX_MANIFEST_BYTES, bring_blob, until=until)
    except WrongContentError:  # a new index may have been pushed meanwhile, with a new manifest
        if is_repository(copy.url):
            raise  # a registry keeps the blobs of old manifests, and may count each request
        copy.bring(path, MAX_MANIFEST_BYTES, bring_blob, until=until)
    now = _index_blob(copy.place(path))
    if before and before.path and now and now.path != before.path:
        copy.remove(f"{folder}{before.path}")


def _check(copy: Copy, path: str, check: Callable[[str], None], file: Path) -> None:
    """Raise WrongContentError if a file is not an index, for example a login page."""
    try:
        check(str(file))
    except ValueError as error:
        where = shown(f"{copy.url}/{path}")
        raise WrongContentError(f"{where} is not the index of a build cache: {visible(str(error))}") from None


def _index_blob(manifest: Path) -> Blob | None:
    """Return the index blob in a manifest. None if the file cannot be read, or is not the manifest of an index."""
    with suppress(OSError, ValueError):
        return read_manifest(manifest.read_bytes()).of_type(INDEX_TYPE)
    return None

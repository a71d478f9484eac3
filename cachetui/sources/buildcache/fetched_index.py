"""The index of a build cache on a server, brought into the local copy: layout v3, layout v2, or both.

What comes is parsed before it takes the place of what was there, a manifest only once the blob that it names is there
too: so the copy is always one that can be read. An index that is pushed meanwhile is asked for once more.
Input: a copy, and the folder of the build cache within it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

from msgspec import Struct

from cachetui.safe_text import visible
from cachetui.sources.buildcache.index_document import MAX_INDEX, check_index
from cachetui.sources.buildcache.manifests import INDEX_TYPE, MAX_MANIFEST, Blob, read_manifest
from cachetui.sources.transport.address import shown
from cachetui.sources.transport.cache import Copy
from cachetui.sources.transport.errors import FetchError, MissingError, RefusedError, WrongContentError

V3_INDEX = "v3/manifests/index/index.manifest.json"
V2_INDEX = "build_cache/index.json"


def view_index(view: str) -> str:
    """Return the manifest of a view of a build cache; only layout v3 has views."""
    return f"v3/manifests/index/{view}/index.manifest.json"


class Old(Struct, frozen=True):
    """A copy of a build cache that may be old."""

    asked: float
    """When the server last said that it is the newest, in seconds since the epoch."""
    why: FetchError
    """Why the server does not say so now."""


def bring_index(
    copy: Copy, folder: str, layouts: Sequence[str] = (V3_INDEX, V2_INDEX), until: float = math.inf
) -> list[Old]:
    """Bring the indexes of these layouts into the copy, as the server has them now; return it where it may be old.

    `folder` is empty or has `/` at its end. Whatever goes wrong, what is in the copy stays and is good enough; then
    `until` is as in `Copy.bring`. Raises MissingError where the server says that there is none of them, and without a
    copy as `Copy.bring` does.
    """
    paths = [f"{folder}{layout}" for layout in layouts]
    is_there = any(copy.asked(path) is not None for path in paths)
    until = until if is_there else math.inf

    def bring(path: str) -> FetchError | None:
        try:
            if path.endswith(V2_INDEX):
                copy.bring(path, MAX_INDEX, partial(_check, copy, path), until=until)
            else:
                _bring_v3(copy, folder, path, until)
        except FetchError as error:
            return error
        return None

    with ThreadPoolExecutor(len(paths)) as pool:  # side by side, so that both take one round trip
        errors = dict(zip(paths, pool.map(bring, paths), strict=True))
    return _settled(copy, folder, errors, is_there=is_there)


def _settled(copy: Copy, folder: str, errors: Mapping[str, FetchError | None], *, is_there: bool) -> list[Old]:
    """Settle what asking for each path gave; `is_there` says that the copy had an index before."""
    where = shown(f"{copy.url}/{folder}".rstrip("/"))
    there = {path: asked for path in errors if (asked := copy.asked(path)) is not None}
    fresh = [path for path, error in errors.items() if error is None]
    gone = [path for path, error in errors.items() if isinstance(error, MissingError)]
    # what is refused may not be there, as a bucket says it; then another layout is enough
    failed = [
        error
        for path, error in errors.items()
        if error and path not in gone and not (isinstance(error, RefusedError) and fresh and path not in there)
    ]
    if failed and is_there and there:
        return [Old(min(there.values()), failed[0])]
    for path in fresh if failed else gone if fresh else ():  # half a build cache is no copy
        copy.remove(path)
    if failed:
        if isinstance(failed[0], WrongContentError):
            raise WrongContentError(f"the index of {where} cannot be read: {failed[0]}")
        raise failed[0]
    if not fresh:
        neither, nor = ("neither ", " nor ") if len(errors) > 1 else ("no ", "")
        raise MissingError(
            f"{where} is no build cache: it has {neither}{nor.join(path[len(folder) :] for path in errors)}"
        )
    return []


def _bring_v3(copy: Copy, folder: str, path: str, until: float) -> None:
    """Bring a manifest, and before it takes its place the index that it names."""
    before = _index_blob(copy.place(path))

    def bring_blob(manifest: Path) -> None:
        blob, url = _index_blob(manifest), shown(f"{copy.url}/{path}")
        if blob is None or blob.path is None or not 0 <= blob.content_length <= MAX_INDEX:
            raise WrongContentError(f"{url} is no manifest of an index")
        check = partial(_check, copy, path)
        try:
            copy.bring(f"{folder}{blob.path}", blob.content_length, check, checksum=blob.checksum, until=until)
        except (MissingError, RefusedError) as error:
            raise WrongContentError(f"{url} names an index that does not come: {error}") from None

    try:
        copy.bring(path, MAX_MANIFEST, bring_blob, until=until)
    except WrongContentError:  # pushed meanwhile, perhaps: then the manifest is another one by now
        copy.bring(path, MAX_MANIFEST, bring_blob, until=until)
    now = _index_blob(copy.place(path))
    if before and before.path and now and now.path != before.path:
        copy.remove(f"{folder}{before.path}")


def _check(copy: Copy, path: str, file: Path) -> None:
    """Raise WrongContentError for what is no index, such as a page that asks for a password."""
    try:
        check_index(str(file))
    except ValueError as error:
        where = shown(f"{copy.url}/{path}")
        raise WrongContentError(f"{where} is no index of a build cache: {visible(str(error))}") from None


def _index_blob(manifest: Path) -> Blob | None:
    """Return the index that a manifest names; None where that is none, or not there."""
    with suppress(OSError, ValueError):
        return read_manifest(manifest.read_bytes()).of_type(INDEX_TYPE)
    return None

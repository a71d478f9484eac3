"""List one folder of the content: subfolders, sidecar files, and files that may be pages.

Files are recognized by name and type, and are not opened. All other files are ignored.
Input: any folder.
"""

import os
import re
import time
from collections.abc import Iterator, Sequence

from msgspec import Struct

from cachetui.model.problem import UNREAD, Problem
from cachetui.sources.buildcache import layouts
from cachetui.store.columns import SegmentBuilder
from cachetui.store.mtimes import UNREAD_MTIMES, Mtimes, mtimes_of

SUFFIXES = (".md", ".markdown", ".txt")
"""The file name extensions of pages. In file names they may be in lower or upper case."""

SIDECAR = re.compile(r"spec-[0-9]+\.json")


class Listing(Struct, frozen=True):
    """The entries of one folder. Paths are relative to the content folder; the paths of folders end in `/`."""

    mtimes: Mtimes
    pages: tuple[str, ...]
    """The paths of files that may be pages."""
    sidecars: tuple[str, ...]
    folders: tuple[str, ...]
    problems: tuple[Problem, ...]
    holds_cache: bool = False
    """Whether the folder contains files of a build cache."""


def list_folder(root: str, folder: str) -> Listing:
    """Return the entries of a folder, sorted. The content folder is `""`. Raises OSError."""
    path = f"{root}/{folder}"
    mtimes = mtimes_of(0, os.stat(path), time.time_ns())
    pages: list[str] = []
    sidecars: list[str] = []
    folders: list[str] = []
    links: list[str] = []
    holds_cache = False
    with os.scandir(path) as entries:
        for entry in entries:
            name = entry.name
            if name.lower().endswith(SUFFIXES) and (entry.is_file(follow_symlinks=False) or _is_linked_page(entry)):
                pages.append(folder + name)
            elif name in layouts.NAMES and layouts.is_cache_folder(entry.path):
                holds_cache = True
            elif name == ".git":
                continue
            elif entry.is_dir(follow_symlinks=False):
                folders.append(f"{folder}{name}/")
            elif entry.is_symlink() and os.path.isdir(entry.path):
                links.append(f"{folder}{name}/")
            elif SIDECAR.fullmatch(name):
                sidecars.append(folder + name)
    followed, problems = _followed(root, folder, sorted(links)) if links else ([], ())
    return Listing(
        mtimes, tuple(sorted(pages)), tuple(sorted(sidecars)), tuple(sorted(folders + followed)), problems, holds_cache
    )


def listed(root: str, folder: str) -> Listing | OSError:
    """Return the entries of a folder like `list_folder`, but return an OSError instead of raising it."""
    try:
        return list_folder(root, folder)
    except OSError as error:
        return error


def caches_below(root: str, folder: str) -> Iterator[str]:
    """Yield each build cache in `folder` and in all its subfolders. `folder` itself may be a build cache.

    Symbolic links to folders are followed like in `list_folder`.
    """
    pending = [folder]
    while pending:
        listing = listed(root, path := pending.pop())
        if isinstance(listing, Listing):
            pending += listing.folders
            if listing.holds_cache:
                yield path


def _is_linked_page(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a symbolic link to a file, or a broken link whose name does not begin with a dot."""
    is_lost = not entry.name.startswith(".") and not os.path.exists(entry.path)
    return entry.is_symlink() and (is_lost or os.path.isfile(entry.path))


def _followed(root: str, folder: str, links: Sequence[str]) -> tuple[list[str], tuple[Problem, ...]]:
    """Select the links to folders that should be followed. Return these links, and the problems.

    The target of a link must be outside the content folder, and must not contain the content folder. Links inside a
    linked folder are reported as a problem and not followed, because folders that link to each other would be read
    endlessly.
    """
    home, here = os.path.realpath(root), os.path.realpath(f"{root}/{folder}")
    if here != os.path.normpath(f"{home}/{folder}"):
        names = ", ".join(link[len(folder) : -1] for link in links)
        return [], (Problem.of(folder, "link", f"links within a linked folder are not followed: {names}", "note"),)
    targets = {link: os.path.realpath(f"{root}/{link}") for link in links}
    return [link for link, target in targets.items() if not (_is_in(target, home) or _is_in(home, target))], ()


def _is_in(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder.rstrip('/')}/")


def unreadable(path: str, error: OSError) -> Problem:
    """Return the problem for an unreadable file or folder."""
    return Problem(path=path, kind=UNREAD, message=f"cannot be read: {error.strerror or error}")


def add_listing(builder: SegmentBuilder, folder: str, found: Listing | OSError) -> None:
    """Add the mtimes and problems of a listed folder to the builder.

    If the listing failed, add `UNREAD_MTIMES`, so that the next comparison lists the folder again.
    """
    if isinstance(found, OSError):
        builder.files[folder] = UNREAD_MTIMES
        builder.problems += [unreadable(folder, found)]
        return
    builder.files[folder] = found.mtimes
    builder.problems += found.problems
    if found.holds_cache:
        builder.caches.append(folder)

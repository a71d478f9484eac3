"""Find the install trees that a content means: a Spack checkout, a tree, its database, or an environment.

Input: a path that a user names.
"""

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress

from msgspec import Struct

from cachetui.model.installed import LOCAL
from cachetui.safe_text import visible
from cachetui.settings.settings import Settings
from cachetui.sources.files import read_file
from cachetui.sources.scopes.scopes import MAX_CONFIG_BYTES, is_spack, spack_of
from cachetui.sources.source import ContentError

DATABASE = ".spack-db"
INDEX = f"{DATABASE}/index.json"

ENVIRONMENT = ".spack-env"
"""The folder that Spack makes in an environment."""

PADDING = "__spack_path_placeholder___"
"""The name of the folders that pad the paths of a tree (`padded_length`), or a beginning of it."""


class InstalledTrees(Struct, frozen=True):
    """An install tree with all that belongs to it."""

    folder: str
    """The checkout, the environment or the tree that was opened."""
    trees: Mapping[str, str]
    """The tree of each stack, `local` first, then its upstreams in Spack's order."""
    files: tuple[str, ...] = ()
    """The files that say where these are."""
    environments: str = ""
    """The folder of the managed environments; empty for none."""
    environment: str = ""
    """The folder of the one environment that was opened; empty for none."""

    @property
    def label(self) -> str:
        """Its tag: the last part of its path before any padding."""
        parts = os.path.realpath(self.folder).split("/")
        return next((part for part in reversed(parts) if not PADDING.startswith(part)), "tree")


def is_installation(content: str) -> bool:
    """Return whether a path is an installation or an environment, by its contents."""
    return bool(_tree(content)) or is_spack(content) or os.path.isdir(f"{content}/{ENVIRONMENT}")


def is_environment_file(path: str) -> bool:
    """Return whether a path is a `spack.lock`, or by its sections a `spack.yaml` of any name."""
    with suppress(OSError, ValueError):
        _, text, _ = read_file(path, MAX_CONFIG_BYTES)
        return path.endswith(".lock") or re.search(rb"(?m)^[\"']?(spack|specs)[\"']?\s*:", text) is not None
    return False


def find_place(content: str, settings: Settings, upstreams: Iterable[str]) -> InstalledTrees:
    """Return the parts of an installation; `upstreams` are more of them, as NAME=PATH. Raises ContentError."""
    more = list(map(_named, upstreams))
    tree = _tree(content)
    if tree:
        return InstalledTrees(tree, _trees(tree, more))
    from cachetui.sources.scopes.scopes import Scopes  # late: most content has no configuration

    path = os.path.abspath(content)
    environment = "" if is_spack(path) else path
    root = spack_of(path, settings.environ)
    if not root:
        raise ContentError(f"the Spack of the environment {visible(content)} is unknown: set SPACK_ROOT")
    scopes = Scopes(root, settings, environment)
    return InstalledTrees(
        environment or root,
        _trees(scopes.tree, [*more, *scopes.upstreams.items()]),
        tuple(scopes.files),
        "" if environment else scopes.environments,
        environment,
    )


def _trees(local: str, upstreams: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Return the tree of each stack, without upstreams that repeat an earlier name or tree."""
    found: dict[str, str] = {}
    places: set[str] = set()
    for name, path in ((LOCAL, local), *upstreams):
        tree = _tree(path) or path
        place = os.path.realpath(tree)
        if name not in found and place not in places:
            places.add(place)
            found[name] = tree
    return found


def managed(folder: str) -> list[str]:
    """Return the names of the environments in a folder, sorted; in newer versions of Spack a name may have a `/`.

    Hidden folders and the inside of an environment are skipped. A link, and a folder that cannot be listed,
    count as environments, so that the user learns that they are unreadable.
    """
    found: list[str] = []
    above = [""] if folder else []
    while above:
        start = above.pop()
        try:
            entries = list(os.scandir(f"{folder}/{start}"))
        except OSError:
            found += [start[:-1]] if start else []
            continue
        for entry in entries:
            files = (f"{entry.path}/{name}" for name in ("spack.yaml", "spack.lock"))
            if entry.is_symlink() or any(map(os.path.lexists, files)):
                found.append(start + entry.name)
            elif entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                above.append(f"{start}{entry.name}/")
    return sorted(found)


def _tree(content: str) -> str:
    """Return the tree for a path of a tree, its database folder or its index; empty for any other path.

    Of a tree with padded paths the database may also be below the folders that pad them.
    """
    path = os.path.abspath(content)
    if os.path.isfile(path) and path.endswith(f"/{INDEX}"):
        path = os.path.dirname(path)
    if os.path.basename(path) == DATABASE and os.path.isdir(path):
        return os.path.dirname(path)
    while not os.path.isdir(f"{path}/{DATABASE}"):
        names = (PADDING[:length] for length in range(len(PADDING), 0, -1))
        path = next((below for name in names if os.path.isdir(below := f"{path}/{name}")), "")
        if not path:
            return ""
    return path


def _named(upstream: str) -> tuple[str, str]:
    name, equals, path = upstream.partition("=")
    if not (name and equals and path) or name == LOCAL:
        raise ContentError(
            f"--upstream cannot be {visible(upstream)}: write NAME=PATH, with the install tree of another Spack"
        )
    return name, os.path.abspath(os.path.expanduser(path))

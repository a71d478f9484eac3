"""Find the install trees and environments of a Spack installation.

Input: the path that the user opens: a Spack checkout, an install tree, a database or an environment.
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
"""The folder that Spack creates in an environment."""

PADDING = "__spack_path_placeholder___"
"""The name of the folders with which Spack pads the path of a tree (`padded_length`).

In the last of these folders, the end of the name may be missing.
"""


class InstalledTrees(Struct, frozen=True):
    """The install trees and environments of one installation."""

    folder: str
    """The opened folder: a checkout, an environment or an install tree."""
    trees: Mapping[str, str]
    """The path of the install tree of each stack: `local` first, then the upstreams in Spack's order."""
    files: tuple[str, ...] = ()
    """The configuration files that contain the paths of trees and environments."""
    environments: str = ""
    """The folder of the managed environments; may be empty."""
    environment: str = ""
    """The folder of the opened environment. Empty for a checkout or a tree."""

    @property
    def label(self) -> str:
        """The tag of the installation: the last component of the path that is not a padding folder."""
        parts = os.path.realpath(self.folder).split("/")
        return next((part for part in reversed(parts) if not PADDING.startswith(part)), "tree")


def is_installation(content: str) -> bool:
    """Return whether a path is an installation or an environment, according to the files inside."""
    return bool(_tree(content)) or is_spack(content) or os.path.isdir(f"{content}/{ENVIRONMENT}")


def is_environment_file(path: str) -> bool:
    """Return whether a file describes an environment.

    This is the case if its name ends in `.lock`, or if it contains the sections of a `spack.yaml`.
    """
    with suppress(OSError, ValueError):
        _, text, _ = read_file(path, MAX_CONFIG_BYTES)
        return path.endswith(".lock") or re.search(rb"(?m)^[\"']?(spack|specs)[\"']?\s*:", text) is not None
    return False


def find_trees(content: str, settings: Settings, upstreams: Iterable[str]) -> InstalledTrees:
    """Return the trees and environments of an installation. `upstreams` are additional trees, written NAME=PATH.

    Raises ContentError.
    """
    more = list(map(_named, upstreams))
    tree = _tree(content)
    if tree:
        return InstalledTrees(tree, _trees(tree, more))
    from cachetui.sources.scopes.scopes import Scopes  # late: rarely needed, because most contents lack a configuration

    path = os.path.abspath(content)
    environment = "" if is_spack(path) else path
    root = spack_of(path, settings.environ)
    if not root:
        raise ContentError(f"no Spack found for the environment {visible(content)}: set SPACK_ROOT to a Spack checkout")
    scopes = Scopes(root, settings, environment)
    return InstalledTrees(
        environment or root,
        _trees(scopes.tree, [*more, *scopes.upstreams.items()]),
        tuple(scopes.files),
        "" if environment else scopes.environments,
        environment,
    )


def _trees(local: str, upstreams: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Map each stack to the path of its tree. The local tree comes first, followed by the upstreams.

    `upstreams` contains pairs of name and path. Skip an upstream with the same name or path as an earlier tree.
    """
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
    """Return the sorted names of the environments in a folder. In newer versions of Spack, a name may contain `/`.

    Hidden folders and the folders inside an environment are skipped. The result includes links and unreadable folders,
    because they may be environments, too.
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
    """Return the install tree to which a path belongs, or an empty string.

    The path may be the tree itself, its database folder or its `index.json`. In a padded tree, the database may be
    inside the padding folders.
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

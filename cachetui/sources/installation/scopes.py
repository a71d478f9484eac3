"""Spack's configuration, as far as it says where things are: install tree, upstreams, mirrors, environments.

Scopes are folders of YAML files; a stronger scope replaces what a weaker one says (docs of Spack, configuration.rst).
What they `include:`, folders of a scope for one platform, and scopes of Spack's command line are not read.
Input: the folder of a Spack checkout, and the environment.
"""

from __future__ import annotations

import os
import pwd
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any

from cachetui.safe_text import visible
from cachetui.sources.files import load
from cachetui.sources.installation.database import is_path
from cachetui.sources.source import ContentError
from cachetui.sources.yaml_data import read_yaml

MAX_SIZE = 2**20
"""Most bytes of a file of the configuration."""

FILES = ("config.yaml", "upstreams.yaml")
"""The files that say where trees are."""

_VERSION = re.compile(rb'(?:spack_version|__version__) = "(\d{1,9})\.(\d{1,9})')

_PADDING = re.compile(r"\$padding(?::\d+)?|\$\{padding(?::\d+)?\}")
"""How an install tree is padded up to 0.15."""


class Scopes:
    """The scopes of one Spack, from the weakest to the strongest."""

    def __init__(self, root: str, environ: Mapping[str, str], environment: str = "") -> None:
        """`environment` is the folder of an environment, whose `spack.yaml` is the strongest scope."""
        self.root = root
        self._environ = environ
        self._environment = environment
        self.folders = list(self._folders())

    def _folders(self) -> Iterator[str]:
        local = "SPACK_DISABLE_LOCAL_CONFIG" not in self._environ
        own, user = f"{self.root}/etc/spack", self._environ.get("SPACK_USER_CONFIG_PATH") or "~/.spack"
        yield from (f"{own}/defaults/base", f"{own}/defaults")
        if local:
            yield self._environ.get("SPACK_SYSTEM_CONFIG_PATH") or "/etc/spack"
        # since 1.1 the folder above `site` is a scope of its own
        is_layered = _version(self.root) >= (1, 1)
        yield f"{own}/site" if is_layered else own
        if local:
            yield self.expanded(user, self.root)
        if is_layered:
            yield own

    @property
    def files(self) -> list[str]:
        """The files that say where trees are, there or not."""
        return [f"{folder}/{name}" for folder in self.folders for name in FILES]

    @property
    def tree(self) -> str:
        """The install tree, without the folders that pad it."""
        for folder, config in self._sections("config"):
            written = config.get("install_tree")
            found = written.get("root") if isinstance(written, dict) else written
            if isinstance(found, str) and found:
                return self.expanded(_PADDING.sub("", found), folder)
        return f"{self.root}/opt/spack"

    @property
    def upstreams(self) -> dict[str, str]:
        """The install tree of each upstream by name, in Spack's order: those of the strongest scope first.

        In 2019 they stood below `config:`.
        """
        found: dict[str, str] = {}
        older = ((folder, config.get("upstreams")) for folder, config in self._sections("config"))
        for folder, section in chain(self._sections("upstreams"), older):
            for name, entry in section.items() if isinstance(section, dict) else ():
                tree = entry.get("install_tree") if isinstance(entry, dict) else None
                if isinstance(tree, str):
                    found.setdefault(str(name).removesuffix(":"), self.expanded(tree, folder))
        return found

    @property
    def environments(self) -> str:
        """The folder of the managed environments."""
        for folder, config in self._sections("config"):
            if isinstance(config.get("environments_root"), str):
                return self.expanded(config["environments_root"], folder)
        return f"{self.root}/var/spack/environments"

    @property
    def mirror_files(self) -> list[str]:
        """Each `mirrors.yaml` that is there, of the strongest scope first; those of Spack's defaults hold sources."""
        _, _, *folders = self.folders
        return list(filter(os.path.isfile, (f"{folder}/mirrors.yaml" for folder in reversed(folders))))

    def _sections(self, key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the folder of each scope, the strongest first, with what it says under a key.

        With `key::` a scope says that the weaker ones do not count. Raises ContentError for a file that cannot be read.
        """
        environments = [self._environment] if self._environment else []
        own = (
            (folder, found)
            for folder in environments
            if isinstance(found := _document(f"{folder}/spack.yaml").get("spack"), dict)
        )
        files = ((folder, _document(f"{folder}/{key}.yaml")) for folder in reversed(self.folders))
        for folder, document in chain(own, files):
            section = document.get(f"{key}:", document.get(key))
            if isinstance(section, dict):
                yield folder, {str(name).removesuffix(":"): value for name, value in section.items()}
            if f"{key}:" in document:
                return

    def expanded(self, path: str, folder: str) -> str:
        """Return a path that a file in a folder names, with its variables written out; raises ContentError."""
        values = {
            "spack": self.root,
            "user": _user(),
            "tempdir": tempfile.gettempdir(),
            "user_cache_path": self._environ.get("SPACK_USER_CACHE_PATH") or os.path.expanduser("~/.spack"),
        }
        if self._environment:
            values["env"] = self._environment

        def value(found: re.Match[str]) -> str:
            name = found[1] or found[2]
            return values.get(name.lower()) or self._environ.get(name, found[0])

        written = re.sub(r"\$(?:\{(\w+)\}|(\w+))", value, path)
        found = os.path.normpath(os.path.join(folder, os.path.expanduser(written)))
        if not is_path(found):
            raise ContentError(f"{visible(folder)}: its configuration names a path that cannot be one: {visible(path)}")
        return found


def _version(root: str) -> tuple[int, int]:
    """Return the first two numbers of the version of a checkout; zeros where they cannot be read."""
    with suppress(OSError):
        if found := _VERSION.search(load(root, "lib/spack/spack/__init__.py", MAX_SIZE)[1]):
            return int(found[1]), int(found[2])
    return 0, 0


def _user() -> str:
    """Return the name of the user, or the number where the system has no name for it."""
    with suppress(KeyError):
        return pwd.getpwuid(os.geteuid()).pw_name
    return str(os.geteuid())


def _document(path: str) -> Mapping[str, Any]:
    """Return the map in a file; empty where there is no such file, or no map in it. Raises ContentError."""
    try:
        document = read_yaml(load(*os.path.split(path), MAX_SIZE)[1])
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ContentError(f"{visible(path)} cannot be read: {visible(str(error))}") from None
    return document if isinstance(document, dict) else {}

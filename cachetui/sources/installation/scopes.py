"""Spack's configuration, as far as it says where things are: install tree, upstreams, mirrors, environments.

Scopes are folders of YAML files; a stronger scope replaces what a weaker one says (docs of Spack, configuration.rst).
Input: the folder of a Spack checkout, and the environment.
"""

from __future__ import annotations

import getpass
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from cachetui.safe_text import visible
from cachetui.sources.files import load
from cachetui.sources.source import ContentError
from cachetui.sources.yaml_data import read_yaml

MAX_SIZE = 2**20
"""Most bytes of a file of the configuration."""

FILES = ("config.yaml", "upstreams.yaml")
"""The files that say where trees are."""

_VERSION = re.compile(rb'(?:spack_version|__version__) = "(\d+)\.(\d+)')


class Scopes:
    """The scopes of one Spack, from the weakest to the strongest."""

    def __init__(self, root: str, environ: Mapping[str, str], environment: str = "") -> None:
        """`environment` is the folder of an environment, whose `spack.yaml` is the strongest scope."""
        self.root = root
        self._environ = environ
        self._environment = environment
        self.folders = list(self._folders())

    def _folders(self) -> Iterator[str]:
        local = not self._environ.get("SPACK_DISABLE_LOCAL_CONFIG")
        own, user = f"{self.root}/etc/spack", self._environ.get("SPACK_USER_CONFIG_PATH") or "~/.spack"
        if local:
            yield self._environ.get("SPACK_SYSTEM_CONFIG_PATH") or "/etc/spack"
        yield f"{own}/site" if self._is_layered else own
        if local:
            yield self.expanded(user)
        if self._is_layered:  # since 1.1 the folder above `site` is a scope of its own
            yield own

    @property
    def _is_layered(self) -> bool:
        with suppress(OSError):
            found = _VERSION.search(load(self.root, "lib/spack/spack/__init__.py", MAX_SIZE)[1])
            return found is not None and (int(found[1]), int(found[2])) >= (1, 1)
        return False

    @property
    def files(self) -> list[str]:
        """The files that say where trees are, there or not."""
        return [f"{folder}/{name}" for folder in self.folders for name in FILES]

    @property
    def tree(self) -> str:
        """The install tree."""
        for config in reversed(self._sections("config")):
            written = config.get("install_tree")
            found = written.get("root") if isinstance(written, dict) else written
            if isinstance(found, str) and found:
                return self.expanded(found)
        return f"{self.root}/opt/spack"

    @property
    def upstreams(self) -> dict[str, str]:
        """The install tree of each upstream by name, in Spack's order: those of the strongest scope first."""
        found: dict[str, str] = {}
        for section in reversed(self._sections("upstreams")):
            for name, entry in section.items():
                tree = entry.get("install_tree") if isinstance(entry, dict) else None
                if isinstance(tree, str):
                    found.setdefault(str(name).removesuffix(":"), self.expanded(tree))
        return found

    @property
    def environments(self) -> str:
        """The folder of the managed environments."""
        for config in reversed(self._sections("config")):
            if isinstance(config.get("environments_root"), str):
                return self.expanded(config["environments_root"])
        return f"{self.root}/var/spack/environments"

    @property
    def mirror_files(self) -> list[str]:
        """Each `mirrors.yaml` that is there, of the strongest scope first."""
        return list(filter(os.path.isfile, (f"{folder}/mirrors.yaml" for folder in reversed(self.folders))))

    def _sections(self, key: str) -> list[Mapping[str, Any]]:
        """Return what each scope says under a key; raises ContentError for a file that cannot be read."""
        found = [_section(f"{folder}/{key}.yaml", key) for folder in self.folders]
        if self._environment:
            spack = _section(f"{self._environment}/spack.yaml", "spack")
            found.append(spack.get(key, {}))
        return [section for section in found if isinstance(section, dict)]

    def expanded(self, path: str) -> str:
        """Return a path of the configuration with its variables written out."""
        values = {
            **self._environ,
            "spack": self.root,
            "user": self._environ.get("USER") or getpass.getuser(),
            "tempdir": tempfile.gettempdir(),
            "user_cache_path": self._environ.get("SPACK_USER_CACHE_PATH") or os.path.expanduser("~/.spack"),
            "env": self._environment,
        }
        written = re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda found: values.get(found[1] or found[2], found[0]), path)
        return os.path.normpath(os.path.join(self._environment or self.root, os.path.expanduser(written)))


def _section(path: str, key: str) -> Mapping[str, Any]:
    """Return what a file says under a key, also as `key::`; empty where there is no such file."""
    try:
        document = read_yaml(load(*os.path.split(path), MAX_SIZE)[1])
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ContentError(f"{visible(path)} cannot be read: {visible(str(error))}") from None
    section = document.get(key, document.get(f"{key}:")) if isinstance(document, dict) else None
    return section if isinstance(section, dict) else {}

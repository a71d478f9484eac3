"""Spack's configuration: the sections that its scopes make together.

A scope is a folder with a YAML file for each section, or one file with several. A stronger scope wins key by key, and
its lists come first (see `merged`). Scopes of Spack's command line and includes over a network stay unread.
Input: the folder of a Spack checkout, the environment, and the manifest of a Spack environment.
"""

import os
import pwd
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any

from msgspec import Struct

from cachetui.model.budget import Budget
from cachetui.model.host import Host
from cachetui.model.targets import ancestors
from cachetui.safe_text import visible
from cachetui.settings.settings import Settings
from cachetui.sources.files import load
from cachetui.sources.scopes.conditions import holds
from cachetui.sources.source import ContentError
from cachetui.sources.yaml_data import MAX_DEPTH, MAX_VALUES, read_yaml

MAX_CONFIG_BYTES = 2**20
"""Maximum number of bytes of a file of the configuration."""

_VERSION = re.compile(rb'(?:spack_version|__version__) = "(\d{1,9})\.(\d{1,9})')

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")

_MAX_PATH_BYTES = 4096
"""Maximum number of bytes of a path, as on Linux."""

FILES = ("include.yaml", "config.yaml", "upstreams.yaml", "mirrors.yaml")
"""The files that say where scopes, trees and mirrors are."""

MAX_INCLUDED_FILES = 100
"""Maximum number of files and folders that scopes include."""

_PADDING = re.compile(r"\$padding(?::\d+)?|\$\{padding(?::\d+)?\}")
"""How an install tree is padded up to 0.15."""


def find_spack(environ: Mapping[str, str]) -> str:
    """Return the folder of this machine's Spack, which is not run; empty if there is none."""
    scripts = (os.path.realpath(f"{folder}/spack") for folder in environ.get("PATH", "").split(os.pathsep))
    above = (os.path.dirname(os.path.dirname(script)) for script in scripts)
    named = environ.get("SPACK_ROOT")
    return next(filter(is_spack, [os.path.abspath(named)] if named else above), "")


def is_spack(folder: str) -> bool:
    """Return whether a folder is a checkout of Spack."""
    return os.path.isfile(f"{folder}/bin/spack") and os.path.isdir(f"{folder}/lib/spack/spack")


def spack_of(path: str, environ: Mapping[str, str]) -> str:
    """Return the checkout that a path is, or is in, else that of this machine; empty if there is none."""
    above = os.path.abspath(path)
    while not is_spack(above):
        if above == os.path.dirname(above):
            return find_spack(environ)
        above = os.path.dirname(above)
    return above


def spack_version(root: str) -> tuple[int, int]:
    """Return the first two numbers of the version of a checkout; zeros where they cannot be read."""
    with suppress(OSError):
        if found := _VERSION.search(load(f"{root}/lib/spack/spack/__init__.py", MAX_CONFIG_BYTES)):
            return int(found[1]), int(found[2])
    return 0, 0


class Paths(Struct, frozen=True):
    """The meaning of paths in one configuration."""

    settings: Settings
    spack: str = ""
    """The checkout; empty for none."""
    environment: str = ""
    """The folder of the environment; empty for none."""

    def expanded(self, path: str, folder: str) -> str:
        """Return a path that a file in a folder names, without variables; raises ContentError."""
        written = _VARIABLE.sub(self._value, path)
        found = os.path.normpath(os.path.join(folder, os.path.expanduser(written)))
        if "\0" in found or len(os.fsencode(found)) >= _MAX_PATH_BYTES:
            what = "with a zero byte" if "\0" in found else "that is too long"
            raise ContentError(f"the configuration in {visible(folder)} has a path {what}: {visible(path)}")
        return found

    def _value(self, found: re.Match[str]) -> str:
        """Return the value of a variable: first Spack's own, then those of the process; an unknown one stays."""
        name = found[1] or found[2]
        return self._spacks(name.lower()) or self.settings.environ.get(name, found[0])

    def _spacks(self, name: str) -> str | None:
        """Return the value of a variable of Spack's own; None for any other name, and for an unknown value."""
        match name:
            case "spack":
                return self.spack
            case "user":
                return user_name()
            case "tempdir":
                return tempfile.gettempdir()
            case "user_cache_path":
                return self.settings.environ.get("SPACK_USER_CACHE_PATH") or os.path.expanduser("~/.spack")
            case "date":
                return date.today().isoformat()
            case "env":
                return self.environment
            case "platform" | "os" | "operating_system" | "target" | "arch" | "architecture":
                host = self.settings.host()
                return str(getattr(host, {"operating_system": "os"}.get(name, name), host) or "") or None
            case "target_family":
                known = ancestors(self.settings.host().target) or ()
                return next((each for each in known if ancestors(each) == frozenset({each})), None)
            case "spack_short_version":
                return ".".join(map(str, spack_version(self.spack)))
        return None


def user_name() -> str:
    """Return the name of the user, or the number where the system has no name for it."""
    with suppress(KeyError):
        return pwd.getpwuid(os.geteuid()).pw_name
    return str(os.geteuid())


class ConfigText(str):
    """A text of the configuration, with the folder of its file, which relative paths start at."""

    folder: str


class Scope(Struct, frozen=True):
    """One scope."""

    folder: str
    """The folder of its files."""
    document: Mapping[str, Any] | None = None
    """The sections of a file; None for a folder, which has a file for each."""
    path: str = ""
    """The file; empty for a folder."""
    is_default: bool = False
    """Whether it is one of Spack's own defaults."""

    def section(self, name: str) -> Mapping[str, Any]:
        """Return its value for a section: a mapping with the section's key, perhaps with a colon, or an empty one."""
        document = read_document(f"{self.folder}/{name}.yaml") if self.document is None else self.document
        return {key: document[key] for key in (name, f"{name}:") if key in document}


class Scopes:
    """The scopes of one Spack, or without one those of the user and the system."""

    def __init__(
        self,
        root: str,
        settings: Settings,
        environment: str = "",
        manifest: Mapping[str, Any] | None = None,
    ) -> None:
        """`environment` is the folder of an environment, whose `manifest`, by default its file, is strongest."""
        self.root = root
        self.paths = Paths(settings, root, environment)
        self.locks: list[str] = []
        """The lock files that scopes include."""
        self.unread: dict[str, None] = {}
        """The includes that were not read, each with the reason."""
        self._seen: set[str] = set()
        if environment and manifest is None:
            written = read_document(f"{environment}/spack.yaml").get("spack")
            manifest = written if isinstance(written, dict) else {}
        file = f"{environment}/spack.yaml"
        own = [] if manifest is None else list(self._with_included(Scope(environment, manifest, file)))
        version = spack_version(root) if root else _LAYERED
        alone = manifest is not None and "include:" in manifest and not (0, 0) < version < _LAYERED
        self.own = tuple(own)
        """The scopes of the environment and its includes, the strongest first."""
        self.all = (*own, *(each for each in self._around(version) if each.is_default or not alone))
        """All scopes, the strongest first."""

    def _around(self, version: tuple[int, int]) -> Iterator[Scope]:
        """Yield the scopes of this machine, the strongest first."""
        environ, own = self.paths.settings.environ, f"{self.root}/etc/spack"
        if self.root and os.path.isfile(f"{own}/include.yaml"):
            yield from self._with_included(Scope(own))
        else:
            user = environ.get("SPACK_USER_CONFIG_PATH") or "~/.spack"
            local = [self.paths.expanded(user, self.root), environ.get("SPACK_SYSTEM_CONFIG_PATH") or "/etc/spack"]
            sites = [] if not self.root else [f"{own}/site" if version >= _LAYERED else own]
            between = [*local[:1], *sites, *local[1:]] if "SPACK_DISABLE_LOCAL_CONFIG" not in environ else sites
            for folder in [own, *between] if self.root and version >= _LAYERED else between:
                if (0, 0) < version < (1, 0):
                    yield Scope(f"{folder}/{self._host.platform}")
                yield from self._with_included(Scope(folder))
        for folder in ("defaults", f"defaults/{self._host.platform}", "defaults/base") if self.root else ():
            yield Scope(f"{own}/{folder}", is_default=True)

    @property
    def _host(self) -> Host:
        return self.paths.settings.host()

    def _with_included(self, scope: Scope, within: Sequence[str] = ()) -> Iterator[Scope]:
        """Yield a scope, then the weaker ones that it includes; `within`: the paths that led here."""
        yield scope
        section = scope.section("include")
        entries = section.get("include", section.get("include:"))
        if entries and not isinstance(entries, list):
            raise ContentError(f"{visible(scope.path or scope.folder)}: include is not a list of paths")
        for entry in entries or ():
            written = entry if isinstance(entry, dict) else {"path": entry}
            path = self._included(written)
            if path in within:
                raise ContentError(f"{visible(path)} includes itself")
            if path and path not in self._seen:
                self._seen.add(path)
                if len(self._seen) > MAX_INCLUDED_FILES:
                    raise ContentError(f"more than {MAX_INCLUDED_FILES} files are included")
                if os.path.isdir(path):
                    yield from self._with_included(Scope(path), (*within, path))
                elif path.endswith("spack.lock"):
                    self.locks.append(path)
                else:
                    found = Scope(os.path.dirname(path), read_document(path), path)
                    yield from self._with_included(found, (*within, path))

    def _included(self, entry: Mapping[str, Any]) -> str:
        """Return the file or folder of an include; empty if its condition is false, or if it cannot be read."""
        written = str(entry.get("git") or entry.get("path") or "")
        condition = entry.get("when")
        met = holds(str(condition), self._host, self.paths.settings.environ) if condition else True
        if met is False:
            return ""
        path = self.paths.settings.environ.get(str(entry.get("path_override_env_var")), written)
        shown = f"{visible(written)} when {visible(str(condition))}" if condition and met is None else visible(written)
        if met is None or entry.get("git") or "://" in path.removeprefix("file://"):
            self.unread[f"include {shown}"] = None
            return ""
        own = Paths(self.paths.settings, self.root)  # `$env` is unknown while includes are read
        found = own.expanded(path.removeprefix("file://"), getattr(entry.get("path"), "folder", self.root))
        if os.path.exists(found):
            return found
        if not is_true(entry.get("optional"), default=False):
            self.unread[f"include {shown}, which is missing"] = None
        return ""

    @property
    def files(self) -> list[str]:
        """The files that say where scopes, trees and mirrors are, there or not."""
        return [path for each in self.all for path in ([each.path] if each.path else map(each.folder.__add__, _ENDS))]

    def section(self, name: str, *, defaults: bool = True) -> Any:
        """Return a section of all scopes together, or of all but Spack's own defaults; None if every scope omits it.

        Raises ContentError for a file that cannot be read.
        """
        found: dict[str, Any] = {}
        for scope in reversed(self.all):
            if defaults or not scope.is_default:
                found = merged(scope.section(name), found)
        return found.get(name)

    def mapping(self, name: str, *, defaults: bool = True) -> dict[str, Any]:
        """Return a section that is a mapping; an empty one for any other."""
        found = self.section(name, defaults=defaults)
        return found if isinstance(found, dict) else {}

    def expanded(self, path: str) -> str:
        """Return a path that one of the files names, without variables; raises ContentError."""
        return self.paths.expanded(path, getattr(path, "folder", self.root))

    @property
    def tree(self) -> str:
        """The install tree, without the folders that pad it."""
        written = self.mapping("config").get("install_tree")
        found = written.get("root") if isinstance(written, dict) else written
        if isinstance(found, ConfigText) and found:
            return self.paths.expanded(_PADDING.sub("", found), found.folder)
        return f"{self.root}/opt/spack"

    @property
    def upstreams(self) -> dict[str, str]:
        """The install tree of each upstream by name, in Spack's order: those of the strongest scope first.

        In 2019 they were a part of `config:`.
        """
        found: dict[str, str] = {}
        for section in (self.mapping("upstreams"), self.mapping("config").get("upstreams")):
            for name, entry in section.items() if isinstance(section, dict) else ():
                tree = entry.get("install_tree") if isinstance(entry, dict) else None
                if isinstance(tree, str):
                    found.setdefault(name, self.expanded(tree))
        return found

    @property
    def environments(self) -> str:
        """The folder of the managed environments."""
        root = self.mapping("config").get("environments_root")
        return self.expanded(root) if isinstance(root, str) else f"{self.root}/var/spack/environments"

    @property
    def mirrors(self) -> Mapping[str, Any]:
        """The entry of each mirror by name; those of Spack's own defaults hold sources."""
        return self.mapping("mirrors", defaults=False)


_LAYERED = (1, 1)
"""The version from which on the folder above `site` is a scope of its own, and `include::` drops scopes."""

_ENDS = [f"/{name}" for name in FILES]


def merged(strong: Any, weak: Any = None) -> Any:
    """Return a value over the weaker one: mappings key by key, lists one after the other, else the stronger value.

    `key::` drops the weaker value of a key. Three colons are another key.
    """
    if isinstance(strong, dict):
        below = weak if isinstance(weak, dict) else {}
        found = {
            key.removesuffix(":"): merged(value, None if key.endswith(":") else below.get(key))
            for key, value in strong.items()
        }
        return found | {name: value for name, value in below.items() if name not in found}
    return [*strong, *weak] if isinstance(strong, list) and isinstance(weak, list) else strong


def is_true(value: object, *, default: bool) -> bool:
    """Return whether a text of the configuration means true; the default for any other word than true and false."""
    return {"true": True, "false": False}.get(str(value).lower(), default)


def read_document(path: str) -> Mapping[str, Any]:
    """Return the map in a file; empty for an absent file or another document. Raises ContentError."""
    try:
        return written(load(path, MAX_CONFIG_BYTES), os.path.dirname(path))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise ContentError(f"{visible(path)} cannot be read: {visible(str(error))}") from None


def written(text: str | bytes, folder: str) -> Mapping[str, Any]:
    """Return the map in a text as Spack reads it, every scalar as `ConfigText`; empty for no map. Raises ValueError."""
    found = read_yaml(text, texts_only=True, aliases=True)
    budget = Budget("its YAML", "values", MAX_VALUES)
    return _as_spack_reads(found, folder, budget) if isinstance(found, dict) else {}


def _as_spack_reads(value: Any, folder: str, budget: Budget, depth: int = 0) -> Any:
    budget.spend()
    if depth > MAX_DEPTH:
        raise ValueError(f"nested more than {MAX_DEPTH} deep")
    if isinstance(value, dict):
        return {str(key): _as_spack_reads(each, folder, budget, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_as_spack_reads(each, folder, budget, depth + 1) for each in value]
    # Spack takes the colon at the end of a text without an @ for that of an overriding key
    found = ConfigText(value[:-1] if value.endswith(":") and "@" not in value else value)
    found.folder = folder
    return found

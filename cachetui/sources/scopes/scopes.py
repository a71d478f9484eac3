"""Find the scopes of Spack's configuration, and merge their sections.

A scope is a folder with one YAML file for each section, or a single file with several sections. If two scopes have the
same key, the value in the stronger scope replaces the value in the weaker scope. Lists are joined, with the list of the
stronger scope first (see `merged`).
Scopes from Spack's command line and includes from a network are not read.
Input: the folder of a Spack checkout, the environment variables, and the manifest of a Spack environment.
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
"""Maximum size of a configuration file in bytes."""

_VERSION = re.compile(rb'(?:spack_version|__version__) = "(\d{1,9})\.(\d{1,9})')

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")

_MAX_PATH_BYTES = 4096
"""Maximum length of a path in bytes. This is the limit of Linux."""

FILES = ("include.yaml", "config.yaml", "upstreams.yaml", "mirrors.yaml")
"""The names of the files that contain the paths of scopes, install trees and mirrors."""

MAX_INCLUDED_FILES = 100
"""Maximum number of included files and folders of all scopes together."""

_PADDING = re.compile(r"\$padding(?::\d+)?|\$\{padding(?::\d+)?\}")
"""The variable for padding in the path of an install tree, used up to Spack 0.15."""


def find_spack(environ: Mapping[str, str]) -> str:
    """Find the folder of the Spack checkout from SPACK_ROOT or PATH, without running Spack.

    Return an empty string if there is none.
    """
    scripts = (os.path.realpath(f"{folder}/spack") for folder in environ.get("PATH", "").split(os.pathsep))
    above = (os.path.dirname(os.path.dirname(script)) for script in scripts)
    named = environ.get("SPACK_ROOT")
    return next(filter(is_spack, [os.path.abspath(named)] if named else above), "")


def is_spack(folder: str) -> bool:
    """Return whether a folder is a Spack checkout."""
    return os.path.isfile(f"{folder}/bin/spack") and os.path.isdir(f"{folder}/lib/spack/spack")


def spack_of(path: str, environ: Mapping[str, str]) -> str:
    """Return the folder of the Spack checkout that contains a path.

    If no checkout contains the path, return the result of `find_spack`.
    """
    above = os.path.abspath(path)
    while not is_spack(above):
        if above == os.path.dirname(above):
            return find_spack(environ)
        above = os.path.dirname(above)
    return above


def spack_version(root: str) -> tuple[int, int]:
    """Return the first two numbers of a Spack checkout's version, or (0, 0) if the version cannot be read."""
    with suppress(OSError):
        if found := _VERSION.search(load(f"{root}/lib/spack/spack/__init__.py", MAX_CONFIG_BYTES)):
            return int(found[1]), int(found[2])
    return 0, 0


class Paths(Struct, frozen=True):
    """The values for variables in configured paths, such as `$spack`."""

    settings: Settings
    spack: str = ""
    """The folder of the Spack checkout, or empty."""
    environment: str = ""
    """The folder of the Spack environment, or empty."""

    def expanded(self, path: str, folder: str) -> str:
        """Replace the variables in a path from a configuration file, and make the path absolute.

        `folder` is the folder of this file, to which a relative path refers. Raises ContentError.
        """
        found = os.path.normpath(os.path.join(folder, os.path.expanduser(_VARIABLE.sub(self._value, path))))
        if "\0" in found or len(os.fsencode(found)) >= _MAX_PATH_BYTES:
            what = "with a zero byte" if "\0" in found else "that is too long"
            raise ContentError(f"the configuration in {visible(folder)} has a path {what}: {visible(path)}")
        return found

    def _value(self, found: re.Match[str]) -> str:
        """Return the value of a Spack variable or environment variable. If it is unknown, return the name with `$`."""
        name = found[1] or found[2]
        return self._spacks(name.lower()) or self.settings.environ.get(name, found[0])

    def _spacks(self, name: str) -> str | None:
        """Return the value of a variable that Spack defines, such as `spack`. Return None if the value is unknown."""
        match name:
            case "spack":
                return self.spack
            case "user":
                with suppress(KeyError):
                    return pwd.getpwuid(os.geteuid()).pw_name
                return str(os.geteuid())  # the system does not know the name
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


class ConfigText(str):
    """A string from a configuration file. `folder` is the folder of the file, to which relative paths refer."""

    folder: str


class Scope(Struct, frozen=True):
    """One scope of the configuration."""

    folder: str
    """The folder with the files of the scope."""
    document: Mapping[str, Any] | None = None
    """The sections, if the scope is one file. None if the scope is a folder with a file for each section."""
    path: str = ""
    """The path of the file, if the scope is one file. Empty if the scope is a folder."""
    is_default: bool = False
    """Whether the scope is one of Spack's default scopes."""

    def section(self, name: str) -> Mapping[str, Any]:
        """Return a mapping whose only entry is the section `name`. It is empty if the scope has no such section.

        The key is `name:` with a colon if the section replaces the section of weaker scopes. Otherwise it is `name`.
        """
        document = read_document(f"{self.folder}/{name}.yaml") if self.document is None else self.document
        return {key: document[key] for key in (name, f"{name}:") if key in document}


class Scopes:
    """The scopes of one Spack checkout. If `root` is empty, there are only the scopes of the user and the system."""

    def __init__(
        self,
        root: str,
        settings: Settings,
        environment: str = "",
        manifest: Mapping[str, Any] | None = None,
    ) -> None:
        """`environment` is the folder of a Spack environment. `manifest` is its `spack.yaml`, the strongest scope.

        If `manifest` is omitted, the file is read.
        """
        self.root = root
        self.paths = Paths(settings, root, environment)
        self.locks: list[str] = []
        """The paths of the lock files that the scopes include."""
        self.unread: dict[str, None] = {}
        """The includes that were not read, as texts for the user. Only the keys are used."""
        self._seen: set[str] = set()
        if environment and manifest is None:
            written = read_document(f"{environment}/spack.yaml").get("spack")
            manifest = written if isinstance(written, dict) else {}
        file = f"{environment}/spack.yaml"
        own = [] if manifest is None else list(self._with_included(Scope(environment, manifest, file)))
        version = spack_version(root) if root else _LAYERED
        alone = manifest is not None and "include:" in manifest and not (0, 0) < version < _LAYERED
        self.own = tuple(own)
        """The scopes of the environment and of its includes, the strongest first."""
        self.all = (*own, *(each for each in self._around(version) if each.is_default or not alone))
        """All scopes, the strongest first."""

    def _around(self, version: tuple[int, int]) -> Iterator[Scope]:
        """Yield the scopes outside the environment, the strongest first."""
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
        """Yield a scope, then the scopes that this scope includes.

        An included scope is weaker. `within` has the paths of the scopes that led to this scope by includes.
        """
        yield scope
        section = scope.section("include")
        entries = section.get("include", section.get("include:"))
        if entries and not isinstance(entries, list):
            raise ContentError(f"include in {visible(scope.path or scope.folder)} is not a list of paths")
        for entry in entries or ():
            path = self._included(entry if isinstance(entry, dict) else {"path": entry})
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
        """Return the path of an included file or folder.

        Return an empty string if the condition is false or unknown, or if the path is missing or on a network.
        """
        written = str(entry.get("git") or entry.get("path") or "")
        condition = entry.get("when")
        met = holds(str(condition), self._host, self.paths.settings.environ) if condition else True
        if met is False:
            return ""
        path = self.paths.settings.environ.get(str(entry.get("path_override_env_var")), written)
        shown = f"{visible(written)} when {visible(str(condition))}" if condition and met is None else visible(written)
        if met is None or entry.get("git") or "://" in path.removeprefix("file://"):
            self.unread[f"the include {shown}"] = None
            return ""
        own = Paths(self.paths.settings, self.root)  # `$env` is unknown while includes are read
        found = own.expanded(path.removeprefix("file://"), getattr(entry.get("path"), "folder", self.root))
        if os.path.exists(found):
            return found
        if not is_true(entry.get("optional"), default=False):
            self.unread[f"the include {shown}, which is missing"] = None
        return ""

    @property
    def files(self) -> list[str]:
        """The configuration files that may define scopes, install trees or mirrors. Some of them may not exist."""
        return [
            path
            for each in self.all
            for path in ([each.path] if each.path else [f"{each.folder}/{name}" for name in FILES])
        ]

    def section(self, name: str, *, defaults: bool = True) -> Any:
        """Return a section, merged from all scopes. Return None if all scopes lack the section.

        Without `defaults`, Spack's default scopes are ignored. Raises ContentError if a file cannot be read.
        """
        found: dict[str, Any] = {}
        for scope in reversed(self.all):
            if defaults or not scope.is_default:
                found = merged(scope.section(name), found)
        return found.get(name)

    def mapping(self, name: str, *, defaults: bool = True) -> dict[str, Any]:
        """Return a section, merged from all scopes. Return an empty mapping if the section is not a mapping."""
        found = self.section(name, defaults=defaults)
        return found if isinstance(found, dict) else {}

    def expanded(self, path: str) -> str:
        """Replace the variables in a path from a configuration file, and make the path absolute.

        Raises ContentError.
        """
        return self.paths.expanded(path, getattr(path, "folder", self.root))

    @property
    def tree(self) -> str:
        """The path of the install tree, without padding."""
        written = self.mapping("config").get("install_tree")
        found = written.get("root") if isinstance(written, dict) else written
        if isinstance(found, ConfigText) and found:
            return self.paths.expanded(_PADDING.sub("", found), found.folder)
        return f"{self.root}/opt/spack"

    @property
    def upstreams(self) -> dict[str, str]:
        """A mapping from the name of each upstream to the path of its install tree.

        The upstreams are in Spack's order, with the strongest scope first. In old versions of Spack (2019), the section
        `config` contains the upstreams.
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
        """The folder that contains the managed environments."""
        root = self.mapping("config").get("environments_root")
        return self.expanded(root) if isinstance(root, str) else f"{self.root}/var/spack/environments"

    @property
    def mirrors(self) -> Mapping[str, Any]:
        """The entry of each mirror, by name. Spack's default mirrors are omitted, because they contain only sources."""
        return self.mapping("mirrors", defaults=False)


_LAYERED = (1, 1)
"""The first version of Spack in which the folder above `site` is a scope, and `include::` removes scopes."""


def merged(strong: Any, weak: Any = None) -> Any:
    """Merge a value from a stronger scope with a value from a weaker scope.

    Mappings are merged key by key, and lists are joined. Any other strong value replaces the weak value.
    If a YAML file has `key::` instead of `key:`, the strong value also replaces the weak value.
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
    """Convert the text `true` or `false` in a configuration file. Return `default` for any other value."""
    return {"true": True, "false": False}.get(str(value).lower(), default)


def read_document(path: str) -> Mapping[str, Any]:
    """Return the mapping in a YAML file. Empty if the file is missing or contains no mapping. Raises ContentError."""
    try:
        return written(load(path, MAX_CONFIG_BYTES), os.path.dirname(path))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise ContentError(f"{visible(path)} cannot be read: {visible(str(error))}") from None


def written(text: str | bytes, folder: str) -> Mapping[str, Any]:
    """Return the mapping in a YAML text, by Spack's rules. Empty if the text is not a mapping. Raises ValueError.

    Every scalar is a `ConfigText`.
    """
    found = read_yaml(text, texts_only=True, aliases=True)
    return _as_spack_reads(found, folder, Budget("its YAML", "values", MAX_VALUES)) if isinstance(found, dict) else {}


def _as_spack_reads(value: Any, folder: str, budget: Budget, depth: int = 0) -> Any:
    budget.spend()
    if depth > MAX_DEPTH:
        raise ValueError(f"nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, dict):
        return {str(key): _as_spack_reads(each, folder, budget, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_as_spack_reads(each, folder, budget, depth + 1) for each in value]
    # like Spack, remove a colon at the end of a string without @, because it may be an overriding key (`key::`)
    found = ConfigText(value[:-1] if value.endswith(":") and "@" not in value else value)
    found.folder = folder
    return found

"""The settings of one run of the program: environment, config file and options.

The command line makes one `Settings` object for all other modules. No other module reads the environment. An error in
the config file (`config.toml` in the user's config folder) ends the program, because the file may name the host for
which results are computed. Only the browser checks the names of themes and keys.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import replace

from cachetui.model.host import Host
from cachetui.model.problem import UserError
from cachetui.model.spec import FACETS
from cachetui.model.targets import HostError
from cachetui.safe_text import visible
from cachetui.settings.folders import NAME, file_name, make_private, read_bounded, replacing

VARIABLES = {
    "content": "CACHETUI_CONTENT",
    "host": "CACHETUI_HOST",
    "mirror": "CACHETUI_MIRROR",
    "history": "CACHETUI_HISTORY",
}
"""The settings that also have an environment variable, which overrides the config file."""

DEFAULT_COLUMNS = ("hash", "version", "compiler", "os", "target", "differs", "stacks", "tag", "state", "installed")
"""The default columns of the list of specs."""

COLUMNS = tuple(dict.fromkeys((*DEFAULT_COLUMNS, *(facet.field for facet in FACETS.values()), "variants")))
"""All columns that the list of specs can have."""

MAX_CONFIG_BYTES = 100_000
"""Maximum number of bytes of a config file."""

FilledText = Annotated[str, Meta(pattern=r"^[^\0]*[^\s\0][^\0]*$")]
"""Text with a visible character and without a null character."""

Keys = Annotated[tuple[FilledText, ...], Meta(min_length=1)]


class ConfigError(UserError):
    """The config file is invalid or unreadable. The message is one line with the path, the reason and the remedy."""

    def __init__(self, path: str, reason: str) -> None:
        said = f"{visible(path)} cannot be used: {visible(reason)}"
        super().__init__(f"{said}; correct the file (see cachetui config --help), or ignore it with --no-config")


class Config(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a config file. A missing setting is None, empty or False."""

    content: FilledText | None = None
    host: FilledText | None = None
    mirror: FilledText | None = None
    history: FilledText | None = None
    """The folder of the snapshots."""
    days: bool = False
    """Whether tags include snapshots, like `--history`."""
    record: bool = False
    """Whether to save a snapshot whenever a server sends new content."""
    realms: tuple[FilledText, ...] = ()
    """Token servers (HOST or HOST:PORT) that may receive the password of a registry on another host."""
    theme: FilledText | None = None
    columns: Keys | None = None
    """The columns of the list of specs, in order."""
    keys: Mapping[str, Any] = {}
    """The keys of each action of the browser. `parse_config` flattens nested tables to names like `browse.filter`."""


def read_config(path: str) -> Config:
    """Read a config file, or return the default settings if the file does not exist; raises ConfigError."""
    try:
        raw = read_bounded(path, MAX_CONFIG_BYTES)
        return Config() if raw is None else parse_config(raw)
    except OSError as error:
        raise ConfigError(path, error.strerror or str(error)) from None
    except RecursionError:
        raise ConfigError(path, "it is nested too deeply") from None
    except ValueError as error:
        raise ConfigError(path, str(error)) from None


def keep_host(path: str, host: str) -> None:
    """Set `host` in a config file. The rest of the file remains unchanged. Raises OSError or ValueError."""
    path = os.path.realpath(path)
    before = (read_bounded(path, MAX_CONFIG_BYTES) or b"").decode()
    line = f'host = "{host}"\n'
    top, *tables = re.split(r"^(?=\s*\[)", before, maxsplit=1, flags=re.MULTILINE)
    changed, count = re.subn(r"^[ \t]*host[ \t]*=.*\n?", lambda _: line, top, flags=re.MULTILINE)
    text = f"{changed}{''.join(tables)}" if count else f"{line}{before}"
    if parse_config(text.encode()).host != host:
        raise ValueError(f"set the key host in {visible(path)}")
    make_private(Path(path).parent)
    with replacing(path) as file:
        file.write(text.encode())


def parse_config(raw: bytes) -> Config:
    """Parse a config file, and expand `~` in its content; raises ValueError with the reason."""
    import tomllib  # late, because most users have no config file

    config = convert(tomllib.loads(raw.decode()), Config)
    if unknown := [name for name in config.columns or () if name not in COLUMNS]:
        raise ValueError(f"unknown column {', '.join(unknown)}, not one of {', '.join(COLUMNS)}")
    mirror = re.sub(r"\{(tag|stack)\}", "", config.mirror or "")
    # Spack replaces variables such as $env in a path, but not in a URL
    if strange := re.search(r"[{}$]" if "://" in mirror else r"[{}]", mirror):
        raise ValueError(f"the setting mirror contains {strange[0]}, but its only variables are {{tag}} and {{stack}}")
    if config.host is not None:
        Host.parse(config.host)
    content = config.content and os.path.expanduser(config.content)
    columns = config.columns and tuple(dict.fromkeys(config.columns))
    return replace(config, content=content, columns=columns, keys=dict(_keys(config.keys)))


def _keys(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name of each action, such as `browse.filter`, and the keys that start the action.

    Tables may be nested. `before`: the names of the outer tables, each followed by a dot.
    """
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _keys(value, f"{before}{name}.")
        else:
            try:
                yield f"{before}{name}", convert([value] if isinstance(value, str) else value, Keys)
            except ValidationError as error:
                raise ValueError(f"keys.{before}{name}: {error}") from None


class Settings(Struct, frozen=True, eq=False):
    """The settings of one run."""

    environ: Mapping[str, str] = {}
    """The environment variables, for Spack's paths, credentials and properties of the terminal."""
    config: Config = Config()
    fits: Host | None = None
    """The host that an option names; `here` then means this host. None if the option is missing."""
    toolchains_of: Callable[["Settings"], Mapping[str, Any]] = lambda _: {}
    """Returns Spack's toolchains by name. A query refers to a toolchain as `%NAME`."""

    def with_config(self) -> "Settings":
        """Return the settings, extended by the user's config file if the file exists; raises ConfigError."""
        return replace(self, config=read_config(self.config_path))

    def value(self, name: str) -> str:
        """Return the value of a setting. The environment overrides the config file. Empty if the setting is unset."""
        return self.environ.get(VARIABLES[name]) or getattr(self.config, name) or ""

    def host(self) -> Host:
        """Return the host that `here` means, by default this machine. Raises HostError."""
        if self.fits is not None:
            return self.fits
        try:
            return Host.parse(self.value("host") or "here")
        except HostError as error:
            raise HostError(f"{VARIABLES['host']}: {error}") from None

    def names(self, host: Host) -> bool:
        """Return whether the user selected this host. True if the settings name a host, or if it is another machine."""
        return bool(self.value("host")) or not host.is_this_machine

    @property
    def name_of_here(self) -> str:
        """The phrase for the host that `here` means: `this machine`, or the variable that sets another host."""
        return "this machine" if self.value("host") in ("", "here") else VARIABLES["host"]

    @property
    def mirror(self) -> str | None:
        """The URL pattern of mirrors, with `{tag}` and `{stack}`; None if unset."""
        return self.value("mirror") or None

    @property
    def config_path(self) -> str:
        """The path of the config file, which need not exist."""
        return os.path.join(self._folder("XDG_CONFIG_HOME", "~/.config"), "config.toml")

    @property
    def views_folder(self) -> Path:
        """The folder of the saved views. Each CONTENT has a file."""
        return Path(self.config_path).parent / "views"

    def views_path(self, identity: str) -> Path:
        """Return the path of the saved views of the content."""
        return self.views_folder / f"{file_name(identity)}.json"

    @property
    def cache_folder(self) -> str:
        """The folder of index caches and local copies: `CACHETUI_CACHE_DIR`, else in `XDG_CACHE_HOME` or `~/.cache`."""
        return os.path.expanduser(self.environ.get("CACHETUI_CACHE_DIR") or self._folder("XDG_CACHE_HOME", "~/.cache"))

    @property
    def history_folder(self) -> str:
        """The folder of the snapshots: the setting, or a folder in `XDG_DATA_HOME` or `~/.local/share`."""
        usual = os.path.join(self._folder("XDG_DATA_HOME", "~/.local/share"), "history")
        return os.path.expanduser(self.value("history") or usual)

    def _folder(self, variable: str, usual: str) -> str:
        """Return cachetui's folder. Its parent is the absolute path in a variable, or without it, the usual folder."""
        chosen = self.environ.get(variable, "").strip()
        return os.path.join(chosen if os.path.isabs(chosen) else os.path.expanduser(usual), NAME)

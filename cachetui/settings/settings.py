"""The settings of one run of the program: environment, config file and options.

The command line makes one `Settings` and passes it down. No other module reads the environment.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.host import Host
from cachetui.model.targets import HostError
from cachetui.settings.config import VARIABLES, Config, read_config
from cachetui.settings.folders import NAME, file_name


class Settings(Struct, frozen=True, eq=False):
    """The settings of one run."""

    environ: Mapping[str, str] = {}
    """The environment variables, for Spack's paths, credentials and properties of the terminal."""
    config: Config = Config()
    fits: Host | None = None
    """The host that an option names. `here` then means this host."""
    toolchains_of: Callable[["Settings"], Mapping[str, Any]] = lambda _: {}
    """Returns Spack's toolchains by name. A query refers to a toolchain as `%NAME`."""

    def with_config(self) -> "Settings":
        """Return the settings, extended by the user's config file if the file exists; raises ConfigError."""
        return replace(self, config=read_config(self.config_path))

    def value(self, name: str) -> str:
        """Return the value of a setting, from the environment or else from the config file; empty if unset."""
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
        """Return whether the user chose this host: the settings name a host, or the host is not this machine."""
        return bool(self.value("host")) or not host.is_this_machine

    @property
    def name_of_here(self) -> str:
        """The phrase for the host that `here` means: `this machine`, or the name of the variable with another host."""
        return "this machine" if self.value("host") in ("", "here") else VARIABLES["host"]

    @property
    def mirror(self) -> str | None:
        """The URL pattern of mirrors, with `{tag}` and `{stack}`."""
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
        """Return cachetui's folder below the absolute path in a variable, or else below the usual folder."""
        chosen = self.environ.get(variable, "").strip()
        return os.path.join(chosen if os.path.isabs(chosen) else os.path.expanduser(usual), NAME)

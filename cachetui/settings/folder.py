"""The folder of the user's own settings, and the config file in it. Input: the environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cachetui.settings.config import Config

NAME = "cachetui"


def settings_folder(environ: Mapping[str, str]) -> str:
    """The user's config folder for this program: `XDG_CONFIG_HOME` or what the system has in its place."""
    chosen = environ.get("XDG_CONFIG_HOME", "").strip()
    if os.path.isabs(chosen):
        return os.path.join(chosen, NAME)
    if sys.platform == "linux":
        # As platformdirs has it, whose import takes a tenth of the time of a command.
        return os.path.join(os.path.expanduser("~/.config"), NAME)
    from platformdirs import user_config_dir

    return user_config_dir(NAME, appauthor=False)


def config_path(environ: Mapping[str, str]) -> str:
    """Where the config file is, or would be."""
    return os.path.join(settings_folder(environ), "config.toml")


def config_of_user(environ: Mapping[str, str]) -> Config | None:
    """What the user's config file says; None where there is none."""
    if not os.path.lexists(config_path(environ)):
        return None
    from cachetui.settings.config import read_config  # late, as most users have no config file

    return read_config(environ)

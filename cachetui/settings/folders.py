"""Where the user's own settings lie. Input: the environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

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

"""Find Spack, and replace the variables in the paths of its configuration.

Input: the environment, and paths that files of the configuration name.
"""

import os
import pwd
import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from datetime import date

from msgspec import Struct

from cachetui.model.targets import ancestors
from cachetui.safe_text import visible
from cachetui.settings.settings import Settings
from cachetui.sources.files import load
from cachetui.sources.source import ContentError

MAX_CONFIG_BYTES = 2**20
"""Maximum number of bytes of a file of the configuration."""

_VERSION = re.compile(rb'(?:spack_version|__version__) = "(\d{1,9})\.(\d{1,9})')

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")

_MAX_PATH_BYTES = 4096
"""Maximum number of bytes of a path, as on Linux."""


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
            raise ContentError(f"{visible(folder)}: its configuration names a path {what}: {visible(path)}")
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

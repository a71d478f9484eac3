"""A host (this machine or another machine), and whether a binary runs on this host.

A binary runs if the host's target equals or descends from the binary's target, and the host's libc is at least as new
as the binary's libc. The os matters only because it determines the libc. If the target or the libc is unknown, it is
unknown whether the binary runs.
"""

import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Literal

from msgspec import Struct

from cachetui.model.libc import Libc, libc_of, own_libc
from cachetui.model.targets import HostError, ancestors, is_of_apple, known_target, own_target, steps_up

PLATFORMS = ("linux", "darwin", "cray", "windows", "freebsd")
"""The platforms that a triple may have, as Spack spells them."""

_ANY_OS = "None"
_OS_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_GLIBC = Libc("glibc")
_OS_IDS = {"ol": "oracle", "opensuse-leap": "opensuse"}
_MAC_RELEASES = {
    "11": "bigsur",
    "12": "monterey",
    "13": "ventura",
    "14": "sonoma",
    "15": "sequoia",
    "26": "tahoe",
}

FitKind = Literal["runs", "target", "libc", "unknown", "platform"]


class Fit(Struct, frozen=True):
    """Whether a binary runs on a host, and why."""

    kind: FitKind
    reason: str
    """One phrase for the user. The phrase may quote a page: escape the phrase before you show it."""
    libc_note: str
    """A phrase with the result of comparing os and libc, such as `same os`."""
    is_certain: bool = True
    """Whether the host's libc is certainly new enough. If the os of the host is unknown, the libc is ignored (true)."""
    distance: int | None = None
    """The number of generations between the binary's target and the host's target, which is its descendant.

    None if the binary cannot run.
    """

    @property
    def word(self) -> str:
        """`run`, or a short reason, such as `glibc`, `x86_64_v4`, `darwin` or `unknown target`."""
        if self.kind == "unknown":
            return "unknown target"
        if self.kind == "runs":
            return "run" if self.is_certain else "unknown os or libc"
        return self.reason.removeprefix("built for ").removeprefix("needs ").partition(" ")[0]

    @property
    def is_unfit(self) -> bool:
        """Whether it is certain that the binary does not run."""
        return self.kind not in ("runs", "unknown")

    @property
    def is_known(self) -> bool:
        """Whether it is certain that the binary runs, or that it does not."""
        return self.is_certain and self.kind != "unknown"


class Host(Struct, frozen=True):
    """A machine on which binaries should run."""

    platform: str
    os: str | None
    """The operating system in Spack's spelling; None if unknown."""
    target: str

    def __str__(self) -> str:
        return f"{self.platform}-{self.os or _ANY_OS}-{self.target}"

    @classmethod
    def parse(cls, text: str, here: Callable[[], "Host"] | None = None) -> "Host":
        """Parse `here`, a microarchitecture, or a triple such as `linux-rhel9-zen4` (`linux-None-zen4` for any os).

        `here`: a function that returns the host for the word `here`; None for this machine. A microarchitecture without
        an os means this machine's platform, or darwin if Apple makes the target. Raises HostError.
        """
        if text == "here":
            return (here or _this_machine)()
        platform, dash, rest = text.partition("-")
        if not dash:
            target = known_target(text)
            return cls("darwin" if is_of_apple(target) else _machine_platform(), None, target)
        os_name, _, target = rest.rpartition("-")
        if not target or not _OS_NAME.fullmatch(os_name):
            raise HostError(f"{text!r} is not a host: write `here`, a target such as zen4, or PLATFORM-OS-TARGET")
        if platform not in PLATFORMS:
            raise HostError(f"no platform {platform!r}: expected one of {', '.join(PLATFORMS)}")
        return cls(platform, None if os_name == _ANY_OS else os_name, known_target(target))

    @classmethod
    def completed(cls, text: str, target: str = "") -> "Host":
        """Parse a host in a short form, such as `rhel8 zen3`. The platform `linux` may be omitted. Raises HostError.

        `target` completes a text that is only an os, such as `rhel8`.
        """
        words = text.replace(" ", "-")
        if target and libc_of(words) is not None:
            words = f"{words}-{target}"
        is_whole = "-" not in words or words.partition("-")[0] in PLATFORMS
        return cls.parse(words if is_whole else f"linux-{words}")

    @property
    def name(self) -> str:
        """The target, if the host has the default platform and no os; otherwise `PLATFORM-OS-TARGET`."""
        return str(self) if self.os or Host.parse(self.target) != self else self.target

    @property
    def libc(self) -> Libc | None:
        """The libc of the host; None if unknown.

        If the os of the host is not the os of this machine, return the usual libc of the os.
        """
        if self.platform != "linux" or self.os is None:
            return None
        own = own_libc() if (self.platform, self.os) == (_machine_platform(), _machine_os()) else None
        return own or libc_of(self.os)

    @property
    def is_this_machine(self) -> bool:
        """Whether the host is this machine."""
        return self == _this_machine()

    def fit(self, platform: str | None, os: str | None, target: str | None, libc: Libc | None = None) -> Fit:
        """Return whether a binary for this platform, os and target runs on this host.

        `libc`: the libc that the binary depends on. If it is None, assume the usual libc of the binary's os.
        """
        kind, reason = self._kind(platform, target)
        fits, note = self._libc_fit(platform, os, libc)
        if kind != "runs":
            return Fit(kind, reason, note)
        if fits is False:
            return Fit("libc", note, note)
        distance = steps_up(self.target, target) if target else None
        return Fit(kind, reason if fits else f"{reason}, {note}", note, is_certain=bool(fits), distance=distance)

    def distance(self, platform: str | None, target: str | None) -> int | None:
        """Return the number of generations between a binary's target and this host's target.

        Return None if the binary cannot run on the host.
        """
        return Host(self.platform, None, self.target).fit(platform, None, target).distance

    def _kind(self, platform: str | None, target: str | None) -> tuple[FitKind, str]:
        """Return whether a binary for this platform and target runs on this host, and why. Ignore os and libc."""
        if not platform or not target:
            return "unknown", f"no {'target' if platform else 'platform'} is recorded"
        if _kernel(platform) != _kernel(self.platform):
            return "platform", f"built for {platform}"
        if target in (ancestors(self.target) or ()):
            return "runs", f"{'native' if target == self.target else 'runs'}: built for {target}"
        if ancestors(target) is None:
            return "unknown", f"target {target} is unknown"
        return "target", f"needs {target}"

    def _libc_fit(self, platform: str | None, os: str | None, libc: Libc | None) -> tuple[bool | None, str]:
        """Return whether the host's libc is new enough (None if unknown), and the reason as a phrase for the user."""
        if platform and _kernel(platform) != _kernel(self.platform):
            return None, "another platform"
        if self.os is None:
            return True, "glibc not compared: the host has no os"
        if platform == self.platform and os == self.os and libc is None:
            return True, "same os"
        if _kernel(self.platform) != "linux":
            return None, "another release of the os" if os else "unknown os"
        needed = libc or (libc_of(os) if os and platform == "linux" else None)
        fits = needed.runs_on(self.libc) if needed and self.libc else None
        if needed is None or self.libc is None or fits is None:
            return None, f"unknown {(needed or self.libc or _GLIBC).name}"
        own = self.libc.version if self.libc.name == needed.name else self.libc
        return fits, f"{'with' if fits else 'needs'} {needed}, the host has {own}"


def linux_os(release: Mapping[str, str]) -> str | None:
    """Return the os of an os-release file in Spack's spelling, such as `rhel9`; None if the file lacks an os."""
    name = _OS_IDS.get(release.get("ID", ""), release.get("ID", ""))
    version = release.get("VERSION_ID", "").split(".")
    return f"{name}{'.'.join(version[: 2 if name == 'ubuntu' else 1])}".replace("-", "_") or None


@cache
def _this_machine() -> Host:
    return Host(_machine_platform(), _machine_os(), own_target())


def _machine_platform() -> str:
    return os.uname().sysname.lower()


@cache
def _machine_os() -> str | None:
    from platform import freedesktop_os_release, mac_ver  # late, because few queries name a host

    if _machine_platform() == "darwin":
        return _MAC_RELEASES.get(mac_ver()[0].partition(".")[0])
    try:
        return linux_os(freedesktop_os_release())
    except OSError:
        return None


def _kernel(platform: str) -> str:
    """Return the platform. Replace cray by linux, because binaries for cray run on linux."""
    return "linux" if platform == "cray" else platform

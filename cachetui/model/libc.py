"""The C library of a binary or a host, and a table with the glibc of each Linux release.

A binary runs if the host's libc has the same name and is at least as new as the libc of the build. Spack uses this rule
since 0.22. If minor releases of an os have different versions of glibc, the os has a range of versions.

The table comes from https://github.com/mayeut/pep600_compliance (00ac911), which examines an image of each release.
The entries for Fedora up to 31, Ubuntu 12.04, Ubuntu releases without LTS up to 19.10, Debian 6 and 7, SLES, and
openSUSE 42 come from less reliable tables. Linux Mint has the libc of its Ubuntu release. Sources of newer releases:
- Ubuntu 26.04: https://packages.ubuntu.com/resolute/libc6
- openSUSE Leap 16.0: glibc-2.40-160000.2.2 in
  https://build.opensuse.org/projects/home:Cic17:Tools:Leap16/packages/glibc/files/_service
- SLES 16.0: 2.40-160000.4.1 in the image rancher/hardened-kubernetes:v1.36.1-rke2r2-build20260521; SUSE-SU-2026:21807-1
- Fedora 44 and 45: 2.43-1 and 2.44-1 in
  https://packages.fedoraproject.org/pkgs/glibc/glibc-utils/fedora-44.html and fedora-45.html
"""

import re
from functools import cache

from msgspec import Struct


class Libc(Struct, frozen=True):
    """A C library, with its version or a range of versions."""

    name: str
    """`glibc` or `musl`."""
    oldest: str = ""
    newest: str = ""
    """The last version of the range. Both ends are empty if the version is unknown."""

    @classmethod
    def exactly(cls, name: str, version: str) -> "Libc | None":
        """Return a libc with one version, or None if the version contains other characters than digits and dots."""
        return cls(name, version, version) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})*", version) else None

    def __str__(self) -> str:
        return f"{self.name} {self.version}".rstrip()

    @property
    def version(self) -> str:
        """The version, or the first and the last version of the range."""
        return self.oldest if self.oldest == self.newest else f"{self.oldest} to {self.newest}"

    def runs_on(self, host: "Libc") -> bool | None:
        """Return whether a binary built with this libc runs on a host with the libc `host`; None if unknown."""
        if self.name != host.name:
            return False
        if not (self.newest and host.newest):
            return None
        if _number(self.newest) <= _number(host.oldest):
            return True
        return False if _number(self.oldest) > _number(host.newest) else None


_GLIBC = {
    "rhel": "6=2.12 7=2.17 8=2.28 9=2.34 10=2.39",
    "debian": "6=2.11 7=2.13 8=2.19 9=2.24 10=2.28 11=2.31 12=2.36 13=2.41",
    "ubuntu": "12.04=2.15 14.04=2.19 16.04=2.23 16.10=2.24 17.04=2.24 17.10=2.26 18.04=2.27 18.10=2.28"
    " 19.04=2.29 19.10=2.30 20.04=2.31 20.10=2.32 21.04=2.33 21.10=2.34 22.04=2.35 22.10=2.36 23.04=2.37 23.10=2.38"
    " 24.04=2.39 24.10=2.40 25.04=2.41 25.10=2.42 26.04=2.43",
    "fedora": " ".join(f"{release}=2.{release - 1}" for release in range(26, 46)),
    "amzn": "2018=2.17 2=2.26 2023=2.34",
    "sles": "11=2.9-2.11 12=2.19-2.22 15=2.26-2.38 16=2.40",
    "opensuse": "42=2.19-2.22 15=2.26-2.38 16=2.40",
    "linuxmint": "19=2.27 20=2.31 21=2.35 22=2.39",
}
"""For each system, its releases with their glibc: one version, or the first and the last version."""

_SAME = {
    **dict.fromkeys(("centos", "almalinux", "rocky", "oracle", "ol", "scientific", "cloudlinux", "eurolinux"), "rhel"),
    "raspbian": "debian",
    "opensuse_leap": "opensuse",
    "sled": "sles",
    "sle_hpc": "sles",
}
"""Systems that have the same libc as another system."""

_OS = r"(?P<system>[a-z_]+?)(?P<release>[0-9.]*)"


@cache
def libc_of(os_name: str) -> Libc | None:
    """Return the libc of an os in Spack's spelling (`rhel8`, `ubuntu22.04`); None if unknown."""
    found = re.fullmatch(_OS, os_name)
    if found is None:
        return None
    if found["system"] == "alpine":
        return Libc("musl")
    releases = _GLIBC.get(_SAME.get(found["system"], found["system"]), "").split()
    versions = dict(release.split("=") for release in releases).get(found["release"])
    if versions is None:
        return None
    oldest, _, newest = versions.partition("-")
    return Libc("glibc", oldest, newest or oldest)


@cache
def own_libc() -> Libc | None:
    """Return the libc of this machine; None if unknown."""
    from platform import libc_ver  # late, because few queries name a host

    name, version = libc_ver()
    return Libc.exactly(name, version) if name in ("glibc", "musl") else None


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))

"""The machine of the tests, in place of the real one; Python imports this file first, by PYTHONPATH.

It runs Linux, but has a system and a processor without any binaries, so that no test depends on them.
"""

import os
import platform

TARGET = "sparc64"

vars(os).update(
    uname=lambda: os.uname_result(("Linux", "tests", "1", "1", TARGET)),
    confstr=lambda name: "glibc 2.7",
)
vars(platform).update(
    system=lambda: "",  # then archspec uses the family of the processor instead of the processor itself
    machine=lambda: TARGET,
    libc_ver=lambda: ("glibc", "2.7"),
    mac_ver=lambda: ("", ("", "", ""), ""),
    freedesktop_os_release=lambda: {"ID": "testos", "VERSION_ID": "1"},
)

"""The machine of the tests, in place of the real one; Python imports this file first, by PYTHONPATH.

No test names this machine: Linux, but a system and a processor that nobody builds for.
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

"""The simulated machine of the tests. Python imports this file first, because its folder is in PYTHONPATH.

The machine runs Linux. No binary is built for its system or processor, so that no test depends on the real machine.
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

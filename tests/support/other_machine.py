"""Write the files that simulate another machine, chosen at random: `python -m tests.support.other_machine FOLDER`.

Mount `cpuinfo` and `os-release` in place of the real files. If that is not allowed, `sitecustomize.py` makes Python
open them instead. The processor has the family of the real one, because only the kernel states the family.
"""

import platform
import random
import sys
from pathlib import Path

from archspec.cpu import TARGETS  # type: ignore[import-untyped]  # it ships neither annotations nor stubs

SYSTEMS = ("debian 11", "debian 12", "ubuntu 22.04", "ubuntu 24.04", "rhel 8.10", "rocky 9.4", "fedora 42", "amzn 2023")

SITE = """
import builtins

real = builtins.open
shown = {{"/proc/cpuinfo": "{0}/cpuinfo", "/etc/os-release": "{0}/os-release"}}
builtins.open = lambda file, *words, **named: real(
    shown.get(file, file) if isinstance(file, str) else file, *words, **named
)
"""


def main(folder: Path) -> None:
    """Write the files."""
    family = platform.machine()
    targets = [each for each in TARGETS.values() if each.family.name == family and each.vendor != "generic"]
    target = random.choice(targets or [TARGETS[family]])
    flags = " ".join(sorted({*target.features, "pni"}))  # Debian's Chromium does not start without SSE3, named pni
    shown = {"vendor_id": target.vendor, "flags": flags, "CPU implementer": target.vendor, "Features": flags}
    shown |= {"CPU part": target.cpu_part} if target.cpu_part else {}
    (folder / "cpuinfo").write_text("".join(f"{key}\t: {value}\n" for key, value in shown.items()))
    name, version = random.choice(SYSTEMS).split()
    (folder / "os-release").write_text(f'ID={name}\nVERSION_ID="{version}"\n')
    (folder / "sitecustomize.py").write_text(SITE.format(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

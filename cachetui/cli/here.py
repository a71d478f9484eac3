"""The browser on what this machine's Spack has: its trees, and the mirrors of its configuration."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from cachetui.cli import browse
from cachetui.cli.browse import BrowseOptions
from cachetui.cli.options import UsageError
from cachetui.cli.output import note
from cachetui.sources.installation.places import find_spack
from cachetui.sources.installation.scopes import Scopes
from cachetui.sources.mirrors import read_mirrors

HELP = """\
Spack is what SPACK_ROOT names, else the first one on the PATH; it is not run.
Mirrors on servers are read from their local copies until --fresh, or r in the
browser, asks the servers. More contents are named by -C.
"""

OPTIONS = BrowseOptions


def run(options: BrowseOptions) -> int:
    """Open the browser."""
    if not (root := find_spack(os.environ)):
        raise UsageError("no Spack is here, by SPACK_ROOT or on the PATH: set SPACK_ROOT to the folder of one")
    found = Scopes(root, os.environ).mirror_files
    return browse.run(replace(options, content=(root, *_with_binaries(found), *options.content), is_found=True))


def _with_binaries(files: Iterable[str]) -> Iterator[str]:
    """Yield each `mirrors.yaml` that names a mirror with binaries; note which cannot be read."""
    for file in files:
        try:
            if read_mirrors(file):
                yield file
        except (OSError, ValueError) as error:
            note(f"{file} is left out, as it cannot be read: {error}")

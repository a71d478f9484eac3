"""A build cache after two nightly builds: specs were added, removed, replaced and rebuilt."""

import shutil
from pathlib import Path

from tests.support.cache_writer import Node, external, node, write_v3

LIBC = external("glibc", "2.39")
BASE = [(LIBC, ["link"], ["libc"])]


def needing(name: str, version: str, *needs: Node, **fields: str) -> Node:
    """Return a spec that links to these specs and to the C library."""
    return node(name, version, [*BASE, *((each, ["link"], []) for each in needs)], **fields)


GCC, GCC_13, ZLIB, XZ = needing("gcc", "12.3.0"), needing("gcc", "13.2.0"), needing("zlib", "1.3"), needing("xz", "5.4")
HDF5, FFTW, TAR = needing("hdf5", "1.14.3", ZLIB, GCC), needing("fftw", "3.3.10", GCC), needing("tar", "1.34", XZ)
CURL, CURL_AGAIN = needing("curl", "8.1", ZLIB), needing("curl", "8.1", ZLIB, namespace="site")
CMAKE, CMAKE_3_28, BZIP2, PETSC = (
    needing(*each) for each in (("cmake", "3.27"), ("cmake", "3.28"), ("bzip2", "1.0.8"), ("petsc", "3.20"))
)
PERL, M4 = needing("perl", "5.38"), needing("m4", "1.4")
AUTOCONF = needing("autoconf", "2.72", PERL, M4)

NIGHTS = (
    [GCC, ZLIB, HDF5, FFTW, CURL, CMAKE, BZIP2, TAR, M4, AUTOCONF],
    [GCC_13, ZLIB, HDF5, FFTW, CURL_AGAIN, CMAKE_3_28, PETSC, XZ, TAR, AUTOCONF],
)
"""The binaries of each night. In both nights, `perl`, a dependency of `autoconf`, has no binary.

In the first night, `xz`, a dependency of `tar`, has no binary. In the second night, `gcc@12.3.0` has none.
"""

NEEDED = (LIBC, GCC, XZ, PERL, M4)
"""The specs that others depend on, although they may have no binary."""


def write_night(cache: Path, night: int) -> Path:
    """Write the cache of the first or the second night."""
    shutil.rmtree(cache, ignore_errors=True)
    binaries = NIGHTS[night]
    return write_v3(cache, [*(each for each in NEEDED if each not in binaries), *binaries], binaries)


EVERY_NODE = [*NEEDED, *NIGHTS[0], *NIGHTS[1]]

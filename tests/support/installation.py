"""Two build caches, and a `spack.lock`. The caches lack some of its specs, because a dependency has a newer version."""

from pathlib import Path

from tests.support.cache_writer import write_lock, write_v3
from tests.support.sample_mirror import nodes

LENGTHS = {
    "gcc-runtime": 7_100_000,
    "hdf5": 12_400_000,
    "netcdf-c": 3_300_000,
    "openmpi": 38_600_000,
    "py-mpi4py": 4_100_000,
    "python": 61_900_000,
    "ucx": 9_800_000,
    "zlib-ng": 310_000,
}
"""Bytes of the tarballs."""


def write_installation(folder: Path) -> Path:
    """Write `mirror` and `spack.lock`; return the folder.

    UCX is in a separate stack. The lock has a newer zlib-ng than the caches, so the hashes of its dependents differ.
    """
    everything, binaries = nodes()
    ucx = [each for each in binaries if each["name"] == "ucx"]
    others = [each for each in binaries if each["name"] != "ucx"]
    write_v3(folder / "mirror" / "site" / "mpi", everything, others, lengths=LENGTHS)
    write_v3(folder / "mirror" / "site" / "fabrics", everything, ucx, lengths=LENGTHS)
    wanted, _ = nodes("2.2.5")
    roots = [each for each in wanted if each["name"] in ("netcdf-c", "py-mpi4py")]
    write_lock(folder / "spack.lock", wanted, roots)
    return folder

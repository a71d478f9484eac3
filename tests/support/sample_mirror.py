"""The build cache of the built-in sample; `python -m tests.support.sample_mirror` writes it again."""

import gzip
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.support.cache_writer import Node, external, node, write_v3
from tests.support.places import ROOT

FOLDER = ROOT / "cachetui" / "sample_mirror"

CACHE = Path("site", "mpi")
"""The tag and the stack, as folders."""

LINK, RUN, BUILD = ("build", "link"), ("build", "run"), ("build",)


def nodes(zlib_version: str = "2.2.4") -> tuple[list[Node], list[Node]]:
    """Return all nodes, and the nodes with binaries: an MPI library, its dependents, and HDF5 twice."""
    gcc, glibc = external("gcc", "13.2.0"), external("glibc", "2.39")
    runtime = node("gcc-runtime", "13.2.0", [(gcc, BUILD, ())])
    made = [gcc, glibc, runtime]

    def built(name: str, version: str, *needs: tuple[Node, Sequence[str], Sequence[str]], **variants: object) -> Node:
        compiler = (gcc, BUILD, ("c", "cxx"))
        below = [compiler, (glibc, ("link",), ("libc",)), (runtime, ("link",), ()), *needs]
        made.append(node(name, version, below, parameters=variants or {"shared": True}))
        return made[-1]

    cmake = built("cmake", "3.31.6", ownlibs=True)
    zlib = built("zlib-ng", zlib_version, shared=True, compat=True)
    older_zlib = built("zlib-ng", "2.2.1", shared=True, compat=True)
    ucx = built("ucx", "1.18.0", shared=True)
    openmpi = built("openmpi", "5.0.6", (ucx, LINK, ()), (zlib, LINK, ("zlib-api",)), fabrics=["ucx"])
    needs = ((cmake, BUILD, ()), (openmpi, LINK, ("mpi",)), (zlib, LINK, ("zlib-api",)))
    hdf5 = built("hdf5", "1.14.5", *needs, mpi=True, shared=True)
    built("hdf5", "1.14.5", (cmake, BUILD, ()), (older_zlib, LINK, ("zlib-api",)), mpi=False, shared=True)
    python = built("python", "3.12.9", (zlib, LINK, ("zlib-api",)), optimizations=True)
    built("py-mpi4py", "4.0.1", (python, RUN, ()), (openmpi, LINK, ("mpi",)), build_system="python_pip")
    built("netcdf-c", "4.9.2", (hdf5, LINK, ()), (openmpi, LINK, ("mpi",)), mpi=True)
    return made, [each for each in made if "external" not in each and each is not cmake]


def write(folder: Path) -> Path:
    """Write the build cache of the sample into this folder; return the folder."""
    everything, binaries = nodes()
    write_v3(folder / CACHE, everything, binaries)
    return folder


def documents(folder: Path) -> Iterator[tuple[str, list[bytes]]]:
    """Yield every manifest and its blobs, which are unpacked because compression depends on the version of zlib."""
    cache = folder / CACHE
    for path in sorted(cache.rglob("*.manifest.json")):
        sums = (each["checksum"] for each in json.loads(path.read_bytes())["data"])
        blobs = ((cache / "blobs" / "sha256" / checksum[:2] / checksum).read_bytes() for checksum in sums)
        yield (
            path.relative_to(folder).as_posix(),
            [gzip.decompress(blob) if blob.startswith(b"\x1f\x8b") else blob for blob in blobs],
        )


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    write(FOLDER)

"""A spec for tests, as if from a page of `develop`."""

from cachetui.model.spec import Spec

HASH = "2feova4prghd2gkebr23if6bojkyydpt"

SPEC = Spec(
    package="hdf5",
    version="1.14.3",
    hash=HASH,
    tag="develop",
    tags=("develop",),
    compiler="gcc@11.4.0",
    os="ubuntu22.04",
    platform="linux",
    target="x86_64_v3",
    variants=("~cuda", "+mpi", "build_type=Release"),
    stacks=("e4s", "root"),
    bytes=None,
    tarball=None,
)

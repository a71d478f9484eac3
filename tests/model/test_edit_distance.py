"""Suggestions for misspelled names: the intended name is one of the first two."""

import time
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from cachetui.cli.commands import COMMANDS
from cachetui.cli.options import declared
from cachetui.model.edit_distance import nearest_names

PACKAGES = [
    *("adios2", "cmake", "gmake", "hdf5", "hdf5-vol-async", "makedepf90", "mpich", "openmpi", "py-h5py"),
    *("py-hdf5plugin", "py-mpi4py", "py-numpy", "py-torch", "r-rhdf5", "tensorflow", "zlib", "zlib-ng"),
]
STACKS = ["data-vis-sdk", "e4s", "e4s-neoverse-v2", "e4s-oneapi", "hep", "ml-linux-x86_64-cuda", "ml-linux-x86_64-rocm"]
TAGS = ["develop", "develop-2025-04-20", "develop-2025-04-13", "develop-2024-12-29", "v1.0.0", "v0.22.1"]
VARIANTS = ["mpi", "shared", "cuda", "build_type=Release", "build_type=Debug", "cuda_arch=80", "cuda_arch=90"]
TARGETS = [
    *("x86_64", "x86_64_v3", "x86_64_v4", "haswell", "skylake", "skylake_avx512", "icelake", "zen", "zen2", "zen3"),
    *("zen4", "zen5", "zen6", "aarch64", "armv8.4a", "neoverse_n1", "neoverse_v1", "neoverse_v2", "a64fx", "m1"),
]
COMPILERS = ["gcc", "apple-clang", "intel-oneapi-compilers", "llvm", "nvhpc", "cce", "aocc"]
OSES = ["rhel8", "rhel9", "rhel10", "ubuntu20.04", "ubuntu22.04", "ubuntu22.10", "ubuntu24.04", "debian11", "debian12"]
OPTIONS = list(chain.from_iterable(declared(command.options) for command in COMMANDS.values()))
LISTS = [PACKAGES, STACKS, TAGS, VARIANTS, COMPILERS, [*COMMANDS], OPTIONS, OSES, TARGETS]


@given(st.sampled_from(LISTS), st.data())
def test_correct_name_is_among_first_two_suggestions(names: list[str], data: st.DataObject) -> None:
    names = list(dict.fromkeys(names))
    name = data.draw(st.sampled_from([name for name in names if len(name) > 2]))
    at = data.draw(st.integers(0, len(name) - 2))
    typed = data.draw(
        st.sampled_from(
            [
                name[:at] + name[at + 1] + name[at] + name[at + 2 :],
                name[:at] + name[at + 1 :],
                name[:at] + data.draw(st.sampled_from("abcxyz")) + name[at:],
            ]
        )
    )
    found = nearest_names(typed, names, len(names))
    assert name in found
    # `zen` may mean zen3 or any other zen target
    nearer = [each for each in found[: found.index(name)] if OSA.distance(each, typed) > OSA.distance(name, typed)]
    assert nearer == []
    as_near = sum(OSA.distance(each, typed) <= 1 for each in names)
    assert found.index(name) < max(2, as_near)


@pytest.mark.parametrize(
    ("typed", "names", "first"),
    [
        ("ubunut22", OSES, ("ubuntu22.04", "ubuntu22.10")),
        ("rhel99", OSES, ("rhel9",)),
        ("mpi", PACKAGES, ("mpich", "py-mpi4py", "openmpi")),
        ("mpi py", PACKAGES, ("py-mpi4py",)),
        ("hfd5", PACKAGES, ("hdf5",)),
        ("HDF55", PACKAGES, ("hdf5",)),
        ("develop-2025-05-04", TAGS, ("develop-2025-04-20", "develop-2025-04-13", "develop-2024-12-29")),
        ("cuda_arch=86", VARIANTS, ("cuda_arch=80", "cuda_arch=90")),
        ("qqq", PACKAGES, ()),
        ("", PACKAGES, ()),
        ("zlib", [], ()),
    ],
)
def test_nearest_names_are_suggested_first(typed: str, names: list[str], first: tuple[str, ...]) -> None:
    assert nearest_names(typed, list(names))[: len(first)] == first
    assert first or not nearest_names(typed, list(names))


def test_very_long_word_is_compared_quickly() -> None:
    names = [f"py-app{number}" for number in range(1000)]
    start = time.process_time()
    assert nearest_names("py-a" + "-py-a" * 20_000, names) == tuple(names[:3])
    assert time.process_time() - start < 1

"""Build caches with random damage: each is read, and all its messages are harmless."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cache_writer import external, node, write_v2, write_v3
from tests.support.harmed import HARMS, Harm, harm_folder
from tests.support.looked_at import look_everywhere

GLIBC = external("glibc", "2.39")
GCC = node("gcc", "13.2.0", [(GLIBC, ["link"], ["libc"])])
ZLIB = node("zlib", "1.3.1", [(GCC, ["build"], ["c"]), (GLIBC, ["link"], ["libc"])])
HDF5 = node("hdf5", "1.14.3", [(ZLIB, ["build", "link"], ["zlib-api"])], parameters={"mpi": True, "api": ["v18"]})
NODES = [GLIBC, GCC, ZLIB, HDF5]


@pytest.mark.parametrize("write", [write_v2, write_v3])
@given(harms=st.lists(HARMS, max_size=4), signed=st.booleans(), indexed=st.booleans())
def test_randomly_damaged_cache_is_read_without_crash(
    write: Callable[..., Path], harms: list[Harm], signed: bool, indexed: bool
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = write(Path(place), NODES, [GCC, ZLIB, HDF5], signed=signed)
        if not indexed:
            shutil.rmtree(folder / "v3/manifests/index", ignore_errors=True)
            (folder / "build_cache/index.json").unlink(missing_ok=True)
        for harm in harms:
            harm_folder(folder, harm)
        look_everywhere(folder)

"""Build caches with random damage: each is read, and all its messages are harmless."""

import gzip
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cache_writer import external, node, write_v2, write_v3
from tests.support.every_reader import call_every_reader

GLIBC = external("glibc", "2.39")
GCC = node("gcc", "13.2.0", [(GLIBC, ["link"], ["libc"])])
ZLIB = node("zlib", "1.3.1", [(GCC, ["build"], ["c"]), (GLIBC, ["link"], ["libc"])])
HDF5 = node("hdf5", "1.14.3", [(ZLIB, ["build", "link"], ["zlib-api"])], parameters={"mpi": True, "api": ["v18"]})
NODES = [GLIBC, GCC, ZLIB, HDF5]


DEEP: Any = []
for _ in range(300):
    DEEP = [DEEP]

ODD: list[Any] = [
    *(None, True, -1, 2**70, 1.5, "", "a", [], {}, [None], {"": None}, ["build", 3], DEEP),
    *("../../etc/passwd", "/etc/passwd", "\x1b[31m\n", "\ud800", "a" * 3000, "-rf", "git.x=", "sha256", "=" * 40),
]
"""Odd values."""

Harm = tuple[int, int, object]
"""A file, a place in it, and its new value; `DROP` removes the value."""

DROP = "\0 drop"

HARMS = st.tuples(st.integers(0, 400), st.integers(0, 4000), st.sampled_from([*ODD, DROP]))


def values_of(document: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each value in a document as (container, key)."""
    keys = document if isinstance(document, dict) else range(len(document)) if isinstance(document, list) else ()
    for key in keys:
        yield document, key
        yield from values_of(document[key])


def harm_document(document: Any, which: int, odd: object) -> None:
    """Replace a value of a document by an odd value, or remove it; in some cases, replace its key instead."""
    places = list(values_of(document))
    if not places:
        return
    holder, key = places[which % len(places)]
    if odd == DROP:
        del holder[key]
    elif which % 7 == 0 and isinstance(holder, dict) and isinstance(odd, str):
        holder[odd] = holder.pop(key)
    else:
        holder[key] = odd


def harm_folder(folder: Path, harm: Harm) -> None:
    """Damage a file of a folder: a value of a JSON file (also compressed or signed), the bytes of any other file."""
    file, which, odd = harm
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    path = paths[file % len(paths)]
    data = path.read_bytes()
    is_compressed = data[:2] == b"\x1f\x8b"
    text = gzip.decompress(data) if is_compressed else data
    start, end = text.find(b"{"), text.rfind(b"}") + 1
    try:
        document = json.loads(text[start:end])
    except ValueError:
        path.write_bytes(data[: which % (len(data) + 1)])
        return
    harm_document(document, which, odd)
    text = text[:start] + json.dumps(document).encode() + text[end:]
    path.write_bytes(gzip.compress(text, mtime=0) if is_compressed else text)


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
        call_every_reader(folder)

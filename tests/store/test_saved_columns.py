"""The sections of the file of a saved index."""

from __future__ import annotations

import os
import zlib
from mmap import ACCESS_READ, PAGESIZE, mmap
from pathlib import Path

import pytest

from cachetui.store.saved_columns import AT_A_TIME, checksum

STATUS = Path("/proc/self/statm")


@pytest.fixture
def data() -> bytes:
    return os.urandom(4096) * (8 * AT_A_TIME // 4096)


@pytest.fixture
def mapped(tmp_path: Path, data: bytes) -> mmap:
    path = tmp_path / "index"
    path.write_bytes(data)
    with path.open("rb") as file:
        return mmap(file.fileno(), 0, access=ACCESS_READ)


@pytest.mark.parametrize(
    ("start", "length"), [(0, 0), (3, 1), (8, AT_A_TIME), (24, AT_A_TIME + 1), (1, 3 * AT_A_TIME + 77)]
)
def test_a_checksum_is_that_of_all_bytes(mapped: mmap, data: bytes, start: int, length: int) -> None:
    assert checksum(mapped, start, length) == zlib.crc32(data[start : start + length])
    assert mapped[:] == data


@pytest.mark.skipif(not STATUS.exists(), reason="needs Linux to see what is in memory")
def test_what_was_checked_leaves_memory(mapped: mmap) -> None:
    before = int(STATUS.read_text().split()[2]) * PAGESIZE
    checksum(mapped, 16, len(mapped) - 16)
    assert int(STATUS.read_text().split()[2]) * PAGESIZE - before < 3 * AT_A_TIME

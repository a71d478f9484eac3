"""The build cache of the benchmarks at a hundredth of its size: the same bytes each time, the shape of a real one."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import pytest

from tests.support.caches import index_of_folder
from tests.support.large_cache import write_large_cache

SPECS = 1500


def index_bytes(cache: Path) -> bytes:
    (blob,) = (path for path in (cache / "blobs").rglob("*") if path.is_file())
    return blob.read_bytes()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_large_cache(tmp_path_factory.mktemp("large") / "cache", SPECS)


def test_the_same_seed_gives_the_same_bytes(cache: Path, tmp_path: Path) -> None:
    assert index_bytes(write_large_cache(tmp_path / "again", SPECS)) == index_bytes(cache)
    assert index_bytes(write_large_cache(tmp_path / "other", SPECS, seed=1)) != index_bytes(cache)


def test_it_has_the_size_and_the_closures_of_a_real_one(cache: Path) -> None:
    assert 1500 * SPECS < len(index_bytes(cache)) < 2000 * SPECS
    index = index_of_folder(cache)
    assert len(index.columns.hashes) == SPECS
    graph = index.graph
    assert SPECS < len(graph) < 1.01 * SPECS
    assert 7 < mean(len(graph.edges(number)) for number in range(len(graph))) < 9
    assert 20 < mean(len(graph.closure([number])) for number in range(len(graph))) < 40

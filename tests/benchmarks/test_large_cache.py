"""A small build cache of the benchmarks: the same bytes each time, in the shape of a real cache."""

from pathlib import Path
from statistics import mean

import pytest

from cachetui.environments.lock import parse_lock
from cachetui.store.graph import closure
from tests.support.caches import index_of_folder
from tests.support.large_cache import ROOTS, some_nodes, write_large_cache, write_large_lock

SPECS = 600


def index_bytes(cache: Path) -> bytes:
    (blob,) = (path for path in (cache / "blobs").rglob("*") if path.is_file())
    return blob.read_bytes()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_large_cache(tmp_path_factory.mktemp("large") / "cache", SPECS)


def test_generated_cache_is_identical_for_the_same_seed(tmp_path: Path) -> None:
    first = index_bytes(write_large_cache(tmp_path / "first", SPECS // 5))
    assert index_bytes(write_large_cache(tmp_path / "again", SPECS // 5)) == first
    assert index_bytes(write_large_cache(tmp_path / "other", SPECS // 5, seed=1)) != first


def test_generated_cache_resembles_real_cache_in_size_and_dependencies(cache: Path) -> None:
    assert 1500 * SPECS < len(index_bytes(cache)) < 2000 * SPECS
    index = index_of_folder(cache)
    assert len(index.columns.hashes) == SPECS
    graph = index.graph
    assert SPECS < len(graph) < 1.01 * SPECS
    assert 7 < mean(len(graph.edges(number)) for number in range(len(graph))) < 9
    assert 20 < mean(len(closure(graph, [number])) for number in range(len(graph))) < 40


def test_generated_lock_has_given_share_of_missing_specs(cache: Path, tmp_path: Path) -> None:
    index = index_of_folder(cache)
    nodes = [each for each in some_nodes(SPECS) if index.rows_of(each["hash"])]
    for missing in (0.0, 0.9):
        lock = parse_lock(write_large_lock(tmp_path / "spack.lock", nodes, missing).read_text())
        held = sum(bool(index.rows_of(lock.graph.hash(number))) for number in range(len(lock.graph)))
        assert abs(held - (1 - missing) * len(nodes)) < 0.05 * len(nodes)
        assert len(lock.roots) == ROOTS

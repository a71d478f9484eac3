"""Removable binaries, compared with a naive walk: the kept binaries are complete and all needed ones are kept."""

import json
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cachetui.analysis.prune import Plan, plan
from cachetui.model.dependency import LINK_RUN, WITH_BUILD, State
from cachetui.model.problem import UserError
from cachetui.sources.buildcache.binaries import CacheFiles
from cachetui.sources.buildcache.manifests import read_manifest
from tests.support.cache_writer import write_v2, write_v3
from tests.support.caches import CACHES, index_of_folder, specs_of
from tests.support.environments import read_wanted
from tests.support.locks import ENVS
from tests.support.random_graphs import HASHES, Nodes, node_tables, written

PLACES = st.integers(0, 9)
"""Indexes of binaries, modulo their number."""

PAIRS = st.lists(st.tuples(PLACES, PLACES), min_size=1, max_size=4)


def naive_closure(nodes: Nodes, roots: Iterable[str], types: frozenset[str]) -> set[str]:
    """Return all nodes that are reachable by edges of the table."""
    found, before = set(roots), set[str]()
    while found != before:
        before = set(found)
        for each in before & nodes.keys():
            found |= {needed for needed, (kinds, _) in nodes[each][1] if types & {*kinds}}
    return found


def share(folder: Path, pairs: Iterable[tuple[int, int]]) -> None:
    """Make the first manifest of each pair refer to all blobs of the second."""
    manifests = sorted((folder / "v3").rglob("*.spec.manifest.json"))
    for one, other in pairs if manifests else ():
        path = manifests[one % len(manifests)]
        document, more = (json.loads(each.read_text()) for each in (path, manifests[other % len(manifests)]))
        document["data"] += more["data"]
        path.write_text(json.dumps(document))


def blobs_of(paths: Iterable[Path]) -> set[str]:
    """Return all blobs that the manifests refer to."""
    return {blob.path or "" for path in paths for blob in read_manifest(path.read_bytes()).blobs}


def planned(folder: Path, roots: Iterable[str], types: frozenset[str]) -> tuple[Plan, list[tuple[str, str]]]:
    """Return the plan, and the removable files, each with its hash."""
    files, wanted = CacheFiles(str(folder)), read_wanted([f"/{each}" for each in sorted(roots)])
    found = plan(index_of_folder(folder), {"roots": wanted}, {files.folder: files.of}, types=types)
    return found, list(files.freed(found.going))


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@settings(max_examples=max(150, settings.default.max_examples if settings.default else 0))
@given(
    nodes=node_tables(least=8, most_edges=2),
    places=st.sets(PLACES, max_size=2),
    other=st.sets(st.sampled_from(HASHES), max_size=1),
    pairs=PAIRS,
    types=st.sampled_from([LINK_RUN, WITH_BUILD]),
    layouts=st.sampled_from([(write_v2,), (write_v3,), (write_v2, write_v3)]),
)
def test_prune_keeps_every_needed_binary(
    nodes: Nodes,
    places: set[int],
    other: set[str],
    pairs: list[tuple[int, int]],
    types: frozenset[str],
    layouts: tuple[object, ...],
) -> None:
    every = written(nodes)
    binaries = {each for each, (state, _) in nodes.items() if state == State.BINARY}
    roots = other | {sorted(binaries)[place % len(binaries)] for place in places if binaries}
    needed = naive_closure(nodes, roots, types)
    with TemporaryDirectory() as name:
        folder = Path(name)
        for write in (write_v2, write_v3):
            if write in layouts:
                write(folder, every, [each for each in every if each["hash"] in binaries])
        share(folder, pairs)
        unknown = other - nodes.keys()
        if unknown or not needed & binaries:
            with pytest.raises(UserError, match="matches no"):
                planned(folder, roots, types)
            return
        found, freed = planned(folder, roots, types)
        assert set(found.keep) == needed & binaries
        assert set(found.going) == {each for each, _ in freed} == binaries - needed
        before = files_below(folder)
        paths = [Path(path) for _, path in freed]
        assert len(paths) == len(set(paths))
        kept_blobs = blobs_of(path for path in folder.rglob("*.manifest.json") if path not in paths)
        gone_blobs = blobs_of(path for path in paths if path.name.endswith(".manifest.json"))
        for path in paths:
            path.unlink()
        left = files_below(folder)
        assert kept_blobs <= left
        assert left.isdisjoint(gone_blobs - kept_blobs)
        assert not [each for each in left for gone in binaries - needed if gone in each]
        assert {each for each in before - left if "/sha256/" in each} == gone_blobs - kept_blobs
        shutil.rmtree(folder / "v3" / "manifests" / "index", ignore_errors=True)
        (folder / "build_cache" / "index.json").unlink(missing_ok=True)
        again = specs_of(index_of_folder(folder))
        assert {spec.hash for spec in again} == set(found.keep)
        assert {(spec.hash or "")[0] for spec in again} == {spec.package[-1] for spec in again}


def test_prune_lists_a_shared_blob_only_once() -> None:
    nodes: Nodes = {each: (State.BINARY, []) for each in HASHES[:3]}
    with TemporaryDirectory() as name:
        folder, every = Path(name), written(nodes)
        write_v3(folder, every, every)
        share(folder, [(1, 2), (2, 0)])
        found = Counter(each for each, _ in planned(folder, HASHES[:1], LINK_RUN)[1])
    assert found == {HASHES[1]: 1 + 4, HASHES[2]: 1}


def test_prune_keeps_original_binary_of_spliced_spec() -> None:
    lock = ENVS / "spack-1.1" / "splice" / "spack.lock"
    nodes = json.loads(lock.read_text())["concrete_specs"].values()
    originals = {node["build_spec"]["hash"] for node in nodes if "build_spec" in node}
    found = plan(index_of_folder(CACHES / "v3/spack-1.1.0/develop/btest"), {"lock": read_wanted([str(lock)])}, {})
    assert originals & {*found.keep, *found.going}
    assert not originals & found.going.keys()

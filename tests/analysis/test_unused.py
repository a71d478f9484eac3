"""Unused specs of random trees, and those that other trees need, compared with naive loops."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cachetui.analysis.unused import open_in_full, unused
from cachetui.catalogue import Catalogue
from cachetui.model.dependency import State
from cachetui.query.query import Query
from cachetui.settings.settings import Settings
from cachetui.sources.source import Asking
from tests.support.cache_writer import edge, write_lock
from tests.support.random_graphs import HASHES, KINDS, Nodes
from tests.support.trees import record, write_tree

Edges = Mapping[str, Sequence[tuple[str, tuple[Collection[str], object]]]]


def records(
    nodes: Nodes, kept: Collection[str], installed: Collection[str], explicit: Collection[str]
) -> dict[str, Any]:
    """Return the database records of the nodes whose hashes are in `kept`."""
    found = {}
    for node_hash, (state, edges) in nodes.items():
        if node_hash in kept:
            external = "/usr" if state == State.EXTERNAL else None
            is_installed, is_explicit = node_hash in installed, node_hash in explicit
            found[node_hash] = record(
                f"name-{node_hash[0]}", external=external, installed=is_installed, explicit=is_explicit
            )
            found[node_hash]["spec"]["dependencies"] = [edge(f"name-{to[0]}", to, *kind) for to, kind in edges]
    return found


def reached(edges: Edges, roots: Iterable[str], types: Collection[str] = ("link", "run")) -> set[str]:
    """Return the given hashes and all their known dependencies."""
    found, waiting = set(roots), list(roots)
    while waiting:
        for needed, (own, _) in edges.get(waiting.pop(), ()):
            if needed not in found and {*own} & {*types}:
                found.add(needed)
                waiting.append(needed)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_command_unused_lists_same_specs_as_naive_search(tmp_path: Path, seed: int) -> None:
    random = Random(seed)

    def some(share: float) -> set[str]:
        return {each for each in HASHES if random.random() < share}

    states = [State.BINARY, State.BINARY, State.EXTERNAL]
    nodes: Nodes = {
        each: (random.choice(states), [(needed, random.choice(KINDS)) for needed in random.sample(HASHES, 2)])
        for each in HASHES
    }
    trees = {"mine": (some(0.8), some(0.8), some(0.2)), "theirs": (some(0.5), some(0.8), some(0.3))}
    for name, sets in trees.items():
        write_tree(tmp_path / name, records(nodes, *sets))
    index = Catalogue([str(tmp_path / name) for name in trees], Settings(), index_cache=False).load()
    upstreams = (f"up={tmp_path}/theirs",)
    above = Catalogue([f"{tmp_path}/mine"], Settings(), index_cache=False, asking=Asking(upstreams=upstreams)).load()
    edges = {each: own for each, (_, own) in nodes.items()}
    (mine, here, explicit), (theirs, there, _) = trees.values()
    own = {each: edges[each] for each in mine}
    for types in (("link", "run"), ("link", "run", "build")):
        found = unused(index, Query(), ["mine/mine"], size=lambda spec: 7, with_build="build" in types)
        wanted = (mine & here) - reached(own, mine & explicit, types)
        assert sorted(each.hash or "" for each in found) == sorted(wanted)
        # Spack does the same for an upstream: it never follows an edge to a hash that the upstream does not record
        found_above = unused(above, Query(), ["mine"], size=lambda spec: 7, with_build="build" in types)
        assert sorted(each.hash or "" for each in found_above) == sorted(wanted)
        assert {each.bytes for each in found} <= {7}
        known = {each: edges[each] for each in mine | theirs}
        for each in found:
            users = {user for user in theirs & there if each.hash in reached(known, [user])}
            told = {user.rpartition("/")[2] for user in each.needed_by}
            assert told == (users if each.hash not in theirs & there else set())


def test_command_unused_keeps_dependencies_of_specs_outside_the_environment(tmp_path: Path) -> None:
    """Inside an environment, Spack treats all specs outside the environment as roots."""
    root, own, shared, other = HASHES[:4]
    nodes: Nodes = {each: (State.BINARY, []) for each in (own, shared)}
    nodes[root] = State.BINARY, [(own, (("build",), ())), (shared, (("build",), ()))]
    nodes[other] = State.BINARY, [(shared, (("run",), ()))]
    spack, lab = tmp_path / "spack", tmp_path / "spack" / "var" / "spack" / "environments" / "lab"
    (spack / "lib" / "spack" / "spack").mkdir(parents=True)
    (spack / "bin").mkdir()
    (spack / "bin" / "spack").touch()
    write_tree(spack / "opt" / "spack", records(nodes, HASHES, HASHES, [root]))
    specs = {
        each: {**found["spec"], "hash": each} for each, found in records(nodes, [root, own, shared], (), ()).items()
    }
    (lab / ".spack-env").mkdir(parents=True)
    write_lock(lab / "spack.lock", specs.values(), [specs[root]])
    environ = {"SPACK_DISABLE_LOCAL_CONFIG": "1"}
    whole, inside = (Catalogue(str(each), Settings(environ), index_cache=False).load() for each in (spack, lab))
    found = unused(whole, Query(), whole.tags, size=lambda spec: None)
    assert {each.hash for each in found} == {own, shared, other}
    found = unused(inside, Query(), inside.tags, size=lambda spec: None)
    assert {each.hash for each in found} == {own}
    assert (open_in_full(whole), open_in_full(inside)) == (["spack"], [])

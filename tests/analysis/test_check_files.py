"""The verdict of `check`, compared with a naive walk over the files of random caches, without an index."""

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cachetui.analysis.check import install
from cachetui.environments.lock import parse_lock
from cachetui.environments.wanted import Asked, Wanted
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.search.availability import Availability
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.binaries import path_v2, spec_manifest
from cachetui.sources.buildcache.presence import BinaryFiles
from cachetui.sources.source import MirrorRules
from tests.support.cache_writer import Node, node, write_index_v3, write_v2, write_v3
from tests.support.caches import index_of_folder, specs_of

HARMS = (*[""] * 7, "manifest", "empty", "tarball", "cut", "unindexed", "unsigned")
"""Possible damage to one binary; most binaries have none."""

COUNT = 6


@dataclass(frozen=True)
class Case:
    """A lock and two mirrors."""

    edges: tuple[tuple[int, int], ...]
    """Edges, each from a node to an earlier one."""
    spliced: tuple[int | None, ...]
    """For each node of the lock, the node that it was spliced from."""
    harms: tuple[tuple[str, ...], ...]
    """The damage to each binary in each mirror; `-` for a binary that was never pushed."""
    signed: tuple[bool, bool]
    """Whether each mirror requires signatures."""
    has_v2: tuple[bool, bool]
    roots: tuple[int, ...]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    pairs = [(k, j) for k in range(COUNT) for j in range(k)]
    harm = st.tuples(*[st.sampled_from((*HARMS, "-"))] * COUNT)
    return Case(
        tuple(draw(st.lists(st.sampled_from(pairs), max_size=8, unique=True))),
        tuple(draw(st.sampled_from((None, None, None, *range(k)))) for k in range(COUNT)),
        draw(st.tuples(harm, harm)),
        draw(st.tuples(st.booleans(), st.booleans())),
        draw(st.tuples(st.booleans(), st.booleans())),
        tuple(draw(st.lists(st.integers(0, COUNT - 1), min_size=1, max_size=2, unique=True))),
    )


def nodes_of(case: Case) -> list[Node]:
    """Return the nodes of the lock."""
    made: list[Node] = []
    for k in range(COUNT):
        needs: list[tuple[Node, list[str], list[str]]] = [
            (made[j], ["link"], []) for source, j in case.edges if source == k
        ]
        made.append(node(f"p{k}", "1.0", needs, compiler={"name": "gcc", "version": "13.2.0"}))
    return made


def is_there(case: Case, mirror: int, k: int) -> bool:
    """Return whether a mirror has a usable binary of node `k` after the damage to its files."""
    harm = case.harms[mirror][k]
    if harm == "cut":
        return case.has_v2[mirror]  # layout v2 states no length
    if harm == "unsigned":
        return not case.signed[mirror]
    return harm in ("", "unindexed")


def naive(case: Case) -> bool:
    """Return whether all roots can be installed."""
    needed = set(case.roots)
    while more := {j for k, j in case.edges if k in needed} - needed:
        needed |= more
    origins = {k if case.spliced[k] is None else case.spliced[k] for k in needed}
    return all(any(is_there(case, mirror, k) for mirror in (0, 1)) for k in origins if k is not None)


def harm_files(folder: Path, harms: tuple[str, ...], nodes: list[Node], *, is_v2: bool) -> None:
    """Damage the files of each binary; `harms` has the kind of damage for each node."""
    for spec in specs_of(index_of_folder(folder)):
        k = next(k for k, each in enumerate(nodes) if each["hash"] == spec.hash)
        tarball = next(
            path
            for path in folder.rglob("*")
            if path.is_file() and path.read_bytes().endswith(f"tarball of {spec.hash}".encode())
        )
        base = folder / path_v2(spec)
        manifest = folder / "build_cache" / f"{base.stem}.spec.json.sig" if is_v2 else folder / spec_manifest(spec)
        match harms[k]:
            case "manifest":
                manifest.unlink()
            case "empty":
                manifest.write_bytes(b"")
            case "tarball":
                tarball.unlink()
            case "cut":
                tarball.write_bytes(tarball.read_bytes()[:-1])
            case "unsigned":
                text = manifest.read_bytes().partition(b"\n\n")[2].partition(b"\n-----BEGIN PGP")[0]
                manifest.unlink()
                (manifest.with_suffix("") if is_v2 else manifest).write_bytes(text)


@given(case=cases())
def test_check_verdict_agrees_with_naive_walk_over_files(case: Case) -> None:
    assert verdict(case) is naive(case)


@pytest.mark.soak
@settings(max_examples=3000)
@given(case=cases())
def test_check_verdict_agrees_with_naive_walk_in_many_cases(case: Case) -> None:
    assert verdict(case) is naive(case)


def verdict(case: Case) -> bool:
    """Return the verdict of `check` on the lock, for files with this damage."""
    nodes = nodes_of(case)
    with TemporaryDirectory() as temporary:
        top = Path(temporary)
        for mirror, harms in enumerate(case.harms):
            pushed = [each for each, harm in zip(nodes, harms, strict=True) if harm != "-"]
            listed = [each for each, harm in zip(nodes, harms, strict=True) if harm not in ("-", "unindexed")]
            folder, is_v2 = top / "caches" / f"m{mirror}", case.has_v2[mirror]
            (write_v2 if is_v2 else write_v3)(folder, nodes, pushed, signed=True)
            harm_files(folder, harms, nodes, is_v2=is_v2)
            if is_v2:
                written_index = write_v2(top / "listed" / f"m{mirror}", nodes, listed) / "build_cache" / "index.json"
                written_index.replace(folder / "build_cache" / "index.json")
            else:
                write_index_v3(folder, nodes, listed)
        written = {}
        for each, origin in zip(nodes, case.spliced, strict=True):
            spliced = {} if origin is None else {"build_spec": {"name": f"p{origin}", "hash": nodes[origin]["hash"]}}
            written[each["hash"]] = each | {"name": each["name"] if origin is None else f"p{origin}"} | spliced
        roots = [{"hash": nodes[k]["hash"], "spec": f"p{k}"} for k in case.roots]
        lock = parse_lock(json.dumps({"_meta": {"lockfile-version": 6}, "roots": roots, "concrete_specs": written}))
        index = index_of_folder(top / "caches")
        rules = {
            (tag, stack): MirrorRules(signed=case.signed[int(path[-1])])
            for tag, caches in zip(index.graph.tags, index.graph.mirrors, strict=True)
            for stack, path in caches.items()
        }
        wanted = Wanted(tuple(Asked(root.spec, hash=root.hash, lock=lock) for root in lock.roots))
        looked = Availability(index, Query(), BinaryFiles(rules, Settings()))
        found = install(index, wanted, looked, Host.parse("linux-ubuntu24.04-zen3"))
        return found.complete

"""Every version of `spack.lock` that real Spack wrote, and invalid files."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.environments.files import FileError
from cachetui.environments.lock import parse_lock
from cachetui.model.dependency import ALL_TYPES, LINK_RUN, WITH_BUILD, State
from cachetui.store.graph import closure
from tests.support.caches import CACHES, index_of_folder

LOCKS = {
    1: "real/legacy_env/v1.lock",
    2: "oracle/envs/spack-0.16/btest/spack.lock",
    3: "real/legacy_env/v3.lock",
    4: "oracle/envs/spack-0.20/tools/spack.lock",
    5: "oracle/envs/spack-0.23/btest/spack.lock",
    6: "oracle/envs/spack-1.1/btest/spack.lock",
}


@pytest.mark.parametrize(("version", "path"), LOCKS.items())
def test_every_lock_version_is_read_completely(version: int, path: str) -> None:
    text = (CACHES / path).read_text()
    lock = parse_lock(text)
    written = json.loads(text)
    assert lock.version == version
    assert [root.spec for root in lock.roots] == [root["spec"] for root in written["roots"]]
    assert lock.hashed_types == (LINK_RUN if version < 4 else ALL_TYPES)
    numbers = [lock.graph.number(root.hash) for root in lock.roots]
    known = [number for number in numbers if number is not None]
    assert known == numbers
    found = closure(lock.graph, known, ALL_TYPES)
    assert {lock.graph.hash(number) for number in found} <= {*lock.graph.parts[0].hashes}
    assert all(lock.graph.state(number) != State.UNKNOWN for number in found)
    # two roots of the old locks differ only in their build dependencies
    assert len(found) == len(lock.graph) - (version == 3)


def test_lock_of_version_4_gives_same_nodes_as_in_spack() -> None:
    graph = parse_lock((CACHES / LOCKS[4]).read_text()).graph
    nodes = {node.hash[:7]: node for node in map(graph.node, range(len(graph)))}
    assert {short: f"{node.name}@{node.version}" for short, node in nodes.items()} == {
        "qtz2lcv": "hdf5@1.14.1-2",
        "zm7d7tb": "cmake@3.26.3",
        "h4o436p": "ncurses@6.4",
        "sa65cq2": "openssl@3.0.15",
        "wwz3h4b": "gmake@4.4.1",
        "lebgqmr": "pkgconf@1.9.5",
        "as7gte4": "zlib@1.2.13",
        "tv5bfrd": "bzip2@1.0.8",
        "vfwiibt": "diffutils@3.9",
        "4vdfrqb": "libiconv@1.17",
    }
    assert nodes["sa65cq2"].external == "/usr"
    assert {short for short in nodes if graph.state(nodes[short].number) == State.EXTERNAL} == {"sa65cq2"}
    needs = {graph.hash(number)[:7] for number in closure(graph, [nodes["qtz2lcv"].number], LINK_RUN)}
    assert needs == {"qtz2lcv", "as7gte4", "lebgqmr"}
    assert nodes["qtz2lcv"].compiler == "gcc@12.2.0"


@pytest.mark.parametrize(
    ("lock", "cache"),
    [
        ("spack-0.16/btest", "v2/spack-0.16/signed"),
        ("spack-0.23/btest", "v2/spack-0.23.1/develop/btest"),
        ("spack-0.23/tools", "v2/spack-0.23.1/develop/tools"),
        ("spack-1.1/btest", "v3/spack-1.1.0/develop/btest"),
        ("spack-1.1/splice", "v3/spack-1.1.0/develop/btest"),
    ],
)
def test_lock_has_same_graph_as_cache_pushed_from_lock(lock: str, cache: str) -> None:
    own = parse_lock((CACHES / "oracle" / "envs" / lock / "spack.lock").read_text()).graph
    content = index_of_folder(CACHES / cache).graph
    both = 0
    for node_hash in own.parts[0].hashes:
        here, there = own.number(node_hash), content.number(node_hash)
        assert here is not None
        if there is not None and content.state(there) != State.UNKNOWN:
            both += 1
            mine, yours = own.node(here), content.node(there)
            for name in ("name", "version", "compiler", "os", "target", "variants", "external"):
                assert getattr(mine, name) == getattr(yours, name), (mine.name, name)
            types = LINK_RUN if "0.16" in lock else WITH_BUILD
            assert {own.hash(edge.number) for edge in own.edges(here, types)} == {
                content.hash(edge.number) for edge in content.edges(there, types)
            }
    assert both > 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the spack.lock or spec.json cannot be read: "),
        ("{}", "the spack.lock has no concrete specs: run spack concretize"),
        ('{"concrete_specs": []}', "the spack.lock or spec.json cannot be read: .*concrete_specs"),
        ('{"concrete_specs": {"a": {}}}', "it has no name"),
        ('{"_meta": 1, "concrete_specs": {}}', "the spack.lock or spec.json cannot be read"),
        ('{"include_concrete": {"a": ' * 5000, "the spack.lock or spec.json cannot be read: "),
        ('{"include_concrete":{"a":' * 30 + "{}" + "}}" * 30, "too deeply"),
    ],
)
def test_file_that_is_not_a_lock_is_refused(text: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        parse_lock(text)


@pytest.mark.parametrize(
    ("version", "key", "note"),
    [
        (8, "provided_virtuals", ()),
        (8, "frob", ("spack.lock: cachetui did not read the unknown key 'frob', which a newer Spack wrote",)),
        (6, "frob", ()),
    ],
)
def test_unknown_keys_of_newer_locks_are_reported_once(version: int, key: str, note: tuple[str, ...]) -> None:
    written = json.loads((CACHES / LOCKS[6]).read_text())
    written["_meta"]["lockfile-version"] = version
    for root in written["roots"]:
        root["group"] = "default"
    for node in written["concrete_specs"].values():
        node[key] = ["mpi"]
    lock = parse_lock(json.dumps(written))
    assert lock.roots == parse_lock((CACHES / LOCKS[6]).read_text()).roots
    assert tuple(each.partition(":")[0] + ":" + each.partition(":")[2].partition(":")[0] for each in lock.notes) == note


@given(st.data())
def test_damaged_lock_is_read_or_refused(data: st.DataObject) -> None:
    text = (CACHES / LOCKS[3]).read_text()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 50)))
    try:
        lock = parse_lock(text[:start] + data.draw(st.text(max_size=5)) + text[end:])
    except FileError:
        return
    assert len(lock.graph)

"""The columns of entries say of each entry what it says."""

from __future__ import annotations

from cachetui.sources.buildcache.database import read_database
from cachetui.sources.buildcache.flat import ALIKE, NodeReader
from tests.support.cache_writer import compact

SYSTEMS = [f"system{k:03}" for k in range(3 * ALIKE)]


def test_architectures_whose_texts_are_equally_long_are_told_apart() -> None:
    reader = NodeReader()
    for letter in "abc":
        installs = {
            f"{letter}{k:031}": {"spec": {"name": "x", "arch": {"platform_os": system}}}
            for k, system in enumerate(SYSTEMS)
        }
        reader.add(read_database(compact({"database": {"version": "8", "installs": installs}})).entries)
        if letter == "b":
            reader.result()
    nodes = reader.result()
    table = [architecture.os for _, _, architecture in nodes.tables["build"]]
    assert [table[number] for number in nodes.columns["build"]] == SYSTEMS
    assert len(table) == len(SYSTEMS)

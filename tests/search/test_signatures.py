"""Rows are grouped into builds: by their values, or by hash."""

import pytest

from cachetui.search.signatures import Builds, ComparedBy
from tests.support.rows import index_of, row

ROWS = [
    row("zlib", "1.3", hash="a" * 32, stacks=["e4s"]),
    row("zlib", "1.3", hash="b" * 32, stacks=["hep"]),
    row("zlib", "1.3", hash="b" * 32, stacks=["tools"]),
    row("zlib", "1.2", hash="", stacks=["e4s"]),
    row("zlib", "1.2", hash="", stacks=["hep"]),
]


@pytest.mark.parametrize(("by", "sizes"), [("signature", [2, 2]), ("hash", [1, 1, 1, 1])])
def test_rows_are_grouped_into_builds_by_values_or_hash(by: ComparedBy, sizes: list[int]) -> None:
    index = index_of(ROWS)
    assert sorted(len(rows) for rows in Builds(index, by).by_key(range(len(index))).values()) == sizes


def test_same_build_in_two_stacks_is_counted_in_each_stack() -> None:
    index = index_of(ROWS)
    builds = Builds(index, "signature")
    groups = builds.by_key(range(len(index)))
    newer = next(key for key in groups if getattr(key, "version", "") == "1.3")
    units = builds.units(groups, without={newer})
    assert sorted((signature.version, *stacks, len(rows)) for (signature, stacks), rows in units.items()) == [
        ("1.2", "e4s", 1),
        ("1.2", "hep", 1),
    ]


def test_row_without_hash_is_identified_by_its_values() -> None:
    index = index_of(ROWS[2:4])
    texts = {Builds(index, "hash").text(k) for k in range(len(index))}
    assert "b" * 32 in texts
    assert {text.split("@")[0] for text in texts} == {"b" * 32, "no hash: "}

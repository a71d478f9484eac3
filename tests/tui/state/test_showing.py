"""What of the filters has to go so that a spec or a package is shown."""

from __future__ import annotations

import pytest

from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.tui.rows.specs import spec_key
from cachetui.tui.state.showing import showing
from tests.support.rows import index_of, row


def two_tags() -> Index:
    return index_of(
        [
            row("hdf5", hash="a" * 32, tag="v1", os="ubuntu22.04", target="x86_64_v3", stacks=["e4s"]),
            row("hdf5", hash="b" * 32, tag="v1", os="ubuntu24.04", target="x86_64_v4", stacks=["hep"]),
            row("zlib", hash="c" * 32, tag="v2", os="ubuntu22.04", target="x86_64_v3", stacks=["hep"]),
        ]
    )


@pytest.mark.parametrize(
    ("query", "letter", "shown"),
    [
        ("tag=v1 os=ubuntu24.04 stack=e4s", "a", "tag=v1 stack=e4s"),
        ("tag=v1 os=ubuntu22.04 stack=e4s", "c", "tag=v2 os=ubuntu22.04"),
        ("tag=v1 fits=linux-ubuntu22.04-zen3", "c", "tag=v2 fits=linux-ubuntu22.04-zen3"),
        ("tag=v1 fits=linux-ubuntu22.04-zen3", "b", "tag=v1"),
        ("hdf5 os=ubuntu22.04", "c", "os=ubuntu22.04"),
    ],
)
def test_a_spec_is_shown_by_what_takes_it(query: str, letter: str, shown: str) -> None:
    index = two_tags()
    found = next(spec_key(index, k) for k in index.all_rows if index.spec(k).hash == letter * 32)
    assert showing(index, Query.parse(query), found) == Query.parse(shown)


@pytest.mark.parametrize(
    ("query", "package", "shown"),
    [
        ("tag=v1 os=ubuntu24.04", "zlib", ""),
        ("tag=v1 stack=hep", "zlib", "stack=hep"),
        ("tag=v1 stack=e4s os=ubuntu24.04 fits=linux-ubuntu22.04-zen3", "hdf5", "tag=v1 fits=linux-ubuntu22.04-zen3"),
    ],
)
def test_a_package_is_shown_by_what_takes_one_of_its_specs(query: str, package: str, shown: str) -> None:
    assert showing(two_tags(), Query.parse(query), package) == Query.parse(shown)

"""What runs on the host that is meant where just its os and target are asked for in vain."""

from __future__ import annotations

import pytest

from cachetui.explain.host_meant import host_meant
from cachetui.explain.why import why_nothing
from cachetui.query.query import Query
from cachetui.report.why import nothing_found
from cachetui.search.index import Index
from tests.support.rows import index_of, row

THERE = "what runs there"


@pytest.fixture(scope="module")
def index() -> Index:
    rows = [
        row("hdf5", "1.14", os="almalinux8"),
        row("hdf5", "1.13", os="centos7", target="zen2"),
        row("hdf5", "1.12", os="centos7", target="x86_64", variants=["~mpi"]),
        row("hdf5", "1.11", os="ubuntu24.04"),
        row("hdf5", "1.10", os="sequoia", platform="darwin", target="m1"),
        row("zlib", os="slackware15", target="zen2"),
        row("zlib", os="ventura", platform="darwin", target="x86_64"),
        row("gmake", os="ventura", platform="darwin", target="aarch64"),
    ]
    return index_of(rows)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("hdf5 +mpi arch=linux-rhel8-zen3", f"2 specs with fits=linux-rhel8-zen3: {THERE}, in place of arch="),
        ("hdf5 target=zen3 os=rhel8", f"3 specs with fits=linux-rhel8-zen3: {THERE}, in place of target=zen3 os=rhel8"),
        ("hdf5 platform=linux target=zen3", "4 specs with fits=linux-zen3: what this target runs, in place of "),
        ("hdf5 target=zen3", "4 specs with fits=zen3: what this target runs, in place of target=zen3"),
        ("hdf5 os=rhel8", f"1 spec with fits=linux-rhel8-x86_64: {THERE} on any x86_64, in place of os=rhel8"),
        ("zlib os=rhel8 target=zen3", "1 spec with fits=linux-rhel8-zen3: what runs or may run there, in place of "),
        ("gmake os=sonoma target=m2", "1 spec with fits=darwin-sonoma-m2: what runs or may run there, in place of "),
        ("hdf5 arch=darwin-tahoe-m2", "1 spec with fits=darwin-tahoe-m2: what runs or may run there, in place of "),
    ],
)
def test_what_runs_on_the_host_stands_in_place_of_its_os_and_target(index: Index, query: str, wanted: str) -> None:
    found = host_meant(index, Query.parse(query))
    assert found is not None
    assert found.counted.startswith(wanted)
    assert found.specs == len(index.rows(found.query))
    assert not [part for part in found.query.parts if part.key in ("platform", "os", "target")]


@pytest.mark.parametrize(
    "query",
    [
        "hdf5 target=x86_64",  # there is one
        "hdf5",
        "hdf5@99 target=zen3",  # nothing runs there either
        "hdf5 target=zen33",
        "hdf5 target=zen3,zen4",
        "hdf5 target=zen3:",
        "hdf5 target=zen3 os!=rhel8",
        "hdf5 os=rhel8,rhel9 target=zen3",
        "hdf5 os=plan9 target=zen3",
        "hdf5 platform=darwin os=rhel8 target=zen3",
        "zlib os=sonoma",  # a Mac may have either processor
        "gmake os=sonoma target=neoverse_v2",  # no Mac has that
        "hdf5 platform=cray",
        "hdf5 target=zen3 fits=linux-rhel8-zen3",
        "hdf5 platform=atari target=zen3",
    ],
)
def test_no_host_is_meant_by_what_names_none_or_brings_nothing(index: Index, query: str) -> None:
    assert host_meant(index, Query.parse(query)) is None


def test_what_runs_there_is_the_first_thing_said_behind_what_is_not_found(index: Index) -> None:
    lines = list(nothing_found(index, why_nothing(index, Query.parse("hdf5+mpi arch=linux-rhel8-zen3"))))
    said = f"  2 specs with fits=linux-rhel8-zen3: {THERE}, in place of arch=linux-rhel8-zen3"
    assert lines[1] == said

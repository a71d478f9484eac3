"""What the host of a query makes of the specs, in figures and phrases."""

from __future__ import annotations

import pytest

from cachetui.explain.host_summary import host_fit, host_notes
from cachetui.explain.unknown_values import unknown_values
from cachetui.query.query import Query
from cachetui.search.results import Results
from tests.support.rows import index_of, row

INDEX = index_of(
    [
        *(row(version=str(k), os="rhel8") for k in range(3)),
        *(row(version=str(k), os="ubuntu24.04") for k in range(2)),
        row(os="gentoo2"),
        row(os="rhel8", target="zen4"),
        row("zlib", os="ubuntu24.04"),
    ]
)


def test_what_runs_and_what_may_is_taken_and_what_needs_a_newer_libc_is_left_out() -> None:
    query = Query.parse("hdf5 fits=linux-rhel8-zen3")
    found = host_fit(INDEX, query)
    assert found is not None
    assert found.certain + found.uncertain == len(Results.of(INDEX, query)) == 4
    assert found.counts == "3 run on linux-rhel8-zen3, 1 may (glibc not known)"
    assert found.reasons() == "left out: needs glibc 2.39, the host has 2.28 (2), needs zen4 (1)"
    assert found.reasons("unknown") == ""
    assert found.fewer_reasons("w") == [
        "left out: needs glibc 2.39, the host has 2.28 (2), needs zen4 (1)",
        "left out: needs glibc 2.39, the host has 2.28 (2) and 1 more reason (w)",
        "left out: needs glibc 2.39, the host has 2.28 (2) and 1 more (w)",
        "left out: 3, w says why",
        "",
    ]


def test_a_target_alone_asks_no_libc_and_is_spelled_as_typed() -> None:
    query = Query.parse("hdf5 fits=zen3")
    found = host_fit(INDEX, query)
    assert found is not None
    assert (found.counts, found.reasons()) == ("6 run on zen3", "left out: needs zen4 (1)")
    assert str(query) == "hdf5 fits=zen3"
    assert query.toggled("os", "rhel8", ["rhel8"]).line == "hdf5 fits=zen3 os=rhel8"


def test_a_query_without_a_host_says_nothing() -> None:
    assert host_fit(INDEX, Query.parse("hdf5")) is None


def test_here_is_spelled_as_the_machine_that_it_means() -> None:
    (part,) = Query.parse("fits=here").parts
    assert part.text != "fits=here"
    assert Query.parse(part.text).parts == (part,)


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("linux-rhel88-zen3", ["os rhel88 is not known; nearest: rhel8, rhel10, rhel9"]),
        ("linux-debain12-zen3", ["os debain12 is not known; nearest: debian12, debian10, debian11"]),
        ("darwin-sequioa-m1", ["os sequioa is not known; nearest: sequoia"]),
        ("linux-foo-zen3", ["os foo is not known: its glibc is not"]),
        ("linux-gentoo2-zen3", []),  # a row has it
        ("linux-debian12-zen3", []),  # its glibc is known
        ("darwin-sequoia-m1", []),
        ("zen3", []),
    ],
)
def test_an_os_that_nothing_knows_is_said(host: str, said: list[str]) -> None:
    query = Query.parse(f"hdf5 fits={host}")
    assert [value.phrase for value in unknown_values(INDEX, query)] == host_notes(INDEX, query) == said


def test_of_two_hosts_the_one_that_counts_is_said() -> None:
    query = Query.parse("hdf5 fits=zen3 fits=zen2")
    assert host_notes(INDEX, query) == ["fits=zen2 counts, fits=zen3 before it does not: a query has one host"]
    assert host_notes(INDEX, Query.parse("hdf5")) == []


def test_what_is_not_known_of_a_binary_of_another_release_of_macos_is_no_glibc() -> None:
    index = index_of([row(platform="darwin", os=os, target="m1") for os in ("sequoia", "sonoma", "ventura")])
    found = host_fit(index, Query.parse("fits=darwin-sequoia-m1"))
    assert found is not None
    assert found.counts == "1 runs on darwin-sequoia-m1, 2 may (another release of the os)"

"""The hosts to choose from, and which of them a text stands for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cachetui.explain.host_names import hosts_meant, known_hosts, mended_hosts
from cachetui.model.host import Host
from cachetui.search.index import Index
from tests.support.rows import index_of, row

OWN = Host("linux", "debian12", "zen3")

BUILDS = (
    ("linux", "rhel8", "zen2"),
    ("linux", "ubuntu22.04", "x86_64_v3"),
    ("linux", "ubuntu22.04", "x86_64_v3"),
    ("linux", "ubuntu22.04", "aarch64"),
    ("darwin", "sequoia", "m1"),
)


@pytest.fixture(scope="module")
def index() -> Index:
    builds = [row(platform=platform, os=os, target=target) for platform, os, target in BUILDS]
    odd = [row(os="rhel 8", target="zen2"), row(os="rhel8", target="zen99")]
    return index_of([*builds, *odd])


def test_the_own_host_stands_first_then_what_there_are_builds_for_the_most_frequent_first(index: Index) -> None:
    hosts = known_hosts(index, OWN)
    assert [(each.text, each.specs) for each in hosts[:2]] == [
        ("linux-debian12-zen3", 0),
        ("linux-ubuntu22.04-x86_64_v3", 2),
    ]
    assert sorted(each.text for each in hosts[2:]) == [
        "darwin-sequoia-m1",
        "linux-rhel8-zen2",
        "linux-ubuntu22.04-aarch64",
    ]


@pytest.mark.parametrize(
    ("text", "first", "number", "problem"),
    [
        ("", "linux-debian12-zen3", 5, ""),
        ("ubuntu", "linux-ubuntu22.04-x86_64_v3", 2, ""),
        ("ubuntu x86", "linux-ubuntu22.04-x86_64_v3", 1, ""),
        ("zen2", "zen2", 2, ""),
        ("linux-ubuntu22.04-aarch64", "linux-ubuntu22.04-aarch64", 1, ""),
        ("rhel9-zen4", "linux-rhel9-zen4", 1, ""),
        ("rhel8", "linux-rhel8-zen2", 4, ""),
        ("linux-rhel8", "linux-rhel8-zen2", 4, ""),
        ("ubuntu22.04", "linux-ubuntu22.04-x86_64_v3", 4, "'ubuntu22.04' is an os without a target"),
        (
            "rhel9",
            "linux-rhel9-zen3",
            4,
            "'rhel9' is an os without a target: expected both, such as linux-rhel9-x86_64_v3",
        ),
        ("linux-rehl8-zen2", "linux-rhel8-zen2", 2, "no os rehl8"),
        ("linux-rhel87-zen2", "linux-rhel87-zen2", 2, ""),  # of another number it may be another one
        ("linux-foo-zen2", "linux-foo-zen2", 1, ""),
        ("linux-rhel8-zne2", "linux-rhel8-zen2", 1, "no target 'zne2'"),
        ("linux-rhel8-zne3", "linux-rhel8-zen3", 3, "no target 'zne3'"),
        ("linx-rhel8-zen3", "linux-rhel8-zen3", 3, "no platform 'linx'"),
        ("linux-zne3", "linux-zen3", 3, "no target 'zne3'"),
        ("zne3", "zen3", 1, "no target 'zne3'"),
        ("rehl8-zen2", "linux-rhel8-zen2", 1, "no platform 'rehl8'"),
        ("rehl8-zn2", "linux-rhel8-zen2", 1, "no platform 'rehl8'"),
        ("rhel8-zn3", "linux-rhel8-zen3", 2, "no target 'zn3': did you mean zen3?"),
        ("%%%", None, 0, "no target '%%%'"),
    ],
)
def test_a_text_stands_for_the_hosts_it_is_a_part_of(
    index: Index, text: str, first: str | None, number: int, problem: str
) -> None:
    found, said = hosts_meant(known_hosts(index, OWN), text, index.values("os"))
    assert (found[0].text if found else None, len(found)) == (first, number)
    assert said.startswith(problem)
    assert bool(said) == bool(problem)


@pytest.mark.parametrize("before", [[], ["linux-rhle8-zen3"], ["linux-rhle8-zen2", "linux-rhel8-zen3"]])
def test_the_host_that_one_is_a_slip_of_stands_before_it_also_where_the_slip_was_chosen_before(
    index: Index, before: Sequence[str]
) -> None:
    hosts = known_hosts(index, OWN, *map(Host.parse, before))
    found, said = hosts_meant(hosts, "linux-rhle8-zen3", index.values("os"))
    assert [each.text for each in found] == ["linux-rhel8-zen3", "linux-rhle8-zen3"]
    assert said == "no os rhle8"


def test_behind_a_host_of_an_unknown_os_that_was_chosen_before_stands_what_may_be_meant(index: Index) -> None:
    hosts = known_hosts(index, OWN, Host.parse("linux-rhel87-zen2"))
    found, said = hosts_meant(hosts, "linux-rhel87-zen2", index.values("os"))
    assert ([each.text for each in found], said) == (["linux-rhel87-zen2", "linux-rhel8-zen2"], "")


def test_an_os_that_only_a_host_without_such_builds_names_is_no_slip() -> None:
    index = index_of([row(platform="linux", os="rhel8", target="zen2"), row(os="rhle8", target="zen99")])
    found, said = hosts_meant(known_hosts(index, OWN), "linux-rhle8-zen2", index.values("os"))
    assert (found[0].text, said) == ("linux-rhle8-zen2", "")


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("linx-rhel8-zen3", ["linux-rhel8-zen3"]),
        ("linux-rehl8-zen3", ["linux-rhel8-zen3"]),
        ("linux-zne3", ["linux-zen3"]),
        ("cra-rhel8-zen2", ["cray-rhel8-zen2"]),
        ("rhle8-zen3", ["linux-rhel8-zen3"]),
        ("rhle8-zne3", ["linux-rhel8-zen3"]),
        ("foo-zen3", []),
        ("linux-rhel8-zen3", []),
        ("a-b-c-d-e", []),
        ("a-b-c", []),
        ("l-rhel8-zen3", []),
        ("linux-b-zen3", []),
        ("linux-rhel8-z", []),
        ("z", []),
        ("cra-some-thing-zen3", []),  # no os has a dash
    ],
)
def test_what_is_mistyped_in_a_host_is_put_right_and_nonsense_left_alone(text: str, mended: list[str]) -> None:
    assert mended_hosts(text, ["rhel8", "ubuntu22.04"]) == mended


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("linux-rhle8-zne3", ["linux-rhel8-zen3"]),
        ("linx-rhel8-zen3", ["linux-rhel8-zen3"]),
        ("rhle8-zne3", ["linux-rhel8-zen3"]),
        ("zne3", ["zen3"]),
        ("linux-rhel88-zen3", ["linux-rhel8-zen3"]),
        ("linux-rhel87-zen3", []),  # of another number it may be another one
        ("linux-rhel8-zen9", []),
        ("linux-rhel8-x86_64_v33", ["linux-rhel8-x86_64_v3"]),
        ("linux-rhel8-x86_64_v32", []),
        ("linux-rhel8-zen", []),  # so many may be meant
        ("linux-rhle8-zen9", []),
    ],
)
def test_a_host_is_surely_meant_where_each_of_its_words_is(text: str, mended: list[str]) -> None:
    assert mended_hosts(text, ["rhel8", "ubuntu22.04"], surely=True) == mended

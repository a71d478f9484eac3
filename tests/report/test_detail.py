"""Everything about one spec, and about one package."""

from __future__ import annotations

import pytest

from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.report.detail import detail, package_detail
from cachetui.search.results import Results
from tests.support.rows import in_tags, index_of, row
from tests.support.specs import HASH


def test_the_detail_says_what_there_is_and_what_becomes_of_it() -> None:
    index = index_of([row(hash=HASH), row(hash="3" * 32)])
    fields = {field.label: field.lines for field in detail(index, 0, Host("linux", None, "zen3"))}
    assert fields["hash"] == (HASH,)
    assert fields["install"] == (f"spack install --cache-only /{HASH}",)
    assert fields["alike"] == ("1 other: same but for the hash",)
    assert fields["host"] == ("runs: built for x86_64_v3", "on zen3: glibc not compared: the host has no os")


@pytest.mark.parametrize(
    ("tags_of_others", "said"),
    [
        (((), ()), "2 others: same but for the hash"),
        ((["v1.0"], ["v1.1"]), "2 others: same but for hash and tags"),
        (((), ["v1.1"]), "2 others: same but for the hash, and in 1 the tags"),
    ],
)
def test_of_specs_that_are_alike_the_tags_are_said_to_differ_only_where_they_do(
    tags_of_others: tuple[list[str], list[str]], said: str
) -> None:
    builds = {letter: (row(), tags) for letter, tags in zip("abc", ([], *tags_of_others), strict=True)}
    builds |= {"d": (row(stacks=["hep"]), []), "e": (row(variants=["+hl"]), [])}
    index = index_of(in_tags(builds))
    first = next(number for number in index.value_rows("tag", "develop") if index.spec(number).hash == "a" * 32)
    field = next(each for each in detail(index, first, Host("linux", None, "zen3")) if each.label == "alike")
    assert field.lines == (said,)
    assert field.asides == ("= compares two marked", "= compares marked")
    assert len(f"    alike {said}") < 80, "it has room where a terminal is small"


def test_where_no_dependencies_are_recorded_the_detail_says_so() -> None:
    for given, said in (
        ((), ("not recorded in this content",)),
        (("zlib@1",), ("zlib@1",)),
    ):
        index = index_of([row(dependencies=list(given))])
        fields = [field.lines for field in detail(index, 0, Host("linux", None, "zen3")) if field.label == "needs"]
        assert fields == [said]


def test_what_takes_as_many_lines_in_each_spec_stands_before_the_variants() -> None:
    index = index_of([row(hash=HASH), row(hash="3" * 32)])
    fields = detail(index, 0, Host.parse("linux-debian12-zen3"))
    labels = [field.label for field in fields]
    assert labels[: labels.index("variants")] == ["spec", "hash", "stacks", "tag", "host", "alike"]


def test_the_detail_names_the_letters_that_are_not_what_they_look_like() -> None:
    index = index_of([row(stacks=["e4s", "h\u0435p"]), row()])
    found = [detail(index, at, Host("linux", None, "zen3")) for at in (0, 1)]
    letters = [[field.lines for field in fields if field.label == "letters"] for fields in found]
    assert letters == [[("stack h\u0435p: \u0435 is CYRILLIC SMALL LETTER IE",)], []]


@pytest.mark.parametrize(
    ("host", "said", "libc"),
    [
        ("linux-ubuntu22.04-x86_64_v3", "native: built for x86_64_v3", "on {}: same os"),
        ("linux-rhel9-x86_64_v3", "does not run: needs glibc 2.35, the host has 2.34", "on {}"),
        ("linux-gentoo2-zen3", "runs: built for x86_64_v3, glibc not known", "on {}"),
        ("linux-rhel9-x86_64", "does not run: needs x86_64_v3", "on {}: needs glibc 2.35, the host has 2.34"),
        ("linux-rhel9-neoverse_v1", "does not run: built for x86_64", "on {}: needs glibc 2.35, the host has 2.34"),
        ("darwin-sequoia-m1", "does not run: built for linux", "on {}"),
    ],
)
def test_the_detail_says_once_whether_it_runs(host: str, said: str, libc: str) -> None:
    fields = {field.label: field.lines for field in detail(index_of([row()]), 0, Host.parse(host))}
    assert fields["host"] == (said, libc.format(host))


@pytest.mark.parametrize(
    ("query", "about"),
    [
        ("os=rhel8,ubuntu22.04", ""),
        ("fits=linux-ubuntu22.04-zen3", "glibc 2.35"),
        ("fits=linux-ubuntu24.04-zen3", "glibc 2.39"),
        ("fits=linux-ubuntu22.04-zen3 os=ubuntu22.04", ""),
        ("fits=linux-ubuntu24.04-zen3 os=nowhere", ""),
        ("fits=zen3", ""),
    ],
)
def test_of_binaries_for_other_oses_it_is_said_why_they_run_on_the_host(query: str, about: str) -> None:
    index = index_of([row(os="ubuntu22.04"), row(os="rhel8", version="2"), row(os="nowhere", version="3")])
    known = Results.of(index, Query.parse(query if "os=" in query else f"{query} os!=nowhere"))
    (oses,) = (field for field in package_detail(known, 0) if field.label == "oses")
    wanted = (f"(they run with the host's {about} too)", f"({about} runs them)", f"(by {about})")
    assert oses.asides == (wanted if about else ())


def test_a_package_in_short_has_each_value_once_with_its_count_unless_all_have_it() -> None:
    rows = [
        row(hash="1" * 32, version="1.9", compiler="gcc@=11.4.0", stacks=["root", "hep"]),
        row(hash="2" * 32, version="1.10", compiler="gcc@11.4.0", stacks=["e4s", "root"]),
        row(hash="3" * 32, version="1.9", compiler="gcc@9.4.0", stacks=["e4s", "root"], os="rhel8"),
        row("zlib", hash="4" * 32),
    ]
    index = index_of(rows)
    results = Results.of(index, Query.parse("os!=none"))
    number = index.package_number(rows[0]["package"])
    assert number is not None
    fields = {field.label: field.lines for field in package_detail(results, number)}
    assert fields["versions"] == ("1.10 (1)", "1.9 (2)")
    assert fields["compilers"] == ("gcc@11.4.0 (2)", "gcc@9.4.0 (1)")
    assert fields["stacks"] == ("e4s (2)", "hep (1)", "root")
    assert fields["oses"] == ("ubuntu22.04 (2)", "rhel8 (1)")
    uncounted = {field.label: field.lines for field in package_detail(results, number, counted=False)}
    assert uncounted["stacks"] == ("e4s", "hep", "root")
    empty = Results.of(index, Query.parse("os=none"))
    assert {field.lines for field in package_detail(empty, number, tags=True)} == {("none",)}

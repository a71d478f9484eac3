"""The details of a spec and of a package."""

import pytest

from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.report.specs import detail, package_detail
from cachetui.search.results import Results
from tests.support.rows import index_of, row
from tests.support.specs import HASH


def test_details_show_hash_and_install_command() -> None:
    index = index_of([row(hash=HASH)])
    fields = {field.label: field.lines for field in detail(index, 0, Host("linux", None, "zen3"))}
    assert fields["hash"] == (HASH,)
    assert fields["install"] == (f"spack install --cache-only /{HASH}",)
    assert fields["host"] == ("runs: built for x86_64_v3", "on zen3: glibc not compared: the host has no os")


@pytest.mark.parametrize(
    ("host", "said", "libc"),
    [
        ("linux-ubuntu22.04-x86_64_v3", "native: built for x86_64_v3", "on {}: same os"),
        ("linux-rhel9-x86_64_v3", "does not run: needs glibc 2.35, the host has 2.34", "on {}"),
        ("linux-gentoo2-zen3", "runs: built for x86_64_v3, unknown glibc", "on {}"),
        ("linux-rhel9-x86_64", "does not run: needs x86_64_v3", "on {}: needs glibc 2.35, the host has 2.34"),
        ("linux-rhel9-neoverse_v1", "does not run: needs x86_64_v3", "on {}: needs glibc 2.35, the host has 2.34"),
        ("darwin-sequoia-m1", "does not run: built for linux", "on {}"),
    ],
)
def test_details_show_the_verdict_for_a_host(host: str, said: str, libc: str) -> None:
    fields = {field.label: field.lines for field in detail(index_of([row()]), 0, Host.parse(host))}
    assert fields["host"] == (said, libc.format(host))


def test_package_details_count_values_that_only_some_builds_have() -> None:
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
    assert fields["stacks"] == ("e4s (2)", "hep (1)")
    assert fields["oses"] == ("ubuntu22.04 (2)", "rhel8 (1)")
    empty = Results.of(index, Query.parse("os=none"))
    assert {field.lines for field in package_detail(empty, number, tags=True)} == {("none",)}

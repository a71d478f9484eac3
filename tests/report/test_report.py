"""Results as text: the commands of a spec, and every format."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cachetui.model.host import Host
from cachetui.model.spec import UNTAGGED, Spec
from cachetui.query.query import Query
from cachetui.report import paste, report
from cachetui.search.results import Results
from tests.support.rows import index_of, row
from tests.support.strategies import CHARACTERS

HASH = "2feova4prghd2gkebr23if6bojkyydpt"

SPEC = Spec(
    package="hdf5",
    version="1.14.3",
    hash=HASH,
    tag="develop",
    tags=("develop",),
    compiler="gcc@11.4.0",
    os="ubuntu22.04",
    platform="linux",
    target="x86_64_v3",
    variants=("~cuda", "+mpi", "build_type=Release"),
    stacks=("e4s", "root"),
    size="-",
    tarball=None,
)


def test_a_spec_is_installed_by_its_hash() -> None:
    assert paste.install_line(SPEC) == f"spack install --cache-only /{HASH}"


@pytest.mark.parametrize("hash_text", [None, "", "short", HASH.upper(), f"{HASH}; rm -rf ~"])
def test_without_a_proper_hash_there_is_no_command(hash_text: str | None) -> None:
    assert paste.install_line(replace(SPEC, hash=hash_text)) is None


@pytest.mark.parametrize(
    ("stacks", "pattern", "expected"),
    [
        (("e4s", "root"), None, "spack mirror add spack-develop https://binaries.spack.io/develop"),
        (("e4s",), None, "spack mirror add spack-develop-e4s https://binaries.spack.io/develop/e4s"),
        ((), None, "spack mirror add spack-develop https://binaries.spack.io/develop"),
        (("e4s",), "s3://cache/{tag}/{stack}", "spack mirror add spack-develop-e4s s3://cache/develop/e4s"),
        (
            ("e4s; reboot",),
            None,
            "spack mirror add 'spack-develop-e4s; reboot' 'https://binaries.spack.io/develop/e4s; reboot'",
        ),
    ],
)
def test_the_mirror_of_a_spec(stacks: tuple[str, ...], pattern: str | None, expected: str) -> None:
    lines = paste.mirror_lines(replace(SPEC, stacks=stacks), pattern)
    assert lines == (expected, "spack buildcache keys --install --trust")


def test_a_page_without_a_tag_has_no_mirror() -> None:
    assert paste.mirror_lines(replace(SPEC, tag=UNTAGGED)) == ()


def test_a_spec_in_the_syntax_of_spack_is_a_query_that_takes_it() -> None:
    text = paste.spec_text(SPEC)
    assert text == (f"hdf5@1.14.3%gcc@11.4.0~cuda+mpi build_type=Release arch=linux-ubuntu22.04-x86_64_v3 /{HASH}")
    assert {part.key for part in Query.parse(text).parts} == {
        "name", "version", "compiler", "variant", "os", "platform", "target", "hash",
    }  # fmt: skip


def test_what_can_be_copied_of_several_specs() -> None:
    texts = dict(paste.copies([SPEC, replace(SPEC, hash="3" * 32, stacks=("hep",)), replace(SPEC, hash=None)]))
    assert texts["/hash"] == f"/{HASH} /{'3' * 32}"
    assert texts["install"] == f"spack install --cache-only /{HASH} /{'3' * 32}"
    assert texts["mirror"].splitlines() == [
        "spack mirror add spack-develop https://binaries.spack.io/develop",
        "spack mirror add spack-develop-hep https://binaries.spack.io/develop/hep",
        "spack buildcache keys --install --trust",
    ]
    assert len(texts["spec"].splitlines()) == 3


def test_an_environment_holds_the_specs_that_have_a_hash() -> None:
    lines = "".join(paste.environment([SPEC, replace(SPEC, hash=None)])).splitlines(True)
    assert lines == ["spack:\n", "  specs:\n", f'  - "hdf5@1.14.3/{HASH}"\n']


@pytest.mark.parametrize(
    ("content", "query", "expected"),
    [
        ("./content", "", "cachetui find ./content"),
        ("my content", "hdf5 tag=develop", "cachetui find 'my content' --tag develop hdf5"),
        ("c", "hdf5+mpi os=rhel8 stack!=hep", "cachetui find c 'hdf5 +mpi os=rhel8 stack!=hep'"),
        ("c", "tag=develop,v1.0.0", "cachetui find c --tag develop --tag v1.0.0"),
    ],
)
def test_a_view_as_a_command(content: str, query: str, expected: str) -> None:
    assert paste.find_command(content, Query.parse(query)) == expected


def test_a_fuzzy_name_stays_fuzzy_in_a_command() -> None:
    query = Query.parse("hdf", fuzzy_name=True)
    assert paste.find_command("c", query) == "cachetui find c --fuzzy hdf"


VALUES = st.none() | st.text(CHARACTERS, max_size=9) | st.binary(max_size=9).map(list)


@given(st.lists(st.dictionaries(st.text(CHARACTERS, max_size=5), VALUES, max_size=4), max_size=8))
def test_a_list_value_by_value_is_the_document_of_the_whole(values: list[dict[str, Any]]) -> None:
    text = "".join(report.json_list(values))
    assert text == report.json_text(values)
    assert json.loads(text) == values


def test_csv_holds_every_field_and_reads_back() -> None:
    odd = replace(SPEC, package='a "b", c', version=None, variants=("x=1,2", "+y"))
    rows = list(csv.DictReader(io.StringIO("".join(report.spec_csv([SPEC, odd])))))
    assert list(rows[0]) == list(report.FIELDS)
    assert (rows[1]["package"], rows[1]["version"], rows[1]["variants"]) == ('a "b", c', "", "x=1,2,+y")


def test_markdown_escapes_what_it_would_take_for_its_own() -> None:
    lines = list(report.markdown_table(["name", "n"], [["a|b_*<i>", "3"]], right=(1,)))
    assert lines == ["| name | n |\n", "| --- | ---: |\n", "| a\\|b\\_\\*\\<i\\> | 3 |\n"]


def test_a_table_is_aligned_and_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["a", "1"], ["bcd", "22"], ["e\x1b[m", "3"]]
    assert "".join(report.text_table(None, rows, right=(1,))) == "a         1\nbcd      22\ne\\x1b[m   3\n"
    monkeypatch.setattr(report, "BLOCK", 2)
    assert "".join(report.text_table(None, rows)) == "a    1\nbcd  22\ne\\x1b[m  3\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{package}@{version}/{hash:7}", "hdf5@1.14.3/2feova4"),
        (r"{name}\t{stacks}\n", "hdf5\te4s,root\n"),
        ("{{{tag}}} {size}{tarball}", "{develop} -"),
    ],
)
def test_a_format_of_the_users_own(text: str, expected: str) -> None:
    assert report.template(text)(SPEC) == expected


@pytest.mark.parametrize("text", ["{", "{name", "}", "{nothing}", "{name:x}", "{name:99999}", "{}"])
def test_a_format_that_cannot_be_read(text: str) -> None:
    with pytest.raises(report.FormatError):
        report.template(text)


def test_a_width_that_is_no_number_is_told() -> None:
    with pytest.raises(report.FormatError, match=r"no width 'x' in --format: .* as in \{hash:7\}"):
        report.template("{hash:x}")


def test_the_detail_says_what_there_is_and_what_becomes_of_it() -> None:
    index = index_of([row(hash=HASH), row(hash="3" * 32)])
    fields = {field.label: field.lines for field in report.detail(index, 0, Host("linux", None, "zen3"))}
    assert fields["hash"] == (HASH,)
    assert fields["install"] == (f"spack install --cache-only /{HASH}",)
    assert fields["twins"] == ("alike in all that the page records: 2 specs",)
    assert fields["host"] == ("runs: built for x86_64_v3", "os: os not known (linux-None-zen3)")


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("linux-rhel9-x86_64_v3", "native: built for x86_64_v3"),
        ("linux-rhel9-x86_64", "does not run: needs x86_64_v3"),
        ("linux-rhel9-neoverse_v1", "does not run: built for x86_64"),
        ("darwin-sequoia-m1", "does not run: built for linux"),
    ],
)
def test_the_detail_says_whether_it_runs(host: str, said: str) -> None:
    fields = {field.label: field.lines for field in report.detail(index_of([row()]), 0, Host.parse(host))}
    assert fields["host"][0] == said


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
    fields = {field.label: field.lines for field in report.package_detail(results, number)}
    assert fields["versions"] == ("1.10 (1)", "1.9 (2)")
    assert fields["compilers"] == ("gcc@11.4.0 (2)", "gcc@9.4.0 (1)")
    assert fields["stacks"] == ("e4s (2)", "hep (1)", "root")
    assert fields["oses"] == ("ubuntu22.04 (2)", "rhel8 (1)")
    uncounted = {field.label: field.lines for field in report.package_detail(results, number, counted=False)}
    assert uncounted["stacks"] == ("e4s", "hep", "root")
    empty = Results.of(index, Query.parse("os=none"))
    assert {field.lines for field in report.package_detail(empty, number, tags=True)} == {("none",)}

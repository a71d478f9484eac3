"""Spec strings and sidecars of the older pages."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.model.spec import Row
from cachetui.sources.pages.older_rows import WrittenSpec, parse_sidecar, parse_spec, split_architecture
from tests.support.strategies import CHARACTERS


@pytest.mark.parametrize(
    ("text", "name", "row"),
    [
        ("zlib", "zlib", Row()),
        ("builtin.zlib@1.2.11", "zlib", Row(versions=("1.2.11",))),
        ("zlib@=1.2%gcc@=8.4.0", "zlib", Row(versions=("1.2",), compiler="gcc@=8.4.0")),
        ("zlib%gcc@8.4.0+pic~shared", "zlib", Row(compiler="gcc@8.4.0", variants=("+pic", "~shared"))),
        ("zlib@develop -pic", "zlib", Row(versions=("develop",), variants=("~pic",))),
        ("a@2023-01-01", "a", Row(versions=("2023-01-01",))),
        ("a cflags=\"-O2 -g\" x='y z' z=''", "a", Row(variants=("cflags=-O2 -g", "x=y z"))),
        ("a languages:=c,c++ os=rhel8", "a", Row(variants=("languages=c,c++",), os="rhel8")),
        ("a arch=linux-None-zen2", "a", Row(platform="linux", target="zen2")),
        ("a@1 ^b@2+x ^ c", "a", Row(versions=("1",), dependencies=("b@2+x", "c"))),
    ],
)
def test_spec_string_is_parsed_into_row(text: str, name: str, row: Row) -> None:
    assert parse_spec(text) == WrittenSpec(name, row)


def test_unreadable_rest_of_spec_string_is_reported() -> None:
    spec = parse_spec("a@1 ?? b")
    assert (spec.name, spec.row, spec.unread) == ("a", Row(versions=("1",)), "?? b")


@given(st.text(CHARACTERS))
def test_parsing_an_arbitrary_spec_string_never_fails(text: str) -> None:
    assert isinstance(parse_spec(text).row, Row)


def test_architecture_is_split_at_first_and_last_dash() -> None:
    assert split_architecture("linux-opensuse-leap15-x86_64_v3") == {
        "platform": "linux",
        "os": "opensuse-leap15",
        "target": "x86_64_v3",
    }
    assert split_architecture("x86_64") == {}


@pytest.mark.parametrize(
    "text",
    ["", "[]", "7", '{"spec": []}', '{"spec": {"nodes": []}}', '{"spec": {"nodes": ["a"]}}', "[" * 100_000],
)
def test_invalid_sidecar_file_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="it is not the JSON of a spec"):
        parse_sidecar(text.encode())


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(CHARACTERS), lambda inner: st.lists(inner, max_size=3)
    )
)
def test_fields_of_sidecar_file_are_read_or_refused(content: object) -> None:
    fields = ("name", "version", "arch", "compiler", "parameters", "hash")
    nodes = [dict.fromkeys(fields, content), {"arch": {"target": content}, "parameters": {"a": content}}]
    try:
        text = json.dumps({"spec": {"nodes": nodes}}).encode()
        spec = parse_sidecar(text)
    except ValueError:
        return
    assert isinstance(spec.row, Row)


@pytest.mark.parametrize(
    ("one", "two", "contradict"),
    [
        ("a@1%gcc@8", "a@1%gcc@=8+x", False),
        ("a@1%gcc@8", "a", False),
        ("a@1", "a@2", True),
        ("a%gcc@8", "a%gcc@9", True),
        ("a os=rhel8", "a os=rhel7", True),
        ("a", "b", True),
    ],
)
def test_spec_strings_with_different_values_contradict_each_other(one: str, two: str, contradict: bool) -> None:
    assert parse_spec(one).contradicts(parse_spec(two)) is contradict


def test_spec_string_adds_only_values_missing_from_row() -> None:
    assert parse_spec("a@1").completed_by(parse_spec("a@2+x os=rhel8")) == Row(
        versions=("1",), variants=("+x",), os="rhel8"
    )

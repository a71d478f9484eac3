"""Findings in each format."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.report import aligned, formats
from tests.support.strategies import CHARACTERS

VALUES = st.none() | st.text(CHARACTERS, max_size=9) | st.binary(max_size=9).map(list)


@given(st.lists(st.dictionaries(st.text(CHARACTERS, max_size=5), VALUES, max_size=4), max_size=8))
def test_a_list_value_by_value_is_the_document_of_the_whole(values: list[dict[str, Any]]) -> None:
    text = "".join(formats.json_list(values))
    assert text == formats.json_text(values)
    assert json.loads(text) == values


def test_markdown_escapes_what_it_would_take_for_its_own() -> None:
    lines = list(formats.markdown_table(["name", "n"], [["a|b_*<i>", "3"]], right=(1,)))
    assert lines == ["| name | n |\n", "| --- | ---: |\n", "| a\\|b\\_\\*\\<i\\> | 3 |\n"]


def test_a_table_is_aligned_and_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["a", "1"], ["bcd", "22"], ["e\x1b[m", "3"]]
    assert "".join(aligned.aligned(None, rows, right=(1,))) == "a         1\nbcd      22\ne\\x1b[m   3\n"
    monkeypatch.setattr(aligned, "BLOCK", 2)
    assert "".join(aligned.aligned(None, rows)) == "a    1\nbcd  22\ne\\x1b[m  3\n"


def test_a_narrow_terminal_gets_the_columns_in_parts() -> None:
    names = ["package", "specs", *(f"a-rather-long-stack-{k}" for k in range(6))]
    table = list(aligned.matrix(names, [["hdf5", "10", *"123456"]], ["total", "10", *"123456"], 20))
    assert [line.rstrip() for line in table[-8:]] == [
        "",
        "package specs 1 2 3",
        "hdf5       10 1 2 3",
        "total      10",
        "",
        "package specs 4 5 6",
        "hdf5       10 4 5 6",
        "total      10",
    ]

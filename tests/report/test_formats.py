"""Reports in each output format."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from cachetui.analysis.timeline import Moment, Timeline
from cachetui.model.problem import UserError
from cachetui.report import aligned, formats
from cachetui.report.formats import Code, ListDocument, markdown_cell, markdown_word, written
from cachetui.report.specs import template
from cachetui.report.timeline import TimelineReport
from cachetui.safe_text import visible
from tests.support.specs import SPEC
from tests.support.strategies import CHARACTERS


class ReportOf(Struct, tag_field="schema", tag="report/1"):
    """A document with a list and an iterator."""

    values: Any
    again: Any
    last: str = '\n  "again": []'


VALUES = st.none() | st.text(CHARACTERS, max_size=9) | st.binary(max_size=9).map(list)


@given(st.lists(st.dictionaries(st.text(CHARACTERS, max_size=5), VALUES, max_size=4), max_size=8))
def test_streamed_json_list_equals_whole_document(values: list[dict[str, Any]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "BLOCK_VALUES", 3)
        text = "".join(formats.json_list(values))
        report: Any = ReportOf(values, iter(values))
        of_object = "".join(written(ListDocument(report, ()), "json"))
    assert text == formats.json_text(values)
    assert of_object == formats.json_text(ReportOf(values, values))
    assert json.loads(text) == values


def test_aligned_table_escapes_control_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["a", "1"], ["bcd", "22"], ["e\x1b[m", "3"]]
    assert "".join(aligned.aligned(None, rows, right=(1,))) == "a         1\nbcd      22\ne\\x1b[m   3\n"
    monkeypatch.setattr(aligned, "BLOCK_LINES", 2)
    assert "".join(aligned.aligned(None, rows)) == "a    1\nbcd  22\ne\\x1b[m  3\n"


def test_table_is_split_into_blocks_in_narrow_terminal() -> None:
    names = ["package", "specs", *(f"a-rather-long-stack-{k}" for k in range(6))]
    table = list(aligned.matrix(names, [["hdf5", "10", *"123456"]], ["total", "10", *"123456"], 25))
    assert [line.rstrip() for line in table[-8:]] == [
        "",
        "package  specs  1  2  3",
        "hdf5        10  1  2  3",
        "total       10",
        "",
        "package  specs  4  5  6",
        "hdf5        10  4  5  6",
        "total       10",
    ]


def test_csv_cell_is_never_a_spreadsheet_formula() -> None:
    cells = ["=1+1", "@SUM(A1)", "\tx", "+mpi", "-rf", "\uff1d1", " =1", "-2.5", "-", "~cuda", "a=b"]
    line = "'=1+1,'@SUM(A1),'\\x09x,'+mpi,'-rf,'\uff1d1,' =1,-2.5,-,~cuda,a=b\n"
    assert formats.csv_line(cells) == line
    cells = ["+mpi", "-rf", "@1.2", "+cmd|' /C calc'!A0", "-2+SUM(A1)", "=1"]
    assert formats.csv_line(cells, range(9)) == "+mpi,-rf,@1.2,'+cmd|' /C calc'!A0,'-2+SUM(A1),'=1\n"


def test_very_long_cell_does_not_widen_other_rows() -> None:
    rows = [["a", "b", "c"]] * 50 + [["x" * 1_000_000, "b", "c"]]
    lines = list(aligned.aligned(None, rows))
    assert max(map(len, lines[:50])) < 2 * aligned.MAX_COLUMN_CHARACTERS
    assert len(lines[-1]) < 2 * aligned.MAX_CELL_CHARACTERS


def test_table_shortens_only_the_requested_columns() -> None:
    rows = [["package", "a" * 60, "b" * 60]]
    (line,) = aligned.aligned(None, rows, shrinking=(1, 2), width=80)
    assert len(line.rstrip("\n")) == 80
    assert line.startswith("package  aaaa")
    assert line.count("…") == 2
    (line,) = aligned.aligned(None, rows, width=80)
    assert line.split() == rows[0]


def code_of(span: str) -> str:
    """Return what CommonMark shows for a string that is one code span."""
    opened = re.match("`+", span)
    assert opened
    fence = opened.group()
    assert span.endswith(fence)
    within = span[len(fence) : -len(fence)]
    assert fence not in re.findall("`+", within), "the span ends before the end of the line"
    if within.startswith(" ") and within.endswith(" ") and within.strip(" "):
        return within[1:-1]
    return within


@given(st.text(CHARACTERS, min_size=1, max_size=12))
def test_markdown_code_span_shows_any_text_unchanged(text: str) -> None:
    shown = visible(text)
    assert not shown.strip(" ") or code_of(markdown_word(Code(text))) == shown
    cell = markdown_cell(Code(text))
    spans = re.split(r"(?<!\\)\\\|", cell) if "\\|" not in text else []
    assert not spans or [code_of(span) if span.strip(" ") else span for span in spans] == shown.split("|")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "no build of @all see https://e.example/x #1 (!2)",
            "no build of `@all` see `https://e.example/x` `#1` (`!2`)",
        ),
        ("hdf5@1.2: a* <b> a_b", r"`hdf5@1.2`: a\* \<b\> a_b"),
        ("``@a", "``` ``@a ```"),
        ("no: 1 of 5 roots has no binary, 17.2 MB.", "no: 1 of 5 roots has no binary, 17.2 MB."),
    ],
)
def test_markdown_text_has_no_active_links_or_mentions(text: str, expected: str) -> None:
    assert markdown_word(text) == expected


def test_timeline_is_written_as_csv_markdown_and_json() -> None:
    moments = (Moment("v2", 2, ("1.1", "1.0"), ("e4s",), ("1.1",), ("hep",)), Moment("v1", 0, (), ()))
    found = TimelineReport(Timeline("zlib", moments))
    assert "".join(written(found, "csv")) == (
        'tag,specs,versions,stacks,appeared,vanished\nv2,2,"1.1,1.0",e4s,1.1,hep\nv1,0,,,,\n'
    )
    assert "| `v2` | 2 | `1.1,1.0` | `e4s` | `1.1` | `hep` |" in "".join(written(found, "markdown"))
    assert json.loads("".join(written(found, "json")))["tags"][0]["vanished"] == ["hep"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{package}@{version}/{hash:7}", "hdf5@1.14.3/2feova4"),
        (r"{name}\t{stacks}\n", "hdf5\te4s,root\n"),
        ("{{{tag}}} {bytes}{tarball}", "{develop} "),
    ],
)
def test_user_defined_format_is_filled_with_spec_fields(text: str, expected: str) -> None:
    assert template(text)(SPEC) == expected


@pytest.mark.parametrize("text", ["{", "{name", "}", "{nothing}", "{name:x}", "{name:99999}", "{}"])
def test_invalid_user_defined_format_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        template(text)

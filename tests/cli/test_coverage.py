"""`coverage`: what stands on which stream, in which form, and the exit status."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.commands import answered, refusal
from tests.support.places import SAMPLE_CONTENT
from tests.support.rows import IN_TWO_TAGS, row, write

OLD, NEW = "develop-2025-04-20", "develop"


@pytest.fixture
def content(tmp_path: Path) -> str:
    return str(write(tmp_path / "content", IN_TWO_TAGS))


def test_coverage_as_a_table(capsys: pytest.CaptureFixture[str], content: str) -> None:
    status, out, err = answered(capsys, "coverage", content)
    assert status == 0
    assert out.splitlines() == [
        r"package       specs  e4s  hep",
        r"evil\x1b[31m      1         1",
        r"hdf5              1    1",
        r"zlib              1    1    1",
        r"total             3    2    2",
    ]
    assert err == "cachetui: 3 packages and 2 stacks: 3 specs, 2 gaps; searched: develop\n"
    _, _, err = answered(capsys, "coverage", content, "hdf5", "--stack=hep", "--stack=e4s")
    assert err == "cachetui: 1 package and 2 stacks: 1 spec, 1 gap; searched: develop\n"


def test_coverage_under_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = answered(capsys, "coverage", SAMPLE_CONTENT)
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == " 1 data-vis-sdk          12    8 ml-darwin-aarch64-mps 68"
    assert lines[8:11] == [
        "package        specs 1  2  3 4  5 6 7  8  9 10 11 12 13",
        "py-ml-dtypes     129   22    6        11 30 27 40 30 20",
        "py-mpi4py         91 5 23 12   10 4 3  4  5 10  5 10",
    ]
    assert lines[-1] == "total            413"


def test_coverage_as_json(capsys: pytest.CaptureFixture[str], content: str) -> None:
    _, out, _ = answered(capsys, "coverage", content, "--stack", "hep", "--stack", "tutorial", "--format", "json")
    found = json.loads(out)
    assert list(found) == ["axes", "columns", "rows", "gaps"]
    assert found["axes"] == {"rows": "package", "columns": "stack"}
    assert found["columns"][1] == {"name": "tutorial", "specs": 0, "absent": True}
    cells = {"hep": 1, "tutorial": 0}
    assert found["rows"][1] == {"row": "zlib", "package": "zlib", "specs": 1, "expected": False, "cells": cells}
    _, out, _ = answered(capsys, "coverage", content, "--rows", "os", "--stack", "hep", "--format", "json")
    row = json.loads(out)["rows"][0]
    assert row == {"row": "ubuntu22.04", "specs": 2, "expected": False, "cells": {"hep": 2}}
    assert found["gaps"] == 0


def test_coverage_as_csv_and_markdown(capsys: pytest.CaptureFixture[str], content: str) -> None:
    stacks = ("--stack", "e4s", "--stack", "tutorial")
    _, out, err = answered(capsys, "coverage", content, *stacks, "--format", "csv", "--sort", "-name")
    assert list(csv.reader(io.StringIO(out))) == [
        ["package", "specs", "e4s", "tutorial"],
        ["zlib", "1", "1", ""],
        ["hdf5", "1", "1", ""],
    ]
    assert "stack=tutorial matches nothing in this tag: it is in v1.0.0" in err
    _, out, _ = answered(capsys, "coverage", content, *stacks, "--format", "markdown", "--limit", "1")
    assert out.splitlines()[1:3] == ["| --- | ---: | ---: | ---: |", "| hdf5 | 1 | 1 | · |"]


def test_other_axes(capsys: pytest.CaptureFixture[str], content: str) -> None:
    _, out, err = answered(capsys, "coverage", content, "zlib", "--rows", "version", "--cols", "tag")
    assert [line.split() for line in out.splitlines()] == [
        ["version", "specs", "develop", "v1.0.0"],
        ["1.3", "1", "1"],
        ["1.2", "1", "1"],
        ["total", "2", "1", "1"],
    ]
    assert "2 versions and 2 tags: 2 specs, 2 gaps; searched: develop, v1.0.0" in err


def test_gaps_and_the_exit_code(capsys: pytest.CaptureFixture[str], content: str) -> None:
    status, out, _ = answered(capsys, "coverage", content, "--gaps", "--count", "--exit-code")
    assert (status, out) == (1, "2\n")
    assert answered(capsys, "coverage", content, "zlib", "--gaps", "--exit-code")[:2] == (0, "")
    assert answered(capsys, "coverage", content)[0] == 0


def test_the_total_says_that_it_is_of_all_rows_where_some_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("coverage", SAMPLE_CONTENT, "--cols", "os")
    assert answered(capsys, *command)[1].splitlines()[-1].startswith("total             413 ")
    for words in (["--gaps"], ["--limit=2"]):
        lines = answered(capsys, *command, *words)[1].splitlines()
        assert len(lines) == 4
        assert lines[-1].split() == ["total", "of", "all", "4", "413", "68", "12", "108", "225"]
    _, out, _ = answered(capsys, *command, "--gaps", "--format=markdown")
    assert out.splitlines()[-1].startswith("| total of all 4 | 413 |")
    _, out, _ = answered(capsys, *command, "--gaps", "--format=json")
    assert [column["specs"] for column in json.loads(out)["columns"]] == [68, 12, 108, 225]


def test_nothing_to_cover(capsys: pytest.CaptureFixture[str], content: str) -> None:
    status, out, err = answered(capsys, "coverage", content, "zlip")
    assert (status, out) == (1, "")
    assert "zlip matches nothing; nearest: zlib" in err


def test_content_without_stacks_names_the_way_to_other_columns(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    content = str(write(tmp_path, [row(stacks=[])]))
    assert (
        answered(capsys, "coverage", content)[2].count("no spec here has a stack, so there are no columns: --cols") == 1
    )
    assert "no columns" not in answered(capsys, "coverage", content, "--cols=target")[2]


def test_expectations(capsys: pytest.CaptureFixture[str], content: str, tmp_path: Path) -> None:
    file = tmp_path / "names"
    file.write_text("hdf5\nzlib@2:\nboost\n")
    status, out, _ = answered(capsys, "coverage", content, "--expect", str(file), "--exit-code")
    lines = [line.split(maxsplit=5) for line in out.splitlines()]
    assert status == 1
    assert lines[0] == ["verdict", "specs", "expected", "stacks", "last_seen", "remark"]
    assert [line[:5] for line in lines[1:]] == [
        ["missing", "0", "boost", "-", "-"],
        ["differs", "0", "zlib@2:", "-", "-"],
        ["covered", "1", "hdf5", "e4s:1", "-"],
    ]
    assert lines[2][5].startswith("nearest: zlib@1.3 /")
    assert lines[2][5].endswith("has 1.3 for @2:")
    _, out, _ = answered(capsys, "coverage", content, "--expect", str(file), "--matrix")
    assert out.splitlines()[6].split() == ["boost", "0"]
    _, out, _ = answered(capsys, "coverage", content, "--expect", str(file), "--gaps", "--format=csv")
    assert [line.split(",")[:3] for line in out.splitlines()] == [
        ["verdict", "specs", "expected"],
        ["missing", "0", "boost"],
        ["differs", "0", "zlib@2:"],
    ]
    assert answered(capsys, "coverage", content, "--expect", str(file), "--gaps", "--count")[1] == "2\n"
    _, out, _ = answered(capsys, "coverage", content, "--expect", str(file), "--format", "json")
    found = json.loads(out)
    assert [(each["package"], each["expected"]) for each in found["rows"]][:2] == [
        ("boost", True),
        ("evil\x1b[31m", False),
    ]
    assert [each["verdict"] for each in found["expectations"]] == ["covered", "differs", "missing"]
    file.write_text("hdf5\n")
    assert answered(capsys, "coverage", content, "--expect", str(file), "--exit-code")[0] == 0
    status, out, _ = answered(capsys, "coverage", content, "--expect", str(file), "--stack", "hep", "--exit-code")
    assert (status, out.splitlines()[1].split()[:3]) == (1, ["missing", "0", "hdf5"])


def test_a_list_is_counted_in_the_note_where_the_matrix_is_not_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "names").write_text("hdf5\npython\npy-mpi4py\n")
    words = ("coverage", SAMPLE_CONTENT, "--expect", str(tmp_path / "names"))
    assert answered(capsys, *words)[2] == "cachetui: 3 expected: 2 missing, 1 covered; searched: develop\n"
    said = answered(capsys, *words, "--matrix")[2].splitlines()
    assert said[1:] == ["cachetui: 6 packages and 13 stacks: 413 specs, 44 gaps; searched: develop"]


def test_a_stack_that_no_tag_has_is_refused(capsys: pytest.CaptureFixture[str], content: str) -> None:
    said = "cachetui: no stack hepp; nearest: hep\n"
    for words in (["--stack=e4s", "--lacks=hepp", "--exit-code"], ["--lacks=hepp"], ["--stack=hepp"]):
        assert answered(capsys, "coverage", SAMPLE_CONTENT, *words) == (2, "", said)
    assert answered(capsys, "coverage", SAMPLE_CONTENT, "stack=e4s,hepp")[2].count("stack=hepp matches nothing") == 1
    assert "tutorial" in answered(capsys, "coverage", content, "--stack=e4s", "--stack=tutorial")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("stack=e4s", "--stack=e4s", "--lacks=hep"), "stack=e4s leaves out hep, which --lacks names: leave stack=e4s"),
        (("stack=e4s", "--lacks=hep"), "stack=e4s leaves out hep, which --lacks names: "),
        (("hdf5", "stack=e4s stack!=hep", "--stack=hep"), "stack=e4s leaves out hep, which --stack names: "),
        (("stack!=hep", "--stack=e4s", "--stack=hep"), "stack!=hep leaves out hep, which --stack names: "),
        (("stack=e4s stack=hep", "--stack=e4s", "--lacks=hep"), "stack=hep leaves out e4s, which --stack names: "),
    ],
)
def test_a_stack_that_is_named_and_that_a_filter_leaves_out_is_refused(
    capsys: pytest.CaptureFixture[str], content: str, words: Sequence[str], said: str
) -> None:
    status, out, err = answered(capsys, "coverage", content, *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"cachetui: {said}")


def test_filters_that_leave_no_named_stack_out_stay(capsys: pytest.CaptureFixture[str], content: str) -> None:
    for words in (["stack=e4s,hep"], ["os=ubuntu22.04"], [], ["stack!=tutorial"]):
        status, _, err = answered(capsys, "coverage", content, *words, "--stack=e4s", "--lacks=hep")
        assert (status, "leaves out" in err) == (0, False)
    # a stack that is in no tag that is looked at is no column to leave out
    assert answered(capsys, "coverage", content, "stack=e4s", "--stack=e4s", "--lacks=tutorial")[0] == 0


def test_what_the_root_lacks_is_what_is_in_another_stack_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows = [row("hdf5", stacks=["e4s", "root"]), row("zlib", hash="z" * 32, stacks=["e4s"])]
    content = str(write(tmp_path / "content", rows))
    for words in (["--lacks=root"], ["--stack=e4s", "--lacks=root"]):
        _, out, _ = answered(capsys, "coverage", content, *words)
        assert [line.split()[0] for line in out.splitlines()] == ["package", "zlib", "total"]


def test_rows_of_stacks_have_other_columns(capsys: pytest.CaptureFixture[str], content: str) -> None:
    status, out, _ = answered(capsys, "coverage", content, "--rows=stack")
    assert (status, out.split()[:3]) == (0, ["stack", "specs", "ubuntu22.04"])
    said = "cachetui: --rows and --cols are both stack: choose two different ones\n"
    assert answered(capsys, "coverage", content, "--rows=stack", "--cols=stack") == (2, "", said)


def test_what_one_stack_has_and_another_lacks(capsys: pytest.CaptureFixture[str], content: str) -> None:
    _, out, _ = answered(capsys, "coverage", content, "--stack=e4s", "--lacks=hep")
    assert [line.split()[0] for line in out.splitlines()] == ["package", "hdf5", "total"]
    _, out, _ = answered(capsys, "coverage", content, "--stack=hep", "--lacks=e4s", "--format=csv")
    assert out.splitlines() == ["package,specs,hep,e4s", "evil\\x1b[31m,1,1,0"]
    _, out, _ = answered(capsys, "coverage", content, "--lacks=hep", "--count")
    assert out == "1\n"


def test_only_where_something_is_expected_a_table_says_whether_it_is(
    capsys: pytest.CaptureFixture[str], content: str, tmp_path: Path
) -> None:
    names = tmp_path / "names.txt"
    names.write_text("hdf5\nnowhere\n")
    _, out, _ = answered(capsys, "coverage", content, "--expect", str(names), "--matrix", "--format=csv", "--stack=e4s")
    header, *rows = csv.reader(io.StringIO(out))
    assert header == ["package", "specs", "expected", "e4s"]
    assert {line[0]: line[2] for line in rows} == {"nowhere": "yes", "hdf5": "yes", "zlib": "no"}
    _, out, _ = answered(capsys, "coverage", content, "--format=csv", "--stack=e4s")
    assert out.splitlines()[0] == "package,specs,e4s"


def test_expectations_come_from_standard_input_but_from_no_device(content: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cachetui", "coverage", content, "--expect"]
    done = subprocess.run([*command, "-"], input="hdf5\nboost\n", capture_output=True, text=True, timeout=60)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["verdict", "missing", "covered"]
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", str(tmp_path / "pipe")):
        done = subprocess.run([*command, path], capture_output=True, text=True, timeout=60)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
        assert "is no regular file" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["coverage", SAMPLE_CONTENT, "--cols", "os", "--lacks", "e4s"], "--lacks names columns"),
        (["coverage", SAMPLE_CONTENT, "--rows", "color"], "--rows cannot be color"),
        (["coverage", SAMPLE_CONTENT, "--rows", "os", "--cols", "os"], "both os"),
        (["coverage", SAMPLE_CONTENT, "--cols", "os", "--stack", "e4s"], "--stack names columns"),
        (["coverage", SAMPLE_CONTENT, "--sort", "size"], "--sort cannot be size"),
        (["coverage", SAMPLE_CONTENT, "--expect", "/nosuch"], "/nosuch cannot be read"),
        (["coverage", SAMPLE_CONTENT, "--format", "{name}"], "--format cannot be {name}"),
    ],
)
def test_what_cannot_be_done(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert message in refusal(capsys, words)

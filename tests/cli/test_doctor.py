"""`doctor`: what stands on which stream, in which form, and the exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import answered, refusal
from tests.support.places import SAMPLE_CONTENT
from tests.support.rows import row, write

OLD, NEW = "develop-2025-04-20", "develop"


def test_doctor(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert answered(capsys, "doctor", SAMPLE_CONTENT) == (0, "", "cachetui: 0 faults and 0 notes, 5 pages read\n")
    content = str(write(tmp_path / "odd", [row(target="odd")]))
    status, out, err = answered(capsys, "doctor", content, "--format", "json")
    assert status == 0
    assert [list(each) for each in json.loads(out)] == [["path", "line", "level", "kind", "message"]]
    assert "0 faults and 1 note," in err
    write(tmp_path / "odd", [row(hash="\x1b")])
    status, out, _ = answered(capsys, "doctor", content)
    assert (status, out) == (1, "fault  0.md:5  hash  row 1 has a malformed hash: \\x1b\n")
    _, out, _ = answered(capsys, "doctor", content, "--format", "csv")
    assert out.splitlines()[0] == "path,line,level,kind,message"


def test_the_help_of_doctor_says_what_its_status_means(capsys: pytest.CaptureFixture[str]) -> None:
    assert "The status is 1 if there are faults" in answered(capsys, "doctor", "--help")[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["doctor", SAMPLE_CONTENT, "hdf5"], "doctor takes no query: hdf5; leave it out, or ask find"),
        (["doctor", SAMPLE_CONTENT, "--tag", "v9"], "no tag v9"),
    ],
)
def test_what_cannot_be_done(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert message in refusal(capsys, words)

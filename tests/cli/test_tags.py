"""`tags`: the tags of a catalogue."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import answered
from tests.support.rows import row, write


def test_each_tag_with_what_it_holds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = [
        row(hash="a" * 32, stacks=["e4s", "root"]),
        row(hash="b" * 32, stacks=["hep"]),
        row("zlib", hash="a" * 32, stacks=["e4s"]),
        row("zlib", hash=None, stacks=[]),
        row(tag="v1.0.0", stacks=["root"]),
    ]
    content = str(write(tmp_path / "pages", rows))
    status, out, err = answered(capsys, "tags", content, "--format=json")
    assert (status, err) == (0, "")
    assert json.loads(out) == [
        {"tag": "develop", "specs": 3, "packages": 2, "stacks": 2},
        {"tag": "v1.0.0", "specs": 1, "packages": 1, "stacks": 0},
    ]
    _, out, _ = answered(capsys, "tags", content)
    assert [line.split() for line in out.splitlines()][:2] == [
        ["tag", "specs", "packages", "stacks"],
        ["develop", "3", "2", "2"],
    ]
    assert answered(capsys, "tags", content, "--count")[1] == "2\n"
    assert answered(capsys, "tags", content, "hdf5")[0] == 2

"""`diff`: what stands on which stream, in which form, and the exit status."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pexpect
import pytest

from tests.support.caches import CACHES
from tests.support.commands import answered, refusal
from tests.support.places import SAMPLE_CONTENT, SAMPLE_MIRROR
from tests.support.rows import IN_TWO_TAGS, row, write

OLD, NEW = "develop-2025-04-20", "develop"
PAIR = f"{OLD}..{NEW}"


@pytest.fixture
def content(tmp_path: Path) -> str:
    return str(write(tmp_path / "content", IN_TWO_TAGS))


def test_diff_as_a_table(capsys: pytest.CaptureFixture[str], content: str) -> None:
    status, out, err = answered(capsys, "diff", content, "v1.0.0..develop", "--exit-code")
    assert (status, err) == (1, "")
    assert [line.split() for line in out.splitlines()] == [
        ["v1.0.0", "->", "develop"],
        ["packages", "new:", "2"],
        ["stack", "gained:", "1"],
        ["stack", "lost:", "1"],
        ["version", "up:", "1"],
        ["unchanged,", "same", "hash:", "0"],
        ["rebuilt,", "same", "signature:", "0"],
        [],
        ["package", "kind", "old", "new", "specs", "stacks"],
        ["evil\\x1b[31m", "new", "-", "-", "-", "-"],
        ["hdf5", "new", "-", "-", "-", "-"],
        ["-", "stack", "gained", "-", "e4s", "-", "-"],
        ["-", "stack", "lost", "tutorial", "-", "-", "-"],
        ["zlib", "version", "up", "1.2", "1.3", "1", "e4s", "hep", "tutorial"],
    ]


def test_diff_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = answered(capsys, "diff", SAMPLE_CONTENT, PAIR, "py-ml-dtypes", "--format", "json")
    found = json.loads(out)
    assert status == 0
    assert list(found) == [
        "old",
        "new",
        "packages_gone",
        "packages_new",
        "packages_gone_here",
        "packages_new_here",
        "changes",
        "stacks_gained",
        "stacks_lost",
        "stacks_absent",
        "unchanged",
        "rebuilt",
    ]
    change = found["changes"][-1]
    assert (len(change.pop("old_hashes")), len(change.pop("new_hashes"))) == (6, 60)
    assert change == {
        "package": "py-ml-dtypes",
        "kind": "count",
        "old": 6,
        "new": 60,
        "specs": 54,
        "stacks": ["ml-linux-x86_64-cpu", "ml-linux-x86_64-cuda", "ml-linux-x86_64-rocm"],
        "build": "@0.4.0 %gcc@13.2.0 arch=linux-ubuntu24.04-x86_64_v3",
    }
    assert found["unchanged"] == 12


def test_diff_as_csv_and_markdown(capsys: pytest.CaptureFixture[str], content: str) -> None:
    _, out, _ = answered(capsys, "diff", content, "v1.0.0..develop", "zlib", "--format", "csv")
    assert ["zlib", "version", "1.2", "1.3", "1", "e4s hep tutorial", ""] in list(csv.reader(io.StringIO(out)))
    _, out, _ = answered(capsys, "diff", content, "v1.0.0..develop", "zlib", "--format", "markdown")
    assert out.splitlines()[:1] == ["## v1.0.0 -\\> develop, `zlib`"]
    section = out[out.index("### version up") :].splitlines()
    assert section[2:] == [
        "| package | old | new | specs | stacks |",
        "| --- | --- | --- | ---: | --- |",
        "| zlib | 1.2 | 1.3 | 1 | e4s hep tutorial |",
    ]


def test_the_report_of_a_stack_says_what_it_lost_gained_and_changed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What is gone everywhere and what only the stack has lost stand apart, ready for the notes of a meeting."""
    own = ["e4s"]
    stays = row("cmake", hash="e" * 32, stacks=["e4s", "hep"])
    old = [
        stays,
        row(stacks=own),
        row("zlib", stacks=["e4s", "hep"]),
        row("zfp", "1.0", stacks=own),
        row("petsc", hash="a" * 32, stacks=own),
    ]
    new = [stays, row("zlib", stacks=["hep"]), row("zfp", "1.1", stacks=own), row("new", stacks=own)]
    new += [row("petsc", hash=letter * 32, stacks=own) for letter in "bcd"]
    rows = [*({**each, "tag": OLD} for each in old), *({**each, "tag": NEW} for each in new)]
    content = str(write(tmp_path / "content", rows))
    _, out, _ = answered(capsys, "diff", content, "--stack=e4s", "--format=markdown")
    lines = [line for line in out.splitlines() if line and not line.startswith(("| ---", "| package"))]
    build = "@1.14.3 %gcc@11.4.0 arch=linux-ubuntu22.04-x86_64_v3"
    assert lines[1:] == [
        "- packages gone: 1",
        "- packages gone from e4s: 1",
        "- packages new: 1",
        "- version up: 1",
        "- count: 1",
        "- unchanged, same hash: 1",
        "- rebuilt, same signature: 1",
        *("### gone", "| hdf5 |", "### gone from e4s", "| zlib |", "### new", "| new |"),
        *("### count", f"| petsc | 1 | 3 of {build} | 2 | e4s |"),
        *("### version up", "| zfp | 1.0 | 1.1 | 1 | e4s |"),
    ]


def test_diff_without_a_change(capsys: pytest.CaptureFixture[str], content: str) -> None:
    status, out, _ = answered(capsys, "diff", content, f"{NEW}..{NEW}", "--exit-code")
    assert (status, out) == (0, "develop -> develop\nunchanged, same hash: 3\nrebuilt, same signature: 0\n")
    status, _, err = answered(capsys, "diff", content, f"{NEW}..v1.0.0", "zlip")
    assert status == 1
    assert "nearest: zlib" in err


def test_without_tags_the_two_newest_weeks_are_compared(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    weeks = ["develop-2025-04-06", "develop-2025-04-13", "develop-2025-04-20"]
    rows = [row(version=f"1.{number}", tag=tag) for number, tag in enumerate([*weeks, "develop"])]
    content = str(write(tmp_path / "weeks", rows))
    for words in ([], ["hdf5"], ["previous..latest"]):
        status, out, _ = answered(capsys, "diff", content, *words, "--format=json")
        found = json.loads(out)
        assert (status, found["old"], found["new"]) == (0, weeks[1], weeks[2])
    assert answered(capsys, "find", content, "tag=latest", "--format={version}")[1] == "1.2\n"
    assert answered(capsys, "find", content, "--tag=previous", "--format={version}")[1] == "1.1\n"
    title = answered(capsys, "diff", content)[1].splitlines()[0]
    assert title == "develop-2025-04-13 -> develop-2025-04-20 (1 week apart)"


def test_diff_of_some_kinds_or_of_one_stack(capsys: pytest.CaptureFixture[str], content: str) -> None:
    _, out, _ = answered(capsys, "diff", content, "v1.0.0..develop", "--kind=gone", "--kind=version", "--count")
    assert out == "1\n"
    _, out, _ = answered(capsys, "diff", content, "v1.0.0..develop", "--kind=new", "--format=csv")
    assert {line.split(",")[1] for line in out.splitlines()[1:]} == {"new", "unchanged", "rebuilt"}
    _, out, _ = answered(capsys, "diff", content, "v1.0.0..develop", "--stack=hep")
    assert out.splitlines()[0] == "v1.0.0 -> develop, stack=hep"
    assert "hdf5" not in out


def test_the_kinds_are_those_that_the_help_and_the_table_name(capsys: pytest.CaptureFixture[str], content: str) -> None:
    wanted = [*("gone", "new", "stack gained", "stack lost", "stack absent", "version", "target", "os", "compiler")]
    wanted += [*("variants", "removed", "added", "count", "stacks", "version up", "version down")]
    told = answered(capsys, "diff", "--help")[1]
    assert [kind for kind in wanted if kind not in told] == []
    _, out, _ = answered(capsys, "diff", SAMPLE_CONTENT, "--kind=stack gained", "--format=csv", PAIR)
    assert ",stack gained,,e4s-neoverse_v1," in out
    assert {line.split(",")[1] for line in out.splitlines()[1:]} == {"stack gained", "unchanged", "rebuilt"}
    for kind, count in (("version up", "1\n"), ("version down", "0\n")):
        assert answered(capsys, "diff", content, "v1.0.0..develop", f"--kind={kind}", "--count")[1] == count


def test_a_stack_that_no_tag_has_is_refused(capsys: pytest.CaptureFixture[str], content: str) -> None:
    said = "cachetui: no stack hepp; nearest: hep\n"
    assert answered(capsys, "diff", content, "v1.0.0..develop", "--stack=hepp") == (2, "", said)


def test_a_week_that_is_not_there_is_told_with_those_there_are(
    capsys: pytest.CaptureFixture[str], content: str
) -> None:
    week = f"no tag previous: the only weekly snapshot is {OLD}; tags: develop, {OLD}"
    for words in (["find", SAMPLE_CONTENT, "--tag=previous"], ["diff", SAMPLE_CONTENT, "latest..previous"]):
        assert answered(capsys, *words) == (2, "", f"cachetui: {week}\n")
    _, _, err = answered(capsys, "diff", content, "previous..latest")
    assert err == "cachetui: no tag previous: there is no weekly snapshot; tags: develop, v1.0.0\n"


def test_the_limit_of_a_diff_is_of_its_lines(capsys: pytest.CaptureFixture[str], content: str) -> None:
    _, out, err = answered(capsys, "diff", content, "v1.0.0..develop", "--limit=2")
    assert [line.split()[0] for line in out.splitlines()[-2:]] == ["evil\\x1b[31m", "hdf5"]
    assert "2 of 5 changes; --limit cut the rest" in err


def test_the_lines_of_a_diff_fit_the_terminal() -> None:
    out = str(
        pexpect.run(
            f"{sys.executable} -m cachetui diff {SAMPLE_CONTENT} {PAIR}",
            encoding="utf-8",
            dimensions=(24, 80),
            timeout=60,
        )
    )
    assert "py-ml-dtypes" in out
    assert max(map(len, out.splitlines())) <= 80


def test_two_specs_differ_in_fields_and_dependencies(capsys: pytest.CaptureFixture[str]) -> None:
    cache = str(CACHES / "v3" / "spack-1.1.0" / "develop" / "btest")
    _, out, _ = answered(capsys, "find", cache, "bt-app", "--format=json")
    old, new = (spec["hash"] for spec in json.loads(out)[:2])
    status, out, err = answered(capsys, "diff", cache, f"/{old}..bt-app/{new[:8]}", "--format=json")
    found = json.loads(out)
    assert (status, err, list(found)) == (0, "", ["old", "new", "differs", "dependencies"])
    assert (found["old"], found["new"]) == (old, new)
    assert found["differs"]["version"][0] == "main"
    assert all({"name", "old", "new", "by_itself"} <= each.keys() for each in found["dependencies"])
    _, out, _ = answered(capsys, "diff", cache, f"/{old}../{new}")
    assert out.splitlines()[1].split()[:3] == ["spec", "bt-app@main", f"/{old[:7]}"]
    assert answered(capsys, "diff", cache, f"/{old}../{new}", "--exit-code")[0] == 1
    assert answered(capsys, "diff", cache, f"/{old}../{old}", "--exit-code")[0] == 0


def test_two_specs_of_which_one_is_not_there(capsys: pytest.CaptureFixture[str], content: str) -> None:
    status, out, err = answered(capsys, "diff", content, "/aaaaaaa../bbbbbbb")
    assert (status, out) == (1, "")
    assert "no hash aaaaaaa in the catalogue" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["diff", SAMPLE_CONTENT, OLD, NEW], f"as one word: cachetui diff CONTENT {PAIR}"),
        (["diff", SAMPLE_CONTENT, "qqq", NEW], f"as one word: cachetui diff CONTENT qqq..{NEW}"),
        (["diff", SAMPLE_CONTENT, "/2feova4", "/3yg7mb3"], "as one word: cachetui diff CONTENT /2feova4../3yg7mb3"),
        (["diff", SAMPLE_CONTENT, "/2feova4../3yg7mb3", "hdf5"], "leave hdf5 out"),
        (["diff", SAMPLE_CONTENT, f"{OLD}..devlop"], f"no tag devlop; nearest: {NEW}"),
        (["diff", SAMPLE_MIRROR], "diff needs two tags: there is only site; "),
        (["diff", SAMPLE_CONTENT, f"develop-2025-04-02..{NEW}"], f"no tag develop-2025-04-02; nearest: {OLD}"),
        (["diff", SAMPLE_CONTENT, PAIR, "--tag", NEW], "diff takes its two tags as one word"),
        (["diff", SAMPLE_CONTENT, PAIR, "tag=develop"], "leave tag= out"),
        (["diff", SAMPLE_CONTENT, PAIR, "--by", "size"], "--by cannot be size"),
        (["diff", SAMPLE_CONTENT, PAIR, "--fits=zen3", "fits=zen4"], "--fits and fits= both name a host"),
        (["diff", SAMPLE_CONTENT, PAIR, "--stack=e4s", "stack=e4s"], "--stack and stack= both name the stack"),
        (["diff", SAMPLE_CONTENT, PAIR, "--kind=size"], "--kind cannot be size"),
        (["diff", SAMPLE_CONTENT, PAIR, "--gaps"], "--gaps is an option of coverage alone"),
    ],
)
def test_what_cannot_be_done(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert message in refusal(capsys, words)


def test_a_folder_without_a_page_has_no_tags_to_name(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "holds nothing that can be read" in refusal(capsys, ["diff", str(tmp_path)])


def test_the_name_of_a_package_is_told_to_be_no_hash(capsys: pytest.CaptureFixture[str], content: str) -> None:
    for command in ("which", "deps"):
        status, _, err = answered(capsys, command, content, "hdf5")
        assert status == 1
        assert err.startswith("cachetui: hdf5 is a package and no hash\n  a build near it: /")

"""`report` and `diff --keep` on two made-up nights: each change is reported exactly once."""

import json
import re
from pathlib import Path

import pytest

from tests.support import ci
from tests.support.cache_writer import write_lock
from tests.support.commands import answered, refusal
from tests.support.nights import BZIP2, CMAKE, EVERY_NODE, HDF5, TAR, write_night
from tests.support.schemas import faults

EVENTS = {
    "broken": {
        "gcc@12.3.0": ("gcc@13.2.0", ["fftw@3.3.10", "hdf5 science.lock", "hdf5@1.14.3"]),
        "bzip2@1.0.8": ("", ["bzip2@1.0.8"]),
        "cmake@3.27": ("cmake@3.28", ["cmake science.lock"]),
    },
    "fixed": {"xz@5.4": ("", ["tar tar.lock", "tar@1.34"])},
    "needed": {"m4@1.4": ("", [])},
}


@pytest.fixture
def nights(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """A cache in its second night, with a snapshot of the first night."""
    monkeypatch.chdir(tmp_path)
    answered(capsys, "record", str(write_night(tmp_path / "cache", 0)))
    (snapshot,) = home.glob("history/*/*.day")
    snapshot.rename(snapshot.with_name("2026-01-01.day"))
    write_lock(tmp_path / "science.lock", EVERY_NODE, [HDF5, CMAKE])
    write_lock(tmp_path / "tar.lock", EVERY_NODE, [TAR])
    return str(write_night(tmp_path / "cache", 1))


def test_report_lists_each_change_only_once(nights: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = answered(capsys, "report", nights, "science.lock", "tar.lock", "--format=json", "--exit-code")
    assert (status, faults("report", out)) == (1, [])
    found = json.loads(out)
    for section, events in EVENTS.items():
        names = {
            f"{each['package']}@{each['version']}": (
                each["replaced_by"].partition("/")[0],
                sorted(" ".join(filter(None, (root["asked"], root["lock"]))) for root in each["roots"]),
            )
            for each in found[section]
        }
        assert names == events
    assert [(each["package"], each["change"]) for each in found["added"]] == [("petsc", "new package")]
    assert [re.sub("/[a-z0-9]+", "/H", text) for text in found["rebuilt"]] == ["curl@8.1/H -> /H"]
    assert (found["removed"], found["stacks"], found["gaps"]) == ([], [], {})
    page = answered(capsys, "report", nights, "science.lock", "tar.lock", "--since=1d")[1]
    assert re.findall("## (.*)", page)[1:] == ["Broken", "Fixed", "New", "Removed but needed"]
    assert all(page.count(f"`{name}/") == 1 for name in ("gcc@12.3.0", "gcc@13.2.0", "xz@5.4", "m4@1.4", "curl@8.1"))
    html = ci.Page(answered(capsys, "report", nights, "--format=html")[1])
    assert {"Broken", "Fixed", "New"} <= set(map(str.strip, html.text))


def test_report_without_changes_has_only_two_lines(nights: str, capsys: pytest.CaptureFixture[str]) -> None:
    answered(capsys, "record", nights)
    status, out, _ = answered(capsys, "report", nights, "science.lock", "--since=0d", "--exit-code")
    assert (status, len(out.split("\n\n"))) == (0, 2)
    assert "no change" in out
    assert "science.lock" in out
    for words, said in (
        ([nights, f"/{BZIP2['hash']}"], "is not a spack.lock"),
        (["-C", nights, "-C", "sample:mirror"], "select one with --since LABEL/DAY, such as cache/7d"),
        (
            [str(write_night(Path(nights).parent / "two" / name, 0).parent) for name in "ab"][:1],
            "the content has no default tag",
        ),
    ):
        assert said in refusal(capsys, ["report", *words])


def test_search_in_history_finds_removed_builds(nights: str, capsys: pytest.CaptureFixture[str]) -> None:
    for query, tags in (
        ("gcc", {"13.2.0": ["cache"], "12.3.0": ["2026-01-01"]}),
        ("hdf5 ^gcc@12", {"1.14.3": ["cache", "2026-01-01"]}),
        ("bzip2 ^glibc", {"1.0.8": ["2026-01-01"]}),
        ("bzip2 ^zlib", {}),
    ):
        out = answered(capsys, "find", nights, query, "--history", "--format=json")[1]
        assert {each["version"]: each["tags"] for each in json.loads(out)} == tags
    for lock, since, said in (
        ("science.lock", "2025-01-01", "last complete: 2026-01-01"),
        ("science.lock", "0d", "last complete: in no snapshot since"),
        ("tar.lock", "0d", "last complete: now"),
    ):
        assert said in answered(capsys, "check", nights, lock, "--since", since)[2]
    assert "--since cannot be soon" in refusal(capsys, ["check", nights, "tar.lock", "--since=soon"])


def test_diff_lists_roots_with_removed_dependencies(nights: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("diff", nights, "--since=2025-01-01", "--keep=science.lock")
    _, out, err = answered(capsys, *words, "--format=json")
    assert "compared with the oldest snapshot, 2026-01-01" in err
    assert faults("diff", out) == []
    broken = {each["package"]: len(each["roots"]) for each in json.loads(out)["broken"]}
    assert broken == {"gcc": 3, "bzip2": 1, "cmake": 1, "m4": 0}
    assert (
        len(
            [
                each
                for each in ci.gitlab(answered(capsys, *words, "--format=gitlab")[1])
                if "broken" in each["check_name"]
            ]
        )
        == 5
    )
    only = json.loads(answered(capsys, *words, "bzip2", "--format=json")[1])
    assert [each["package"] for each in only["broken"]] == ["bzip2"]

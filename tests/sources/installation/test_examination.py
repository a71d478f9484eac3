"""The errors of an installation: reported in few lines while reading, and by `doctor`."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from cachetui.catalogue import Catalogue
from cachetui.settings.settings import Settings
from tests.support.aged import aged
from tests.support.commands import answered, refusal
from tests.support.trees import key, record, write_index, write_tree

A, B, C = map(key, range(3))


def problems(tree: Path) -> list[tuple[str, str, str]]:
    """Return the kind, level and message of each problem."""
    found = Catalogue(str(tree), Settings(os.environ), index_cache=False).load().problems
    assert {problem.path for problem in found} <= {f"{tree}/.spack-db/index.json"}
    return [(problem.kind, problem.level, problem.message) for problem in found]


def doctor(capsys: pytest.CaptureFixture[str], tree: Path) -> tuple[int, dict[str, Any]]:
    """Return the status, and each problem by kind."""
    status, out, _ = answered(capsys, "doctor", str(tree), "--format=json")
    return status, {problem["kind"]: problem for problem in json.loads(out)}


def test_doctor_finds_no_errors_in_valid_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = {A: record("zlib"), B: record("curl", [("zlib", A)]), C: record("cmake", external=str(tmp_path))}
    assert doctor(capsys, write_tree(tmp_path, written)) == (0, {})


def test_doctor_reports_only_leftovers_in_empty_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = write_tree(tmp_path, {})
    (tree / ".spack-db" / "failures").mkdir()
    (tree / ".spack-db" / "failures" / f"curl-{A}").touch()
    assert answered(capsys, "find", str(tree))[0] == 1
    assert set(doctor(capsys, tree)[1]) == {"leftover"}


def test_doctor_reports_removed_prefixes_and_leftovers_of_tree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone, itself = record("gone"), record("itself", installed=False, deprecated_for=B)
    tree = write_tree(tmp_path, {A: gone, B: itself, C: record("cmake", external="/nowhere/at/all")})
    os.rmdir(gone["path"])
    os.rmdir(itself["path"])
    Path(itself["path"]).symlink_to(itself["path"])
    failures = tree / ".spack-db" / "failures"
    failures.mkdir()
    (failures / f"oops-{C}").touch()
    for name in ("index.json.host.7.temp", "index.json.bkp"):
        (tree / ".spack-db" / name).touch()
    assert problems(tree) == [
        (
            "prefix",
            "fault",
            f"1 installed spec without a folder (to update the database, run spack reindex): gone/{A[:7]}",
        ),
        (
            "deprecation",
            "fault",
            f"1 spec deprecated in favor of the same spec, as in Spack up to 0.22: itself/{B[:7]}",
        ),
        ("external", "note", f"1 external whose path is not on this machine: cmake/{C[:7]}"),
        ("leftover", "note", f"1 failed build (to remove them, run spack clean --failures): oops-{C}"),
        ("leftover", "note", "1 file that another process left, or is writing now: index.json.host.7.temp"),
    ]
    assert doctor(capsys, tree)[0] == 1


def test_prefix_with_symlink_loop_is_reported_as_missing(tmp_path: Path) -> None:
    loop = tmp_path / "linux" / "loop"
    loop.parent.mkdir()
    loop.symlink_to(loop)
    found = problems(write_tree(tmp_path, {A: record("loop", path=str(loop)), B: record("zlib")}))
    assert [kind for kind, _, _ in found] == ["prefix"]


def test_thousand_missing_prefixes_are_reported_in_one_line(tmp_path: Path) -> None:
    written = {key(k): record("x" * 500, path=f"{tmp_path}/linux/{k}") for k in range(1000)}
    [(_, _, message)] = problems(write_tree(tmp_path, written))
    assert message.startswith("1,000 installed specs")
    assert message.endswith("and 995 more")
    assert len(message) < 600


def test_unreadable_records_are_reported_in_one_line_with_reasons(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {A: record("zlib"), **{key(k): {"spec": 7} for k in range(1, 50)}})
    [(kind, level, message)] = problems(tree)
    assert (kind, level) == ("unreadable", "fault")
    assert message.count(" cannot be read: Expected `object`, got `int` - at `$.spec`") == 5
    assert message.endswith("and 44 more")


def test_newer_database_version_is_read_with_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = doctor(capsys, write_tree(tmp_path, {A: record("zlib")}, "10"))
    assert (status, [*found], found["newer"]["level"]) == (0, ["newer"], "note")


def test_missing_dependencies_of_tree_are_reported_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = {A: record("curl", [("zlib", B), ("ssl", C)]), key(3): record("git", [("zlib", B)])}
    status, found = doctor(capsys, write_tree(tmp_path / "tree", written))
    assert status == 0
    message = found["missing_dependency"]["message"]
    assert message == f"2 specs of tree need 2 dependencies that no tree has; missing most often: zlib/{B[:7]}"


@pytest.mark.parametrize("command", ["find", "doctor", "check"])
@pytest.mark.parametrize("cut", [0, 1, 100, -1])
def test_truncated_database_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, cut: int
) -> None:
    tree = write_tree(tmp_path, {A: record("zlib"), B: record("curl", [("zlib", A)])})
    answered(capsys, "find", str(tree))
    write_index(tree, (tree / ".spack-db" / "index.json").read_text()[:cut])
    for _ in range(2):
        assert "spack reindex" in refusal(capsys, [command, str(tree), *["zlib"] * (command != "doctor")])


def test_prefix_removed_after_loading_is_reported_on_refresh(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {A: record("zlib"), B: record("curl")})
    aged(tree)
    catalogue = Catalogue(str(tree), Settings(os.environ))
    index = catalogue.load()
    assert catalogue.refresh(index) is index
    shutil.rmtree(next(tree.glob("linux-zen3/zlib-*")))
    assert [problem.kind for problem in catalogue.refresh(index).problems] == ["prefix"]
    (tree / ".spack-db" / "failures").mkdir()
    (tree / ".spack-db" / "failures" / f"oops-{C}").touch()
    assert {problem.kind for problem in catalogue.refresh(index).problems} == {"prefix", "leftover"}


def test_missing_installation_next_to_readable_installation_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A user's tree has no database if all specs come from an upstream; an upstream may be misspelled."""
    write_tree(tmp_path / "site", {A: record("zlib")})
    (tmp_path / "own" / ".spack-db").mkdir(parents=True)
    for content, upstream in (("own", "site"), ("site", "typo")):
        words = [f"{tmp_path}/{content}", "--upstream", f"other={tmp_path}/{upstream}"]
        status, out, err = answered(capsys, "doctor", *words)
        assert (status, out.split()[0]) == (0, "note")
        status, out, err = answered(capsys, "find", *words)
        assert (status, len(out.splitlines())) == (0, 1)
        assert answered(capsys, "unused", *words)[0] == 1
        assert f"the database of {tmp_path}/{'own' if content == 'own' else 'typo'} cannot be read: No such file" in err
    assert "spack reindex" in refusal(capsys, ["find", f"{tmp_path}/own"])

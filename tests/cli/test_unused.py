"""`unused` and `deps --dependents`, compared with recorded output of real Spack, and the refused requests."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from cachetui.query.query import Query
from tests.support.commands import answered, refusal
from tests.support.installs import INSTALLS, TREES, UPSTREAM, answers, index_of, nodes
from tests.support.trees import record, write_tree

Capsys = pytest.CaptureFixture[str]

TREE = str(INSTALLS / "1.1.0")

HASH = re.compile(r"^\s*([a-z2-7]{7}) ", re.MULTILINE)
"""A hash in the output of Spack."""


def cases(command: str) -> list[Any]:
    """Return each recorded command of Spack with its tree, if the version of Spack supports the command."""
    return [
        pytest.param(tree, each, id=" ".join((name, *each["argv"])))
        for name, tree in TREES.items()
        for each in answers(name)["commands"]
        if command in each["argv"] and each["exit"] != 2
    ]


def answer_of(capsys: Capsys, command: str, tree: str, *words: str) -> tuple[int, Any]:
    """Return the status and the JSON of a command on a tree."""
    more = ["--upstream", UPSTREAM] if tree == "user-1.1" else []
    status, out, _ = answered(
        capsys, command, str(INSTALLS / tree), *words, *more, "--format", "json", "--no-index-cache"
    )
    return status, json.loads(out)


@pytest.mark.parametrize(("tree", "spack"), cases("gc"))
def test_command_unused_lists_same_specs_as_spack_gc(capsys: Capsys, tree: str, spack: dict[str, Any]) -> None:
    status, found = answer_of(capsys, "unused", tree, *spack["argv"][1:])
    assert sorted(each["hash"][:7] for each in found) == sorted(HASH.findall(spack["stdout"]))
    assert status == (0 if found else 1)
    if spack["argv"] == ["gc"]:
        unused = answer_of(capsys, "find", tree, "unused=yes")[1]
        assert sorted(each["hash"] for each in unused) == sorted(each["hash"] for each in found)


def test_command_unused_reports_that_environments_are_unknown(capsys: Capsys) -> None:
    for content, is_known in ((TREE, True), (f"{TREE}/opt/spack", False)):
        err = answered(capsys, "unused", content, "-E", "--no-index-cache")[2]
        assert ("environments of spack are unknown" in err) is not is_known


@pytest.mark.parametrize(("tree", "spack"), cases("dependents"))
def test_dependents_of_installed_spec_are_the_same_as_in_spack(
    capsys: Capsys, tree: str, spack: dict[str, Any]
) -> None:
    index, package = index_of(tree), spack["argv"][-1]
    rows = index.rows(Query.parse(package))
    if spack["exit"]:
        assert len(rows) != 1 or package == "zlib-ng", "Spack fails only if several or no specs match"
        return
    (word,) = {index.hash_of(row) for row in rows}
    _, found = answer_of(capsys, "deps", tree, f"/{word}", "--dependents")
    here = {node["hash"] for node in found["nodes"] if node["state"] != "missing"} - {word}
    if "-t" not in spack["argv"]:
        here &= {each["hash"] for each in found["nodes"][0]["dependencies"]}
    assert sorted(each[:7] for each in here) == sorted(HASH.findall(spack["stdout"]))


def test_command_unused_keeps_specs_that_another_open_tree_needs(capsys: Capsys) -> None:
    """The downstream tree does not record the path of its upstream."""
    words = ("unused", "-C", TREE, "-C", str(INSTALLS / "user-1.1"), "--no-index-cache", "-E")
    found = json.loads(answered(capsys, *words, "--format", "json")[1])
    needed = {each["package"]: each["needed_by"] for each in found if each["needed_by"]}
    assert needed.keys() == {"hdf5", "zlib-ng", "pkgconf"}
    assert needed["hdf5"] == ["netcdf-c@4.9.2/qhhkuyvfdm624agx5hjkih33rgcq4ean"]
    assert {each["content"] for each in found} == {TREE, str(INSTALLS / "user-1.1")}
    shown = answered(capsys, *words, "--uninstall")[1]
    commands = [line for line in shown.splitlines() if line.startswith(("these: ", "all: "))]
    assert commands[0] == "all: spack gc -E"
    assert commands[1].startswith("these: spack uninstall /")
    assert commands[1].count("/") == 8
    assert "/bxejg4z" not in commands[1]


def test_command_unused_skips_tree_without_the_given_environment(capsys: Capsys) -> None:
    words = ("unused", "-C", TREE, "-C", str(INSTALLS / "0.21.3"), "--format", "json", "--no-index-cache", "-e", "lab")
    assert {each["tag"] for each in json.loads(answered(capsys, *words)[1])} == {"1.1.0"}


@pytest.mark.parametrize(
    ("old", "new"), [('"version": "8"', '"version": "8'), ('"name": "hdf5"', '"name": 7')], ids=["file", "record"]
)
def test_command_unused_fails_if_a_record_is_unreadable(capsys: Capsys, tmp_path: Path, old: str, new: str) -> None:
    records = {each["hash"]: record(each["name"], explicit=False) | {"spec": each} for each in nodes().values()}
    tree = write_tree(tmp_path / "tree", records)
    words = ["unused", str(tree), "--no-index-cache"]
    assert answered(capsys, *words)[0] == 0
    database = tree / ".spack-db" / "index.json"
    database.write_text(database.read_text().replace(old, new))
    assert refusal(capsys, words)


def test_unreadable_lock_is_an_error_if_environments_are_requested(capsys: Capsys, tmp_path: Path) -> None:
    tree = tmp_path / "spack"
    shutil.copytree(TREE, tree, symlinks=True)
    (tree / "var" / "spack" / "environments" / "lab" / "spack.lock").write_text("{")
    words = ["unused", str(tree), "--no-index-cache"]
    assert answered(capsys, *words)[0] == 0
    assert "the unused specs cannot be determined" in refusal(capsys, [*words, "-E"])


def test_command_unused_refuses_unknown_environment(capsys: Capsys) -> None:
    assert "nearest: lab" in refusal(capsys, ["unused", TREE, "-e", "lba", "--no-index-cache"])
    assert "give a Spack checkout" in refusal(capsys, ["unused", str(INSTALLS.parent / "pages"), "--no-index-cache"])


def test_option_env_accepts_name_folder_or_lock_of_environment(capsys: Capsys, tmp_path: Path) -> None:
    place = Path(TREE) / "var" / "spack" / "environments"
    lab = next(path.parent for path in place.glob("*/spack.lock"))
    named = answered(capsys, "unused", TREE, "-e", lab.name, "--no-index-cache", "--format=json")
    for path in (lab, lab / "spack.lock"):
        assert answered(capsys, "unused", TREE, "-e", str(path), "--no-index-cache", "--format=json") == named
    (tmp_path / "spack.yaml").write_text("spack: {specs: [zlib-ng]}")
    assert "has no spack.lock" in refusal(capsys, ["unused", TREE, "-e", str(tmp_path), "--no-index-cache"])
    err = answered(capsys, "coverage", TREE, "--expect", str(lab), "--no-index-cache")[2]
    assert f"{len(json.loads((lab / 'spack.lock').read_text())['roots'])} expected: " in err

"""The formats for CI and their errors, and the errors that are new compared with a baseline."""

import json
import os
from collections import Counter
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.report.formats import FORMATS, Case, Figures, written
from cachetui.safe_text import visible
from tests.support.answers import prepare
from tests.support.cache_writer import node, write_v3
from tests.support.caches import CACHES
from tests.support.ci import gitlab, junit, prometheus
from tests.support.commands import answered, refusal
from tests.support.rows import row, write
from tests.support.strategies import CHARACTERS

Output = pytest.CaptureFixture[str]

ZEN3 = "--fits=linux-ubuntu24.04-zen3"

GATES = {
    "check": ["check", "mirror", "py-mpi4py", "nosuch", "python@:2", "/2feova4", ZEN3],
    "check of a lock": ["check", "caches/v3/spack-1.1.0/develop/btest", "spack.lock", ZEN3],
    "check on another host": ["check", "mirror", "py-mpi4py", "python", "--fits=linux-debian12-zen3"],
    "check --all": ["check", "caches/v3/spack-1.1.0", "--all"],
    "doctor": ["doctor", "odd"],
    "coverage": ["coverage", "pages", "--expect=names.txt", "--exit-code"],
    "diff": ["diff", "meeting", "v1..v2", "--exit-code"],
    "diff in a stack": ["diff", "meeting", "v1..v2", "--exit-code", "--stack=e4s"],
    "diff by hash": ["diff", "sample", "develop-2025-04-20..develop", "--exit-code", "--by=hash"],
}


@pytest.fixture(autouse=True, scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gates")
    prepare(folder)
    return folder


@pytest.fixture(autouse=True)
def inside(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here)


def failing(words: list[str], document: Any) -> int:
    """Return the number of errors in a document, counted by its fields."""
    match words[0]:
        case "check":
            return len(document.get("not_applied", ())) + sum(
                len(each["missing"] or "?")
                for each in document.get("stacks", document.get("roots"))
                if each["verdict"] != "yes"
            )
        case "doctor":
            return sum(len(problem["hashes"] or "?") for problem in document if problem["level"] == "fault")
        case "coverage":
            return sum(each["verdict"] != "covered" for each in document["expectations"])
    names = ("packages_gone", "packages_new", "packages_gone_here", "packages_new_here", "stacks_gained", "stacks_lost")
    return len(document["changes"]) + sum(len(document[name]) for name in names)


@pytest.mark.parametrize("words", GATES.values(), ids=GATES)
def test_all_ci_formats_contain_same_errors_and_status(capsys: Output, words: list[str]) -> None:
    status, text, _ = answered(capsys, *words, "--format=json")
    number = failing(words, json.loads(text))
    assert (status, number > 0) == (1, True)
    status, text, _ = answered(capsys, *words, "--format=junit")
    cases = junit(text)
    assert (status, 0 < len(cases.failing) <= number, cases.skipped) == (1, True, [])
    status, text, _ = answered(capsys, *words, "--format=gitlab")
    assert (status, len(gitlab(text))) == (1, number)
    assert {each["check_name"].split("/")[1] for each in gitlab(text)} == {words[0]}


@pytest.mark.parametrize("words", GATES.values(), ids=GATES)
def test_result_compared_with_itself_has_no_new_errors(capsys: Output, words: list[str], tmp_path: Path) -> None:
    _, text, _ = answered(capsys, *words, "--format=json")
    before = tmp_path / "before.json"
    before.write_text(text)
    number = failing(words, json.loads(text))
    for form, plain in (
        ("table", answered(capsys, *words)[1]),
        ("json", text.replace('"state": "new"', '"state": "known"')),
    ):
        status, out, err = answered(capsys, *words, f"--format={form}", f"--baseline={before}")
        assert (status, out) == (0, plain)
        assert f"cachetui: errors compared with {before}: 0 new, 0 fixed, {number} known\n" in err
    _, out, _ = answered(capsys, *words, "--format=markdown", f"--baseline={before}")
    assert f"- compared with the baseline: 0 new, {number} known, 0 fixed\n" in out
    _, out, _ = answered(capsys, *words, "--format=junit", f"--baseline={before}")
    assert (junit(out).failing, bool(junit(out).skipped)) == ([], True)
    _, out, _ = answered(capsys, *words, "--format=gitlab", f"--baseline={before}")
    assert gitlab(out) == []


LEAVES = [node(f"leaf{number}") for number in range(4)]
APP = node("app", needs=[(leaf, ["link"], []) for leaf in LEAVES])


def errors(capsys: Output, *words: str) -> Counter[str]:
    """Return the number of errors in the JSON of a gate for each state."""
    document = json.loads(answered(capsys, *words, "--format=json")[1])
    if isinstance(document, dict):
        return Counter(each["state"] for each in document["errors"])
    return Counter(each["state"] for each in document if each["state"])


@pytest.mark.parametrize("words", [["check", "app"], ["check", "--all"]], ids=" ".join)
def test_baseline_identifies_errors_by_root_and_missing_spec(capsys: Output, tmp_path: Path, words: list[str]) -> None:
    """Another missing spec in the same root or stack is a new error."""
    cache, before = tmp_path / "cache", tmp_path / "before.json"
    words = [words[0], "-C", str(cache), *words[1:]]

    def push(*leaves: int) -> None:
        rmtree(cache, ignore_errors=True)
        write_v3(cache, [*LEAVES, APP], [*(LEAVES[k] for k in leaves), APP])

    push(1, 2, 3)
    before.write_text(answered(capsys, *words, "--format=json")[1])
    again = [*words, f"--baseline={before}"]
    names = junit(answered(capsys, *words, "--format=junit")[1])
    push(0, 2, 3)
    assert errors(capsys, *again) == {"new": 1, "fixed": 1}
    assert junit(answered(capsys, *words, "--format=junit")[1]) == names
    assert "| fixed | " in answered(capsys, *again, "--format=markdown")[1]
    push()
    assert answered(capsys, *again)[0] == 1
    assert errors(capsys, *again) == {"new": 3, "known": 1}
    assert len(gitlab(answered(capsys, *again, "--format=gitlab")[1])) == 3


def test_gitlab_report_classifies_only_removals_as_major(capsys: Output) -> None:
    for tags, severity in (("v1.0.0..develop", "info"), ("develop..v1.0.0", "major")):
        found = gitlab(answered(capsys, "diff", "pages", tags, "hdf5", "--format=gitlab")[1])
        assert {each["severity"] for each in found if "package" in each["check_name"]} == {severity}


def test_baseline_identifies_coverage_gaps_by_row_and_column(capsys: Output, tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    text = answered(capsys, "coverage", "pages", "--format=json")[1]
    before.write_text(text.replace('"e4s": 0', '"e4s": 1'))
    words = ("coverage", "pages", "--baseline", str(before))
    assert (answered(capsys, *words)[0], errors(capsys, *words)) == (1, {"new": 1, "known": 1})


def test_error_with_status_2_is_valid_in_every_ci_format(
    capsys: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.lock").write_text("{")
    lines = {
        "wrong usage": ["check", "mirror", "--nosuch"],
        "wrong query": ["find", "sample", "@@"],
        "wrong tag": ["tags", "sample", "--stack=nosuch"],
        "no content": ["doctor", str(tmp_path / "nowhere")],
        "unreadable": ["check", "mirror", str(tmp_path / "broken.lock")],
        "unforeseen": ["stacks", "sample"],
    }
    monkeypatch.setattr("cachetui.cli.stacks.stack_sizes", dict.pop)
    for words in lines.values():
        said = refusal(capsys, words).removeprefix("cachetui: ").removesuffix("\n")
        for form in ("table", "csv", "markdown", "html"):
            refusal(capsys, [*words, f"--format={form}"])
        found = {}
        for form in ("json", "junit", "gitlab", "prometheus"):
            status, found[form], err = answered(capsys, words[0], "--format", form, *words[1:])
            assert (status, err.count("\n")) == (2, 1)
        if words[0] == "check":
            assert json.loads(found["json"]) == {"error": {"status": 2, "message": said}}
        assert junit(found["junit"]).failing == ["cachetui"]
        assert [each["severity"] for each in gitlab(found["gitlab"])] == ["blocker"]
        assert prometheus(found["prometheus"]) == {"cachetui_error": [({}, 1)]}


LIMITED = [
    *(GATES[name] for name in ("check", "check --all", "doctor", "coverage", "diff")),
    *(
        ["coverage", "pages"],
        ["find", "specs"],
        ["find", "specs", "--packages"],
        ["tags", "weeks"],
        ["stacks", "sample"],
    ),
    *(["which", "specs", "2feov"], ["deps", "mirror", "/jzycrm3"], ["unused", "tree"]),
]


@pytest.mark.parametrize("words", LIMITED, ids=" ".join)
def test_option_limit_affects_only_tables(capsys: Output, words: list[str]) -> None:
    said = ": to show more rows, give a higher --limit\n"
    for form in ("json", *["junit"] * (words in GATES.values())):
        whole, cut = (answered(capsys, *words, f"--format={form}", *more)[1] for more in ([], ["--limit=1"]))
        assert cut == whole
    for form in ("table", "markdown"):
        _, out, err = answered(capsys, *words, f"--format={form}", "--limit=1")
        assert (said in err, "- shown: 1" in out) == (True, form == "markdown")
    assert said not in answered(capsys, *words, "--limit=999")[2]


def test_gitlab_paths_are_relative_to_current_folder(
    capsys: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for name in ("one", "two"):
        copytree(CACHES / "v2" / "spack-0.23.1" / "develop" / "btest", tmp_path / name / "btest")
        monkeypatch.chdir(tmp_path / name)
        found += [
            answered(capsys, "doctor", content, "--format=gitlab")
            for content in ("btest", str(Path("btest").absolute()))
        ]
    assert [status for status, *_ in found] == [1] * 4
    assert {each["location"]["path"] for each in gitlab(found[0][1])} == {"btest/build_cache/index.json"}
    assert len({text for _, text, _ in found}) == 1
    outside = gitlab(answered(capsys, "doctor", str(tmp_path / "one" / "btest"), "--format=gitlab")[1])
    assert {each["location"]["path"] for each in outside} == {f"{tmp_path}/one/btest/build_cache/index.json"}


def test_junit_without_errors_has_one_passing_case(capsys: Output, tmp_path: Path) -> None:
    content = str(write(tmp_path / "good", [row()]))
    status, text, _ = answered(capsys, "doctor", content, "--format=junit")
    assert (status, junit(text)) == (0, (["nothing fails"], [], []))
    status, text, _ = answered(capsys, "doctor", content, "--format=gitlab")
    assert (status, text) == (0, "[]\n")


class Anything(NamedTuple):
    """A document with one text in every field that CI formats show."""

    text: str

    def cases(self) -> list[Case]:
        text = self.text
        return [Case(command="check", name=text, key=(text,), reason=text, message=text, path=text)]

    def figures(self) -> list[Figures]:
        return [("tag_specs", "Specs.", [({"tag": self.text, "stack": self.text}, 7)])]


@given(st.text(CHARACTERS, min_size=1))
def test_ci_formats_escape_arbitrary_text(text: str) -> None:
    document: Any = Anything(text)
    shown = visible(text)
    assert junit("".join(written(document, "junit"))).failing == [shown]
    (entry,) = gitlab("".join(written(document, "gitlab")))
    assert (entry["description"], entry["location"]["path"]) == (shown, shown)
    (sample,) = prometheus("".join(written(document, "prometheus")))["cachetui_tag_specs"]
    assert sample == ({"tag": shown, "stack": shown}, 7)


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, "[1]", '{"schema": "cachetui/diff/1"}', "9" * 5000, '"\\ud800"']
)
@pytest.mark.parametrize("name", ["check", "check --all", "doctor", "coverage", "diff"])
def test_invalid_baseline_document_is_refused(capsys: Output, tmp_path: Path, name: str, text: str) -> None:
    before = tmp_path / "before.json"
    before.write_text(text)
    assert f"--baseline {before} is not a JSON output of this command: " in refusal(
        capsys, [*GATES[name], f"--baseline={before}"]
    )


def test_baseline_of_another_command_is_refused(capsys: Output, tmp_path: Path) -> None:
    names = ("check", "check --all", "doctor", "coverage", "diff")
    for name in names:
        (tmp_path / name).write_text(answered(capsys, *GATES[name], "--format=json")[1])
    for name in names:
        for other in {*names} - {name}:
            said = refusal(capsys, [*GATES[name], f"--baseline={tmp_path / other}"])
            assert "is not a JSON output of this command" in said


def test_unreadable_baseline_file_is_refused(capsys: Output, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "bytes").write_bytes(b"\xff")
    for name, said in (("gone", "cannot be read"), ("", "is not a regular file"), ("pipe", "is not a regular file")):
        assert said in refusal(capsys, [*GATES["doctor"], f"--baseline={tmp_path / name}"])
    assert "it is not UTF-8 text" in refusal(capsys, [*GATES["doctor"], f"--baseline={tmp_path / 'bytes'}"])


def test_prometheus_metrics_equal_numbers_in_json_output(capsys: Output) -> None:
    words = ("check", "caches/v3/spack-1.1.0", "--all")
    records = json.loads(answered(capsys, *words, "--format=json")[1])["stacks"]
    found = prometheus(answered(capsys, *words, "--format=prometheus")[1])
    places = [key for key in ("content", "tag", "stack") if key in records[0]]
    fields = records[0].keys() - {*places, "unread", "verdict"}
    assert found.keys() == {f"cachetui_stack_{each}" for each in (*fields, "unread", "complete", "index_seconds")}
    for field in fields:
        values = [len(each[field]) if isinstance(each[field], list) else each[field] for each in records]
        known = [({key: r[key] for key in places}, v) for r, v in zip(records, values, strict=True) if v is not None]
        assert found[f"cachetui_stack_{field}"] == known


OWN = {
    "find": (),
    "which": (),
    "coverage": ("junit", "gitlab"),
    "diff": ("junit", "gitlab"),
    "deps": ("dot",),
    "tags": (),
    "check": ("junit", "gitlab", "prometheus"),
    "doctor": ("junit", "gitlab"),
}


@pytest.mark.parametrize(("command", "own"), OWN.items())
def test_error_message_about_unknown_format_lists_valid_formats(
    capsys: Output, command: str, own: tuple[str, ...]
) -> None:
    said = refusal(capsys, [command, "specs", "--format=nosuch"])
    every = ("table", "json", "csv", "markdown", "html")
    assert f"choose one of {', '.join((*every, *own))}" in said
    for other in FORMATS.keys() - {*every, *own}:
        status, _, said = answered(capsys, command, "specs", f"--format={other}")
        assert (status, f"choose one of {', '.join((*every, *own))}" in said) == (2, True)

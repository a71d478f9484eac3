"""Gates: what fails in the forms that CI reads, and what is new beside a document of before."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from shutil import copytree
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.report.formats import FORMATS, Case, Figures, fingerprints, written
from cachetui.safe_text import visible
from tests.support.answers import prepare
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
    """How many things fail in a document, counted by its fields."""
    match words[0]:
        case "check" if "--all" in words:
            return sum(each["complete_binaries"] != each["binaries"] for each in document["stacks"])
        case "check":
            return sum(not root["complete"] for root in document["roots"])
        case "doctor":
            return sum(problem["level"] == "fault" for problem in document)
        case "coverage":
            return sum(each["verdict"] != "covered" for each in document["expectations"])
    names = ("packages_gone", "packages_new", "packages_gone_here", "packages_new_here", "stacks_gained", "stacks_lost")
    return len(document["changes"]) + sum(len(document[name]) for name in names)


@pytest.mark.parametrize("words", GATES.values(), ids=GATES)
def test_what_fails_fails_in_every_form_and_the_status_stays(capsys: Output, words: list[str]) -> None:
    status, text, _ = answered(capsys, *words, "--format=json")
    number = failing(words, json.loads(text))
    assert (status, number > 0) == (1, True)
    status, text, _ = answered(capsys, *words, "--format=junit")
    cases = junit(text)
    assert (status, len(cases.failing), cases.skipped) == (1, number, [])
    status, text, _ = answered(capsys, *words, "--format=gitlab")
    assert (status, len(gitlab(text))) == (1, number)
    assert {each["check_name"].split("/")[1] for each in gitlab(text)} == {words[0]}


@pytest.mark.parametrize("words", GATES.values(), ids=GATES)
def test_beside_its_own_document_nothing_is_new_and_nothing_mended(
    capsys: Output, words: list[str], tmp_path: Path
) -> None:
    _, text, _ = answered(capsys, *words, "--format=json")
    before = tmp_path / "before.json"
    before.write_text(text)
    number = failing(words, json.loads(text))
    for form in ("table", "json"):
        plain = answered(capsys, *words, f"--format={form}")
        status, out, err = answered(capsys, *words, f"--format={form}", f"--baseline={before}")
        assert (status, out) == (0, plain[1])
        assert f"cachetui: compared with {before}: 0 new, 0 mended or gone, {number} known\n" in err
    _, out, _ = answered(capsys, *words, "--format=junit", f"--baseline={before}")
    assert (junit(out).failing, len(junit(out).skipped)) == ([], number)
    _, out, _ = answered(capsys, *words, "--format=gitlab", f"--baseline={before}")
    assert gitlab(out) == []


def test_only_what_is_new_fails_and_what_is_mended_is_said(capsys: Output, tmp_path: Path) -> None:
    words = GATES["check"]
    _, text, _ = answered(capsys, *words, "--format=json")
    document = json.loads(text)
    document["roots"] = [root for root in document["roots"] if root["asked"] != "nosuch"]
    document["roots"][-2] |= {"asked": "py-mpi4py", "complete": False, "reason": "missing"}
    before = tmp_path / "before.json"
    before.write_text(json.dumps(document))
    status, text, err = answered(capsys, *words, "--format=junit", f"--baseline={before}")
    assert status == 1
    assert junit(text) == (["py-mpi4py"], ["nosuch"], ["/2feova4", "python@:2"])
    assert f"compared with {before}: 1 new (nosuch), 1 mended or gone (py-mpi4py), 2 known" in err
    _, text, _ = answered(capsys, *words, "--format=gitlab", f"--baseline={before}")
    assert [each["description"] for each in gitlab(text)] == ["nosuch: nosuch matches nothing"]


def test_a_limit_cuts_no_gate(capsys: Output, tmp_path: Path) -> None:
    for name in ("doctor", "diff", "check --all"):
        for form in ("junit", "json"):
            whole, cut = (answered(capsys, *GATES[name], f"--format={form}", *more) for more in ([], ["--limit=0"]))
            assert cut == whole


def test_a_checkout_elsewhere_has_the_same_paths(
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
    assert [each["location"]["path"] for each in outside] == [f"{tmp_path}/one/btest/build_cache/index.json"]


def test_without_anything_that_fails_there_is_still_a_case(capsys: Output, tmp_path: Path) -> None:
    content = str(write(tmp_path / "good", [row()]))
    status, text, _ = answered(capsys, "doctor", content, "--format=junit")
    assert (status, junit(text)) == (0, (["nothing fails"], [], []))
    status, text, _ = answered(capsys, "doctor", content, "--format=gitlab")
    assert (status, text) == (0, "[]\n")


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.text(CHARACTERS, max_size=2)), max_size=9), st.randoms())
def test_a_fingerprint_tells_cases_apart_in_any_order(named: list[tuple[str, str]], random: Any) -> None:
    cases = [Case(command=command, name=name) for command, name in named]
    found = [each for each, _ in fingerprints(cases)]
    assert len(set(found)) == len(cases)
    shuffled = random.sample(cases, len(cases))
    again = list(fingerprints(shuffled))
    assert Counter(each for each, _ in again) == Counter(found)
    names = {each: case.name for each, case in again}
    assert [names[each] for each in found] == [case.name for case in cases]


class Anything(NamedTuple):
    """A document with one text in every place of those of CI."""

    text: str

    def cases(self) -> list[Case]:
        return [Case(command="check", name=self.text, reason=self.text, message=self.text, path=self.text)]

    def figures(self) -> list[Figures]:
        return [("tag_specs", "Specs.", [({"tag": self.text, "stack": self.text}, 7)])]


@given(st.text(CHARACTERS, min_size=1))
def test_any_text_comes_out_as_it_is_shown(text: str) -> None:
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
def test_a_file_that_is_no_document_of_the_command_is_refused(
    capsys: Output, tmp_path: Path, name: str, text: str
) -> None:
    before = tmp_path / "before.json"
    before.write_text(text)
    assert f"--baseline {before} is no JSON document of this command: " in refusal(
        capsys, [*GATES[name], f"--baseline={before}"]
    )


def test_a_document_of_another_command_is_refused(capsys: Output, tmp_path: Path) -> None:
    names = ("check", "check --all", "doctor", "coverage", "diff")
    for name in names:
        (tmp_path / name).write_text(answered(capsys, *GATES[name], "--format=json")[1])
    for name in names:
        for other in {*names} - {name}:
            said = refusal(capsys, [*GATES[name], f"--baseline={tmp_path / other}"])
            assert "is no JSON document of this command" in said


def test_a_file_that_cannot_be_read_is_refused(capsys: Output, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "bytes").write_bytes(b"\xff")
    for name, said in (("gone", "cannot be read"), ("", "is no regular file"), ("pipe", "is no regular file")):
        assert said in refusal(capsys, [*GATES["doctor"], f"--baseline={tmp_path / name}"])
    assert "it is not UTF-8 text" in refusal(capsys, [*GATES["doctor"], f"--baseline={tmp_path / 'bytes'}"])


FIGURES: dict[str, tuple[list[str], str]] = {
    "check --all": (["check", "caches/v3/spack-1.1.0", "--all"], "cachetui_stack"),
    "tags": (["tags", "sample"], "cachetui_tag"),
    "tags of two": (["tags", "-C", "sample", "-C", "weeks"], "cachetui_tag"),
}


@pytest.mark.parametrize(("words", "prefix"), FIGURES.values(), ids=FIGURES)
def test_prometheus_reads_the_figures_of_the_document(capsys: Output, words: list[str], prefix: str) -> None:
    document = json.loads(answered(capsys, *words, "--format=json")[1])
    records = document["stacks"] if isinstance(document, dict) else document
    found = prometheus(answered(capsys, *words, "--format=prometheus")[1])
    places = [key for key in ("content", "tag", "stack") if key in records[0]]
    fields = records[0].keys() - places
    assert found.keys() == {f"{prefix}_{field}" for field in fields}
    for field in fields:
        values = [len(each[field]) if isinstance(each[field], list) else each[field] for each in records]
        known = [({key: r[key] for key in places}, v) for r, v in zip(records, values, strict=True) if v is not None]
        assert found[f"{prefix}_{field}"] == known


def test_prometheus_reads_how_many_problems_there_are(capsys: Output) -> None:
    assert prometheus(answered(capsys, "doctor", "odd", "--format=prometheus")[1]) == {
        "cachetui_doctor_faults": [({"content": "odd"}, 1)],
        "cachetui_doctor_problems": [
            ({"content": "odd", "level": "note", "kind": "target"}, 1),
            ({"content": "odd", "level": "fault", "kind": "hash"}, 1),
        ],
    }
    found = prometheus(answered(capsys, "doctor", "weeks", "--format=prometheus")[1])
    assert found == {"cachetui_doctor_faults": [({"content": "weeks"}, 0)], "cachetui_doctor_problems": []}


OWN = {
    "find": (),
    "which": (),
    "coverage": ("junit", "gitlab"),
    "diff": ("junit", "gitlab"),
    "deps": ("dot",),
    "tags": ("prometheus",),
    "check": ("junit", "gitlab", "prometheus"),
    "doctor": ("junit", "gitlab", "prometheus"),
}


@pytest.mark.parametrize(("command", "own"), OWN.items())
def test_a_command_names_the_formats_that_it_has(capsys: Output, command: str, own: tuple[str, ...]) -> None:
    said = refusal(capsys, [command, "specs", "--format=nosuch"])
    every = ("table", "json", "csv", "markdown", "html")
    assert f"there are {', '.join((*every, *own))}" in said
    for other in FORMATS.keys() - {*every, *own}:
        assert f"there are {', '.join((*every, *own))}" in refusal(capsys, [command, "specs", f"--format={other}"])

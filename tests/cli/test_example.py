"""`example`: each step of the CI jobs, run with sh on two nights of a build cache."""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.support import ci
from tests.support.cache_writer import write_lock
from tests.support.commands import answered
from tests.support.nights import EVERY_NODE, HDF5, write_night
from tests.support.places import CACHETUI

JOBS = ("github", "gitlab", "jenkins")

FIGURES = ("specs", "usual", "complete", "missing", "index_seconds")


def steps(name: str, text: str) -> tuple[list[str], list[str]]:
    """Parse the file like the CI; return the commands of the gate and of the report."""
    if name == "gitlab":
        jobs = yaml.safe_load(text)
        before = jobs[".cachetui"]["before_script"]
        assert {jobs[job]["extends"] for job in ("lock-gate", "nightly-report")} == {".cachetui"}
        return before + jobs["lock-gate"]["script"], before + jobs["nightly-report"]["script"]
    if name == "github":
        jobs = yaml.safe_load(text)["jobs"]
        of = {job: [step["run"] for step in each["steps"] if "run" in step] for job, each in jobs.items()}
        return of["lock-gate"], of["nightly-report"]
    assert text.count("{") == text.count("}")
    stages = text.split("stage(")[1:]
    install, gate, report = (re.findall(r"sh '(.*?)'$|sh '(.*?)' }$", stage, re.MULTILINE) for stage in stages)
    before, own, nightly = ([one or other for one, other in found] for found in (install, gate, report))
    return before + own, before + nightly


def variables(name: str, text: str) -> dict[str, str]:
    """Return the variables that the file sets for all jobs."""
    if name == "jenkins":
        return dict(re.findall(r"^    ([A-Z_]+) = '(.*?)'", text, re.MULTILINE))
    document = yaml.safe_load(text)
    found: dict[str, str] = document["variables" if name == "gitlab" else "env"]
    return found


def run(folder: Path, commands: Sequence[str], set_by_file: dict[str, str]) -> list[int]:
    """Run each command with sh in a folder, with this `cachetui` and a `pip` that does nothing; return the statuses."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name, line in (("cachetui", f'exec {shlex.join(CACHETUI)} "$@"'), ("pip", f'echo "$@" >> {folder}/pip.txt')):
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    environ = {**os.environ, **set_by_file, "CACHE": "./cache", "GITHUB_STEP_SUMMARY": f"{folder}/summary.md"}
    environ |= {"PATH": f"{programs}:{os.environ['PATH']}"}
    return [subprocess.run(["sh", "-e", "-c", each], cwd=folder, env=environ).returncode for each in commands]


@pytest.mark.parametrize("name", JOBS)
def test_nightly_job_fails_only_after_a_breaking_change(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, text, err = answered(capsys, "example", name)
    assert (status, err) == (0, "")
    gate, report = steps(name, text)
    set_by_file = variables(name, text)
    assert set_by_file.keys() == {"CACHE", "LOCK", "PACKAGE", "CACHETUI_HISTORY"}
    write_lock(tmp_path / set_by_file["LOCK"], EVERY_NODE, [HDF5])
    for night in (0, 1):
        write_night(tmp_path / "cache", night)
        assert run(tmp_path, gate, set_by_file) == [0, night]
        assert run(tmp_path, report, set_by_file) == [*[0] * (len(report) - 2), night, night]
        for path in tmp_path.glob(".cachetui/history/*/*.day"):
            path.rename(path.with_name("2026-01-01.day"))
    pages = {path.name: path.read_text() for path in tmp_path.glob("[a-z]*.*")}
    assert {"report.html", "stacks.html", "metrics.prom"} <= pages.keys()
    assert "gcc@12.3.0" in pages["report.html"]
    figures = ci.prometheus(pages["metrics.prom"])
    assert {f"cachetui_stack_{each}" for each in FIGURES} <= figures.keys()
    assert (
        len(ci.gitlab(pages["quality.json"])) == 2
        if name == "gitlab"
        else "check.xml" in pages or "summary.md" in pages
    )
    assert set((tmp_path / "pip.txt").read_text().splitlines()) == {"install cachetui"}
    shutil.rmtree(tmp_path / "cache")
    assert 0 not in run(tmp_path, [gate[-1], *report[-2:]], set_by_file)


@pytest.mark.parametrize("name", JOBS)
def test_example_job_writes_all_its_artifacts(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = answered(capsys, "example", name)[1]
    written = set(re.findall(r"> ([a-z]+\.[a-z]+)", text))
    named = set(re.findall(r"(?<![/a-z])[a-z]+\.(?:xml|md|json|prom|html)\b", text))
    assert named == written


def test_alerts_and_dashboard_use_only_existing_metrics(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cache = str(write_night(tmp_path / "cache", 0))
    texts = [
        answered(capsys, *words, "--format=prometheus")[1] for words in (("stacks", cache), ("check", cache, "--all"))
    ]
    known = {*ci.prometheus("".join(texts)), "cachetui_error"}
    rules = yaml.safe_load(answered(capsys, "example", "prometheus")[1])
    board = json.loads(answered(capsys, "example", "grafana")[1])
    Draft202012Validator(ci.GRAFANA).validate(board)
    expressions = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    expressions += [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    assert set(re.findall(r"cachetui_\w+", " ".join(expressions))) <= known
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])

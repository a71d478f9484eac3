"""`example`: each step of the jobs does with sh what the CI would do, on the sample mirror and a lock of it."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from cachetui.cli.example import EXAMPLES
from tests.support import ci
from tests.support.commands import answered
from tests.support.places import CACHETUI, SAMPLE_MIRROR

PACKAGE = "py-mpi4py"

JOBS = sorted(EXAMPLES.keys() - {"spack"})

ABSENT = "a" * 32


def steps(name: str, text: str) -> tuple[list[str], list[str]]:
    """What the gate and the report run, as the CI reads the file."""
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
    """What the file sets for all jobs."""
    if name == "jenkins":
        return dict(re.findall(r"^    ([A-Z]+) = '(.*?)'", text, re.MULTILINE))
    document = yaml.safe_load(text)
    found: dict[str, str] = document["variables" if name == "gitlab" else "env"]
    return found


def lock_of_the_sample(path: Path, *missing: str) -> None:
    """Write a lock whose root is a binary of the sample mirror, and perhaps others that it does not have."""
    index = json.loads((Path(SAMPLE_MIRROR) / "site/mpi/v3/manifests/index/index.manifest.json").read_text())
    checksum = index["data"][0]["checksum"]
    blob = Path(SAMPLE_MIRROR) / "site/mpi/blobs/sha256" / checksum[:2] / checksum
    nodes = {key: each["spec"] for key, each in json.loads(blob.read_text())["database"]["installs"].items()}
    root = next(key for key, each in nodes.items() if each["name"] == PACKAGE)
    nodes |= {each: {**nodes[root], "hash": each} for each in missing}
    roots = [{"hash": each, "spec": PACKAGE} for each in (root, *missing)]
    meta = {"file-type": "spack-lockfile", "lockfile-version": 6, "specfile-version": 5}
    path.write_text(json.dumps({"_meta": meta, "roots": roots, "concrete_specs": nodes}))


def run(folder: Path, commands: Sequence[str], set_by_file: dict[str, str]) -> list[int]:
    """Run each command with sh in a folder, where `cachetui` is this one and `pip` does nothing; the statuses."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name, line in (("cachetui", f'exec {shlex.join(CACHETUI)} "$@"'), ("pip", f'echo "$@" >> {folder}/pip.txt')):
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    environ = {**os.environ, **set_by_file, "CACHE": SAMPLE_MIRROR, "GITHUB_STEP_SUMMARY": f"{folder}/summary.md"}
    environ |= {"PATH": f"{programs}:{os.environ['PATH']}"}
    return [subprocess.run(["sh", "-e", "-c", each], cwd=folder, env=environ).returncode for each in commands]


@pytest.mark.parametrize("name", JOBS)
def test_the_jobs_work_as_they_stand(name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, text, err = answered(capsys, "example", name)
    assert (status, err) == (0, "")
    gate, report = steps(name, text)
    set_by_file = variables(name, text)
    assert set_by_file.keys() == {"CACHE", "LOCK", "PACKAGE"}
    assert (len(gate), len(report)) == (2, 4 if name == "gitlab" else 3)
    lock_of_the_sample(tmp_path / set_by_file["LOCK"])
    assert run(tmp_path, gate, set_by_file) == [0, 0]
    lock_of_the_sample(tmp_path / set_by_file["LOCK"], ABSENT)
    assert run(tmp_path, gate, set_by_file) == [0, 1]
    for path in tmp_path.glob("check.xml"):
        cases = ci.junit(path.read_text())
        assert cases.failing == [PACKAGE]
    assert run(tmp_path, report, set_by_file) == [0] * len(report)
    assert set((tmp_path / "pip.txt").read_text().splitlines()) == {"install cachetui"}
    written = {path.name: path.read_text() for path in tmp_path.iterdir() if path.suffix in (".md", ".json", ".prom")}
    if name == "gitlab":
        assert ci.gitlab(written["quality.json"]) == []
        assert "cachetui_stack_binaries" in ci.prometheus(written["metrics.prom"])
    if name != "jenkins":
        assert any("The health of build caches" in each for each in written.values())
    else:
        assert "The health of build caches" in (tmp_path / "report.html").read_text()
    no_cache = {**set_by_file, "CACHE": str(tmp_path / "nosuch")}
    last = [each.replace('"$CACHE"', shlex.quote(no_cache["CACHE"])) for each in report[1:]]
    assert 0 not in run(tmp_path, last, no_cache)


@pytest.mark.parametrize("name", JOBS)
def test_every_artifact_of_a_job_is_written_by_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = answered(capsys, "example", name)[1]
    written = set(re.findall(r"> ([a-z]+\.[a-z]+)", text))
    named = set(re.findall(r"[a-z]+\.(?:xml|md|json|prom|html)\b", text))
    assert named == written

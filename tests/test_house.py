"""What holds for the project as a whole: what the commands import, and that the map of the package is true."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import cachetui
from cachetui.cli.main import main
from tests.support.caches import CACHES
from tests.support.places import ROOT

IMPORTED = """
import json, sys
before = set(sys.modules)
from cachetui.cli.main import main
from tests.support.places import ROOT
main(sys.argv[1:])
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})), file=sys.stderr)
"""
"""Runs a command line; the last line of standard error names the packages that it imported."""

STARTED = """
import json, sys
before = set(sys.modules)
from cachetui.__main__ import main
main()
print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)
"""
"""The same for the program as a user starts it; the last line names every module."""

UNNEEDED = {"dataclasses", "hashlib", "inspect", "json", "pathlib", "pickle", "platformdirs", "shutil", "string"}
UNNEEDED |= {"subprocess", "tempfile", "typing_extensions", "urllib.parse", "cachetui.workers.driver"}
UNNEEDED |= {"msgspec.inspect", "platform", "shlex", "textwrap", "threading"}
UNNEEDED |= {"datetime", "unicodedata"}
UNNEEDED |= {"cachetui.explain.why", "cachetui.report.why", "cachetui.sources.pages.all_pages"}
"""Modules that a command does without where the saved index has its answer: each takes a millisecond or more."""

SERVED = """
import json, sys
before = set(sys.modules)
from cachetui.workers.serving import serve
serve("cachetui.sources.pages.piece_reader")
print(json.dumps(sorted(set(sys.modules) - before)))
"""
"""A process that is given no work; it names the modules that it imported."""

SCREEN = re.compile(
    r"^\s*(?:from|import) (?:textual|rich|tests\.tui|cachetui\.tui(?!\.terminal\.preflight))\b", re.MULTILINE
)
"""An import that needs Textual."""

SAMPLE = str(ROOT / "cachetui" / "sample")


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["--help"],
        ["find", SAMPLE, "py-mpi4py", "stack=e4s"],
        ["find", SAMPLE, "py-mpi4py@4: %gcc", "--format", "json", "--no-snapshot"],
    ],
    ids=["version", "help", "find", "find-json"],
)
def test_a_command_imports_only_what_it_needs(words: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    imported = set(json.loads(done.stderr.splitlines()[-1]))
    assert "cachetui" in imported
    heavy = {"textual", "rich", "yaml", "archspec", "argparse", "asyncio", "watchfiles", "urllib3", "ssl", "http"}
    assert imported.isdisjoint(heavy)


@pytest.mark.parametrize("words", [["find", SAMPLE, "py-mpi4py"], ["which", SAMPLE, "{hash}"]], ids=["find", "which"])
def test_a_command_that_finds_its_answer_in_the_saved_index_imports_little(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("CACHETUI_CACHE_DIR", raising=False)
    assert main(["find", SAMPLE, "py-mpi4py", "--limit", "1", "--format", "{hash}"]) == 0
    asked = [word.format(hash=capsys.readouterr().out.strip()) for word in words]
    done = subprocess.run([sys.executable, "-c", STARTED, *asked], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    imported = set(json.loads(done.stderr.splitlines()[-1]))
    assert "cachetui.store.snapshot" in imported
    assert sorted(imported & UNNEEDED) == []
    if words[0] == "find":
        assert not imported & {f"cachetui.{name}" for name in ("model.host", "search.dependencies", "search.fits")}


def test_check_of_a_lock_that_is_all_there_imports_nothing_to_explain_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("CACHETUI_CACHE_DIR", raising=False)
    lock = CACHES / "oracle" / "envs" / "spack-1.1" / "btest" / "spack.lock"
    asked = ["check", str(CACHES / "v3" / "spack-1.1.0" / "develop" / "btest"), str(lock), "--fits", "zen4"]
    done = subprocess.run([sys.executable, "-c", STARTED, *asked], capture_output=True, text=True)
    imported = set(json.loads(done.stderr.splitlines()[-1]))
    assert "complete: all" in done.stdout
    assert "cachetui.environments.lock_graph" in imported
    unneeded = {"cachetui.analysis.causes", "cachetui.environments.expected", "cachetui.search.nearest_build", "yaml"}
    assert sorted(imported & unneeded) == []


def test_a_process_that_reads_pages_imports_little_before_it_begins() -> None:
    command = [sys.executable, "-c", SERVED]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    imported = set(json.loads(done.stdout))
    assert "cachetui.sources.pages.page_forms" in imported
    unneeded = UNNEEDED - {"pickle", "string"}
    assert sorted(imported & (unneeded | {"concurrent.futures", "logging", "threading", "yaml"})) == []


def test_where_there_is_no_page_nothing_that_reads_pages_is_imported() -> None:
    cache = CACHES / "v3" / "spack-1.1.0" / "develop" / "btest"
    command = [sys.executable, "-c", STARTED, "find", str(cache), "--no-snapshot"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = set(json.loads(done.stderr.splitlines()[-1]))
    assert "cachetui.sources.buildcache" in imported
    assert "cachetui.sources.pages.page_forms" not in imported


def test_the_first_screen_imports_no_screen_that_a_key_opens() -> None:
    imported = "import json, sys; import cachetui.tui.app, cachetui.cli.browse; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", imported], capture_output=True, text=True, check=True)
    opened = ("survey_base", "list_screens", "output", "lookup", "spec", "tags", "why", "help", "hosts", "coverage")
    unneeded = {"_hashlib", *(f"cachetui.tui.screens.{name}" for name in opened)}
    assert sorted(set(json.loads(done.stdout)) & unneeded) == []


def test_the_engine_is_tested_without_textual() -> None:
    folders = ("model", "query", "sources", "store", "search", "explain", "analysis", "report", "cli")
    tests = {path: path.read_text() for folder in folders for path in (ROOT / "tests" / folder).rglob("*.py")}
    assert ROOT / "tests" / "search" / "test_index.py" in tests
    assert [path.name for path, text in tests.items() if SCREEN.search(text)] == []


def packages() -> list[Path]:
    """The folders of the program that hold code."""
    return sorted(path.parent for path in Path(cachetui.__file__).parent.rglob("__init__.py"))


@pytest.mark.parametrize("package", packages(), ids=lambda package: package.name)
def test_the_map_of_a_package_names_each_module_once(package: Path) -> None:
    text = (package / "__init__.py").read_text()
    there = {path.stem for path in package.glob("[a-z]*.py")}
    there |= {path.parent.name for path in package.glob("*/__init__.py")}
    named = re.findall(r"^    (\w+) +\S", text, re.MULTILINE)
    assert sorted(set(named) - {"sample", "sample_mirror"}) == sorted(there)


def test_a_class_has_its_name_for_itself() -> None:
    modules = (path for package in packages() for path in package.glob("*.py"))
    found = [
        (name, path.stem)
        for path in modules
        for name in re.findall(r"^class ([A-Z]\w*)", path.read_text(), re.MULTILINE)
    ]
    owners = {name: [stem for other, stem in found if other == name] for name, _ in found}
    assert "Query" in owners
    assert {name: stems for name, stems in owners.items() if len(stems) > 1} == {}


def test_no_test_imports_another() -> None:
    imports = re.compile(r"^\s*(?:from|import) tests\.(?!support\b)([\w.]+)", re.MULTILINE)
    tests = (path for path in (ROOT / "tests").rglob("test_*.py"))
    assert {path.name: found for path in tests if (found := imports.findall(path.read_text()))} == {}


def examples() -> list[tuple[str, str]]:
    """The questions in the README and the answers under them."""
    blocks = re.findall(r"^```console\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    shown = re.findall(r"^\$ (cachetui \w.*)\n((?:[^$].*\n)*)", "".join(blocks), re.MULTILINE)
    assert shown
    return shown


@pytest.mark.parametrize(("command", "answer"), examples())
def test_the_readme_shows_what_is_printed(
    command: str, answer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    main(shlex.split(command)[1:])
    printed = capsys.readouterr()
    assert printed.out + printed.err == answer

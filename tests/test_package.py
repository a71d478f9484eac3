"""The package: the files of the wheel, its man pages and its recipe."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from cachetui import __version__
from cachetui.reference import TOPICS
from man.write import FOLDER, pages, release
from tests.support.commands import answered
from tests.support.lowest import dependencies
from tests.support.places import CACHETUI, MACHINE, ROOT

BARE = f"cachetui {__version__}\n"

DATA = {
    "share/bash-completion/completions/cachetui",
    "share/fish/vendor_completions.d/cachetui.fish",
    "share/man/man1/cachetui.1",
    *(f"share/man/man7/cachetui-{topic}.7" for topic in TOPICS),
    "share/zsh/site-functions/_cachetui",
}
"""The folders that shells and man search below a prefix."""


def printed(place: Path, *words: str) -> str:
    """Return the output of the `cachetui` that is installed in a folder."""
    environ = {**os.environ, "PYTHONPATH": f"{MACHINE}:{place}", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([*CACHETUI, *words], cwd=place, env=environ, capture_output=True, text=True).stdout


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder, without compiled Python files."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_wheel_contains_exactly_the_package_files(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    with ZipFile(wheel) as archive:
        archive.extractall(site)
    assert {path.name.partition("-")[0] for path in site.iterdir()} == {"cachetui"}
    code = contents(ROOT / "cachetui")
    del code["README.md"]
    assert contents(site / "cachetui") == code
    assert contents(site / f"cachetui-{__version__}.data" / "data").keys() == DATA
    before = contents(site)
    assert printed(site, "--version") == BARE
    assert printed(site, "find", str(site / "cachetui" / "sample"), "--count") == "413\n"
    assert contents(site) == before


def test_man_pages_equal_help_texts() -> None:
    assert pages() == {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.[17]")}, "run `make man`"
    assert "".join(pages().values()).isascii()
    assert release()[0] == __version__


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
def test_mandoc_accepts_the_man_pages() -> None:
    linted = subprocess.run(["mandoc", "-Tlint", *sorted(FOLDER.glob("*.[17]"))], capture_output=True, text=True)
    assert (linted.returncode, linted.stdout, linted.stderr) == (0, "", "")


def test_spack_recipe_lists_dependencies_of_package(capsys: pytest.CaptureFixture[str]) -> None:
    text = answered(capsys, "example", "spack")[1]
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    needed = {ast.unparse(each) for each in calls if ast.unparse(each.func) == "depends_on"}
    expected = {"depends_on('py-hatchling@1.27:', type='build')", "depends_on('python@3.11:')"}
    for name, lowest, below, python_below in dependencies():
        when = f", when='^python@:{last_below(python_below)}'" if python_below else ""
        expected.add(f"depends_on('py-{name.replace('.', '-')}@{lowest}:{below and last_below(below)}'{when})")
    assert needed == expected
    build = (ROOT / "pyproject.toml").read_text()
    assert 'requires = ["hatchling>=1.27"]' in build
    assert 'requires-python = ">=3.11"' in build
    assert re.findall(r"\d+\.\d+\.\d+(?=\.tar\.gz|\", sha256)", text) == [__version__] * 2


def last_below(version: str) -> str:
    """Return the last release series below a version: 8 below 9, 0.2 below 0.3."""
    *before, last = version.split(".")
    return ".".join([*before, str(int(last) - 1)])

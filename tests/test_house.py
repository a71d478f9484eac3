"""Rules for the whole project: imports of the commands, and the answers in README and the help topics."""

import ast
import json
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from cachetui.cli.main import main
from tests.support.manual import MANUAL
from tests.support.places import ROOT

IMPORTED = """
import json, sys
before = set(sys.modules)
from cachetui.cli.main import main
from tests.support.places import ROOT
main(sys.argv[1:])
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})), file=sys.stderr)
"""
"""A program that runs a command line; the last line of standard error lists the imported packages."""

SCREEN = re.compile(
    r"^\s*(?:from|import) (?:textual|rich|tests\.tui|cachetui\.tui(?!\.terminal\.preflight))\b", re.MULTILINE
)
"""An import that needs Textual."""

TOP = {
    *(".ci", ".github", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT"),
    *("Makefile", "README.md", "SECURITY.md", "cachetui", "man", "pyproject.toml", "screenshots", "tests"),
}
"""The files and folders at the top of the checkout."""

SAMPLE = str(ROOT / "cachetui" / "sample")


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["--help"],
        ["find", SAMPLE, "py-mpi4py", "stack=e4s"],
        ["find", SAMPLE, "py-mpi4py@4: %gcc", "--format", "json", "--no-index-cache"],
    ],
    ids=["version", "help", "find", "find-json"],
)
def test_command_imports_only_needed_modules(words: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    imported = set(json.loads(done.stderr.splitlines()[-1]))
    assert "cachetui" in imported
    heavy = {"textual", "rich", "yaml", "archspec", "argparse", "asyncio", "watchfiles", "urllib3", "ssl", "http"}
    assert imported.isdisjoint(heavy)


@pytest.mark.parametrize("module", ["cachetui.tui.terminal.preflight", "cachetui.tui.browse.state"])
def test_modules_with_browser_state_do_not_import_textual(module: str) -> None:
    code = f"import sys, {module}; sys.exit('textual' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_tests_outside_tui_do_not_import_textual() -> None:
    folders = ("model", "query", "sources", "store", "search", "suggest", "analysis", "report", "cli")
    tests = {path: path.read_text() for folder in folders for path in (ROOT / "tests" / folder).rglob("*.py")}
    assert ROOT / "tests" / "search" / "test_index.py" in tests
    assert [path.name for path, text in tests.items() if SCREEN.search(text)] == []


def test_only_the_command_line_reads_the_environment() -> None:
    def reads(node: ast.AST) -> bool:
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            return any(alias.name.startswith(("environ", "getenv")) for alias in node.names)
        return isinstance(node, ast.Attribute) and ast.unparse(node).startswith(("os.environ", "os.getenv"))

    modules = {path.relative_to(ROOT / "cachetui"): path for path in (ROOT / "cachetui").rglob("*.py")}
    found = {name for name, path in modules.items() if any(map(reads, ast.walk(ast.parse(path.read_text()))))}
    # a new process gets the whole environment without reading it
    assert {str(name) for name in found if name.parts[0] != "cli"} == {"workers/processes.py"}


def test_every_class_and_type_has_a_unique_name() -> None:
    found: dict[str, list[str]] = {}
    variables: set[str] = set()

    def look(statements: list[ast.stmt], path: str, *, is_nested: bool = False) -> None:
        for node in statements:
            match node:
                case ast.ClassDef(name=name):
                    # screens and widgets may have messages of the same name: code names a message with its class
                    if not (is_nested and any(ast.unparse(base) == "Message" for base in node.bases)):
                        found.setdefault(name.lstrip("_"), []).append(path)
                    look(node.body, path, is_nested=True)
                case ast.Assign(targets=[ast.Name(name)], value=ast.Call(func=ast.Name("TypeVar"))):
                    variables.add(name)
                case ast.Assign(targets=[ast.Name(name)]) | ast.AnnAssign(ast.Name(name), ast.Name("TypeAlias")) if (
                    not is_nested and re.fullmatch(r"_?(?:[A-Z][a-z]+)+", name)
                ):
                    found.setdefault(name.lstrip("_"), []).append(path)

    for path in sorted((ROOT / "cachetui").rglob("*.py")):
        look(ast.parse(path.read_text()).body, str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}
    assert variables.isdisjoint(found)


def test_test_modules_import_only_support_modules_from_tests() -> None:
    imports = re.compile(r"^\s*(?:from|import) tests\.(?!support\b)([\w.]+)", re.MULTILINE)
    tests = (path for path in (ROOT / "tests").rglob("test_*.py"))
    assert {path.name: found for path in tests if (found := imports.findall(path.read_text()))} == {}


def test_top_folder_of_checkout_has_only_known_files() -> None:
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("no git, or no checkout of it")
    command = ["git", "-c", "safe.directory=*", "-C", str(ROOT), "ls-files", "-z"]
    tracked = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    assert {path.partition("/")[0] for path in tracked if path} == TOP


def examples() -> list[tuple[str, str]]:
    """The commands in README and the help topics, each with the answer below it."""
    blocks = re.findall(r"^```console\n(.*?)^```", MANUAL, re.MULTILINE | re.DOTALL)
    shown = re.findall(r"^\$ (cachetui \w.*)\n((?:[^$\n].*\n|\n(?!\$))*)", "$\n".join(blocks), re.MULTILINE)
    assert shown
    return shown


@pytest.mark.parametrize(("command", "answer"), examples())
def test_examples_in_readme_and_help_show_real_output(
    command: str, answer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    main(shlex.split(command)[1:])
    printed = capsys.readouterr()
    assert printed.out + printed.err == answer

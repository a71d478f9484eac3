"""Hostile content: its output is harmless in a terminal and in a shell, and everything next to it is read."""

import json
import os
import re
import shutil
import socket
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cachetui.catalogue import Catalogue
from cachetui.cli.main import main
from cachetui.model.problem import Problem
from cachetui.model.spec import Spec
from cachetui.model.tags import own_tag
from cachetui.query.query import Query
from cachetui.report.specs import command, copies, environment
from cachetui.safe_text import shell_word, visible
from cachetui.settings.settings import Settings
from tests.support.caches import index_of_folder, packages_of, specs_of
from tests.support.ci import Page, gitlab, junit, prometheus
from tests.support.hostile import EVIL, EVIL_PAGE, evil_installation, harmless, page, row
from tests.support.schemas import faults
from tests.support.trees import key, record, write_tree

Output = pytest.CaptureFixture[str]

FORMATS = ("table", "json", "csv", "markdown", "html", "{package} {version} {os} {stacks} {tarball}\\n")


OPTION_PAGE = page("--config=x", row("d", versions=["-x"], stacks=["-y"]), tag="--help")


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """A folder with a good page among files of every other kind."""
    folder = tmp_path / "content"
    folder.mkdir()
    (folder / "good.md").write_text(page("good", row("a")))
    (folder / "evil.md").write_text(EVIL_PAGE)
    (folder / "option.md").write_text(OPTION_PAGE)
    (folder / "self.md").symlink_to("self.md")
    (folder / "loop").symlink_to("loop")
    (folder / "here").symlink_to(".")
    (folder / "above").symlink_to("..")
    (folder / "gone.md").symlink_to("nowhere")
    (folder / "zero.md").symlink_to("/dev/zero")
    os.mkfifo(folder / "fifo.md")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.open(folder, os.O_RDONLY)  # the whole path would be too long for a socket
        listener.bind(f"/proc/self/fd/{here}/socket.md")
        os.close(here)
    (folder / "folder.md").mkdir()
    (folder / "folder.md" / "inside.md").write_text(page("inside", row("e")))
    with open(folder / "huge.md", "w") as file:
        file.write(page("huge", row("f")))
        file.truncate(65 * 2**20)
    odd = os.fsencode(folder) + b"/\xff\x1b[31m\n"
    os.mkdir(odd)
    Path(os.fsdecode(odd + b"/\xfe.md")).write_text(page("odd", row("g")))
    Path(os.fsdecode(odd + b"/broken\xfe.md")).write_text("---\nlayout: cache\n---\n")
    Path(os.fsdecode(odd + b"/good\xfe.md")).write_text(page("good", row("a")))
    return folder


def test_valid_pages_next_to_hostile_pages_are_read(content: Path, tmp_path: Path) -> None:
    environ = {"CACHETUI_CACHE_DIR": str(tmp_path / "cache")}
    catalogue = Catalogue(str(content), Settings(environ))
    index = catalogue.load()
    assert catalogue.notes == []
    assert packages_of(index) == sorted(["--config=x", "good", "inside", "odd", EVIL, EVIL])
    assert {problem.kind for problem in index.problems} == {"unread", "unreadable", "hash", "duplicate_page"}
    saved = Catalogue(str(content), Settings(environ)).saved()
    assert saved is not None
    assert saved.columns == index.columns
    assert list(saved.problems) == list(index.problems)
    assert Catalogue(str(content), Settings(environ)).refresh(saved).columns == saved.columns


def harmless_output(capsys: Output) -> tuple[str, str]:
    """Return the text on both streams, after a check that it is harmless."""
    out, err = capsys.readouterr()
    harmless(out)
    harmless(err)
    return out, err


@pytest.mark.parametrize("format", FORMATS)
def test_printed_hostile_text_is_escaped(content: Path, capsys: Output, format: str) -> None:
    commands = [["find", str(content)], ["find", str(content), "--packages"]]
    if "{" not in format:
        commands += [
            ["doctor", str(content)],
            ["coverage", str(content), "--tag", EVIL],
            ["diff", str(content), "develop..--help"],
            ["which", str(content), "/bbb", EVIL],
        ]
    for words in commands:
        if "{" in format and "--packages" in words:
            continue
        main([*words, "--format", format])
        out, _ = harmless_output(capsys)
        assert out
        if format == "json":
            assert faults(words[0], out) == []
        if format == "html":
            Page(out)


READ = {"junit": junit, "gitlab": gitlab, "prometheus": prometheus}
"""The readers of each CI format, which return its errors."""


def gates(content: str, evil: str) -> Iterator[tuple[str, list[str]]]:
    """Yield pairs of a CI format and a command line with hostile words that supports this format."""
    for form in ("junit", "gitlab"):
        yield form, ["doctor", content]
        yield form, ["check", content, EVIL[-20:], "good", "/" + "a" * 32, f"./{evil}"]
        yield form, ["check", content, "--all"]
        yield form, ["coverage", content, "--expect", evil]
        yield form, ["diff", content, "develop..--help"]
    yield "prometheus", ["doctor", content]
    yield "prometheus", ["check", content, "--all"]
    yield "prometheus", ["tags", content]


@pytest.mark.parametrize("kind", ["pages", "installation"])
def test_ci_formats_of_hostile_content_are_valid(
    content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"\x1b[2J\u202e]]>&'\"<b>{'x' * 50}.txt"
    Path(name).write_text("\n".join(("nosuch", "good@9:", "]]>&<b>'\"", *EVIL.splitlines())))
    where = str(content if kind == "pages" else evil_installation(tmp_path / "spack"))
    seen = Counter[str]()
    for form, words in gates(where, name):
        status = main([*words, "--format", form])
        out, err = harmless_output(capsys)
        assert "Traceback" not in err
        READ[form](out)
        seen[form] += status < 2
        assert max(map(len, out.splitlines())) < 20_000
    assert set(seen) == set(READ)
    assert min(seen["junit"], seen["gitlab"]) > 2


def test_json_keeps_hostile_values_unchanged(content: Path, capsys: Output) -> None:
    main(["find", str(content), "--format", "json"])
    specs = json.loads(capsys.readouterr().out)
    assert {EVIL} <= {spec["os"] for spec in specs}
    main(["doctor", str(content), "--format", "json"])
    paths = {problem["path"] for problem in json.loads(capsys.readouterr().out)}
    assert "\udcff\x1b[31m\n/broken\udcfe.md" in paths


@pytest.mark.parametrize("name", ["\u3164", "\ufe0f", "\u2800", "\U000e0101", "\u034f", "\u115f", "\ue000", "\u2028"])
def test_invisible_characters_are_escaped(name: str) -> None:
    assert visible(name).startswith("\\")
    assert visible("é漢") == "é漢"


# Installations

ASKED = (
    ["find", "installed=yes,missing,deprecated"],
    ["find", "unused=yes"],
    ["find", "since=2020-01-01"],
    ["find", "installed=gone", "env!=list"],
    ["find", "--packages"],
    ["which", "--", "/aaa", "--config=x/aaa", EVIL],
    ["deps", f"/{key(400)}"],
    ["deps", f"/{key(401)}", "--dependents"],
    ["check", f"/{key(400)}"],
    ["check", "good"],
    ["coverage", "installed=yes"],
    ["tags"],
    ["doctor"],
)


@pytest.mark.parametrize("format", FORMATS[:5])
def test_output_for_hostile_installation_is_harmless_and_complete(tmp_path: Path, capsys: Output, format: str) -> None:
    root = str(evil_installation(tmp_path / "spack"))
    for name, *words in ASKED:
        status = main([name, root, "--format", format, *words])
        out, err = harmless_output(capsys)
        assert status in (0, 1), err
        assert out
        if format == "json":
            assert faults(name, out) == []
    assert main(["unused", root]) == 2  # a tree, and records, whose dependencies are unreadable
    harmless(capsys.readouterr().err)
    assert main(["find", root, "good", "--format", "{package} {stacks}\\n"]) == 0
    assert capsys.readouterr().out == "good local\n"


@pytest.mark.parametrize("format", FORMATS[:5])
def test_commands_printed_by_unused_are_safe_to_paste(
    tmp_path: Path, capsys: Output, pasted: Callable[[str], list[list[str]]], format: str
) -> None:
    records = {key(k): record(name, path=f"/{EVIL}", explicit=False) for k, name in enumerate((EVIL, "-x"))}
    records |= {name: record("hash", explicit=False) for name in ("--all", "../../x", "; touch pwned")}
    above = {key(9): record(EVIL, [(EVIL, key(0))])}
    for each in (records[key(0)], above[key(9)]):
        each["spec"]["version"] = EVIL
    trees = [str(write_tree(tmp_path / name, each)) for name, each in (("here", records), ("above", above))]
    assert main(["unused", "-C", trees[0], "-C", trees[1], "--uninstall", "--format", format]) == 0
    out, _ = harmless_output(capsys)
    commands = [line.removeprefix("these: ") for line in out.splitlines() if line.startswith("these: ")]
    assert [pasted(each) for each in commands] == [[["spack", "uninstall", f"/{key(1)}"]]] * (format == FORMATS[0])


def test_damaged_installation_is_reported_in_few_lines(tmp_path: Path) -> None:
    problems = Catalogue(str(evil_installation(tmp_path / "spack")), Settings(), index_cache=False).load().problems
    found = Counter((problem.kind, problem.level) for problem in problems)
    assert found == {
        ("unread_cache", "fault"): 1,  # the tree that three upstreams name
        ("unread_cache", "note"): 3,  # missing upstreams
        ("unreadable", "fault"): 1 + 7,  # the records, and each of seven locks
        ("prefix", "fault"): 1,
        ("deprecation", "fault"): 1,
        ("external", "note"): 1,
        ("leftover", "note"): 2,
    }
    assert max(len(problem.message) for problem in problems) < 4200  # a path, and a few words


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"database": []}',
        '{"database": {"version": "8", "installs": []}}',
        '{"database": {"version": {}, "installs": {}}}',
        '{"database": {"version": "8", "installs": {"a": ' + "[" * 100_000 + "]" * 100_000 + "}}}",
        '{"database": {"version": "8", "installs": {"a": {"spec": {"name": "\\ud800"}}}}}',
        "\udcff",
    ],
    ids=range(9),
)
def test_invalid_database_gives_one_line_error(tmp_path: Path, capsys: Output, text: str) -> None:
    tree = write_tree(tmp_path / EVIL.replace("/", "-")[:80], {key(0): record("good")})
    path = tree / ".spack-db" / "index.json"
    path.write_bytes(os.fsencode(text))
    for name, *words in (["find"], ["doctor"], ["check", "good"]):
        status = main([name, str(tree), *words])
        out, err = harmless_output(capsys)
        assert (status, out) == (2, "")
        assert "spack reindex" in err
        assert len(err.splitlines()) == 1


# Shell lines


@pytest.fixture
def pasted(tmp_path: Path) -> Callable[[str], list[list[str]]]:
    """Return a function that pastes a line into a shell, and returns the arguments of each `spack` and `cachetui`."""
    place, programs = tmp_path / "shell", tmp_path / "programs"
    place.mkdir()
    programs.mkdir()
    log = tmp_path / "log"
    for name in ("spack", "cachetui"):
        program = programs / name
        program.write_text(f'#!/bin/sh\nprintf "%s\\0" "{name}" "$@" >> {log}\nprintf "\\n\\0" >> {log}\n')
        program.chmod(0o755)

    def run(line: str) -> list[list[str]]:
        log.write_bytes(b"")
        environ = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(place)}
        done = subprocess.run(["sh", "-e", "-c", line], cwd=place, env=environ, capture_output=True, text=True)
        assert done.stderr == "", line
        assert list(place.iterdir()) == [], line
        calls = log.read_bytes().decode().split("\n\0")
        return [call.split("\0")[:-1] for call in calls if call]

    return run


def test_copied_hostile_specs_are_safe_to_paste_into_shell(
    content: Path, pasted: Callable[[str], list[list[str]]]
) -> None:
    every = specs_of(index_of_folder(content))
    for specs in (every, *([spec] for spec in every)):
        for label, text in copies(specs, None):
            harmless(text)
            commands = {"install": text, "mirror": text}
            words = text.replace("\n", " ")
            for call in pasted(commands.get(label, f"spack install {words}")):
                assert call[0] == "spack"
                assert not [word for word in call[2:] if word.startswith("-") and word not in OPTIONS], call


OPTIONS = ("--cache-only", "--install", "--trust")


def test_hostile_mirror_url_is_one_shell_argument(content: Path, pasted: Callable[[str], list[list[str]]]) -> None:
    spec = next(spec for spec in specs_of(index_of_folder(content)) if spec.package == EVIL)
    line = dict(copies([spec], "https://x/{tag}/{stack}"))["mirror"].splitlines()[0]
    ((_, _, _, name, url),) = pasted(line)
    assert name == visible(f"spack-{EVIL.replace('/', '-')}")
    assert url == visible(f"https://x/{own_tag(EVIL)}/{EVIL}")


def test_shell_leaves_copied_spec_unchanged(pasted: Callable[[str], list[list[str]]]) -> None:
    text = {"package": "py-x", "tags": (), "tag": "develop", "stacks": (), "bytes": None, "tarball": None}
    fields = {"hash": "a" * 32, "compiler": "gcc@11", "os": "rhel8", "platform": "linux", "target": "zen3"}
    variants = ("build_type=Release", "~cuda", "+mpi", "languages:='c,c++'")
    spec = Spec(version="1.2", variants=variants, **text, **fields)  # type: ignore[arg-type]  # the fields have different types
    ((_, _, *words),) = pasted(f"spack install {dict(copies([spec]))['spec']}")
    assert words == [
        "py-x@1.2%gcc@11~cuda+mpi",
        "build_type=Release",
        "languages:='c,c++'",
        "arch=linux-rhel8-zen3",
        f"/{'a' * 32}",
    ]


def test_shell_leaves_query_of_copied_command_unchanged(pasted: Callable[[str], list[list[str]]]) -> None:
    query = Query.parse("hdf5 +mpi").toggled("stack", "a';touch pwned;'", ["a';touch pwned;'"])
    ((program, *words),) = pasted(command("find", shell_word("/a b/$(touch pwned)"), (), query))
    assert (program, words[:2]) == ("cachetui", ["find", "/a b/$(touch pwned)"])
    assert Query.parse(" ".join(words[2:])) == Query.parse(str(query))


def test_shell_restores_exact_text_from_quoted_word(tmp_path: Path, pasted: Callable[[str], list[list[str]]]) -> None:
    for text in ("plain", "", "a b", "it's", "two\nlines", "\x1b1", "\u202ef", "é", "\udcff.md", "a\\b\t'", EVIL):
        word = shell_word(text)
        harmless(word)
        done = subprocess.run(["bash", "-c", f"printf %s {word}"], cwd=tmp_path, capture_output=True)
        assert (done.stdout, done.stderr) == (os.fsencode(text), b""), word
        assert len(pasted(f"cachetui {word}")[0]) == 2
    assert shell_word("two\nlines") == r"$'two\x0alines'"
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("shell", ["bash --norc", "zsh -f", "dash", "fish --no-config"])
def test_every_shell_reads_quoted_text_as_one_argument(tmp_path: Path, shell: str) -> None:
    program, *options = shell.split()
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    texts = [
        "",
        "it's",
        "a\\",
        "\\'",
        "'\\",
        "=ls",
        "a=b",
        "\\\\n",
        "~",
        "1.3\\'\";touch pwned;echo \\'",
        "$(x)`y`",
        "{a,b}*?[c]",
        "!!",
    ]
    script = f"printf '<%s>' {' '.join(map(shell_word, texts))}"
    done = subprocess.run([program, *options, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("".join(f"<{text}>" for text in texts), "")
    assert not (tmp_path / "pwned").exists()


def test_exported_hostile_environment_has_only_quoted_names(content: Path) -> None:
    text = r'"[^"]*(?:\\"[^"]*)*"'
    section = rf"spack:|  specs:|  mirrors:|  - {text}|    (?:[a-z][a-z0-9_-]*|{text}): {text}|    unify: false"
    for line in environment(specs_of(index_of_folder(content))):
        harmless(line)
        assert re.fullmatch(section, line.strip("\n").split("\n")[-1]) or line.startswith("# ")


# Links and changing files


def test_symlink_cycles_between_folders_cause_no_endless_loop(tmp_path: Path) -> None:
    names = [f"outside{number}" for number in range(5)]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.md").write_text(page(name, row("h")))
        for other in names:
            (tmp_path / name / f"to-{other}").symlink_to(tmp_path / other)
    content = tmp_path / "content"
    content.mkdir()
    (content / "first").symlink_to(tmp_path / names[0])
    (content / "good.md").write_text(page("good", row("a")))
    index = index_of_folder(content)
    assert packages_of(index) == ["good", "outside0"]
    names_told = ", ".join(f"to-{name}" for name in names)
    assert [problem for problem in index.problems if problem.level == "note"] == [
        Problem(
            path="first/",
            level="note",
            kind="link",
            message=f"links within a linked folder are not followed: {names_told}",
        )
    ]


def test_symlinked_content_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "real" / "deep" / "p.md").write_text(page("good", row("a")))
    (tmp_path / "other" / "q.md").write_text(page("linked", row("b")))
    (tmp_path / "real" / "deep" / "out").symlink_to(tmp_path / "other")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert packages_of(index_of_folder(tmp_path / "link")) == ["good", "linked"]


@pytest.mark.parametrize("change", ["gone", "fifo", "folder", "shorter", "longer"])
def test_file_changed_during_reading_does_not_affect_other_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    content = tmp_path / "content"
    content.mkdir()
    (content / "good.md").write_text(page("good", row("a")))
    moving = content / "moving.md"
    moving.write_text(page("moving", row("b")))
    real, text = os.open, moving.read_text()
    replace: dict[str, Callable[[], object]] = {
        "gone": lambda: None,
        "fifo": lambda: os.mkfifo(moving),
        "folder": moving.mkdir,
        "shorter": lambda: moving.write_text(text[:100]),
        "longer": lambda: moving.write_text(text + "x" * 1000),
    }

    def opened(path: Any, *rest: Any, **named: Any) -> int:
        if str(path).endswith("moving.md") and moving.is_file():
            moving.unlink()
            replace[change]()
        return real(path, *rest, **named)

    monkeypatch.setattr("cachetui.sources.files.os.open", opened)
    index = index_of_folder(content)
    assert set(packages_of(index)) - {"moving"} == {"good"}
    assert {problem.path for problem in index.problems} <= {"moving.md"}


# Queries, formats and arguments


@pytest.mark.parametrize(
    "words",
    [
        ["x" * 20_000],
        ["@" * 100_000],
        ["+a" * 50_000],
        ["os=" + "a," * 50_000],
        ["%gcc@" + "1." * 50_000 + "1"],
        ["/" + "a" * 100_000],
        ["(" * 100_000],
        ["'" * 99_999],
        ["\udcff\x1b[2J\u202e"],
        ["--sort", EVIL],
        ["--limit", "٣"],
        ["--format", "{" * 99_999],
        ["--format", "{package:" + "9" * 5000 + "}"],
        ["--format", "{package.__class__}"],
        ["--format", "{0!r:>{width}}"],
        ["--format", "%s %n {hash"],
        ["--format", f"{{{EVIL}}}"],
        ["--fits", EVIL],
        ["--tag", EVIL],
        ["--content", "a\0b"],
        [f"--{EVIL}"],
    ],
    ids=lambda words: visible(" ".join(words))[:30],
)
def test_hostile_arguments_give_at_most_one_error_line(tmp_path: Path, capsys: Output, words: list[str]) -> None:
    (tmp_path / "good.md").write_text(page("good", row("a")))
    status = main(["find", str(tmp_path), *words])
    out, err = harmless_output(capsys)
    assert status in (1, 2)
    assert out == ""
    lines = err.splitlines()
    assert lines[0].startswith("cachetui: ")
    assert status == 1 or len(lines) == 1
    assert len(err) < 2000


def test_option_limit_with_huge_number_shows_all_specs(tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "good.md").write_text(page("good", row("a")))
    assert main(["find", str(tmp_path), "--limit", "9" * 10_000]) == 0
    assert capsys.readouterr().err == "cachetui: 1 spec; searched: develop\n"

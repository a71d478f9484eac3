"""The parsed command line: command, content, query and options."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from cachetui.cli.browse import BrowseOptions
from cachetui.cli.commands import BROWSE, COMMANDS
from cachetui.cli.find import FindOptions
from cachetui.cli.help import help_text
from cachetui.cli.options import UsageError, declared
from cachetui.cli.parser import parse, with_content
from cachetui.reference import TOPICS
from tests.support.commands import answered, refusal


def read(*words: str, **environ: str) -> Any:
    """Return the options of a command line; their fields depend on the command."""
    return with_content(*parse(words), environ.get("CACHETUI_CONTENT"))


def command(*words: str) -> str:
    return parse(words)[0].name


def test_first_word_is_content_and_other_words_are_query() -> None:
    options = read("find", "./content", "hdf5", "-mpi", "%gcc", "--tag", "a", "--tag=b", "--limit", "3")
    assert command("find", "./content", "hdf5", "-mpi") == "find"
    assert (options.content, options.words) == (("./content",), ("hdf5", "-mpi", "%gcc"))
    assert (options.tag, options.limit) == (("a", "b"), 3)


def test_command_line_without_command_opens_browser() -> None:
    assert read() == BrowseOptions()
    assert (command("./find"), read("./find").content) == ("browse", ("./find",))
    assert (command("./c", "hdf5"), read("./c", "hdf5").words) == ("browse", ("hdf5",))


@pytest.mark.parametrize(
    "words",
    [
        ("--tag", "develop", "find", "c", "hdf5", "--count"),
        ("--count", "--tag=develop", "find", "c", "hdf5"),
        ("--content", "c", "--count", "find", "--tag", "develop", "hdf5"),
    ],
)
def test_first_word_after_global_options_is_the_command(words: tuple[str, ...]) -> None:
    assert command(*words) == "find"
    assert read(*words) == FindOptions(content=("c",), words=("hdf5",), tag=("develop",), count=True)
    assert command("./c", "find") == command("--", "find") == "browse"


def test_two_dashes_end_the_options() -> None:
    assert read("find", "c", "--", "--mpi", "--limit").words == ("--mpi", "--limit")


@pytest.mark.parametrize(
    ("word", "is_content"),
    [
        *((word, True) for word in ("./hdf5", "../x", ".", "~/x", "a/b/c", "/srv/mirror", "/opt/", "./hdf5/abc")),
        *((word, True) for word in ("https://a.org/x", "spack:develop/e4s", "file:///x", "a/../b", "hdf5/")),
        *(
            (word, False)
            for word in (
                "hdf5",
                "hdf5@1.14",
                "/opt",
                "/2feova4",
                "hdf5/abc",
                "hdf5@1.14/abc",
                "os=a",
                "hdf5 /abc",
                "a=b/c",
            )
        ),
        *((word, False) for word in ("a..b", "/2feova4../3yg7mb3", "x/develop..y/develop", "%gcc", "@1:2", "a:=b")),
    ],
)
def test_path_or_url_as_first_word_replaces_default_content(
    word: str, is_content: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hdf5").mkdir()
    options = read("find", word, CACHETUI_CONTENT="default")
    assert (options.content, options.words) == (((word,), ()) if is_content else (("default",), (word,)))
    assert (read("find", word).content, read("find", "c", word).words) == ((word,), (word,))
    assert read("find", "-C", "c", word, CACHETUI_CONTENT="default").words == (word,)


def test_first_word_or_option_selects_the_content(tmp_path: Path) -> None:
    there = str(tmp_path)
    assert (read("find", "c", there).content, read("find", "c", there).words) == (("c",), (there,))
    options = read("find", "-C", "a", "hdf5", "--content=b", there)
    assert (options.content, options.words) == (("a", "b"), ("hdf5", there))
    options = read("find", "c", "--", there, "--count", "-C")
    assert (options.content, options.words, options.count) == (("c",), (there, "--count", "-C"), False)
    with pytest.raises(UsageError, match="needs CONTENT"):
        read("find", "--", "c")
    assert read("check", "c", "d", "e").words == ("d", "e")


def test_option_fits_without_host_name_uses_default_host() -> None:
    assert read("find", "c", "--fits", "zen33").fits == "zen33"  # refused later, while parsing the host
    for word in ("hdf5@1.14", "/abc", "./c", "os=rhel8", "--count"):
        assert read("find", "c", "--fits", word).fits == "here"
    assert read("find", "c", "--fits", "linux-rhel9-zen4").fits == "linux-rhel9-zen4"
    assert read("find", "c", "--fits=zen3").fits == "zen3"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["find"], "needs CONTENT"),
        (
            ["find", "c", "--qq"],
            "no option --qq in cachetui find; see cachetui find --help; to use it as a term of the query, write --",
        ),
        (["find", "c", "--limti=3"], r"no option --limti in cachetui find; did you mean '--limit'\?"),
        (["doctor", "c", "--qq"], "no option --qq in cachetui doctor; see cachetui doctor --help$"),
        (["c", "--resmue"], r"no option --resmue in cachetui; did you mean '--resume'\?"),
        (["find", "c", "--limit"], "--limit needs a value: --limit N"),
        (["find", "c", "--limit", "many"], "--limit"),
        (["find", "c", "--count=3"], "--count must not have a value: write only --count"),
        (["which"], "needs CONTENT"),
        (["coverage", "c", "--packages"], "no option --packages in cachetui coverage; did you mean"),
        (["completion", "bash", "--tag", "a"], "no option --tag in cachetui completion;"),
    ],
)
def test_invalid_command_line_is_refused_with_reason(words: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read(*words)


@pytest.mark.parametrize("name", TOPICS)
def test_help_topic_fits_terminal_width(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = answered(capsys, "help", name)
    assert status == 0
    assert out.startswith(f"# {name.capitalize()}\n\n")
    assert max(len(line) for line in out.splitlines() if " " in line.strip() and "  " not in line.strip()) <= 80


def test_help_command_equals_help_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert answered(capsys, "help", "find") == answered(capsys, "find", "--help")
    assert answered(capsys, "help") == answered(capsys, "-h")
    assert "did you mean 'queries'?" in refusal(capsys, ["help", "querys"])


@pytest.mark.parametrize("name", [BROWSE.name, *COMMANDS])
def test_help_of_command_lists_all_its_options(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = ["--help"] if name == "browse" else [name, "--help"]
    found, options = parse(words)
    assert (found.name, options.help) == (name, True)
    text, short = help_text(found, full=True), help_text(found, full=False)
    for option, each in declared(type(options)).items():
        line = re.compile(rf"^  (-\w, )?{option}\b", re.MULTILINE)
        assert line.search(text)
        assert bool(line.search(short)) == (each.option.group != "shared" and name != "browse")
    for example in found.examples:
        assert f"cachetui {example}" in text
        words = shlex.split(example.partition(" < ")[0].partition(" > ")[0], comments=False)
        assert parse(words)[0] is found
    assert max(map(len, text.splitlines())) <= 80
    assert len(short.splitlines()) <= 50


def test_help_overview_lists_all_commands_in_40_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = help_text(BROWSE, full=False)
    assert len(text.splitlines()) <= 40
    assert all(f"  {name} " in text for name in COMMANDS)


def test_old_option_name_still_works(capsys: pytest.CaptureFixture[str]) -> None:
    assert parse(["find", "c", "--no-snapshot"]) == parse(["find", "c", "--no-index-cache"])
    assert "is now called --no-index-cache" in capsys.readouterr().err

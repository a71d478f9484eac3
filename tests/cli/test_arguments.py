"""The command line read: which command, which content, which words, which options."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cachetui.cli.arguments import parse
from cachetui.cli.browse import BrowseOptions
from cachetui.cli.commands import BROWSE, COMMANDS
from cachetui.cli.find import FindOptions
from cachetui.cli.help import help_text
from cachetui.cli.options import UsageError, declared


def read(*words: str, **environ: str) -> Any:
    """The options of a command line; their fields depend on the command."""
    return parse(words, environ)[1]


def command(*words: str) -> str:
    return parse(words, {})[0].name


def test_content_comes_first_and_the_query_behind_it() -> None:
    options = read("find", "./content", "hdf5", "-mpi", "%gcc", "--tag", "a", "--tag=b", "--limit", "3")
    assert command("find", "./content", "hdf5", "-mpi") == "find"
    assert (options.content, options.query) == (("./content",), "hdf5 -mpi %gcc")
    assert (options.tag, options.limit) == (("a", "b"), 3)


def test_without_a_command_it_is_the_browser() -> None:
    assert read() == BrowseOptions()
    assert (command("./find"), read("./find").content) == ("browse", ("./find",))
    assert (command("./c", "hdf5"), read("./c", "hdf5").query) == ("browse", "hdf5")


@pytest.mark.parametrize(
    "words",
    [
        ("--tag", "develop", "find", "c", "hdf5", "--count"),
        ("--count", "--tag=develop", "find", "c", "hdf5"),
        ("--content", "c", "--count", "find", "--tag", "develop", "hdf5"),
    ],
)
def test_the_first_word_that_is_no_option_is_the_command(words: tuple[str, ...]) -> None:
    assert command(*words) == "find"
    assert read(*words) == FindOptions(content=("c",), words=("hdf5",), tag=("develop",), count=True)
    assert command("./c", "find") == command("--", "find") == "browse"


def test_two_dashes_end_the_options() -> None:
    assert read("find", "c", "--", "--mpi", "--limit").query == "--mpi --limit"


def test_content_can_be_named_whatever_the_first_word_is(tmp_path: Path) -> None:
    assert read("find", "--content", "c", "hdf5").query == "hdf5"
    with_default = {"CACHETUI_CONTENT": "somewhere"}
    assert read("find", "hdf5", **with_default).content == ("somewhere",)
    assert read("find", str(tmp_path), "hdf5", **with_default).content == (str(tmp_path),)
    assert read("find", "--content", "c", **with_default).content == ("c",)


def test_a_host_is_read_behind_fits_only_where_it_is_one() -> None:
    assert (read("find", "c", "--fits", "hdf5").fits, read("find", "c", "--fits", "hdf5").query) == ("here", "hdf5")
    assert read("find", "c", "--fits", "linux-rhel9-zen4").fits == "linux-rhel9-zen4"
    assert read("find", "c", "--fits=zen3").fits == "zen3"


def test_each_command_takes_its_options() -> None:
    for command in ("find", "which", "coverage", "diff", "doctor"):
        assert read(command, "--content=c", "--format=csv", "--limit=1", "--count", "--fresh", "--no-snapshot").count
    assert read("--content=c", "--tag=a", "--fuzzy", "--fits", "--fresh", "--no-snapshot", "--watch", "--pick").pick
    assert read("completion", "--help").help


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["find"], "needs CONTENT"),
        (["find", "c", "--nothing"], "no option --nothing; see cachetui find --help; before a query that begins so"),
        (["find", "c", "--limti=3"], r"no option --limti; did you mean --limit\?"),
        (["doctor", "c", "--nothing"], "no option --nothing; see cachetui doctor --help$"),
        (["c", "--resmue"], r"no option --resmue; did you mean --resume\?"),
        (["find", "c", "--limit"], "--limit needs a value: --limit N"),
        (["find", "c", "--limit", "many"], "--limit"),
        (["find", "c", "--count=3"], "--count takes no value: write --count alone"),
        (["which"], "needs CONTENT"),
        (["diff", "c", "a", "b", "--sort", "x"], "--sort is an option of find and coverage alone"),
        (["which", "c", "abc", "--fits"], "--fits is an option of the browser, find, coverage, diff and check alone"),
        (["find", "c", "--theme", "x"], "--theme is an option of the browser and config alone"),
        (["coverage", "c", "--packages"], "--packages is an option of find alone: leave it out"),
        (["c", "--limit", "1"], "--limit is an option of find, which, coverage, diff, tags, check and doctor alone"),
        (["completion", "bash", "--tag", "a"], "--tag is an option of"),
    ],
)
def test_what_cannot_be_followed_is_said(words: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse(words, {})


@pytest.mark.parametrize("name", [BROWSE.name, *COMMANDS])
def test_each_command_has_a_help_with_all_its_options(name: str) -> None:
    words = ["--help"] if name == "browse" else [name, "--help"]
    found, options = parse(words, {})
    assert (found.name, options.help) == (name, True)
    text = help_text(found)
    assert f"cachetui {found.arguments}" in text or f"cachetui {name} {found.arguments}" in text
    for option in declared(type(options)):
        assert re.search(rf"^  {option}\b", text, re.MULTILINE)


def test_the_first_help_names_every_command() -> None:
    text = help_text(BROWSE)
    assert all(command.summary in text for command in COMMANDS.values())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fnd", "CONTENT", "hdf5"], "no command fnd; did you mean find? cachetui find CONTENT hdf5"),
        (["find", "hdf5", "CONTENT"], "there is no hdf5 here; CONTENT comes first: cachetui find CONTENT hdf5"),
        (["hdf5", "CONTENT", "os=rhel8"], "CONTENT comes first: cachetui CONTENT hdf5 os=rhel8"),
        (["which", "/2feova4", "CONTENT"], "CONTENT comes first: cachetui which CONTENT /2feova4"),
        (["deps", "/2feova4", "CONTENT"], "CONTENT comes first: cachetui deps CONTENT /2feova4"),
        (["diff", "/2feova4", "/2feova5", "CONTENT"], "CONTENT comes first: cachetui diff CONTENT /2feova4 /2feova5"),
        (["check", "spack.lock", "CONTENT"], "spack.lock is no content, which comes first: cachetui check CONTENT "),
        (["check", "hdf5", "CONTENT"], "hdf5 is no content, which comes first: cachetui check CONTENT hdf5"),
        (["help"], "no command help: cachetui --help"),
        (["help", "find"], "no command help: cachetui find --help"),
        (["CONTENT", "find", "hdf5"], "the command comes first: cachetui find CONTENT hdf5"),
    ],
)
def test_words_in_the_wrong_place_are_put_right(words: list[str], said: str, tmp_path: Path) -> None:
    content = str(tmp_path)
    with pytest.raises(UsageError) as error:
        parse([content if word == "CONTENT" else word for word in words], {})
    assert said.replace("CONTENT ", f"{content} ").replace(f"{content} comes", "CONTENT comes") in str(error.value)


def test_an_environment_before_the_content_is_told(tmp_path: Path) -> None:
    content, environment = tmp_path / "content", tmp_path / "environment"
    content.mkdir()
    environment.mkdir()
    (environment / "spack.lock").touch()
    words = ["check", str(environment), str(content)]
    with pytest.raises(UsageError, match=f"which comes first: cachetui check {content} {environment}"):
        parse(words, {})
    assert read("check", str(content), str(environment)).content == (str(content),)
    assert read("check", str(content), str(environment / "spack.lock")).content == (str(content),)
    (content / "spack.yaml").touch()
    assert read(*words).content == (str(environment),)


def test_several_contents_stand_first(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    options = read("find", str(one), "https://example.org/mirror", str(other), "hdf5")
    assert (options.content, options.words) == ((str(one), "https://example.org/mirror", str(other)), ("hdf5",))
    assert read("find", "--content", str(one), "--content", str(other), "hdf5").content == (str(one), str(other))
    assert read("find", "hdf5", CACHETUI_CONTENT=str(one)).content == (str(one),)
    (tmp_path / "hdf5").touch()
    assert read("find", str(one), str(tmp_path / "hdf5")).content == (str(one),)

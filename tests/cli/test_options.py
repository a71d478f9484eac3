"""The command line as a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from cachetui.cli.options import Options, UsageError, parse


def read(*words: str, **environ: str) -> Options:
    return parse(words, environ)


def test_content_comes_first_and_the_query_behind_it() -> None:
    options = read("find", "./content", "hdf5", "-mpi", "%gcc", "--tag", "a", "--tag=b", "--limit", "3")
    assert (options.command, options.content, options.query) == ("find", "./content", "hdf5 -mpi %gcc")
    assert (options.tag, options.limit) == (("a", "b"), 3)


def test_without_a_command_it_is_the_browser() -> None:
    assert read() == Options()
    assert read("./find").content == "./find"
    assert (read("./c", "hdf5").command, read("./c", "hdf5").query) == ("browse", "hdf5")


@pytest.mark.parametrize(
    "words",
    [
        ("--tag", "develop", "find", "c", "hdf5", "--count"),
        ("--count", "--tag=develop", "find", "c", "hdf5"),
        ("--content", "c", "--count", "find", "--tag", "develop", "hdf5"),
    ],
)
def test_the_first_word_that_is_no_option_is_the_command(words: tuple[str, ...]) -> None:
    assert read(*words) == Options(command="find", content="c", words=("hdf5",), tag=("develop",), count=True)
    assert read("./c", "find").command == read("--", "find").command == "browse"


def test_two_dashes_end_the_options() -> None:
    assert read("find", "c", "--", "--mpi", "--limit").query == "--mpi --limit"


def test_content_can_be_named_whatever_the_first_word_is(tmp_path: Path) -> None:
    assert read("find", "--content", "c", "hdf5").query == "hdf5"
    with_default = {"CACHETUI_CONTENT": "somewhere"}
    assert read("find", "hdf5", **with_default).content == "somewhere"
    assert read("find", str(tmp_path), "hdf5", **with_default).content == str(tmp_path)
    assert read("find", "--content", "c", **with_default).content == "c"


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
        (["find", "c", "--nothing"], "no option --nothing"),
        (["find", "c", "--limit"], "--limit needs"),
        (["find", "c", "--limit", "many"], "--limit"),
        (["find", "c", "--count=3"], "--count takes no value"),
        (["which"], "needs CONTENT"),
        (["diff", "c", "a", "b", "--sort", "x"], "--sort is an option of find and coverage alone"),
        (["which", "c", "abc", "--fits"], "--fits is an option of the browser, find, coverage and diff alone"),
        (["find", "c", "--theme", "x"], "--theme is an option of the browser alone"),
        (["coverage", "c", "--packages"], "--packages is an option of find alone"),
        (["c", "--limit", "1"], "--limit is an option of find, which, coverage, diff and doctor alone"),
        (["completion", "bash", "--tag", "a"], "--tag is an option of"),
    ],
)
def test_what_cannot_be_followed_is_said(words: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse(words, {})

"""The commands find, which and completion as processes: what goes to which stream, and how they end."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from cachetui.cli.completion import SHELLS
from cachetui.cli.main import main
from cachetui.safe_text import visible
from cachetui.sources import folder as source
from tests.support.cache_writer import write_v3
from tests.support.places import SAMPLE_CONTENT, SAMPLE_MIRROR
from tests.support.rows import row, write

HASH = "2feova4prghd2gkebr23if6bojkyydpt"
NEXT = "2feovz7prghd2gkebr23if6bojkyydpt"
ODD = "odd\x1b[31m‮stack"

ROWS = [
    row(hash=HASH),
    row(hash=HASH, tag="v1.0.0"),
    row(hash=NEXT, version="1.12.2", compiler="gcc@13.2.0", os="rhel8"),
    row("zlib", "1.3.1", variants=["+shared"], stacks=[ODD]),
]


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write(tmp_path_factory.mktemp("pages"), ROWS))


Output = pytest.CaptureFixture[str]


def run(capsys: Output, *argv: str) -> tuple[int, str, list[str]]:
    """Status, standard output, and the lines of standard error."""
    status = main(argv)
    captured = capsys.readouterr()
    return status, captured.out, captured.err.splitlines()


# find


def test_find_writes_a_line_for_each_spec(content: str, capsys: Output) -> None:
    status, out, err = run(capsys, "find", content, "hdf5")
    assert (status, err) == (0, ["cachetui: 2 specs in 3 rows; searched: develop, v1.0.0"])
    assert [line.split()[:3] for line in out.splitlines()] == [
        [HASH, "hdf5", "1.14.3"],
        [HASH, "hdf5", "1.14.3"],
        [NEXT, "hdf5", "1.12.2"],
    ]


@pytest.mark.parametrize("command", ["find", "coverage", "diff"])
def test_a_name_that_is_taken_for_another_is_said(content: str, capsys: Output, command: str) -> None:
    said = "cachetui: no package hdff5: taken for hdf5"
    words = ["v1.0.0..develop"] if command == "diff" else []
    assert said in run(capsys, command, content, *words, "--fuzzy", "hdff5")[2]
    assert said not in run(capsys, command, content, *words, "--fuzzy", "hdf5")[2]


def test_find_in_every_format(content: str, capsys: Output) -> None:
    _, out, _ = run(capsys, "find", content, "hdf5", "--tag", "develop", "--format", "json")
    assert [(spec["hash"], spec["tags"]) for spec in json.loads(out)] == [
        (HASH, ["develop", "v1.0.0"]),
        (NEXT, ["develop"]),
    ]
    _, out, _ = run(capsys, "find", content, "--format=csv")
    assert {each["stacks"] for each in csv.DictReader(io.StringIO(out))} == {"e4s", visible(ODD)}
    _, out, _ = run(capsys, "find", content, "zlib", "--format=markdown")
    assert out.splitlines()[2].endswith("| x86_64_v3 | odd\\\\x1b\\[31m\\\\u202estack | develop |")
    _, out, _ = run(capsys, "find", content, "%gcc@13", "--format", "{name}@{version}/{hash:7}")
    assert out == "hdf5@1.12.2/2feovz7\n"
    assert run(capsys, "find", content, "%gcc@13", "--format", "{name}\\t{os}\\n")[1] == "hdf5\trhel8\n"


def test_what_a_limit_cut_is_counted_in_specs_and_over_several_tags_in_rows(content: str, capsys: Output) -> None:
    cut = "; --limit cut the rest"
    assert f"cachetui: 1 of 2 specs{cut}" in run(capsys, "find", content, "hdf5", "--tag=develop", "--limit=1")[2]
    assert f"cachetui: 1 of 3 rows{cut}" in run(capsys, "find", content, "hdf5", "--limit=1")[2]


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("name", ["hdf5", "zlib"]),
        ("-package", ["zlib", "hdf5"]),
        ("specs", ["zlib", "hdf5"]),
        ("-specs", ["hdf5", "zlib"]),
        ("versions", ["zlib", "hdf5"]),
    ],
)
def test_packages_can_be_sorted(content: str, capsys: Output, sort: str, names: list[str]) -> None:
    status, out, _ = run(capsys, "find", content, "--packages", "--sort", sort)
    assert (status, [line.split()[0] for line in out.splitlines()]) == (0, names)


def test_nothing_found_is_explained_beside_an_empty_result(content: str, capsys: Output) -> None:
    status, out, err = run(capsys, "find", content, "hdf5 %gcc@12 os=rhel88 tag=develop")
    assert (status, out) == (1, "")
    assert err == [
        "cachetui: nothing found: %gcc@12 matches nothing; nearest: gcc@13.2.0, gcc@11.4.0; "
        "os=rhel88 matches nothing; nearest: rhel8",
        "  nothing either without any one part: two or more stand in the way",
        "  nearest: hdf5@1.12.2 /2feovz7 (gcc@13.2.0 for %gcc@12; rhel8 for os=rhel88)",
        "  nearest: hdf5@1.14.3 /2feova4 (gcc@11.4.0 for %gcc@12; ubuntu22.04 for os=rhel88)",
    ]


def test_each_part_has_the_count_of_specs_without_it(content: str, capsys: Output) -> None:
    _, _, err = run(capsys, "find", content, "hdf5@1.14 os=rhel8")
    assert err[:3] == [
        "cachetui: nothing found: no spec meets every part of the query",
        "  1 spec without @1.14",
        "  1 spec without os=rhel8",
    ]


def test_no_results_are_still_one_document(content: str, capsys: Output) -> None:
    status, out, _ = run(capsys, "find", content, "nosuch", "--format=json")
    assert (status, json.loads(out)) == (1, [])
    status, out, _ = run(capsys, "find", content, "nosuch", "--count")
    assert (status, out) == (1, "0\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["find"], "find needs CONTENT"),
        (["find", "/no/such/folder"], "/no/such/folder cannot be read"),
        (["find", ".", "hdf5 zlib"], "column 6"),
        (["find", ".", "--format=yaml"], "no format yaml"),
        (["find", ".", "--nosuch"], "no option --nosuch"),
        (["find", ".", "--packages", "--sort=nosuch"], "no field nosuch to sort by: there are name, package, specs,"),
        (["find", ".", "--count", "--sort=nosuch"], "no field nosuch to sort by"),
        (["find", ".", "--tag=develop", "tag=v1.0.0"], "--tag and tag= both name the tag: give it once"),
        (["find", ".", "--tag=develop", "tag!=v1.0.0 tag=develop"], "--tag and tag= both name the tag: give it once"),
        (["find", ".", "--fits=zen3", "fits=zen4"], "--fits and fits= both name a host: give it once"),
        (["coverage", ".", "--tag=develop", "tag=v1.0.0"], "--tag and tag= both name the tag: give it once"),
        (["coverage", ".", "--fits=zen3", "fits=zen4"], "--fits and fits= both name a host: give it once"),
        (["find", ".", "--packages", "--format={name}"], "no format {name} with --packages"),
        (["which", "."], "which needs a hash"),
        (["which", ".", "-", "2feova4"], "- reads a log from standard input, so it stands alone"),
        (["which", ".", "abc", "--format={hash}"], "--format cannot be {hash}"),
        (["completion"], "completion needs one of bash, zsh, fish"),
        (["completion", "tcsh"], "completion needs one of bash, zsh, fish"),
    ],
)
def test_wrong_usage_is_one_line(words: list[str], said: str, tmp_path: Path, capsys: Output) -> None:
    status, out, err = run(capsys, *(str(tmp_path) if word == "." else word for word in words))
    assert (status, out, len(err)) == (2, "", 1)
    assert said in err[0]


def test_a_count_is_of_specs_and_not_of_rows(content: str, capsys: Output) -> None:
    assert [run(capsys, "find", content, word, "--count")[1] for word in ("hdf5", "", "zlib")] == ["2\n", "3\n", "1\n"]
    assert run(capsys, "which", content, HASH, f"/{HASH[:10]}", "--count")[1] == "1\n"


@pytest.mark.parametrize(
    "words", [("find", "W"), ("find", "os=W"), ("find", "--tag=W"), ("find", "--W"), ("which", "W")]
)
def test_a_value_of_100000_letters_is_not_echoed(content: str, capsys: Output, words: tuple[str, str]) -> None:
    command, word = words
    assert max(map(len, run(capsys, command, content, word.replace("W", "w" * 100_000))[2])) < 400


def test_a_tag_that_the_query_leaves_out_stands_beside_the_option(content: str, capsys: Output) -> None:
    assert run(capsys, "find", content, "--count", "--tag=develop", "--tag=v1.0.0")[1] == "3\n"
    assert run(capsys, "find", content, "--count", "--tag=develop", "--tag=v1.0.0", "tag!=develop")[1] == "1\n"


def test_what_is_nearest_to_the_host_comes_first_in_its_package(tmp_path: Path, capsys: Output) -> None:
    builds = [("2.0", "x86_64"), ("1.0", "zen2"), ("1.5", "zen2"), ("0.9", "zen3")]
    rows = [row(version=version, target=target) for version, target in builds]
    content = str(write(tmp_path / "pages", [*rows, row("zlib", target="zen3")]))
    _, out, _ = run(capsys, "find", content, "--fits=linux-ubuntu22.04-zen3", "--format={name}@{version}")
    assert out.split() == ["hdf5@0.9", "hdf5@1.5", "hdf5@1.0", "hdf5@2.0", "zlib@1.14.3"]
    assert run(capsys, "find", content, "--format={version}")[1].split() == ["2.0", "1.5", "1.0", "0.9", "1.14.3"]


def test_what_nobody_can_say_fits_is_counted(tmp_path: Path, capsys: Output) -> None:
    targets = ["zen3", "weird", "zen4", "aarch64"]
    rows = [row(target=target) for target in targets]
    rows += [row(target="zen2", os="rhel9"), row(target="zen2", os="gentoo2")]
    content = str(write(tmp_path / "pages", rows))
    status, out, err = run(capsys, "find", content, "--fits=linux-rhel9-zen3", "--format={target}")
    assert (status, out) == (0, "zen2\nzen2\n")
    assert err == [
        "cachetui: 1 runs on linux-rhel9-zen3, 1 may (glibc not known)",
        "cachetui: left out: needs glibc 2.35, the host has 2.34 (1), target weird is not known (1)",
        "cachetui: 2 specs; searched: develop",
    ]
    err = run(capsys, "find", content, "--fits=linux-rhel99-zen3")[2]
    assert err[0] == "cachetui: os rhel99 is not known; nearest: rhel9, rhel10, rhel8"
    assert "cachetui: left out: target weird is not known (1)" in run(capsys, "coverage", content, "fits=zen3")[2]


@pytest.mark.parametrize(
    "line",
    [
        *(["find", SAMPLE_CONTENT], ["find", SAMPLE_CONTENT, "no-such-package"]),
        *(["coverage", SAMPLE_CONTENT], ["diff", SAMPLE_CONTENT], ["check", SAMPLE_MIRROR, "hdf5"]),
    ],
)
def test_every_command_says_that_nothing_is_known_of_an_os(line: list[str], capsys: Output) -> None:
    plain = main([*line, "--fits=zen3"])
    assert "rhel88" not in capsys.readouterr().err
    status, _, err = run(capsys, *line, "--fits=linux-rhel88-zen3")
    said = "cachetui: os rhel88 is not known; nearest: rhel8, rhel10, rhel9"
    assert (status, err.count(said)) == (plain, 1)


def test_of_two_hosts_in_a_query_the_last_one_counts_and_that_is_said(capsys: Output) -> None:
    for command in ("find", "coverage", "diff"):
        status, out, err = run(capsys, command, SAMPLE_CONTENT, "fits=m1", "fits=zen2")
        assert "cachetui: fits=zen2 counts, fits=m1 before it does not: a query has one host" in err
        assert (status, out) == run(capsys, command, SAMPLE_CONTENT, "fits=zen2")[:2]


@pytest.mark.parametrize("command", ["find", "coverage", "diff"])
def test_a_value_of_a_list_that_nothing_has_is_told_though_the_others_take_something(
    command: str, capsys: Output
) -> None:
    said = "cachetui: stack=e4z matches nothing; nearest: e4s"
    assert any(line.startswith(said) for line in run(capsys, command, SAMPLE_CONTENT, "stack=e4s,e4z")[2])
    for key, value in (("tag", "develop"), ("os", "ubuntu22.04"), ("target", "x86_64_v3"), ("compiler", "gcc@11.4.0")):
        if (command, key) == ("diff", "tag"):
            continue
        for query in (f"{key}={value},nosuch", f"{key}!=nosuch"):
            status, _, err = run(capsys, command, SAMPLE_CONTENT, query)
            assert (status, any(f"{key}=nosuch matches nothing" in line for line in err)) == (0, True), query
        status, _, err = run(capsys, command, SAMPLE_CONTENT, f"{key}=nosuch")
        assert (status, f"{key}=nosuch matches nothing" in err[0]) == (1, True)
    said = "cachetui: stack=ubuntu22.04 matches nothing"
    assert said in run(capsys, command, SAMPLE_CONTENT, "stack!=ubuntu22.04")[2]
    assert not any("matches nothing" in line for line in run(capsys, command, SAMPLE_CONTENT, "stack=e4s,hep")[2])


def test_a_host_for_all_stacks_is_told_to_count_for_nothing(capsys: Output) -> None:
    status, out, err = run(capsys, "check", "--all", SAMPLE_MIRROR, "--fits=zen2")
    assert (status, out) == run(capsys, "check", "--all", SAMPLE_MIRROR)[:2]
    assert err == ["cachetui: --all counts the binaries for every host: --fits is for an ENV"]


@pytest.mark.parametrize("word", ["rhel8", "linux-rhel8"])
def test_an_os_behind_fits_is_told_to_lack_a_target(content: str, capsys: Output, word: str) -> None:
    said = "'rhel8' is an os without a target: expected both, such as linux-rhel8-x86_64_v3"
    assert run(capsys, "find", content, "hdf5", "--fits", word)[2] == [f"cachetui: {said}"]
    assert run(capsys, "find", content, f"--fits={word}")[2] == [f"cachetui: {said}"]
    (error,) = run(capsys, "find", content, f"fits={word}")[2]
    assert error.endswith(said.replace(": expected", "; expected"))


@pytest.mark.parametrize("command", ["find", "which", "coverage", "diff", "tags", "doctor", "deps", "check"])
def test_content_that_is_not_there_or_holds_nothing_is_status_2(tmp_path: Path, capsys: Output, command: str) -> None:
    words = [f"/{HASH}"] if command in ("which", "deps", "check") else []
    (tmp_path / "script.sh").write_text("echo\n")
    for content in (tmp_path, tmp_path / "script.sh", tmp_path / "gone"):
        status, out, err = run(capsys, command, str(content), *words)
        assert (status, out, len(err), str(content) in err[0]) == (2, "", 1, True)
    status, out, err = run(capsys, command, "-C", SAMPLE_CONTENT, "-C", str(tmp_path), *words)
    assert (status, out, len(err), str(tmp_path) in err[0]) == (2, "", 1, True)
    (tmp_path / "page.md").write_text("---\ntitle: [\nlayout: cache\n---\n")
    for content in (tmp_path, tmp_path / "page.md"):
        status, _, err = run(capsys, command, str(content), *words)
        assert (status, "cannot be read: " in err[0]) == ((1, False) if command == "doctor" else (2, True))


def test_a_build_cache_without_a_binary_is_read_and_nothing_is_found(tmp_path: Path, capsys: Output) -> None:
    empty = str(write_v3(tmp_path / "empty", [], []))
    assert run(capsys, "find", empty, "hdf5")[:2] == (1, "")
    for _ in range(2):
        assert run(capsys, "find", "-C", SAMPLE_CONTENT, "-C", empty, "py-mpi4py", "--count")[:2] == (0, "91\n")


def test_a_page_that_breaks_off_is_said_where_nothing_is_found(tmp_path: Path, capsys: Output) -> None:
    page = Path(write(tmp_path / "content", [row(hash=HASH), row(hash=NEXT)])) / "0.md"
    text = page.read_text()
    page.write_text(text[: text.index(NEXT)])
    _, out, err = run(capsys, "find", str(page))
    assert (out.count(HASH), len(err)) == (1, 2)
    assert err[0].startswith(f"cachetui: not all of {page} can be read: ")
    status, _, err = run(capsys, "find", str(tmp_path / "content"), f"/{NEXT}")
    assert (status, err[-1]) == (1, "  1 page cannot be read in full: doctor lists what is wrong")


# which


def test_which_has_a_line_for_each_hash(content: str, capsys: Output) -> None:
    status, out, err = run(capsys, "which", content, f"hdf5-1.14.3-{HASH}.spack")
    assert (status, err) == (0, [])
    assert out.split() == [
        *("/2feova", HASH, "hdf5", "1.14.3", "gcc@11.4.0", "ubuntu22.04", "x86_64_v3", "e4s", "develop,v1.0.0")
    ]


def test_which_names_all_of_an_ambiguous_prefix(content: str, capsys: Output) -> None:
    status, out, err = run(capsys, "which", content, "/2FEOV")
    assert (status, err) == (1, ["cachetui: /2FEOV is ambiguous: 2 hashes begin so"])
    assert [line.split()[:2] for line in out.splitlines()] == [["/2feova", HASH], ["/2feovz", NEXT]]
    _, out, _ = run(capsys, "which", content, "2feov", "--limit", "1")
    assert len(out.splitlines()) == 1


def test_which_says_what_is_like_a_hash_that_is_missing(content: str, capsys: Output) -> None:
    status, out, err = run(capsys, "which", content, f"hdf5@1.12.2/{HASH[:-1]}a", HASH)
    assert (status, len(out.splitlines())) == (1, 1)
    assert err == [
        f"cachetui: no hash {HASH[:-1]}a in the catalogue",
        f"  like it: /{HASH} hdf5@1.14.3 gcc@11.4.0 ubuntu22.04 x86_64_v3 develop",
        f"  a build near it: /{NEXT} hdf5@1.12.2 gcc@13.2.0 rhel8 x86_64_v3 develop",
    ]


def test_which_says_for_how_many_missing_hashes_it_looks_for_what_is_near(content: str, capsys: Output) -> None:
    missing = [f"2feov{one}{other}" for one in "bcdefghijk" for other in "bcdefg"]
    _, _, err = run(capsys, "which", content, *missing)
    assert err[0] == "cachetui: 60 hashes are missing: what is near was looked for with the first 50 of them"
    assert sum(line.startswith("  like it") for line in err) == 100
    assert "are missing" not in "\n".join(run(capsys, "which", content, *missing[:50])[2])


def test_which_compares_every_page_before_it_says_that_a_hash_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setattr(source, "CHEAP", 0)
    known, new = row(hash=HASH), row("zlib", "1.3.1", hash="q" * 32)
    content = str(write(tmp_path, [known]))
    run(capsys, "find", content)
    write(tmp_path / "develop/hdf5/further", [new])
    status, out, err = run(capsys, "which", content, HASH, "q" * 32)
    assert (status, err) == (0, [])
    assert ["zlib" in line for line in out.splitlines()] == [False, True]


def test_which_says_that_there_is_no_hash(content: str, capsys: Output) -> None:
    assert run(capsys, "which", content, "hdf5@1.14.3") == (1, "", ["cachetui: there is no hash in 'hdf5@1.14.3'"])


@pytest.mark.parametrize("command", ["find", "which", "coverage", "doctor"])
def test_a_tag_that_is_not_there_is_wrong_usage(content: str, capsys: Output, command: str) -> None:
    words = ["2feova4"] if command == "which" else []
    said = (2, "", ["cachetui: no tag v1.0; nearest: v1.0.0"])
    assert run(capsys, command, content, *words, "--tag=v1.0") == said


def test_which_in_every_format(content: str, capsys: Output) -> None:
    status, out, _ = run(capsys, "which", content, "2feova", "2feov", HASH, HASH[:-1] + "a", "--format=json")
    documents = json.loads(out)
    assert status == 1
    assert [list(document) for document in documents] == [["asked", "found", "specs", "near"]] * 4
    assert [document["found"] for document in documents] == ["prefix", "ambiguous", "exact", "none"]
    assert [len(document["specs"]) for document in documents] == [1, 2, 1, 0]
    assert documents[3]["near"][0]["hash"] == HASH
    _, out, _ = run(capsys, "which", content, "2feov", "--format=csv")
    assert [each["shortest"] for each in csv.DictReader(io.StringIO(out))] == ["2feova", "2feovz"]
    _, out, _ = run(capsys, "which", content, HASH, "--format=markdown")
    assert out.startswith("| shortest | hash | package |")
    assert run(capsys, "which", content, "2feov", "--count")[:2] == (1, "2\n")
    _, out, _ = run(capsys, "which", content, HASH, "zzzzzz7", "--format=csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(each["asked"], each["found"], each["package"]) for each in rows] == [
        (HASH, "exact", "hdf5"),
        ("zzzzzz7", "none", ""),
    ]


# As a process


def process(*argv: str, **options: object) -> subprocess.Popen[str]:
    given = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([sys.executable, "-m", "cachetui", *argv], text=True, **given)  # type: ignore[call-overload,no-any-return]  # options of one kind each


def test_a_log_comes_through_a_pipe(content: str) -> None:
    log = f"[+] hdf5/2feova4 other/2zzzzz7 cd /install\n{'x ' * 40_000}{NEXT} {'z' * 32} {'y' * 32}\n"
    child = process("which", content, "-")
    out, err = child.communicate(log, timeout=60)
    assert [line.split()[1] for line in out.splitlines()] == [HASH, NEXT]
    missing = f"/2zzzzz7 (line 1), {'z' * 32} (line 2), {'y' * 32} (line 2)"
    assert err == f"cachetui: 3 of 5 hashes are not in the catalogue: {missing}\n"
    assert child.returncode == 1


def test_a_hash_of_a_package_that_nobody_has_is_missing_in_a_log_as_in_an_argument(content: str) -> None:
    child = process("which", content, "-")
    out, err = child.communicate("nosuch/vk7uuwq\n", timeout=60)
    assert (child.returncode, out) == (1, "")
    assert err == "cachetui: 1 of 1 hashes are not in the catalogue: /vk7uuwq (line 1)\n"


def test_a_log_without_a_hash_is_no_success(content: str) -> None:
    child = process("which", content, "-")
    out, err = child.communicate("all is well\n", timeout=60)
    assert (child.returncode, out) == (1, "")
    assert err.startswith("cachetui: no hash in the log")


def test_ctrl_c_ends_it_quietly(content: str) -> None:
    program = (
        "import sys; from cachetui.cli.main import main; print('up', file=sys.stderr, flush=True); sys.exit(main())"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, "which", content, "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdin
    assert child.stderr
    assert child.stderr.readline() == "up\n"
    # when it has taken more than a pipe holds it is reading the log
    child.stdin.write("no hash\n" * 100_000)
    child.stdin.flush()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out, err) == (130, "", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_it_is_being_imported_ends_it_quietly(number: signal.Signals) -> None:
    program = (
        "import os, runpy, sys\n"
        "class Signalled:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == 'cachetui.search.index': os.kill(os.getpid(), {int(number)})\n"
        "sys.meta_path.insert(0, Signalled())\n"
        "sys.argv = ['cachetui', '--version']\n"
        "runpy.run_module('cachetui', run_name='__main__')"
    )
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (child.returncode, child.stdout, child.stderr) == (128 + number, "", "")


def test_a_signal_ends_a_command_that_waits(content: str) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "cachetui", "which", content, "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdin
    child.stdin.write(b"no hash\n" * 100_000)
    child.stdin.flush()
    child.terminate()
    assert (child.communicate(timeout=60)[1], child.returncode) == (b"", 143)


def test_streams_that_are_closed_or_full_change_no_status(content: str) -> None:
    # a user's Python keeps what it writes until a line or a block is whole
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}

    def status(command: str, streams: str) -> int:
        line = f"{sys.executable} -m cachetui {command} {streams}"
        return subprocess.run(line, shell=True, capture_output=True, timeout=60, env=environ).returncode

    assert status(f"which {content} -", "<&-") == 2
    assert status(f"find {content} 'hdf5 zlib'", "2>/dev/full") == 2
    assert status(f"find {content} hdf5", "2>/dev/full") == 0
    assert status(f"doctor {content}", "2>/dev/full") == 0


@pytest.mark.skipif(not shutil.which("bash"), reason="needs PIPESTATUS")
@pytest.mark.parametrize(("words", "status"), [("find {} hdf5", 0), ("find {} zlib", 1), ("check {} zlib", 1)])
@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_a_closed_pipe_ends_it_quietly_with_the_status_of_the_verdict(
    tmp_path: Path, words: str, status: int, reader: str
) -> None:
    many = write(tmp_path / "pages", [row(version=f"1.{k}") for k in range(3000)])
    line = f"{sys.executable} -m cachetui {words.format(many)} | {reader} >/dev/null; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr


@pytest.mark.parametrize(
    ("redirection", "status", "said"),
    [
        (">&-", 0, "cachetui: 2 specs"),
        ("2>&-", 0, ""),
        (">/dev/full", 2, "cachetui: cannot go on: No space left on device"),
    ],
)
def test_streams_that_take_nothing(content: str, redirection: str, status: int, said: str) -> None:
    if "/dev/full" in redirection and not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    command = f'exec "$0" -m cachetui find "$1" hdf5 {redirection}'
    done = subprocess.run(["sh", "-c", command, sys.executable, content], capture_output=True, text=True)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith(said)
    assert len(done.stderr.splitlines()) == bool(said)


def test_letters_that_the_output_cannot_hold_are_written_out(tmp_path: Path) -> None:
    content = write(tmp_path / "pages", [row("zlib", stacks=["é"])])
    environ = {**os.environ, "PYTHONIOENCODING": "ascii"}
    child = process("find", str(content), env=environ)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (0, "cachetui: 1 spec; searched: develop\n")
    assert "\\xe9" in out


def test_a_terminal_gets_short_hashes_and_no_colour(content: str) -> None:
    out = str(pexpect.run(f"{sys.executable} -m cachetui find {content} hdf5@1.12", encoding="utf-8"))
    assert out.split()[:2] == ["2feovz7", "hdf5"]
    assert "\x1b" not in out
    out = str(pexpect.run(f"{sys.executable} -m cachetui find {content} zlib", encoding="utf-8"))
    assert "odd\\x1b[31m\\u202estack" in out


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_prints_a_script(shell: str, capsys: Output) -> None:
    status, out, err = run(capsys, "completion", shell)
    assert (status, err) == (0, [])
    assert "cachetui __complete" in out


def test_the_hidden_command_answers_line_by_line(content: str, capsys: Output) -> None:
    assert main(["find", content, "--count"]) == 0
    capsys.readouterr()
    assert run(capsys, "__complete", "find", content, "hdf5", "os=") == (0, "words\nos=ubuntu22.04\nos=rhel8\n", [])
    assert run(capsys, "__complete", "fi") == (0, "files\nfind\n", [])
    assert run(capsys, "__complete")[0] == 0


def test_a_profiler_sees_the_end_of_a_command(tmp_path: Path) -> None:
    told = tmp_path / "profile"
    subprocess.run(
        [sys.executable, "-m", "cProfile", "-o", told, "-m", "cachetui", "--version"], check=True, capture_output=True
    )
    assert told.stat().st_size


def test_an_interrupt_while_an_error_is_being_said_ends_with_its_status() -> None:
    program = (
        "import signal, cachetui.__main__ as program, cachetui.cli.main as command\n"
        "command.note = lambda text: signal.raise_signal(signal.SIGINT)\n"
        "program.start()"
    )
    ended = subprocess.run([sys.executable, "-c", program, "--no-such-option"], capture_output=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")

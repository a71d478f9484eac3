"""Commands as processes: their output streams and exit statuses, also with odd content and arguments."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from cachetui.sources import folder as source
from tests.support.answers import SPECS
from tests.support.commands import answered, refusal
from tests.support.places import CACHETUI, SAMPLE_CONTENT
from tests.support.rows import row, write

HASH = "2feova4prghd2gkebr23if6bojkyydpt"
PROGRAM = shlex.join(CACHETUI)
NEXT = "2feovz7prghd2gkebr23if6bojkyydpt"


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write(tmp_path_factory.mktemp("pages"), SPECS))


Output = pytest.CaptureFixture[str]


# find


@pytest.mark.parametrize(
    "words", [("find", "W"), ("find", "os=W"), ("find", "--tag=W"), ("find", "--W"), ("which", "W"), ("check", "W")]
)
def test_very_long_value_is_shortened_in_error_message(content: str, capsys: Output, words: tuple[str, str]) -> None:
    command, word = words
    _, out, err = answered(capsys, command, content, word.replace("W", "w" * 100_000))
    assert max(map(len, [*out.splitlines(), *err.splitlines()])) < 500


def test_unexpected_error_is_one_line_with_status_2(
    content: str, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cachetui.cli.find.open_catalogue", lambda *_: int("2-\x1bsite\n"))
    line = refusal(capsys, ["find", content]).rstrip()
    assert line.startswith("cachetui: unexpected error, please report it: ValueError(")
    assert line.endswith(f" in {Path(__file__).name}, line {line.rpartition(' ')[2]}")


@pytest.mark.parametrize("command", ["find", "which", "coverage", "diff", "tags", "doctor", "deps", "check"])
def test_unreadable_content_gives_status_2(tmp_path: Path, capsys: Output, command: str) -> None:
    words = [f"/{HASH}"] if command in ("which", "deps", "check") else []
    (tmp_path / "page.md").write_text("---\ntitle: [\nlayout: cache\n---\n")
    for content in (tmp_path, tmp_path / "page.md"):
        status, _, err = answered(capsys, command, str(content), *words)
        assert (status, "cannot be read: " in err) == ((1, False) if command == "doctor" else (2, True))


# which


def test_hash_lookup_rereads_pages_before_reporting_a_missing_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setattr(source, "MAX_CHEAP_FILES", 0)
    known, new = row(hash=HASH), row("zlib", "1.3.1", hash="q" * 32)
    content = str(write(tmp_path, [known]))
    answered(capsys, "find", content)
    write(tmp_path / "develop/hdf5/further", [new])
    status, out, err = answered(capsys, "which", content, HASH, "q" * 32)
    assert (status, err) == (0, "")
    assert ["zlib" in line for line in out.splitlines()] == [False, True]


# As a process


def test_hash_lookup_reads_a_log_from_a_pipe(content: str) -> None:
    log = f"[+] hdf5/2feova4 see /2zzzzz7 cd /install\n{'x ' * 40_000}{NEXT} {'z' * 32} {'y' * 32}\n"
    done = subprocess.run([*CACHETUI, "which", content, "-"], input=log, capture_output=True, text=True, timeout=60)
    assert [line.split()[1] for line in done.stdout.splitlines()] == [HASH, NEXT]
    missing = f"2zzzzz7 (line 1), {'z' * 32} (line 2), {'y' * 32} (line 2)"
    assert (done.returncode, done.stderr) == (1, f"cachetui: 3 of 5 hashes are missing: {missing}\n")


def test_ctrl_c_ends_command_without_output(content: str) -> None:
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
    # a command that takes more bytes than a pipe holds is reading the log
    child.stdin.write("no hash\n" * 100_000)
    child.stdin.flush()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out, err) == (130, "", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_during_import_ends_command_without_output(number: signal.Signals) -> None:
    """Python may replace the exception by another one, for example in `__set_name__`."""
    program = (
        "import os, runpy, sys\n"
        "class Signalled:\n"
        "    def __set_name__(self, owner, name):\n"
        f"        os.kill(os.getpid(), {int(number)})\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'cachetui.cli.help': type('', (), {'signalled': self})\n"
        "sys.meta_path.insert(0, Signalled())\n"
        "sys.argv = ['cachetui', '--help']\n"
        "runpy.run_module('cachetui', run_name='__main__')"
    )
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (child.returncode, child.stdout, child.stderr) == (128 + number, "", "")


@pytest.mark.skipif(not shutil.which("bash"), reason="needs PIPESTATUS")
@pytest.mark.parametrize(("words", "status"), [("find {} hdf5", 0), ("find {} zlib", 1), ("check {} zlib", 1)])
@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_closed_pipe_does_not_change_exit_status(tmp_path: Path, words: str, status: int, reader: str) -> None:
    many = write(tmp_path / "pages", [row(version=f"1.{k}") for k in range(3000)])
    line = f"{PROGRAM} {words.format(many)} | {reader} >/dev/null; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr


@pytest.mark.parametrize(
    ("words", "redirection", "status", "said"),
    [
        ("find C hdf5", ">&-", 0, "cachetui: 2 specs"),
        ("find C hdf5", "2>&-", 0, ""),
        ("find C hdf5", "2>/dev/full", 0, ""),
        ("find C 'hdf5 zlib'", "2>/dev/full", 2, ""),
        ("find C hdf5", ">/dev/full", 2, "cachetui: cannot continue: No space left on device"),
        ("coverage C --expect -", "<&-", 2, "cachetui: - means standard input, and standard input is closed"),
        ("check C -", "<&-", 2, "cachetui: - means standard input, and standard input is closed"),
        ("which C -", "<&-", 2, "cachetui: standard input is closed: give a log"),
    ],
)
def test_closed_or_full_standard_stream_causes_no_traceback(
    content: str, words: str, redirection: str, status: int, said: str
) -> None:
    command = f"exec {PROGRAM} {words.replace('C', content)} {redirection}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert (done.returncode, len(done.stderr.splitlines())) == (status, bool(said))
    assert done.stderr.startswith(said)


def test_unsupported_characters_are_escaped_in_the_output(tmp_path: Path) -> None:
    content = write(tmp_path / "pages", [row("zlib", stacks=["é"])])
    environ = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*CACHETUI, "find", content], env=environ, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "cachetui: 1 spec; searched: develop\n")
    assert "\\xe9" in done.stdout


def test_table_in_terminal_has_headings_but_no_colours(content: str) -> None:
    out = str(pexpect.run(f"{PROGRAM} find {content} hdf5@1.12", encoding="utf-8"))
    headings, row = out.splitlines()[:2]
    assert (headings.split()[:2], row.split()[:2]) == (["hash", "package"], ["2feovz7", "hdf5"])
    assert "\x1b" not in out
    out = str(pexpect.run(f"{PROGRAM} find {content} zlib", encoding="utf-8"))
    assert "odd\\x1b[31m\\u202estack" in out


def test_profiler_writes_profile_of_command(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    subprocess.run(
        [sys.executable, "-m", "cProfile", "-o", profile, "-m", "cachetui", "--version"],
        check=True,
        capture_output=True,
    )
    assert profile.stat().st_size


@pytest.mark.parametrize("interrupt", ["signal.raise_signal(signal.SIGINT)", "Last()"])
def test_ctrl_c_during_error_message_gives_status_130(interrupt: str) -> None:
    program = (
        "import signal, cachetui.__main__ as program, cachetui.cli.main as command\n"
        "class Last:\n"
        "    def __del__(self):\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        f"command.note = lambda text: {interrupt}\n"
        "program.start()"
    )
    ended = subprocess.run([sys.executable, "-c", program, "--no-such-option"], capture_output=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")


def test_coverage_reads_expected_specs_from_standard_input(content: str) -> None:
    command = [*CACHETUI, "coverage", content, "--expect"]
    done = subprocess.run([*command, "-"], input="hdf5\nboost\n", capture_output=True, text=True, timeout=60)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["verdict", "missing", "covered"]


def test_diff_lines_fit_terminal_width() -> None:
    out = str(
        pexpect.run(
            f"{PROGRAM} diff {SAMPLE_CONTENT}",
            encoding="utf-8",
            dimensions=(24, 80),
            timeout=60,
        )
    )
    assert "py-ml-dtypes" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fnd", "./x", "hdf5"], "no command or content 'fnd'; did you mean 'find'?"),
        (["q" * 20], f"no command or content '{'q' * 20}'; see cachetui --help"),
        (["find", "lab.yaml"], "lab.yaml is an environment, not CONTENT: run cachetui check CONTENT lab.yaml"),
        (["check", "spack.lock", "hdf5"], "spack.lock is an environment, not CONTENT"),
    ],
)
def test_error_for_unknown_first_word_suggests_command_or_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lab.yaml").write_text("spack:\n  specs: [bzip2]\n")
    (tmp_path / "spack.lock").write_text("{}")
    assert refusal(capsys, words).startswith(f"cachetui: {message}")


def test_hint_explains_how_to_open_folder_named_like_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    (tmp_path / "e5").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CACHETUI_CONTENT", SAMPLE_CONTENT)
    assert "write ./e5" in answered(capsys, "find", "e5")[2]
    assert "write ./e4" not in answered(capsys, "find", "e4")[2]

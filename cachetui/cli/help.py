"""Help: what `--help` prints for cachetui and for each command, and the topics of the reference in `cachetui/docs`."""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from shutil import get_terminal_size
from textwrap import wrap

from cachetui.cli.commands import BROWSE, COMMANDS, TOPICS, Command
from cachetui.cli.options import Declared, Options, UsageError, declared
from cachetui.cli.output import FOUND, print_lines

SUMMARY = "a terminal browser for Spack build caches"

HELP = f"""\
Topics: {", ".join(TOPICS[:6])},
{", ".join(TOPICS[6:])}. `cachetui help COMMAND` is `cachetui COMMAND --help`;
of a topic and a command with one name, the topic is printed. On a terminal, a
topic is shown in $PAGER, or in less.
"""

ABOUT = f"""\
CONTENT is a Spack build cache, a folder of them, the URL of one, as
spack:develop/e4s or oci://HOST/NAME, a mirrors.yaml, a Spack checkout or
install tree, or a folder of the public catalogue's pages; several may be given.
QUERY is Spack's spec syntax, as in
  cachetui find ./content 'hdf5@1.14+mpi %gcc@11' os=ubuntu22.04 stack=e4s
`cachetui COMMAND --help` says what a command takes.
`cachetui help TOPIC` prints the reference. Topics: {", ".join(TOPICS[:4])},
{", ".join(TOPICS[4:])}.
"""

ENVIRONMENT = """\
CACHETUI_CONTENT, CACHETUI_HOST, CACHETUI_MIRROR,
CACHETUI_CACHE_DIR, NO_COLOR, XDG_CONFIG_HOME
"""

CONFIG_FILE = "config.toml; `cachetui config --help` says what it holds"

LEAST, MOST = 40, 120
"""Cells of a line, in a terminal of whatever width."""


def run(options: Options) -> int:
    """Print a topic, the help of a command, or without a word the main help."""
    name = " ".join(options.words)
    if name in TOPICS:
        _page(_fitted(paragraphs(name)))
    elif not name or name in COMMANDS:
        print_lines(help_text(COMMANDS.get(name, BROWSE)))
    else:
        from cachetui.model.edit_distance import nearest_names  # late, as few words are mistyped

        near = nearest_names(name, [*TOPICS, *COMMANDS], 1)
        raise UsageError(
            f"no topic or command '{name}'; " + (f"did you mean '{near[0]}'?" if near else "see cachetui help")
        )
    return FOUND


def paragraphs(topic: str) -> str:
    """Return a topic with one line for each paragraph."""
    from importlib.resources import files  # late: the help of a command does not read files

    text = (files("cachetui") / "docs" / f"{topic}.md").read_text(encoding="utf-8")
    return re.sub(r"(?<=[^\n])\n(?=[^\s#-])", " ", text)


def help_text(command: Command) -> str:
    """The help of a command, as wide as the terminal; that of the browser is about all the others too."""
    return _fitted("".join(_overview() if command is BROWSE else _of_command(command)))


def _page(text: str) -> None:
    """Show a text in the user's pager; print it if there is no terminal or no pager."""
    if sys.stdout.isatty():
        import signal
        import subprocess

        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the pager
        pager = os.environ.get("PAGER") or "less -FRX"
        done = subprocess.run(pager, shell=True, input=text.encode(), stderr=subprocess.DEVNULL)
        if done.returncode not in (126, 127):  # the shell found and could start it
            return
    print_lines(text)


def _fitted(text: str) -> str:
    """Return a text with its lines wrapped to the width of the terminal."""
    width = max(LEAST, min(MOST, get_terminal_size().columns))
    return "".join(f"{part}\n" for line in text.splitlines() for part in wrapped(line, width))


def wrapped(line: str, width: int) -> list[str]:
    """Return a line in several, those after the first one below its last column."""
    column = line.rfind("  ") + 2 if "  " in line else 2 * line.startswith("- ")
    return wrap(line, width, subsequent_indent=" " * column, break_long_words=False, break_on_hyphens=False) or [""]


def _overview() -> Iterator[str]:
    yield f"cachetui: {SUMMARY}\n\n"
    yield from _columns((each.title, each.summary) for each in (BROWSE, *COMMANDS.values()))
    yield f"\n{ABOUT}\nOptions of the browser:\n"
    yield from _options(declared(BROWSE.options).values())
    yield f"\nEnvironment: {ENVIRONMENT}Config file: {CONFIG_FILE}\n"


def _of_command(command: Command) -> Iterator[str]:
    yield f"{command.title}: {command.summary}\n\n"
    if command.help:
        yield f"{command.help}\n"
    yield "Options:\n"
    yield from _options(declared(command.options).values())


def _options(options: Iterable[Declared]) -> Iterator[str]:
    yield from _columns((f"{each.name} {each.option.value}".rstrip(), each.option.help) for each in options)


def _columns(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield lines of two columns."""
    rows = list(rows)
    name_width = max(len(name) for name, _ in rows)
    yield from (f"  {name:{name_width}}  {text}\n" for name, text in rows)

"""`help`: print the help of cachetui and its commands, and the topics of the reference in `cachetui/docs`."""

import os
import sys
from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from shutil import get_terminal_size

from cachetui.cli.commands import BROWSE, COMMANDS, Command
from cachetui.cli.options import Declared, Options, UsageError, declared, did_you_mean
from cachetui.cli.output import FOUND, print_lines
from cachetui.reference import TOPICS, paragraphs, wrapped

SUMMARY = "a terminal browser for Spack build caches"

HELP = """\
`cachetui help COMMAND` prints the same as `cachetui COMMAND --help`. If a topic
and a command have the same name, it prints the topic. On a terminal, the
program in PAGER (default: less) shows the topic.
"""

ABOUT = """\
CONTENT: a Spack build cache or its URL (spack:develop/e4s, oci://SERVER/NAME),
a folder of build caches, a mirrors.yaml, a Spack installation, or a folder of
pages from the website cache.spack.io.
QUERY: a spec in Spack's syntax and other terms: 'hdf5@1.14+mpi' stack=e4s.
"""

MORE = f"""\
More: cachetui --help, cachetui COMMAND --help, cachetui help TOPIC.
TOPIC: {", ".join(TOPICS)}.
"""

ENVIRONMENT = """\
CACHETUI_CONTENT, CACHETUI_HOST, CACHETUI_MIRROR, CACHETUI_HISTORY,
CACHETUI_CACHE_DIR, CACHETUI_DEBUG (log file), NO_COLOR, XDG_CONFIG_HOME
"""

CONFIG_FILE = "config.toml; `cachetui config --help` lists its keys"

MIN_CELLS, MAX_CELLS = 40, 120
"""Minimum and maximum width of a line in cells, whatever the width of the terminal."""

HEADINGS = {"select": "Select", "output": "Output", "source": "Source", "shared": "Shared options"}
"""The headings of the groups of options, in the order of the help."""


def run(options: Options) -> int:
    """Print a topic or the help of a command. Without an argument, print the main help."""
    name = " ".join(options.words)
    if name in TOPICS:
        _page(_fitted(paragraphs(name)))
    elif not name or name in COMMANDS:
        print_lines(help_text(COMMANDS.get(name, BROWSE), full=bool(name)))
    else:
        near = did_you_mean(name, (*TOPICS, *COMMANDS), "see cachetui help")
        raise UsageError(f"no topic or command '{name}'; {near}")
    return FOUND


def help_text(command: Command, *, full: bool) -> str:
    """Return the help of a command, as wide as the terminal. If `full` is false, return the short help.

    The short help of a command has the usage, the examples and the main options. The short help of the browser is an
    overview of all commands. The full help of the browser begins with this overview.
    """
    overview = _overview() if command is BROWSE else ()
    return _fitted("".join(chain(overview, _of_command(command, full) if full or command is not BROWSE else ())))


def _page(text: str) -> None:
    """Show text in the user's pager. Without a terminal or pager, print the text."""
    if sys.stdout.isatty():
        import signal
        import subprocess

        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the pager
        done = subprocess.run(
            os.environ.get("PAGER") or "less -FRX", shell=True, input=text.encode(), stderr=subprocess.DEVNULL
        )
        if done.returncode not in (126, 127):  # the shell could start the pager
            return
    print_lines(text)


def _fitted(text: str) -> str:
    """Return text with its lines wrapped to the width of the terminal."""
    width = max(MIN_CELLS, min(MAX_CELLS, get_terminal_size().columns))
    return "".join(f"{part}\n" for line in text.splitlines() for part in wrapped(line, width))


def _overview() -> Iterator[str]:
    yield f"cachetui: {SUMMARY}\n\n"
    yield from _columns([(BROWSE.title, BROWSE.summary.partition(";")[0]), ("cachetui COMMAND ...", "")])
    for group, commands in groupby(COMMANDS.values(), lambda each: each.group):
        yield f"{group}:\n"
        yield from _columns(((each.name, each.summary) for each in commands), max(map(len, COMMANDS)))
    yield f"\n{ABOUT}{MORE}"


def _of_command(command: Command, full: bool) -> Iterator[str]:
    yield f"{command.summary}\n\nUsage: {command.title}\n\nExamples:\n"
    yield from (f"  cachetui {example}\n" for example in command.examples)
    if full and command.help:
        yield f"\n{command.help}"
    options = sorted(declared(command.options).values(), key=lambda each: [*HEADINGS].index(each.option.group))
    for group, found in groupby(options, lambda each: each.option.group):
        if full or group != "shared":
            yield f"\n{HEADINGS[group]}:\n"
            yield from _columns([(_written(each), each.option.help) for each in found])
    name = "" if command is BROWSE else f" {command.name}"
    yield f"\nEnvironment: {ENVIRONMENT}Config file: {CONFIG_FILE}\n" if full else f"\nMore: cachetui{name} --help\n"


def _written(each: Declared) -> str:
    """Return an option as shown in the help: its names, and the placeholder of its value."""
    short = f"{each.option.short}, " if each.option.short else ""
    return f"{short}{each.name} {each.option.value}".rstrip()


def _columns(rows: Iterable[tuple[str, str]], least: int = 0) -> Iterator[str]:
    """Yield lines with two columns. `least`: the minimum width of the first column."""
    rows = list(rows)
    name_width = max(least, *(len(name) for name, _ in rows))
    yield from (f"  {name:{name_width}}  {text}".rstrip() + "\n" for name, text in rows)

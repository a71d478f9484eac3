"""What `--help` prints: of cachetui as a whole, and of each command."""

from collections.abc import Iterable, Iterator
from shutil import get_terminal_size
from textwrap import wrap

from cachetui.cli.commands import BROWSE, COMMANDS, Command
from cachetui.cli.options import Declared, declared

SUMMARY = "a terminal browser for Spack build caches"

ABOUT = """\
CONTENT is a Spack build cache, a folder of them, the URL of one, as
spack:develop/e4s or oci://HOST/NAME, a mirrors.yaml, a Spack checkout or
install tree, or a folder of the public catalogue's pages; several may be given.
QUERY is Spack's spec syntax, as in
  cachetui find ./content 'hdf5@1.14+mpi %gcc@11' os=ubuntu22.04 stack=e4s
`cachetui COMMAND --help` says what a command takes.
"""

ENVIRONMENT = """\
CACHETUI_CONTENT, CACHETUI_HOST, CACHETUI_MIRROR,
CACHETUI_CACHE_DIR, NO_COLOR, XDG_CONFIG_HOME
"""

CONFIG_FILE = "config.toml; `cachetui config --help` says what it holds"

LEAST, MOST = 40, 120
"""Cells of a line, in a terminal of whatever width."""


def help_text(command: Command) -> str:
    """The help of a command, as wide as the terminal; that of the browser is about all the others too."""
    width = max(LEAST, min(MOST, get_terminal_size().columns))
    lines = "".join(_overview() if command is BROWSE else _of_command(command)).splitlines()
    return "".join(f"{part}\n" for line in lines for part in _wrapped(line, width))


def _wrapped(line: str, width: int) -> list[str]:
    """Return a line in several, those after the first one below its last column."""
    column = line.rfind("  ") + 2 if "  " in line else 0
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

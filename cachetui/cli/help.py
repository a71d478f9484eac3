"""What `--help` prints: of cachetui as a whole, and of each command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cachetui.cli.commands import BROWSE, COMMANDS, Command
from cachetui.cli.options import Declared, declared

_COMMANDS = """\
CONTENT is a Spack build cache, a folder of them, the URL of one (spack:develop/e4s is a public one), a mirrors.yaml,
or a folder of the public catalogue's pages; several may be given. QUERY is Spack's spec syntax, as in
  cachetui find ./content 'hdf5@1.14+mpi %gcc@11' os=ubuntu22.04 stack=e4s
`cachetui COMMAND --help` says what a command takes.
"""

_ENVIRONMENT = """\
Environment: CACHETUI_CONTENT, CACHETUI_HOST, CACHETUI_MIRROR, CACHETUI_CACHE_DIR, NO_COLOR, XDG_CONFIG_HOME
Config file: config.toml, in the folder that `cachetui config` names; `cachetui config --help` says what it holds
"""

_NAME = 19
"""The cells that the name of an option takes in a help."""


def help_text(command: Command) -> str:
    """The help of a command; that of the browser is about all the others too."""
    return "".join(_overview() if command is BROWSE else _of_command(command))


def _overview() -> Iterator[str]:
    yield "cachetui: a terminal browser for Spack build caches\n\n"
    titles = [(each.title, each.summary) for each in (BROWSE, *COMMANDS.values())]
    width = max(len(title) for title, _ in titles)
    yield from (f"  {title:{width}}  {summary}\n" for title, summary in titles)
    yield f"\n{_COMMANDS}\nOptions of the browser:\n"
    yield from _options(declared(BROWSE.options).values())
    yield f"\n{_ENVIRONMENT}"


def _of_command(command: Command) -> Iterator[str]:
    yield f"{command.title}: {command.summary}\n\n"
    if command.help:
        yield f"{command.help}\n"
    yield "Options:\n"
    yield from _options(declared(command.options).values())


def _options(options: Iterable[Declared]) -> Iterator[str]:
    for each in options:
        name = f"{each.name} {each.option.value}".rstrip()
        yield f"  {name:{_NAME}} {each.option.help}\n"

"""The table of commands. A new command needs an entry in this table and a module with its name in this folder.

The module has a function `run(options)`, which returns the exit status. Its parameter `options` is annotated with the
class of the command's options. The module may also have `HELP`, a text that `--help` shows, and `DOCUMENT`, the types
of the JSON output. The module is imported only to run the command, to show its help, or to complete its words.
"""

from importlib import import_module
from typing import Any, Literal, get_type_hints

from msgspec import Struct

from cachetui.cli.options import Options

WordKind = Literal["query", "spec", "hash", "pair", "file"]
"""The kind of a word on the command line: a part of a query, a complete query, a hash, a pair of tags, or a file."""


class Command(Struct, frozen=True):
    name: str
    arguments: str
    summary: str
    """The purpose of the command, in one line that begins with a verb."""
    group: str
    """The heading of the command in the main help."""
    examples: tuple[str, ...]
    """Example command lines, without the word `cachetui`."""
    completed_by: tuple[WordKind, ...] = ()
    """The kinds of candidates that a shell offers for a word after CONTENT. The first kind with a candidate is used."""

    @property
    def title(self) -> str:
        """The command line, with placeholders for the arguments."""
        return f"cachetui {'' if self is BROWSE else f'{self.name} '}{self.arguments}".rstrip()

    @property
    def choices(self) -> list[str]:
        """The possible values of the command's only argument; empty if any value is possible."""
        return self.arguments.split("|") if "|" in self.arguments and "CONTENT" not in self.arguments else []

    @property
    def options(self) -> type[Options]:
        """The class of the command's options."""
        kind: type[Options] = get_type_hints(self._module.run)["options"]
        return kind

    @property
    def help(self) -> str:
        """A text about the command that `--help` shows; empty if the help of the options is enough."""
        return getattr(self._module, "HELP", "")

    @property
    def documents(self) -> tuple[Any, ...]:
        """The types that describe the command's JSON output; empty if the command never writes JSON."""
        return getattr(self._module, "DOCUMENT", ())

    def run(self, options: Options) -> int:
        """Run the command and return its exit status."""
        status: int = self._module.run(options)
        return status

    @property
    def _module(self) -> Any:
        return import_module(f"cachetui.cli.{self.name}")


BROWSE = Command(
    "browse",
    "[CONTENT] [QUERY...]",
    "Open the browser; default CONTENT: the built-in sample",
    "Browse",
    ("./mirror", "https://binaries.example.org hdf5+mpi"),
    ("query",),
)

COMMANDS = {
    command.name: command
    for command in (
        Command(
            "here",
            "[QUERY...]",
            "Open the browser on this machine's Spack and its mirrors",
            "Browse",
            ("here", "here hdf5+mpi"),
            ("query",),
        ),
        Command(
            "find",
            "CONTENT [QUERY...]",
            "List the matching specs",
            "Query",
            ("find ./mirror hdf5+mpi %gcc@12: --fits", "find spack:develop/e4s --packages --format json"),
            ("query",),
        ),
        Command(
            "which",
            "CONTENT HASH... | -",
            "Look up hashes, or all hashes in a log on standard input (-)",
            "Query",
            ("which ./mirror w7aicxe", "which ./mirror - < build.log"),
            ("hash",),
        ),
        Command(
            "deps",
            "CONTENT HASH",
            "Show the dependencies or dependents of a spec",
            "Query",
            ("deps ./mirror /2feova4 --type link,run", "deps ./mirror /2feova4 --dependents --all"),
            ("hash",),
        ),
        Command(
            "coverage",
            "CONTENT [QUERY...]",
            "Show for each package which stacks have it and which lack it",
            "Query",
            ("coverage ./content hdf5 --cols target", "coverage ./content --stack hep --gaps --exit-code"),
            ("query",),
        ),
        Command(
            "diff",
            "CONTENT [OLD..NEW] [QUERY...]",
            "Compare two tags or two specs",
            "Query",
            ("diff ./content previous..latest stack=e4s", "diff ./mirror /2feova4../qrcxhva"),
            ("pair", "query"),
        ),
        Command(
            "tags",
            "CONTENT",
            "List the tags with their specs, packages and stacks",
            "Query",
            ("tags ./content", "tags ./content --stack e4s --format csv"),
        ),
        Command(
            "check",
            "CONTENT [ENV...]",
            "Check whether an environment installs from binaries",
            "Check",
            ("check ./mirror spack.lock", "check ~/spack -C ./mirror hdf5+mpi /2feova4"),
            ("query", "spec", "file"),
        ),
        Command(
            "report",
            "CONTENT [LOCK...]",
            "Report broken and fixed roots, and new and removed specs",
            "Check",
            ("report ./mirror spack.lock --since 1d", "report ./mirror --format html --exit-code"),
            ("file",),
        ),
        Command(
            "stacks",
            "CONTENT",
            "Compare each stack with its usual size (the median over its tags)",
            "Check",
            ("stacks ./content", "stacks ./mirror --history --exit-code"),
        ),
        Command(
            "doctor",
            "CONTENT",
            "List the errors and warnings in the content",
            "Check",
            ("doctor ./mirror --verify", "doctor ./mirror --signed"),
        ),
        Command(
            "unused",
            "CONTENT [QUERY...]",
            "List the specs that `spack gc` would remove",
            "Clean up",
            ("unused ~/spack", "unused ~/spack --env lab --format json"),
            ("query",),
        ),
        Command(
            "prune",
            "CONTENT [--keep ENV...] [--keep-tag T...]",
            "List the removable binaries of a build cache; delete nothing",
            "Clean up",
            ("prune ./mirror --keep spack.lock --older 30", "prune ./mirror --keep-tag v1.0 --paths paths.txt"),
            ("spec", "file"),
        ),
        Command(
            "record",
            "CONTENT",
            "Save a snapshot with today's date",
            "History",
            ("record ./mirror", "record ./mirror --keep 90d,52w"),
        ),
        Command(
            "history",
            "CONTENT",
            "List or remove snapshots",
            "History",
            ("history ./mirror", "history ./mirror --remove 2026-11-23"),
        ),
        Command(
            "views",
            "[CONTENT]",
            "List or remove saved views of the browser",
            "Manage",
            ("views ./content", "views ./content --remove gaps"),
        ),
        Command("config", "", "Show the settings and their sources", "Manage", ("config", "config --keys")),
        Command(
            "cache",
            "[clean]",
            "List or remove local copies and index caches",
            "Manage",
            ("cache", "cache clean"),
        ),
        Command(
            "schema", "[COMMAND]", "Print the JSON Schema of a command's output", "Manage", ("schema", "schema check")
        ),
        Command(
            "completion",
            "bash|zsh|fish",
            "Print a completion script for a shell",
            "Manage",
            ("completion bash > ~/.local/share/bash-completion/completions/cachetui",),
        ),
        Command(
            "example",
            "gitlab|github|jenkins|prometheus|grafana|spack",
            "Print CI jobs, alert rules or a Spack recipe to copy",
            "Manage",
            ("example gitlab > .gitlab-ci.yml", "example spack > package.py"),
        ),
        Command(
            "help",
            "[TOPIC]",
            "Show a topic of the reference, or the help of a command",
            "Manage",
            ("help queries", "help check"),
        ),
    )
}
"""The commands by name. A command line without one of these names opens the browser."""


def documented() -> dict[str, tuple[Any, ...]]:
    """Return the types that describe the JSON output, for each command that writes JSON."""
    return {name: command.documents for name, command in COMMANDS.items() if command.documents}

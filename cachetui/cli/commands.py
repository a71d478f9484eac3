"""The table of commands. A new command is an entry here and a module of its name in this folder.

A module has `run(options)`, which returns the exit status; the annotation of `options` is the class of its options. It
may have `HELP`, text for its help, and `DOCUMENT`, the types that its JSON may have. It is imported only when its
command runs, or is asked about.
"""

from importlib import import_module
from typing import Any, Literal, get_type_hints

from msgspec import Struct

from cachetui.cli.options import Options

WordKind = Literal["query", "spec", "hash", "pair", "file"]
"""A word of a query, of a query of its own, a hash, two tags, a file."""


class Command(Struct, frozen=True):
    name: str
    arguments: str
    summary: str
    """What it is for, in a line."""
    completed_by: tuple[WordKind, ...] = ()
    """What completes a word behind CONTENT in a shell: the first of these that offers anything, and files."""

    @property
    def title(self) -> str:
        """The command as a user calls it, with its arguments."""
        return f"cachetui {'' if self is BROWSE else f'{self.name} '}{self.arguments}".rstrip()

    @property
    def choices(self) -> list[str]:
        """The words of which it takes one; empty where it takes others."""
        return self.arguments.split("|") if "|" in self.arguments and "CONTENT" not in self.arguments else []

    @property
    def options(self) -> type[Options]:
        """The class of its options."""
        kind: type[Options] = get_type_hints(self._module.run)["options"]
        return kind

    @property
    def help(self) -> str:
        """What its help says beside the options; empty where these say it all."""
        return getattr(self._module, "HELP", "")

    @property
    def documents(self) -> tuple[Any, ...]:
        """The types that its JSON may have; empty where it writes none."""
        return getattr(self._module, "DOCUMENT", ())

    def run(self, options: Options) -> int:
        """Run it and return the exit status."""
        status: int = self._module.run(options)
        return status

    @property
    def _module(self) -> Any:
        return import_module(f"cachetui.cli.{self.name}")


BROWSE = Command("browse", "[CONTENT] [QUERY...]", "the browser; without CONTENT, on the built-in sample", ("query",))

COMMANDS = {
    command.name: command
    for command in (
        Command("here", "[QUERY...]", "the browser on what this machine's Spack has, and on its mirrors", ("query",)),
        Command("find", "CONTENT [QUERY...]", "the specs that match, one a line", ("query",)),
        Command("which", "CONTENT HASH... | -", "what is this hash? - reads a log from standard input", ("hash",)),
        Command("coverage", "CONTENT [QUERY...]", "package x stack, and the gaps", ("query",)),
        Command("stacks", "CONTENT", "compare each stack with its usual size, worst first"),
        Command("diff", "CONTENT [OLD..NEW] [QUERY...]", "what changed between two tags", ("pair", "query")),
        Command("deps", "CONTENT HASH", "what it needs, and what needs it", ("hash",)),
        Command("tags", "CONTENT", "its tags, in order, with specs, packages and stacks"),
        Command(
            "check",
            "CONTENT ENV...",
            "would it install from binaries? ENV: /hash, spec, spack.lock, spack.yaml",
            ("query", "spec", "file"),
        ),
        Command("unused", "CONTENT [QUERY...]", "what `spack gc` would remove of an installation", ("query",)),
        Command("prune", "CONTENT --keep FILE...", "what a build cache could lose; deletes nothing", ("spec", "file")),
        Command("record", "CONTENT", "keeps what there is now as a tag, with the date of today"),
        Command("history", "CONTENT", "the recorded days, and removing some"),
        Command("doctor", "CONTENT", "the health of the catalogue"),
        Command("views", "[CONTENT]", "the views that were saved in the browser, and removing one"),
        Command("config", "", "the settings in force, and where each comes from"),
        Command("cache", "[clean [URL...]]", "what is kept on this machine of build caches, and removing it"),
        Command("schema", "[COMMAND]", "the JSON Schema of what a command writes as JSON"),
        Command("completion", "bash|zsh|fish", "a completion script for the shell"),
        Command(
            "example",
            "gitlab|github|jenkins|spack",
            "to copy: jobs for a CI (a gate for a lock, a nightly report); a recipe for Spack",
        ),
        Command("help", "[TOPIC]", "print a topic of the reference, or the help of a command"),
    )
}
"""The commands by their names; without one of these it is the browser."""

TOPICS = (
    *("queries", "browser", "environments", "installations", "history"),
    *("scripting", "servers", "config", "glossary"),
)
"""Topics of the reference; each is a file in `cachetui/docs`."""


def documented() -> dict[str, tuple[Any, ...]]:
    """Return the types of the JSON of each command that writes it."""
    return {name: command.documents for name, command in COMMANDS.items() if command.documents}

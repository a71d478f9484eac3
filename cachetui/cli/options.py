"""Options of the command line. Each option is declared once, with its help text, in the class of a command's options.

The parser, the help and the completion in shells read the same declarations. This module declares the options that
several commands share. Only fields with an `Option` are options for users.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, get_type_hints

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.problem import UserError
from cachetui.report.formats import format_names
from cachetui.settings.settings import Settings


class UsageError(UserError):
    """An error in the command line. The message contains the error and the remedy."""


def did_you_mean(word: str, names: Iterable[str], instead: str) -> str:
    """Return a question with the name most similar to a mistyped word. Without such a name, return `instead`."""
    from cachetui.model.edit_distance import nearest_names  # late, because few words are mistyped

    near = nearest_names(word, list(names), 1)
    return f"did you mean '{near[0]}'?" if near else instead


class Option(Struct, frozen=True):
    """The properties of an option. The type of the field is `bool` for a flag, and a tuple for a repeatable option."""

    help: str
    value: str = ""
    """The placeholder of the option's value in the help."""
    group: Literal["select", "output", "source", "shared"] = "select"
    """The heading of the option in the help. Only `--help` shows options with the heading `shared`."""
    values: Sequence[str] = ()
    """All possible values; empty if any value is possible."""
    offered: Sequence[str] = ()
    """Values to suggest in a shell. The command itself checks the value, so other values are possible."""
    short: str = ""
    """The short form of the option, such as `-b`."""
    former: str = ""
    """The name of the option in the previous version. This name still works."""
    signed: bool = False
    """Whether the value may begin with `-`, which reverses an order."""
    completed_by: Literal["", "file", "view", "theme", "tag", "stack", "target", "env"] = ""
    """The kind of candidates for the value in a shell: files, saved views, themes, or values of the content."""
    takes: Callable[[str], object] | None = None
    """A function that returns whether the next word is the option's value. If None, every next word is the value."""
    assumed: str = ""
    """The value of the option if the next word is not its value."""


OptionKind = Literal["flag", "text", "number", "list"]


class Declared(Struct, frozen=True):
    """An option of a command: its properties, its value type, and the name of the field in the options class."""

    field: str
    option: Option
    kind: OptionKind

    @property
    def name(self) -> str:
        """The name of the option on a command line."""
        return f"--{self.field.replace('_', '-')}"


_FITS = Option(
    "select only specs that run on HOST (without HOST: CACHETUI_HOST or this machine)",
    "[HOST]",
    completed_by="target",
    takes=re.compile(r"[A-Za-z0-9][\w.-]*").fullmatch,  # not an option, a path, a hash or a term
    assumed="here",
)
Fits = Annotated[str | None, _FITS]
DecidingFits = Annotated[
    str | None,
    replace(_FITS, help="require binaries that run on HOST (without HOST: CACHETUI_HOST or this machine)"),
]
Tags = Annotated[tuple[str, ...], Option("select only this tag; repeatable", "T", completed_by="tag")]
StackOption = Annotated[tuple[str, ...], Option("select only this stack; repeatable", "S", completed_by="stack")]


def format_option(names: Sequence[str]) -> Option:
    """Return the option `--format` with these values. The first value is the default."""
    return Option(f"set the format: {names[0]} (default), {', '.join(names[1:])}", "F", "output", values=names)


FormatName = Annotated[str, format_option(format_names())]
GateFormat = Annotated[str, format_option(format_names("cases"))]
FigureFormat = Annotated[str, format_option(format_names("figures"))]
AnyFormat = Annotated[str, format_option(format_names("cases", "figures"))]
Baseline = Annotated[
    str | None,
    Option(
        "compare with FILE, an earlier JSON output; fail only for new errors",
        "FILE",
        "output",
        completed_by="file",
    ),
]
Limit = Annotated[int | None, Option("print at most N results", "N", "output")]
Count = Annotated[bool, Option("print only the number of results", group="output")]


class Options(Struct, frozen=True, kw_only=True):
    """The options of every command."""

    words: tuple[str, ...] = ()
    """The words that are not options. After `parser.with_content`, only the words after CONTENT."""
    after: tuple[str, ...] = ()
    """The words after `--`, which never name CONTENT."""
    version: Annotated[bool, Option("print the version", group="shared", short="-V")] = False
    help: Annotated[bool, Option("print the short help (-h) or the full help (--help)", group="shared", short="-h")] = (
        False
    )
    settings: Settings = Settings()
    """The settings from the environment and the config file."""
    no_config: Annotated[bool, Option("ignore the config file", group="shared")] = False
    debug: Annotated[
        bool,
        Option(
            "log requests, read files and used index caches to standard error, or to the file CACHETUI_DEBUG",
            group="shared",
        ),
    ] = False


class ContentOptions(Options, frozen=True, kw_only=True):
    """The options of every command that reads content."""

    content: Annotated[
        tuple[str, ...],
        Option(
            "open CONTENT instead of the first argument; repeatable; default: CACHETUI_CONTENT",
            "CONTENT",
            "source",
            short="-C",
            completed_by="file",
        ),
    ] = ()
    """The words that name the content; empty only in the browser, which then opens the sample."""
    is_default: bool = False
    """Whether the content is the default, because the command line names no content."""
    is_found: bool = False
    """Whether the content was found in Spack's configuration."""
    history: Annotated[bool, Option("include snapshots as tags, from the folder CACHETUI_HISTORY", group="source")] = (
        False
    )
    offline: Annotated[bool, Option("read only the local copy of a URL; send no request", group="source")] = False
    fresh: Annotated[bool, Option("first check all files for changes, on servers too", group="shared")] = False
    no_index_cache: Annotated[
        bool, Option("do not read or write the index cache", group="shared", former="--no-snapshot")
    ] = False
    insecure: Annotated[bool, Option("accept http: and invalid certificates; send no password", group="shared")] = False
    all_tags: Annotated[bool, Option("read all tags of a server, and all snapshots", group="shared")] = False
    credential_helpers: Annotated[
        bool, Option("use the credential helpers in docker's config.json", group="shared")
    ] = False
    realm: Annotated[
        tuple[str, ...],
        Option("send passwords of registries to this token server; repeatable", "SERVER[:PORT]", "shared"),
    ] = ()
    allow_env: Annotated[
        bool,
        Option(
            "read credentials from the environment variables that any mirrors.yaml names; "
            "default: only for Spack's own configuration",
            group="shared",
        ),
    ] = False
    list_tags: Annotated[
        bool,
        Option(
            "if a registry has no index, get the name, version and hash of each build from its image tag",
            group="shared",
        ),
    ] = False
    upstream: Annotated[
        tuple[str, ...],
        Option("use the install tree at PATH as the upstream called NAME; repeatable", "NAME=PATH", "shared"),
    ] = ()


class QueryOptions(ContentOptions, frozen=True, kw_only=True):
    """The options of every command with a query."""

    fuzzy: Annotated[bool, Option("match similar package names too")] = False
    fits: Fits = None
    """The name of a host, or `here` for this machine."""


class ResultOptions(ContentOptions, frozen=True, kw_only=True):
    """The options of every command that lists results."""

    format: FormatName = "table"
    limit: Limit = None
    count: Count = False


class QueryResultOptions(QueryOptions, frozen=True, kw_only=True):
    """The options of a command that lists the results of a query."""

    format: FormatName = "table"
    limit: Limit = None
    count: Count = False


KINDS: Mapping[Any, OptionKind] = {bool: "flag", int | None: "number", tuple[str, ...]: "list"}
"""The kind of an option by the type of its field. An option with any other type is text."""


def declared(kind: type[Options]) -> Mapping[str, Declared]:
    """Return the options of a command by name: first its own options, then the options that commands share."""
    hints = get_type_hints(kind, include_extras=True)
    own_first = dict.fromkeys(name for each in kind.__mro__ for name in getattr(each, "__annotations__", ()))
    found = (
        Declared(name, option, KINDS.get(hints[name].__origin__, "text"))
        for name in own_first
        if name in kind.__struct_fields__
        for option in getattr(hints[name], "__metadata__", ())
    )
    return {each.name: each for each in found}

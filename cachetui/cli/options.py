"""Options as values: each is declared once, in the class of a command's options, with what its help says.

The parser, the help and the completion in shells read the same declarations. Options that several commands take are
declared here. A field without an `Option` cannot be given by a user.
"""

# Annotations are no text here, which would be compiled again wherever the options are read.

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, get_type_hints

from msgspec import Struct

from cachetui.model.problem import UserError
from cachetui.report.formats import format_names


class UsageError(UserError):
    """A command line that cannot be followed; the message says what is wrong and what to do."""


class Option(Struct, frozen=True):
    """What is known of an option beside its type: a bool is a flag, a tuple may be given again."""

    help: str
    value: str = ""
    """What stands for its value in the help."""
    values: Sequence[str] = ()
    """The only values that it may have."""
    offered: Sequence[str] = ()
    """Values for completion, where the command checks what is given."""
    short: str = ""
    """Its short form, such as `-b`."""
    signed: bool = False
    """Whether the value may begin with a `-`, which reverses an order."""
    completed_by: Literal["", "file", "view", "theme", "tag", "stack", "target", "env"] = ""
    """What completes its value in a shell: files, saved views, or values of the catalogue."""
    takes: Callable[[str], bool] | None = None
    """Tells whether the next word is its value; None where every word is."""
    assumed: str = ""
    """The value where the next word is not taken."""


Kind = Literal["flag", "text", "number", "list"]


class Declared(Struct, frozen=True):
    """An option of a command."""

    field: str
    option: Option
    kind: Kind

    @property
    def name(self) -> str:
        """As it is written."""
        return f"--{self.field.replace('_', '-')}"


def may_be_host(word: str) -> bool:
    """Return whether a word looks like the name of a host, not like an option, path, hash or part of a query."""
    return re.fullmatch(r"[A-Za-z0-9][\w.-]*", word) is not None


Fits = Annotated[
    str | None,
    Option(
        "only what runs on HOST (zen3, linux-rhel9-zen4); on this machine where no word follows",
        "[HOST]",
        completed_by="target",
        takes=may_be_host,
        assumed="here",
    ),
]
Tags = Annotated[tuple[str, ...], Option("look at this tag alone; may be given again", "T", completed_by="tag")]
Stacks = Annotated[tuple[str, ...], Option("look in this stack alone; may be given again", "S", completed_by="stack")]


def _formats(*needs: str) -> Option:
    names = format_names(*needs)
    return Option(", ".join(names), "F", values=names)


FormatName = Annotated[str, _formats()]
GateFormat = Annotated[str, _formats("cases")]
FigureFormat = Annotated[str, _formats("figures")]
AnyFormat = Annotated[str, _formats("cases", "figures")]
Baseline = Annotated[
    str | None,
    Option("JSON that this command wrote before: status 1 only for what is new", "FILE", completed_by="file"),
]
Limit = Annotated[int | None, Option("at most N results", "N")]
Count = Annotated[bool, Option("only how many")]


class Options(Struct, frozen=True, kw_only=True):
    """What every command has."""

    words: tuple[str, ...] = ()
    """The words that are no options; once CONTENT is settled, those after it."""
    behind: tuple[str, ...] = ()
    """The words behind `--`, none of which is content."""
    version: Annotated[bool, Option("which version this is", short="-V")] = False
    help: Annotated[bool, Option("what the command takes", short="-h")] = False
    config: Any = None
    """What the config file says, a `Config`; None for none."""
    no_config: Annotated[bool, Option("go on without the config file")] = False


class ContentOptions(Options, frozen=True, kw_only=True):
    """What every command about content has."""

    content: Annotated[
        tuple[str, ...],
        Option(
            "the content, in place of the first word (-C); may be given again", "DIR", short="-C", completed_by="file"
        ),
    ] = ()
    """Empty only for the browser: the sample."""
    is_default: bool = False
    """Whether the content is the default one, as the command line names none."""
    is_found: bool = False
    """Whether the content was found in Spack's configuration."""
    fresh: Annotated[bool, Option("compare every page with the saved index first")] = False
    no_snapshot: Annotated[bool, Option("neither read nor write the saved index")] = False
    offline: Annotated[bool, Option("of a URL: ask no server, read the local copy")] = False
    insecure: Annotated[bool, Option("of a URL: http: too, and any certificate; then no password is sent")] = False
    all_tags: Annotated[bool, Option("of a server that lists build caches: all of its tags")] = False
    credential_helpers: Annotated[
        bool, Option("of a registry: run the programs that docker's config.json names for passwords")
    ] = False
    realm: Annotated[
        tuple[str, ...],
        Option("(registry only) send passwords to the token server HOST too; repeatable", "HOST[:PORT]"),
    ] = ()
    allow_env: Annotated[
        bool, Option("use variables as credentials if any mirrors.yaml names them, not only Spack's own")
    ] = False
    list_tags: Annotated[bool, Option("of a registry without an index: the specs that its tags name")] = False
    history: Annotated[bool, Option("the recorded days are tags, too; see cachetui record")] = False
    upstream: Annotated[
        tuple[str, ...], Option("of an installation: one more tree beside it; may be given again", "NAME=PATH")
    ] = ()


class QueryOptions(ContentOptions, frozen=True, kw_only=True):
    """What every command with a query has."""

    fuzzy: Annotated[bool, Option("the name matches fuzzily")] = False
    fits: Fits = None
    """A host, `here` for this machine."""


class ResultOptions(ContentOptions, frozen=True, kw_only=True):
    """What every command has that lists what it finds."""

    format: FormatName = "table"
    limit: Limit = None
    count: Count = False


class QueryResultOptions(QueryOptions, frozen=True, kw_only=True):
    """The same of a command with a query."""

    format: FormatName = "table"
    limit: Limit = None
    count: Count = False


KINDS: Mapping[Any, Kind] = {bool: "flag", int | None: "number", tuple[str, ...]: "list"}
"""The kinds of options by the types of their fields; one of any other type is text."""


def declared(kind: type[Options]) -> Mapping[str, Declared]:
    """The options of a command by their names, its own first."""
    hints = get_type_hints(kind, include_extras=True)
    own_first = dict.fromkeys(name for each in kind.__mro__ for name in getattr(each, "__annotations__", ()))
    found = (
        Declared(name, option, KINDS.get(hints[name].__origin__, "text"))
        for name in own_first
        if name in kind.__struct_fields__
        for option in getattr(hints[name], "__metadata__", ())
    )
    return {each.name: each for each in found}

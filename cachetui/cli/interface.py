"""The interface of the commands: options, exit statuses and output.

Each option is declared once, with its help text, in the class of a command's options. The parser, the help and the
completion in shells read the same declarations. This module declares the options that several commands share. Only
fields with an `Option` are options for users.

Results go to standard output, and notes for the user to standard error. Each stream may be closed or full, or may be
unable to encode a character.
"""

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal, TextIO, get_type_hints

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.problem import UserError
from cachetui.report.formats import Case, CaseKey, Document, format_names, written
from cachetui.safe_text import cut, listed, plural, visible
from cachetui.settings.settings import Settings
from cachetui.sources.source import Progress


class UsageError(UserError):
    """An error in the command line. The message contains the error and the remedy."""


def did_you_mean(word: str, names: Iterable[str], instead: str) -> str:
    """Return a question with the name most similar to a mistyped word. Without such a name, return `instead`."""
    from cachetui.model.edit_distance import nearest_names  # late, because few words are mistyped

    near = nearest_names(word, list(names), 1)
    return f"did you mean '{near[0]}'?" if near else instead


class Option(Struct, frozen=True):
    """The properties of an option. The type of its field matters, too: a `bool` is a flag, a tuple is repeatable."""

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
    """A function that returns whether the next word is the option's value. If None, it always is."""
    assumed: str = ""
    """The value of the option if the next word is not its value."""


OptionKind = Literal["flag", "text", "number", "list"]


class Declared(Struct, frozen=True):
    """An option of a command, with its field, its properties and its kind."""

    field: str
    option: Option
    kind: OptionKind

    @property
    def name(self) -> str:
        """The name of the option on a command line."""
        return f"--{self.field.replace('_', '-')}"


_FITS = Option(
    "select only specs that run on HOST; default: CACHETUI_HOST or this machine",
    "[HOST]",
    completed_by="target",
    takes=re.compile(r"[A-Za-z0-9][\w.-]*").fullmatch,  # not an option, a path, a hash or a term
    assumed="here",
)
Fits = Annotated[str | None, _FITS]
DecidingFits = Annotated[
    str | None,
    replace(_FITS, help="require binaries that run on HOST; default: CACHETUI_HOST or this machine"),
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
    help: Annotated[bool, Option("print the full help; -h prints a short one", group="shared", short="-h")] = False
    settings: Settings = Settings()
    """The settings from the environment and the config file."""
    no_config: Annotated[bool, Option("ignore the config file", group="shared")] = False
    debug: Annotated[
        bool,
        Option("report requests, reads and index caches; CACHETUI_DEBUG=FILE writes them to FILE", group="shared"),
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
        Option("send passwords of registries to this token server; repeatable", "HOST[:PORT]", "shared"),
    ] = ()
    allow_env: Annotated[
        bool,
        Option(
            "let every mirrors.yaml name environment variables with credentials; "
            "default: only Spack's own configuration",
            group="shared",
        ),
    ] = False
    list_tags: Annotated[
        bool, Option("if a registry has no index, list its builds from its tag names", group="shared")
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
    """Return the options of a command by name. The command's own options precede the shared options."""
    hints = get_type_hints(kind, include_extras=True)
    own_first = dict.fromkeys(name for each in kind.__mro__ for name in getattr(each, "__annotations__", ()))
    found = (
        Declared(name, option, KINDS.get(hints[name].__origin__, "text"))
        for name in own_first
        if name in kind.__struct_fields__
        for option in getattr(hints[name], "__metadata__", ())
    )
    return {each.name: each for each in found}


# Output

FOUND, NOTHING, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
"""The exit statuses: something was found, nothing was found, an error, and Ctrl+C."""

MAX_LINE_CHARACTERS = 1000
"""Maximum number of characters of a line for the user. Such a line may quote a page."""

_LONG_WORD = re.compile(r"(\S{60})\S{240,}")
"""A word that is longer than any usual path. The middle of such a word is removed from a line for the user."""


def prepare_streams() -> None:
    """Make the streams writable, even if they are closed or cannot encode every character."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # stays open until the program ends
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def settle_streams() -> None:
    """Flush the streams. After an error, discard the rest of the output.

    If the streams are not settled, Python flushes them when it exits, and an error changes the exit status to 120.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            drop(stream)


def drop(stream: TextIO) -> None:
    """Discard all buffered and all further output of a stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_lines(lines: Iterable[str]) -> None:
    """Write results. If the reader closed the pipe (`| head`), discard the rest without an error."""
    try:
        sys.stdout.writelines(lines)
        sys.stdout.flush()
    except BrokenPipeError:
        drop(sys.stdout)


def print_document(document: Document, options: Any, number: int = 0) -> None:
    """Write a document in the format of the options. With `--count`, write only the number of results."""
    if getattr(options, "count", False):
        print_lines([f"{number}\n"])
    else:
        cut: list[str] = []
        print_lines(written(document, options.format, terminal_width(), getattr(options, "limit", None), cut.append))
        _print(cut)


def terminal_width() -> int | None:
    """Return the width of the terminal; None if standard output is a file or a pipe."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size  # late, because output to a script does not need it

    return get_terminal_size().columns


def note(message: str) -> None:
    """Print one line for the user on standard error."""
    _print([message])


def announce(requests: int) -> None:
    """Print the number of requests before the first request is sent."""
    note(f"sending {plural(requests, 'request')} to the server")


def print_notes(lines: Iterable[str]) -> None:
    """Print lines for the user on standard error, after the results; raises OSError if writing the results fails."""
    print_lines([])
    _print(lines)


def _print(lines: Iterable[str]) -> None:
    """Print lines on standard error. The program name precedes lines that are not indented. Ignore write errors."""
    for number, line in enumerate(lines):
        line = _LONG_WORD.sub(r"\1…", line)
        text = visible(line) if number and line.startswith(" ") else f"cachetui: {visible(line)}"
        with suppress(OSError):
            print(cut(text, MAX_LINE_CHARACTERS), file=sys.stderr, flush=True)


# Gates: formats for CI, and `--baseline`, an earlier JSON document of the same command


def read_baseline(path: str | None, kind: Any, cases: Callable[[Any], Iterable[Case]]) -> Mapping[CaseKey, str] | None:
    """Return the messages of the errors in a JSON document, by key; None if the path is missing. Raises FileError."""
    if path is None:
        return None
    import json  # late, because few commands need it; msgspec refuses file names that are not UTF-8

    from msgspec import ValidationError, convert

    from cachetui.environments.files import FileError, read_text

    try:
        document = convert(json.loads(read_text(path)), kind)
    except (ValidationError, ValueError, RecursionError) as error:
        raise FileError(f"--baseline {path} is not a JSON output of this command: {error}") from None
    return {case.key: case.message for case in cases(document) if case.key}


def print_gate(
    report: Any, options: Any, before: Mapping[CaseKey, str] | None, *, fails: bool, path: str = "", number: int = 0
) -> bool:
    """Print a report, and return whether the gate fails.

    `before`: the errors of the baseline. With a baseline, the gate fails if an error is new, and a note lists new and
    fixed errors. Without a baseline, `fails` decides. `path`: the path for cases that have no path.
    """
    report = replace(report, before=before, path=path)
    print_document(report, options, number)
    if before is None:
        return fails
    errors = list(report.errors())
    new, fixed = ([each.message for each in errors if each.state == state] for state in ("new", "fixed"))
    texts = [f"{len(of)} {said}{f' ({listed(of)})' if of else ''}" for said, of in (("new", new), ("fixed", fixed))]
    note(f"errors compared with {options.baseline}: {', '.join(texts)}, {len(errors) - len(new) - len(fixed)} known")
    return bool(new)


class TransferLine:
    """Shows the progress of a transfer in the last line of a terminal while the `with` block runs."""

    def __init__(self) -> None:
        self._shown = ""

    def __enter__(self) -> "TransferLine":
        return self

    def __exit__(self, *_: object) -> None:
        self._show("")

    def progressed(self, progress: Progress) -> None:
        """Show the progress of reading."""
        if progress.transfer and sys.stderr.isatty():
            self._show(f"cachetui: {progress.transfer}")

    def _show(self, text: str) -> None:
        if text != self._shown:
            with suppress(OSError):
                sys.stderr.write(f"\r{text}{' ' * (len(self._shown) - len(text))}")
                sys.stderr.flush()
            self._shown = text

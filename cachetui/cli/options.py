"""The command line as a value: which command, which content, which query, which options.

`parse` opens nothing; it only asks whether a path exists. Its rules: the first word that is no option may name the
command; a word behind CONTENT that begins with one `-` belongs to the query, since `-mpi` is Spack's for "built with
mpi off".
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

COMMANDS = ("find", "which", "coverage", "diff", "doctor", "completion")

FORMATS = ("table", "json", "csv", "markdown")

USAGE = """\
cachetui: a terminal browser for Spack build caches

  cachetui [CONTENT] [QUERY...]          the browser; without CONTENT, on the built-in sample
  cachetui find  CONTENT [QUERY...]      the specs that match, one a line
  cachetui which CONTENT HASH... | -     what is this hash? "-" reads a log from standard input
  cachetui coverage CONTENT [QUERY...]   package x stack, and the gaps
  cachetui diff  CONTENT OLD NEW [QUERY...]
                                         what changed between two tags
  cachetui doctor CONTENT                the health of the catalogue
  cachetui completion bash|zsh|fish      a completion script for the shell

CONTENT is a folder of pages, or one page. QUERY is Spack's spec syntax, as in
  cachetui find ./content 'hdf5@1.14+mpi %gcc@11' os=ubuntu22.04 stack=e4s

Options:
  --content DIR     the content, whatever the first word is
  --tag T           look at this tag alone; may be given again
  --format F        table, json, csv, markdown; for find also '{name}@{version}/{hash:7}'
  --limit N         at most N results
  --count           only how many
  --sort FIELD      by this field of a spec; -FIELD the other way round
  --packages        one line for each package; then FIELD is name, specs or versions
  --fuzzy           the name matches fuzzily
  --fits [HOST]     only what runs on this machine, or on HOST: zen3, linux-rhel9-zen4
  --fresh           compare every page with the saved index first
  --no-snapshot     neither read nor write the saved index
  --version, --help
For coverage:
  --rows AXIS       package, version, compiler, stack, target, os, platform, tag
  --cols AXIS       stack, target, os, platform, compiler, tag
  --stack S         this column alone; may be given again
  --gaps            only the rows that have a hole
  --sort ORDER      name, specs, gaps; -ORDER the other way round
  --expect FILE     what should be there: names, one a line, or a spack.yaml
  --exit-code       status 1 if there are gaps; with --expect, if something expected is not there
For diff:
  --by hash         compare by hash, not by what the page says of a build
  --exit-code       status 1 if something changed
For the browser:
  --watch           read again by itself what changes on disk
  --mouse           use the mouse; off otherwise, so that the terminal's own selection works
  --pick            end with Enter on a spec and print the chosen or marked ones as /hash
  --theme NAME      colours: cachetui-dark or cachetui-light, as the terminal is, or a theme of Textual's
  --full-repaint    write whole regions of the screen, not only the cells that changed

Environment: CACHETUI_CONTENT, CACHETUI_HOST, CACHETUI_MIRROR, CACHETUI_CACHE_DIR, NO_COLOR
"""


class UsageError(Exception):
    """A command line that cannot be followed; the message says what is wrong and what to do."""


class Options(Struct, frozen=True, kw_only=True):
    """What was asked for."""

    command: str = "browse"
    content: str | None = None
    """None only for the browser: the sample."""
    words: tuple[str, ...] = ()
    """What stands behind CONTENT: the query, or hashes."""
    tag: tuple[str, ...] = ()
    format: str = "table"
    limit: int | None = None
    count: bool = False
    sort: str | None = None
    packages: bool = False
    fuzzy: bool = False
    fits: str | None = None
    """A host, `here` for this machine."""
    no_host: str | None = None
    """The word behind `--fits`, where it is neither a host nor a path and so went to the query."""
    fresh: bool = False
    no_snapshot: bool = False
    version: bool = False
    help: bool = False
    rows: str = "package"
    cols: str = "stack"
    stack: tuple[str, ...] = ()
    gaps: bool = False
    expect: str | None = None
    """A file."""
    exit_code: bool = False
    by: str = "signature"
    watch: bool = False
    mouse: bool = False
    pick: bool = False
    full_repaint: bool = False
    theme: str | None = None

    @property
    def query(self) -> str:
        """The words of the query as one text."""
        return " ".join(self.words)


_FLAGS = {name for name, kind in Options.__annotations__.items() if kind == "bool"}

_VALUES = {"content", "tag", "format", "limit", "sort", "theme", "rows", "cols", "stack", "expect", "by"}

_ON_CONTENT = ("browse", "find", "which", "coverage", "diff", "doctor")
_WITH_QUERY = ("browse", "find", "coverage", "diff")

_MEANT_FOR = {
    **dict.fromkeys(("content", "fresh", "no_snapshot"), _ON_CONTENT),
    **dict.fromkeys(("format", "limit", "count"), _ON_CONTENT[1:]),
    **dict.fromkeys(("fuzzy", "fits"), _WITH_QUERY),
    "tag": tuple(command for command in _ON_CONTENT if command != "diff"),
    "sort": ("find", "coverage"),
    "packages": ("find",),
    **dict.fromkeys(("rows", "cols", "stack", "gaps", "expect"), ("coverage",)),
    "exit_code": ("coverage", "diff"),
    "by": ("diff",),
    **dict.fromkeys(("watch", "mouse", "pick", "full_repaint", "theme"), ("browse",)),
}
"""The commands to which an option means something; `--help` and `--version` mean something to all."""


def options_of(command: str | None) -> tuple[str, ...]:
    """The names of the options that mean something to a command, `browse` for the browser; of all, for None."""
    names = (*_FLAGS, *_VALUES, "fits")
    meant = (name for name in names if command is None or command in _MEANT_FOR.get(name, (command,)))
    return tuple(sorted(f"--{name.replace('_', '-')}" for name in meant))


def parse(argv: Sequence[str], environ: Mapping[str, str]) -> Options:
    """The options of these words; raises UsageError."""
    words: list[str] = []
    given: dict[str, Any] = {}
    at = 0
    command = None
    while at < len(argv):
        word = argv[at]
        at += 1
        if word == "--":
            words += argv[at:]
            break
        if word.startswith("--") or (word in ("-h", "-V") and not words):
            at += _take_option(word, argv[at : at + 1], given)
        elif command is None and not words and word in COMMANDS:
            command = word
        else:
            words.append(word)
    command = command or "browse"
    _check_belonging(command, given)
    options = Options(command=command, **given)
    if options.help or options.version:
        return options
    return _with_content(options, words, environ)


def _check_belonging(command: str, given: Mapping[str, object]) -> None:
    if command == "diff" and "tag" in given:
        raise UsageError("diff takes its two tags as words: cachetui diff ./content OLD NEW")
    for key in given:
        commands = _MEANT_FOR.get(key, (command,))
        if command not in commands:
            *others, last = ("the browser" if each == "browse" else each for each in commands)
            names = f"{', '.join(others)} and {last}" if others else last
            raise UsageError(f"--{key.replace('_', '-')} is an option of {names} alone")


def _take_option(word: str, rest: Sequence[str], given: dict[str, Any]) -> int:
    """Reads one option into `given`; returns how many of the words behind it belong to it."""
    name, equals, value = {"-h": "--help", "-V": "--version"}.get(word, word)[2:].partition("=")
    key = name.replace("-", "_")
    if key in _FLAGS:
        if equals:
            raise UsageError(f"--{name} takes no value")
        given[key] = True
        return 0
    if key == "fits":
        taken = not equals and bool(rest) and _is_host(rest[0])
        given[key] = value if equals else rest[0] if taken else "here"
        if not (equals or taken) and rest and _looks_like_a_host(rest[0]):
            given["no_host"] = rest[0]
        return int(taken)
    if key not in _VALUES:
        raise UsageError(f"no option {word}: see cachetui --help; write -- before a query that begins so")
    if not equals:
        if not rest:
            raise UsageError(f"--{name} needs a value")
        value = rest[0]
    if key in ("tag", "stack"):
        given[key] = (*given.get(key, ()), value)
    elif key == "limit":
        if not (value.isascii() and value.isdecimal()):
            raise UsageError(f"--limit needs a number, not {value!r}")
        given[key] = int(value) if len(value) < 19 else sys.maxsize
    else:
        given[key] = value
    return not equals


def _looks_like_a_host(word: str) -> bool:
    return bool(re.fullmatch(r"\w[\w.-]*", word)) and word not in COMMANDS and not os.path.exists(word)


def _is_host(word: str) -> bool:
    from cachetui.model.host import Host

    try:
        Host.parse(word)
    except ValueError:
        return False
    return True


def _with_content(options: Options, words: Sequence[str], environ: Mapping[str, str]) -> Options:
    """Settles which content is meant, and what is left for the query."""
    if options.command == "completion":
        return replace(options, words=tuple(words))
    if options.content is not None:
        return replace(options, words=tuple(words))
    default = environ.get("CACHETUI_CONTENT")
    if words and (not default or os.path.exists(words[0])):
        return replace(options, content=words[0], words=tuple(words[1:]))
    if default:
        return replace(options, content=default, words=tuple(words))
    if options.command == "browse":
        return options
    raise UsageError(f"{options.command} needs CONTENT, a folder of pages: cachetui {options.command} ./content")

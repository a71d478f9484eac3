"""The command line read: which command, which content, which words, which options.

Opens nothing; only asks whether a path exists. The first word that is no option may name the command. A word after
CONTENT that begins with one `-` belongs to the query, since `-mpi` is Spack's for "built with mpi off".
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, NoReturn

from msgspec.structs import replace

from cachetui.cli.commands import BROWSE, COMMANDS, Command
from cachetui.cli.options import ContentOptions, Declared, Options, UsageError, declared
from cachetui.safe_text import shell_word
from cachetui.sources.transport.address import is_address

_SHORT = {"-h": "--help", "-V": "--version"}

_HASH = re.compile(r"/[a-z2-7]{3,32}")
"""A hash as people write it, which looks like a path."""

_LISTS = (".lock", ".yaml", ".yml", ".json", ".txt")
"""What the files end with that say what is to be installed."""


def parse(argv: Sequence[str], environ: Mapping[str, str]) -> tuple[Command, Options]:
    """The command and the options of these words; raises UsageError."""
    command, rest = split_command(argv)
    kind = command.options
    known = declared(kind)
    words: list[str] = []
    given: dict[str, Any] = {}
    at = 0
    while at < len(rest):
        word = rest[at]
        at += 1
        if word == "--":
            words += rest[at:]
            break
        if word.startswith("--") or (word in _SHORT and not words):
            at += _take_option(command, known, word, rest[at : at + 1], given)
        else:
            words.append(word)
    options = kind(words=tuple(words), **given)
    if options.help or options.version or not isinstance(options, ContentOptions):
        return command, options
    return command, _with_content(command, options, environ)


def split_command(argv: Sequence[str]) -> tuple[Command, list[str]]:
    """The command that these words call, and the words without its name."""
    at = 0
    while at < len(argv) and argv[at] != "--" and any(word in COMMANDS for word in argv[at:]):
        word = argv[at]
        if not word.startswith("-"):
            if word in COMMANDS:
                return COMMANDS[word], [*argv[:at], *argv[at + 1 :]]
            break
        at += 1 + _takes_next(word, argv[at + 1 : at + 2])
    return BROWSE, list(argv)


def _takes_next(word: str, rest: Sequence[str]) -> bool:
    """Whether the word after an option is its value, in whichever command it is one."""
    options = (declared(command.options).get(word) for command in (BROWSE, *COMMANDS.values()))
    found = next(filter(None, options), None)
    return bool(found and rest and found.kind != "flag" and (not found.option.takes or found.option.takes(rest[0])))


def _take_option(
    command: Command, known: Mapping[str, Declared], word: str, rest: Sequence[str], given: dict[str, Any]
) -> int:
    """Reads one option into `given`; returns how many of the words after it belong to it."""
    name, equals, value = _SHORT.get(word, word).partition("=")
    found = known.get(name) or _refuse(command, word, name)
    if found.kind == "flag":
        if equals:
            raise UsageError(f"{name} takes no value: write {name} alone")
        given[found.field] = True
        return 0
    takes = found.option.takes
    if takes and not equals and not (rest and takes(rest[0])):
        given[found.field] = found.option.assumed
        if rest and _looks_like_a_host(rest[0]):
            given["no_host"] = rest[0]
        return 0
    if not equals and not rest:
        raise UsageError(f"{name} needs a value: {name} {found.option.value}")
    _set(found, value if equals else rest[0], given)
    return not equals


def _set(found: Declared, value: str, given: dict[str, Any]) -> None:
    option = found.option
    if option.values and (value.removeprefix("-") if option.signed else value) not in option.values:
        raise UsageError(f"{found.name} cannot be {value}: there are {', '.join(option.values)}")
    if found.kind == "list":
        given[found.field] = (*given.get(found.field, ()), value)
    elif found.kind == "number":
        if not (value.isascii() and value.isdecimal()):
            raise UsageError(f"{found.name} needs a number, not {value!r}")
        given[found.field] = int(value) if len(value) < 19 else sys.maxsize
    else:
        given[found.field] = value


def _refuse(command: Command, word: str, name: str) -> NoReturn:
    """Says what to do in place of an option that this command does not take, and to which it belongs."""
    if name in command.refused:
        raise UsageError(command.refused[name])
    commands = [each for each in (BROWSE, *COMMANDS.values()) if name in declared(each.options)]
    if not commands:
        from cachetui.model.likeness import nearest_names

        near = nearest_names(name, list(declared(command.options)), 1)
        instead = f"did you mean {near[0]}?" if near else f"see {_line([*_called(command), '--help'])}"
        query = f"{'' if near else ';'} before a query that begins so write --" if "QUERY" in command.arguments else ""
        raise UsageError(f"no option {name}; {instead}{query}")
    *others, last = ("the browser" if each is BROWSE else each.name for each in commands)
    names = f"{', '.join(others)} and {last}" if others else last
    raise UsageError(f"{name} is an option of {names} alone: leave it out")


def is_place(word: str) -> bool:
    """Whether a word is an address or an existing path, and so may be content."""
    return is_address(word) or os.path.exists(word)


def _check_order(command: Command, words: Sequence[str], default: str | None) -> None:
    """Says what is wrong where the first word is misspelt, or the content does not stand first."""
    from cachetui.model.likeness import nearest_names

    first, *others = words
    if command is BROWSE and first == "help":
        raise UsageError(f"no command help: {_line([*(each for each in others[:1] if each in COMMANDS), '--help'])}")
    near = nearest_names(first, list(COMMANDS), 1) if command is BROWSE and others else ()
    if near and is_place(others[0]):
        raise UsageError(f"no command {first}; did you mean {near[0]}? {_line([near[0], *others])}")
    place = next((word for word in others if is_place(word)), None)
    if place is not None and not default and ("/" not in first or _HASH.fullmatch(first)):
        rest = [word for word in words if word is not place]
        raise UsageError(f"there is no {first} here; CONTENT comes first: {_line([*_called(command), place, *rest])}")


def _check_environment(command: Command, words: Sequence[str]) -> None:
    """Says that content comes first where `check` is given an environment before it."""
    from cachetui.sources.opening import is_content

    first, last = words[0], words[-1]
    is_file = not os.path.isdir(first) and not is_content(first) and (first.endswith(_LISTS) or not is_place(first))
    if os.path.isdir(last) and not _holds_environment(last) and (is_file or _holds_environment(first)):
        right = _line([*_called(command), last, *words[:-1]])
        raise UsageError(f"{first} is no content, which comes first: {right}")


def _holds_environment(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in ("spack.lock", "spack.yaml"))


def _called(command: Command) -> list[str]:
    """The words that call a command; the browser needs none."""
    return [] if command is BROWSE else [command.name]


def _line(words: Sequence[str]) -> str:
    return " ".join(("cachetui", *map(shell_word, words)))


def _looks_like_a_host(word: str) -> bool:
    return bool(re.fullmatch(r"\w[\w.-]*", word)) and word not in COMMANDS and not os.path.exists(word)


def _contents(words: Sequence[str], *, plainly: bool) -> int:
    """How many of the words, of which the first is content, are content; `plainly`: without a `/` in them too."""
    if not any(map(is_place, words[1:2])):
        return 1
    from cachetui.sources.opening import is_content

    def continues(word: str) -> bool:
        return is_address(word) or is_content(word, named_plainly=plainly)

    return 1 + sum(1 for _ in takewhile(continues, words[1:]))


def _with_content(command: Command, options: ContentOptions, environ: Mapping[str, str]) -> ContentOptions:
    """Settles which content is meant, and what is left for the query."""
    if options.content:
        return options
    words, default = options.words, environ.get("CACHETUI_CONTENT")
    likely = words[: len(words) - command.last] if default or len(words) > 1 else words
    if command.last and len(words) > 1:
        _check_environment(command, words)
    if likely and not is_place(likely[0]) and likely[0] != getattr(options, "no_host", None):
        _check_order(command, likely, default)
    if likely and (not default or is_place(likely[0])):
        count = _contents(likely, plainly=command.name != "diff")
        rest = words[count:]
        if command is BROWSE and len(rest) > 1 and rest[0] in COMMANDS:
            right = _line([rest[0], *words[:count], *rest[1:]])
            raise UsageError(f"the command comes first: {right}")
        return replace(options, content=words[:count], words=rest)
    if default:
        return replace(options, content=(default,), is_default=True)
    if not command.needs_content:
        return options
    raise UsageError(
        f"{command.name} needs CONTENT, a build cache, its URL or a folder of pages: cachetui {command.name} ./mirror"
    )

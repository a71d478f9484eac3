"""Read a command line: its command, content, words and options.

The meaning of a word depends only on the command line, never on existing files, tags or packages.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from msgspec.structs import replace

from cachetui.cli.commands import BROWSE, COMMANDS, Command
from cachetui.cli.options import ContentOptions, Declared, Options, UsageError, declared, did_you_mean
from cachetui.cli.output import note
from cachetui.model.spec import HASH_WORD

PAIR = re.compile(r"(?P<old>[^\s.~:](?:[^\s:]*[^\s/:])?)\.\.(?P<new>[^\s./:][^\s:]*|/[^\s:]+)")
"""Two tags or two hashes: `v1.0..develop`, `/2feova4../3yg7mb3`."""

_PLACE = re.compile(r"[.~]|[^\s=]+/|[A-Za-z][A-Za-z0-9+.-]*:(?!=)")
"""The beginning of a path or a URL. A `/` after a space or `=` belongs to a query."""


def parse(argv: Sequence[str]) -> tuple[Command, Options]:
    """Return the command and its options; raises UsageError.

    The field `words` of the options contains CONTENT and the other arguments. `with_content` later separates CONTENT.
    """
    command, rest = split_command(argv)
    known = declared(command.options)
    words: list[str] = []
    given: dict[str, Any] = {}
    at = 0
    while at < len(rest):
        word = rest[at]
        at += 1
        if word == "--":
            given["after"] = tuple(rest[at:])
            break
        written, word = word, _whole(word, known)
        if word.startswith("--"):
            if written != word and written.startswith("--"):
                note(f"{written} is now called {word}")
            at += _take_option(command, known, word, rest[at : at + 1], given)
        else:
            words.append(word)
    return command, command.options(words=tuple(words), **given)


def split_command(argv: Sequence[str]) -> tuple[Command, list[str]]:
    """Return the command, and all words except the command name.

    Only the first word that does not begin with `-` can be a command name.
    """
    at = 0
    while at < len(argv) and argv[at] != "--":
        if not argv[at].startswith("-"):
            if argv[at] in COMMANDS:
                return COMMANDS[argv[at]], [*argv[:at], *argv[at + 1 :]]
            break
        at += 1 + _takes_next(argv[at], argv[at + 1 : at + 2])
    return BROWSE, list(argv)


def with_content(command: Command, options: Options, default: str | None) -> Options:
    """Decide which word is CONTENT. Return the options with this content and the words after it; raises UsageError.

    `default`: the content to use if the command line has none; may be None.
    """
    words = options.words
    if not isinstance(options, ContentOptions) or "CONTENT" not in command.arguments:
        words = (*words, *options.after)
        if command.choices and (len(words) != 1 or words[0] not in command.choices):
            example = f"cachetui {command.name} {command.choices[0]}"
            raise UsageError(f"{command.name} needs one of {', '.join(command.choices)}: {example}")
        return replace(options, words=words, after=())
    content, is_default = options.content, False
    if not content and words and (not default or looks_like_content(words[0])):
        content, words = words[:1], words[1:]
    elif not content and default:
        content, is_default = (default,), True
    elif not content and command.arguments.startswith("CONTENT"):
        example = f"cachetui {command.name} ./mirror"
        raise UsageError(f"{command.name} needs CONTENT (a build cache, its URL or a folder of pages): {example}")
    words = (*words, *options.after)
    if words and command.arguments == "CONTENT":
        raise UsageError(f"{command.name} takes no query: remove {' '.join(words)}, or run cachetui find")
    return replace(options, content=content, is_default=is_default, words=words, after=())


def looks_like_content(word: str) -> bool:
    """Return whether a word looks like a path or a URL. The result is False for a hash and for a pair `OLD..NEW`."""
    return bool(_PLACE.match(word)) and not HASH_WORD.fullmatch(word) and not PAIR.fullmatch(word)


def option_named(command: Command, word: str) -> Declared | None:
    """Return the option that a word names; None for any other word.

    For the browser, search the options of all commands, because a command name may follow.
    """
    commands = (BROWSE, *COMMANDS.values()) if command is BROWSE else (command,)
    known = (declared(each.options) for each in commands)
    return next(filter(None, (each.get(_whole(word, each)) for each in known)), None)


def _whole(word: str, known: Mapping[str, Declared]) -> str:
    """Replace the short or the former name of an option by its present name. Return any other word unchanged."""
    return next(
        (name for name, each in known.items() if word and word in (each.option.short, each.option.former)), word
    )


def _takes_next(word: str, rest: Sequence[str]) -> bool:
    """Return whether an option has a value in the next word. `word`: an option of any command."""
    found = option_named(BROWSE, word)
    return bool(found and rest and found.kind != "flag" and (not found.option.takes or found.option.takes(rest[0])))


def _take_option(
    command: Command, known: Mapping[str, Declared], word: str, rest: Sequence[str], given: dict[str, Any]
) -> int:
    """Read one option, and add its value to `given`. Return the number of following words that belong to the option."""
    name, equals, value = word.partition("=")
    found = known.get(name) or _refuse(command, name)
    if found.kind == "flag":
        if equals:
            raise UsageError(f"{name} must not have a value: write only {name}")
        given[found.field] = True
        return 0
    takes = found.option.takes
    if takes and not equals and not (rest and takes(rest[0])):
        given[found.field] = found.option.assumed
        return 0
    if not equals and not rest:
        raise UsageError(f"{name} needs a value: {name} {found.option.value}")
    _set(found, value if equals else rest[0], given)
    return not equals


def _set(found: Declared, value: str, given: dict[str, Any]) -> None:
    option = found.option
    if option.values and value not in option.values:
        raise UsageError(f"{found.name} cannot be {value}: choose one of {', '.join(option.values)}")
    if found.kind == "list":
        given[found.field] = (*given.get(found.field, ()), value)
    elif found.kind == "number":
        if not (value.isascii() and value.isdecimal()):
            raise UsageError(f"{found.name} needs a number, not {value}")
        given[found.field] = int(value) if len(value) < 19 else sys.maxsize
    else:
        given[found.field] = value


def _refuse(command: Command, name: str) -> NoReturn:
    """Raise UsageError for an option that the command lacks. The message suggests the command's most similar option."""
    called = "" if command is BROWSE else f" {command.name}"
    query = "; to use it as a term of the query, write -- before it" if "QUERY" in command.arguments else ""
    near = did_you_mean(name, declared(command.options), f"see cachetui{called} --help{query}")
    raise UsageError(f"no option {name} in cachetui{called}; {near}")

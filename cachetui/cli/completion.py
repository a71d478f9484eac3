"""Completion in a shell: the scripts in `shells/`, and the candidates for the last word of a command line.

Candidates from the content need an index cache, because completion must be fast. A candidate is a whole word that needs
no quotes in a shell.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib.resources import files

from msgspec import Struct
from msgspec.structs import replace

from cachetui.catalogue import Catalogue
from cachetui.cli.commands import BROWSE, COMMANDS, Command, WordKind, documented
from cachetui.cli.options import ContentOptions, Declared, Options, UsageError, declared
from cachetui.cli.output import FOUND, print_lines
from cachetui.cli.parser import PAIR, option_named, parse, split_command, with_content
from cachetui.model.problem import UserError
from cachetui.reference import TOPICS
from cachetui.search.index import Index
from cachetui.settings.saved_views import read_views
from cachetui.settings.settings import Settings
from cachetui.sources.kinds import open_source
from cachetui.sources.source import Asking, ContentError
from cachetui.suggest.completion import completions

_SAFE = re.compile(r"(?!=)[A-Za-z0-9_@%+~=.,:/^-]+")
"""The allowed characters of a candidate. Without this limit, a page could write commands into the user's shell.

For example, `!` inserts a command from the shell's history, and zsh replaces `=ls` by the path of the program.
"""


def run(options: Options) -> int:
    """Print the completion script of a shell."""
    print_lines([script(options.words[0])])
    return FOUND


def script(shell: str) -> str:
    """Return the completion script of a shell."""
    return (files("cachetui.cli") / "shells" / f"cachetui.{shell}").read_text(encoding="utf-8")


class Candidates(Struct, frozen=True):
    words: tuple[str, ...]
    files: bool = False
    """Whether the word may also be the name of a file or folder."""


def complete(words: Sequence[str], settings: Settings) -> int:
    """Print a line for the script of the shell, then each candidate for the last word on its own line.

    The first line is `files` if file names are also candidates. Otherwise, it is `words`.
    """
    found = candidates(words, settings)
    print("files" if found.files else "words", *found.words, sep="\n")
    return FOUND


def candidates(words: Sequence[str], settings: Settings) -> Candidates:
    """Return the candidates for the last word of a command line. `words`: the words after `cachetui`."""
    *done, word = words or [""]
    command, rest = split_command(done)
    if "--" not in done:
        before = option_named(command, done[-1]) if done else None
        if before and before.kind != "flag":
            return _values_of(before, word, done[:-1], settings)
        name, equals, value = word.partition("=")
        if word.startswith("--") and equals:
            found = declared(command.options).get(name)
            values = _values_of(found, value, done, settings).words if found else ()
            return Candidates(tuple(f"{name}={each}" for each in values))
        if word.startswith("--"):
            is_open = command is BROWSE and all(each.startswith("-") for each in rest)
            commands = (BROWSE, *COMMANDS.values()) if is_open else (command,)
            return Candidates(_offered(word, sorted({each for other in commands for each in declared(other.options)})))
    names = sorted({*TOPICS, *COMMANDS}) if command.name == "help" else command.choices
    if names := [*documented()] if command.name == "schema" else names:
        return Candidates(_offered(word, () if rest else names))
    return _words(done, word, settings)


def _words(done: Sequence[str], word: str, settings: Settings) -> Candidates:
    """Return the candidates for a word that is not an option: commands, content, or words after CONTENT.

    `done`: the words before `word`.
    """
    commands = COMMANDS if not done else ()
    command, options = _parsed(done, settings)
    if not isinstance(options, ContentOptions) or not options.content:
        return Candidates(_offered(word, commands), files=True)
    index = _saved(options)
    offered = () if index is None else _in_content(command, index, options, word)
    is_file = "file" in command.completed_by or (options.is_default and not options.words)
    return Candidates((*_offered(word, commands), *offered), files=is_file)


def _parsed(words: Sequence[str], settings: Settings) -> tuple[Command, Options]:
    """Return the command and options in these words. If the words have an error, return `BROWSE` without options."""
    try:
        command, options = parse(words)
        return command, with_content(command, replace(options, settings=settings), settings.value("content"))
    except UsageError:
        return BROWSE, Options(settings=settings)


def _values_of(found: Declared, word: str, done: Sequence[str], settings: Settings) -> Candidates:
    """Return the candidates for the value of an option. `word`: the characters of the value that are already typed."""
    option = found.option
    if option.completed_by == "file":
        return Candidates((), files=True)
    values: Iterable[str] = option.values or option.offered
    if option.signed and word.startswith("-"):
        values = [f"-{value}" for value in values]
    _, options = _parsed(done, settings)
    if option.completed_by == "view":
        values = _views(options)
    elif option.completed_by == "theme":
        from cachetui.tui.theme import NAMES  # late, because only this completion needs Textual

        values = NAMES
    elif option.completed_by:
        index = _saved(options)
        values = [*filter(None, [option.assumed]), *(index.values(option.completed_by) if index else ())]
    return Candidates(_offered(word, values))


def _saved(options: Options) -> Index | None:
    if not isinstance(options, ContentOptions) or not options.content or options.no_index_cache:
        return None
    try:
        return Catalogue(options.content, options.settings).saved()
    except ContentError:
        return None


def _views(options: Options) -> Sequence[str]:
    """Return the names of the saved views of the content."""
    content, settings = options.content if isinstance(options, ContentOptions) else options.words, options.settings
    with suppress(UserError):
        return sorted(read_views(settings.views_path(open_source(content, settings, Asking()).identity)).named)
    return ()


def _in_content(command: Command, index: Index, options: ContentOptions, word: str) -> tuple[str, ...]:
    """Return the candidates for a word after CONTENT. Use the first kind in `Command.completed_by` with candidates."""
    found = (_offered(word, _of_kind(kind, index, options, word)) for kind in command.completed_by)
    return next(filter(None, found), ())


def _of_kind(kind: WordKind, index: Index, options: ContentOptions, word: str) -> Iterable[str]:
    """Return the candidates of one kind for a word."""
    match kind:
        case "pair" if not options.words:
            old, dots, _ = word.rpartition("..")
            return (f"{old}{dots}{tag}" for tag in index.tags)
        case "hash":
            found = completions(index, f"/{word.lower().removeprefix('/')}", len(word.removeprefix("/")) + 1, None)
            return (("/" if word.startswith("/") else "") + each.text for each in found)
        case "query":
            return _of_query(
                index, options, "".join(f"{each} " for each in options.words if not PAIR.fullmatch(each)), word
            )
        case "spec":
            return _of_query(index, options, "", word)
    return ()


def _of_query(index: Index, options: ContentOptions, before: str, word: str) -> Iterable[str]:
    """Return the candidates for the last word of a query. `before`: the text of the query before this word."""
    tag = getattr(options, "tag", ())
    text, tags = before + word, f" tag={','.join(tag)}" if tag else ""
    found = completions(index, text + tags, len(text), None, settings=options.settings)
    return (text[len(before) : each.start] + each.text for each in found if each.start >= len(before))


def _offered(word: str, found: Iterable[str]) -> tuple[str, ...]:
    """Return the candidates that begin with the typed word. Skip candidates that need quotes in a shell.

    If no candidate begins with the word, and there is only one candidate without quotes, return this candidate.
    """
    safe = [each for each in found if _SAFE.fullmatch(each.replace(" ", "") if " " in word else each)]
    return tuple(each for each in safe if each.startswith(word)) or tuple(safe if len(safe) == 1 else ())

"""The command line: find the command, run it, and return an exit status, even after an unexpected error.

The exit status is 0 if something was found, 1 if nothing was found, 2 after an error, and 130 after Ctrl+C. Only the
module of the requested command is imported.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import cache
from typing import Any, TextIO

from msgspec.structs import replace

from cachetui import __version__
from cachetui.cli.commands import BROWSE, COMMANDS, Command
from cachetui.cli.options import ContentOptions, Options, UsageError, did_you_mean
from cachetui.cli.output import FOUND, INTERRUPTED, UNUSABLE, drop, note, prepare_streams, print_lines, settle_streams
from cachetui.cli.parser import looks_like_content, parse, with_content
from cachetui.debug_log import logged
from cachetui.model.budget import OverBudgetError
from cachetui.model.problem import UserError
from cachetui.model.targets import use_folders
from cachetui.report.formats import failure
from cachetui.safe_text import visible
from cachetui.settings.settings import Settings

COMPLETE = "__complete"
"""The hidden command that the completion scripts call. Its arguments are the words up to the cursor."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status."""
    prepare_streams()
    argv = sys.argv[1:] if argv is None else argv
    try:
        status = _run(argv)
        print_lines([])
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        message = _message(error)
        with suppress(OSError):
            print_lines(failure(message, _format_of(argv)))
        if isinstance(error, OSError):
            drop(sys.stdout)
        note(message)
        return UNUSABLE
    finally:
        settle_streams()


def _message(error: Exception) -> str:
    """Return the message for an error that ended the command."""
    match error:
        case UserError() | OverBudgetError():
            return str(error)
        case OSError():
            return f"cannot continue: {error.strerror or error}" + (f" ({error.filename})" if error.filename else "")
    from traceback import extract_tb  # late, because most commands do not fail

    frame = extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(frame.filename)}, line {frame.lineno}"
    return f"unexpected error, please report it: {error!r} in {place}"


def _format_of(argv: Sequence[str]) -> str:
    """Return the format in a command line, even if the line has an error; empty if the line has no format."""
    before = "\0".join(argv).split("\0--\0")[0]
    return next(reversed(re.findall(r"\0--format[=\0]([^\0]*)", f"\0{before}")), "")


def _run(argv: Sequence[str]) -> int:
    if argv and argv[0] == COMPLETE:
        from cachetui.cli.completion import complete

        settings = Settings(dict(os.environ), toolchains_of=cache(_toolchains))
        with suppress(UserError):
            settings = settings.with_config()
        return complete(argv[1:], settings)
    command, options = parse(argv)
    if options.help:
        from cachetui.cli.help import help_text

        print_lines(help_text(command, full="--help" in argv))
        return FOUND
    if options.version:
        print(f"cachetui {__version__}")
        return FOUND
    options = _without_home(options)
    settings = Settings(dict(os.environ), toolchains_of=cache(_toolchains))
    use_folders(settings.environ)
    settings = settings if options.no_config else settings.with_config()
    options = with_content(command, replace(options, settings=settings), settings.value("content"))
    _note_other_reading(command, options)
    file = settings.environ.get("CACHETUI_DEBUG", "")
    if not (options.debug or file):
        return command.run(options)
    if not file and issubclass(command.options, BROWSE.options):
        raise UsageError(
            "--debug would write into the screen of the browser: to write a log file, set CACHETUI_DEBUG=FILE"
        )
    with _log_file(file) if file else nullcontext(sys.stderr) as stream, logged(stream):
        return command.run(options)


def _toolchains(settings: Settings) -> Mapping[str, Any]:
    """Return the toolchains in Spack's configuration scopes on this machine and in the active environment."""
    from cachetui.sources.scopes.scopes import Scopes, find_spack  # late, because few queries have a `%`

    environ = settings.environ
    return Scopes(find_spack(environ), settings, environ.get("SPACK_ENV", "")).mapping("toolchains", defaults=False)


def _log_file(path: str) -> TextIO:
    """Open the log file, which only the user may read. Raise UsageError if this is impossible."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        return open(os.open(path, flags, 0o600), "a", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"the log file {path} cannot be written ({error.strerror}): change CACHETUI_DEBUG") from None


def _note_other_reading(command: Command, options: Options) -> None:
    """Check the first word. Print a note if it could be a query or a file. Raise UsageError if it seems mistyped."""
    if not isinstance(options, ContentOptions):
        return
    word = (*options.words, "")[0] if options.is_default else (*options.content, "")[0]
    is_there = bool(word) and os.path.lexists(word)
    if options.is_default and is_there and "QUERY" in command.arguments and not looks_like_content(word):
        note(f"{word} is read as a query: to open the file or folder, write ./{word}")
    if command is BROWSE and word and not (is_there or options.is_default or looks_like_content(word)):
        raise UsageError(f"no command or content '{word}'; {did_you_mean(word, COMMANDS, 'see cachetui --help')}")


def _without_home(options: Options) -> Options:
    """If the home folder is inaccessible, print a note, and return options that use no files in this folder."""
    home = os.path.expanduser("~")
    try:
        os.stat(os.path.join(home, "."))
    except PermissionError:
        note(f"{visible(home)} cannot be read, so cachetui ignores the settings, views and caches in it")
        os.environ["HOME"] = os.devnull  # a path below a device never exists
        if isinstance(options, ContentOptions) and Settings(os.environ).cache_folder.startswith(os.devnull):
            return replace(options, no_index_cache=True)
    except OSError:
        pass
    return options

"""The command line: finds the command, runs it, and ends with its status whatever happens.

Results go to standard output and nothing else does; progress, notes and errors go to standard error. The exit status
is 0 for found, 1 for nothing found, 2 for what cannot be done, 130 after Ctrl+C. Only the command that runs is
imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cachetui import __version__
from cachetui.cli.notes import FOUND, INTERRUPTED, UNUSABLE, note
from cachetui.cli.options import Options, UsageError
from cachetui.cli.parser import parse, with_content
from cachetui.cli.streams import drop, prepare_streams, print_lines, settle_streams
from cachetui.query.errors import QueryError
from cachetui.report.formats import FormatError
from cachetui.settings.folders import config_path
from cachetui.sources.source import ContentError

if TYPE_CHECKING:
    from cachetui.settings.config import Config

COMPLETE = "__complete"
"""What the completion scripts call, with the words up to the cursor after it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit status."""
    prepare_streams()
    try:
        return _status_of(sys.argv[1:] if argv is None else argv)
    finally:
        settle_streams()


def _status_of(argv: Sequence[str]) -> int:
    try:
        status = _run(argv)
        print_lines([])
    except (UsageError, QueryError, ContentError, FormatError) as error:
        return _refuse(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        drop(sys.stdout)
        place = f": {error.filename}" if error.filename else ""
        return _refuse(f"cannot go on: {error.strerror or error}{place}")
    return status


def _run(argv: Sequence[str]) -> int:
    if argv and argv[0] == COMPLETE:
        from cachetui.cli.candidates import complete

        with suppress(UsageError), _in_environment(_config(Options())):
            return complete(argv[1:])
        return complete(argv[1:])
    command, options = parse(argv)
    if options.help:
        from cachetui.cli.help import help_text

        print_lines(help_text(command))
        return FOUND
    if options.version:
        print(f"cachetui {__version__}")
        return FOUND
    config = _config(options)
    with _in_environment(config):
        return command.run(replace(with_content(command, options, os.environ.get("CACHETUI_CONTENT")), config=config))


def _config(options: Options) -> Config | None:
    """What the user's config file says; None where there is none, or the user goes on without it."""
    if options.no_config or not os.path.lexists(config_path(os.environ)):
        return None
    from cachetui.settings.config import ConfigError, read_config  # late, as most users have no config file

    try:
        return read_config(os.environ)
    except ConfigError as error:
        raise UsageError(str(error)) from None


@contextmanager
def _in_environment(config: Config | None) -> Iterator[None]:
    """Sets the variables that the config file stands in for, as long as a command runs."""
    variables = config.variables(os.environ) if config else {}
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _refuse(message: str) -> int:
    note(message)
    return UNUSABLE

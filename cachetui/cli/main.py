"""The command line: finds the command, runs it, and ends with its status whatever happens.

Results go to standard output and nothing else does; progress, notes and errors go to standard error. The exit status
is 0 for found, 1 for nothing found, 2 for what cannot be done, 130 after Ctrl+C. Only the command that runs is
imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cachetui import __version__
from cachetui.cli.arguments import parse
from cachetui.cli.help import help_text
from cachetui.cli.notes import FOUND, INTERRUPTED, UNUSABLE, note
from cachetui.cli.options import UsageError
from cachetui.cli.streams import drop, prepare_streams, settle_streams
from cachetui.query.errors import QueryError
from cachetui.report.formats import FormatError
from cachetui.sources.source import ContentError

COMPLETE = "__complete"
"""What the completion scripts call, with the words up to the cursor behind it."""


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
        sys.stdout.flush()
    except (UsageError, QueryError, ContentError, FormatError) as error:
        return _refuse(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the results has seen enough.
        drop(sys.stdout)
        return FOUND
    except OSError as error:
        drop(sys.stdout)
        return _refuse(f"cannot go on: {error}")
    return status


def _run(argv: Sequence[str]) -> int:
    if argv and argv[0] == COMPLETE:
        from cachetui.cli.complete import complete

        return complete(argv[1:])
    command, options = parse(argv, os.environ)
    if options.help:
        print(help_text(command), end="")
        return FOUND
    if options.version:
        print(f"cachetui {__version__}")
        return FOUND
    return command.run(options)


def _refuse(message: str) -> int:
    note(message)
    return UNUSABLE

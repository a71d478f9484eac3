"""The output of a command. Results go to standard output, and notes for the user to standard error.

Each stream may be closed or full, or may be unable to encode a character.
"""

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, TextIO

from msgspec.structs import replace

from cachetui.report.formats import Case, CaseKey, Document, written
from cachetui.safe_text import cut, listed, plural, visible
from cachetui.sources.source import Progress

FOUND, NOTHING, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
"""The exit statuses: something was found, nothing was found, an error, and Ctrl+C."""

MAX_LINE_CHARACTERS = 1000
"""Maximum number of characters of a line for the user. Such a line may quote a page."""

_LONG_WORD = re.compile(r"(\S{60})\S{240,}")
"""A word that is longer than any usual path. The middle of such a word is removed from a line for the user."""


def prepare_streams() -> None:
    """Make standard output and standard error writable, even if they are closed or cannot encode every character."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # stays open until the program ends
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def settle_streams() -> None:
    """Flush standard output and standard error. After an error, discard the rest of the output.

    Without this function, Python would flush the streams when it exits, and an error would change the exit status to
    120.
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
    """Write a document in the format of the options. With `--count`, write only `number`, the number of results."""
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
    """Print how many requests will be sent to a server."""
    note(f"sending {plural(requests, 'request')} to the server")


def print_notes(lines: Iterable[str]) -> None:
    """Flush the results, then print lines for the user on standard error.

    Raises OSError if the results cannot be written.
    """
    print_lines([])
    _print(lines)


def _print(lines: Iterable[str]) -> None:
    """Print lines on standard error, and ignore write errors. Lines without indentation begin with the program name."""
    for number, line in enumerate(lines):
        line = _LONG_WORD.sub(r"\1…", line)
        text = visible(line) if number and line.startswith(" ") else f"cachetui: {visible(line)}"
        with suppress(OSError):
            print(cut(text, MAX_LINE_CHARACTERS), file=sys.stderr, flush=True)


# Formats for CI, and `--baseline`, an earlier JSON document of the same command


def read_baseline(path: str | None, kind: Any, cases: Callable[[Any], Iterable[Case]]) -> Mapping[CaseKey, str] | None:
    """Return the messages of the errors in the file of `--baseline`, by key; None if `path` is None.

    Raise FileError if the file cannot be read. `kind`: the type of the JSON document in the file. `cases`: a function
    that yields the test cases of the document.
    """
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
    """Print a report. Return whether the command exits with status 1.

    `before`: the errors of the baseline. With a baseline, return whether an error is new, and print a note with the new
    and fixed errors. Without a baseline, return `fails`. `path`: the path for test cases that have no path.
    `number`: the number of results, which `--count` prints.
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
        """Show the progress of the transfer. Do nothing if the transfer has ended."""
        if progress.transfer and sys.stderr.isatty():
            self._show(f"cachetui: {progress.transfer}")

    def _show(self, text: str) -> None:
        if text != self._shown:
            with suppress(OSError):
                sys.stderr.write(f"\r{text}{' ' * (len(self._shown) - len(text))}")
                sys.stderr.flush()
            self._shown = text

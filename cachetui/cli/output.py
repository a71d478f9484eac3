"""The output of a command: results on standard output, lines for the user on standard error, and its exit status.

Either stream may be closed, full, or lack the characters that are written to it.
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
"""Exit statuses."""

MAX_LINE_CHARACTERS = 1000
"""Maximum number of characters of a line for the user, which may quote a page."""

_LONG_WORD = re.compile(r"(\S{60})\S{240,}")
"""A word that is longer than any path that people have; it is cut."""


def prepare_streams() -> None:
    """Make the streams writable even where they are closed or cannot encode every letter."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # open as long as the program runs
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def settle_streams() -> None:
    """Flush the streams; drop the rest on an error.

    Python does this at its end, too, and ends with status 120 where it fails.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            drop(stream)


def drop(stream: TextIO) -> None:
    """Discard all buffered and all further output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_lines(lines: Iterable[str]) -> None:
    """Write results; if the reader has closed the pipe (`| head`), drop the rest and let the command go on."""
    try:
        sys.stdout.writelines(lines)
        sys.stdout.flush()
    except BrokenPipeError:
        drop(sys.stdout)


def print_document(document: Document, options: Any, number: int = 0) -> None:
    """Write a document in the format of the options; with `--count` only the number of results."""
    if getattr(options, "count", False):
        print_lines([f"{number}\n"])
    else:
        cut: list[str] = []
        limit = getattr(options, "limit", None)
        print_lines(written(document, options.format, terminal_width(), limit, cut.append))
        _print(cut)


def terminal_width() -> int | None:
    """The width of the terminal that results go to; None if they go anywhere else."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size  # late: results for a script do without it

    return get_terminal_size().columns


def note(message: str) -> None:
    """Print one line for the user on standard error."""
    _print([message])


def announce(requests: int) -> None:
    """Print how many requests are sent, before they are."""
    note(f"{plural(requests, 'request')} to the server")


def print_notes(lines: Iterable[str]) -> None:
    """Print lines for the user on standard error, after the results; raises OSError where these cannot be written."""
    print_lines([])
    _print(lines)


def _print(lines: Iterable[str]) -> None:
    """Print lines, with the name of the program before all that are not indented; errors of writing are ignored."""
    for number, line in enumerate(lines):
        line = _LONG_WORD.sub(r"\1…", line)
        text = visible(line) if number and line.startswith(" ") else f"cachetui: {visible(line)}"
        with suppress(OSError):
            print(cut(text, MAX_LINE_CHARACTERS), file=sys.stderr, flush=True)


# Gates: formats for CI, and `--baseline`, a JSON document that the same command wrote before


def read_baseline(path: str | None, kind: Any, cases: Callable[[Any], Iterable[Case]]) -> Mapping[CaseKey, str] | None:
    """Return the message of each error in the JSON document at a path, if any; raises FileError."""
    if path is None:
        return None
    import json  # late, like the others: few ask for it; msgspec only reads file names that are UTF-8

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
    """Print a report, and with `before` a note on new and fixed errors; return whether the gate fails.

    With `before`, the errors of the baseline, it fails for a new one; otherwise, `fails` decides.
    `path` is the file of cases that name none.
    """
    report = replace(report, before=before, path=path)
    print_document(report, options, number)
    if before is None:
        return fails
    errors = list(report.errors())
    new, fixed = ([each.message for each in errors if each.state == state] for state in ("new", "fixed"))
    texts = [f"{len(of)} {said}{f' ({listed(of)})' if of else ''}" for said, of in (("new", new), ("fixed", fixed))]
    note(f"compared with {options.baseline}: {', '.join(texts)}, {len(errors) - len(new) - len(fixed)} known")
    return bool(new)


class TransferLine:
    """Shows how far a transfer is in the last line of a terminal, while the block runs; nowhere else."""

    def __init__(self) -> None:
        self._shown = ""

    def __enter__(self) -> "TransferLine":
        return self

    def __exit__(self, *_: object) -> None:
        self._show("")

    def progressed(self, progress: Progress) -> None:
        """Show how far reading is."""
        if progress.transfer and sys.stderr.isatty():
            self._show(f"cachetui: {progress.transfer}")

    def _show(self, text: str) -> None:
        if text != self._shown:
            with suppress(OSError):
                sys.stderr.write(f"\r{text}{' ' * (len(self._shown) - len(text))}")
                sys.stderr.flush()
            self._shown = text

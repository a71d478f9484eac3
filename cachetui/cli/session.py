"""What every command does: open the catalogue, read the query, answer from an index that is true of the files.

Notes go to standard error, one line each. Input: the options and the environment.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from shutil import get_terminal_size
from typing import TypeVar

from cachetui.catalogue import Catalogue, sample_content
from cachetui.cli.options import Options, UsageError
from cachetui.model.host import Host, nearest_targets
from cachetui.model.problem import UNREAD
from cachetui.query.parse import QueryError
from cachetui.query.parts import FitsPart, ValuePart
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.sources.source import ContentError
from cachetui.text import visible

Found = TypeVar("Found")

FOUND, NOTHING, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
"""Exit statuses."""

LONGEST = 1000
"""Characters of a line beside the results, which may quote what somebody typed or wrote into a page."""


def note(message: str) -> None:
    """One line for the user, beside the results."""
    talk([message])


def talk(lines: Iterable[str]) -> None:
    """Lines for the user, beside the results; the first says whose they are. Nobody has to read them."""
    for number, line in enumerate(lines):
        said = visible(line) if number and line.startswith(" ") else f"cachetui: {visible(line)}"
        with suppress(OSError):
            print(_cut(said), file=sys.stderr, flush=True)


def terminal_width() -> int | None:
    """The width of the terminal that results go to; None where they go anywhere else."""
    return get_terminal_size().columns if sys.stdout.isatty() else None


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def open_catalogue(options: Options) -> Catalogue:
    """The catalogue that a command is about; the sample has no saved index."""
    if options.content is None:
        return Catalogue(sample_content(), os.environ, snapshot=False)
    try:
        return Catalogue(options.content, os.environ, snapshot=not options.no_snapshot)
    except ContentError as error:
        if options.content != options.no_host:
            raise
        raise ContentError(f"{error}; {_no_host(options.content)}") from None


def query_of(options: Options) -> Query:
    """The query that the words and the options ask for together."""
    try:
        query = Query.parse(options.query, fuzzy_name=options.fuzzy)
    except QueryError as error:
        if options.no_host is None:
            raise
        raise UsageError(f"{error}; {_no_host(options.no_host)}") from None
    if options.fits is not None:
        if query.parts_of("fits"):
            raise UsageError("--fits and fits= both name a host: give it once")
        query = query.with_part(FitsPart(host_of(options.fits)))
    if options.tag:
        if any(not part.is_exclusion for part in query.facet_parts("tag")):
            raise UsageError("--tag and tag= both name the tag: give it once")
        query = query.with_part(ValuePart.of("tag", options.tag))
    return query


def no_host_notes(options: Options, index: Index) -> Iterator[str]:
    """Where the query takes nothing: that the word behind `--fits` names neither a package nor a host."""
    if options.no_host and index.package_number(options.no_host) is None:
        yield _no_host(options.no_host)


def _no_host(word: str) -> str:
    near = nearest_targets(word.rpartition("-")[2])
    return f"{word} behind --fits is no host either" + (f"; nearest: {', '.join(near)}" if near else "")


def host_of(text: str) -> Host:
    """The host of this text, `here` for the one that the environment or the machine names; raises UsageError."""
    try:
        return Host.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _check_pages(catalogue: Catalogue, index: Index, *, judges: bool) -> None:
    """Says that there is no page at all, or what of a single one cannot be read; raises ContentError for one file
    of which nothing can be read (unless the command `judges` just that), or that was never meant to be a page.
    """
    unreadable = [problem for problem in index.problems if problem.kind in ("unreadable", UNREAD)]
    if index.columns.page_path:
        if catalogue.is_one_page and unreadable:
            note(f"not all of {catalogue.content} can be read: {unreadable[0].message}")
    elif catalogue.is_one_page and index.problems and not judges:
        raise ContentError(f"{visible(catalogue.content)} cannot be read: {index.problems[0].message}")
    elif index.problems:
        note(f"no page in {catalogue.content} can be read: {index.problems[0].message}")
    elif catalogue.is_one_page:
        raise ContentError(f"{visible(catalogue.content)} is no page: {catalogue.remedy}")
    else:
        note(f"no page in {catalogue.content}")


def _check_problems(index: Index) -> None:
    """Says that the file system kept some files back, whose specs are missing in the answer then."""
    unread = [problem for problem in index.problems if problem.kind == UNREAD]
    if unread and index.columns.page_path:
        more, them = (f", and {len(unread) - 1:,} more", "them") if len(unread) > 1 else ("", "it")
        note(f"{visible(unread[0].path)} {visible(unread[0].message)}{more}; what is in {them} is missing")


def answer(catalogue: Catalogue, options: Options, ask: Callable[[Index], tuple[Found, Iterable[int]]]) -> Found:
    """What `ask` makes of an index, asked again until the pages of the rows that it names are as the index has them."""
    index = catalogue.current(fresh=options.fresh)
    while True:
        found, rows = ask(index)
        confirmed = catalogue.confirmed(index, rows)
        if confirmed is index:
            for message in catalogue.notes:
                note(message)
            _check_pages(catalogue, index, judges=options.command == "doctor")
            _check_problems(index)
            return found
        index = confirmed

"""The command line: a thin face over the engine.

Results go to standard output and nothing else does; progress, notes and errors go to standard error. The exit status
is 0 for found, 1 for nothing found, 2 for what cannot be done, 130 after Ctrl+C. The browser is imported only when
it is opened.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from cachetui import __version__
from cachetui.analysis.lookup import Answer, asked_in, asked_in_log, look_up
from cachetui.cli.options import FORMATS, USAGE, Options, UsageError, parse
from cachetui.cli.session import (
    FOUND,
    INTERRUPTED,
    NOTHING,
    UNUSABLE,
    answer,
    host_of,
    no_host_notes,
    note,
    open_catalogue,
    query_of,
    talk,
    terminal_width,
)
from cachetui.explain.unknown import UnknownValue, unknown_values
from cachetui.explain.why import why_nothing
from cachetui.model.spec import Spec, natural_key
from cachetui.model.version import sort_key
from cachetui.query.parse import QueryError
from cachetui.query.parts import ValuePart
from cachetui.query.query import Query
from cachetui.report.formats import FormatError, written
from cachetui.report.lookup import LookupReport, lookup_notes
from cachetui.report.specs import FIELDS, PACKAGE_FIELDS, PackageList, SpecList, field_text, template
from cachetui.report.why import left_out_notes, nothing_found
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.sources.source import ContentError

COMPLETE = "__complete"
"""What the completion scripts call, with the words up to the cursor behind it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit status."""
    _prepare_streams()
    try:
        status = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except (UsageError, QueryError, ContentError, FormatError) as error:
        return _refuse(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the results has seen enough.
        _drop_output()
        return FOUND
    except OSError as error:
        _drop_output()
        return _refuse(f"cannot go on: {error}")
    return status


def _prepare_streams() -> None:
    """Streams that can be written to, even where the caller has closed them or they cannot hold every letter."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # open as long as the program runs
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """What is still buffered goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: Sequence[str]) -> int:
    if argv and argv[0] == COMPLETE:
        return complete(argv[1:])
    options = parse(argv, os.environ)
    if options.help:
        print(USAGE, end="")
        return FOUND
    if options.version:
        print(f"cachetui {__version__}")
        return FOUND
    commands = {"browse": browse, "find": find, "which": which, "completion": completion}
    return commands.get(options.command, survey)(options)


def _refuse(message: str) -> int:
    note(message)
    return UNUSABLE


# The commands


def browse(options: Options) -> int:
    """Opens the browser."""
    from cachetui.tui.terminal.check import check_terminal, prepare_environment

    refusal = check_terminal()
    if refusal:
        raise UsageError(refusal)
    query, host = query_of(options), host_of("here")
    catalogue = open_catalogue(options)
    prepare_environment()
    from cachetui.tui.app import BrowserApp, run

    app = BrowserApp(
        catalogue,
        query.spelled_for(fuzzy_name=True),
        host,
        content=options.content,
        picks=options.pick,
        watches=options.watch,
    )
    try:
        return run(app, theme=options.theme, full_repaint=options.full_repaint, mouse=options.mouse)
    except ValueError as error:
        raise UsageError(str(error)) from None


def find(options: Options) -> int:
    """The specs that match, one a line."""
    query = query_of(options)
    write = spec_writer(options)
    field, descending = sort_of(options)
    catalogue = open_catalogue(options)

    def ask(index: Index) -> tuple[Results, Iterable[int]]:
        results = Results.of(index, query)
        return results, results.rows

    results = answer(catalogue, options, ask)
    if options.count:
        print(len(results.packages) if options.packages else len(results))
    elif options.packages:
        packages = sorted_packages(results, field, descending=descending)[: options.limit]
        sys.stdout.writelines(written(PackageList(packages), options.format, terminal_width()))
    else:
        rows = sorted_rows(results, field, descending=descending)
        specs = (results.index.spec(row) for row in islice(rows, options.limit))
        sys.stdout.writelines(write(specs))
        if options.limit is not None and options.limit < len(results):
            note(f"{options.limit} of {len(results)} specs; --limit cut the rest")
    talk(left_out_notes(results.index, query))
    if results.rows:
        return FOUND
    talk(nothing_found(results.index, why_nothing(results.index, query)))
    talk(no_host_notes(options, results.index))
    return NOTHING


def which(options: Options) -> int:
    """What the catalogue knows of each hash."""
    if not options.words:
        raise UsageError("which needs a hash, or - for a log: cachetui which ./content /2feova4")
    if options.format not in FORMATS:
        raise FormatError(f"no format {options.format} for which: there are {', '.join(FORMATS)}")
    log = options.words == ("-",)
    if log and sys.stdin is None:
        raise UsageError("- reads a log from standard input, and that is closed")
    if "-" in options.words and not log:
        raise UsageError("- reads a log from standard input, so it stands alone: cachetui which ./content - <LOG")
    offer = not log or options.format == "json"
    catalogue = open_catalogue(options)
    asked = [] if log else asked_in(options.words)

    def ask(index: Index) -> tuple[tuple[list[Answer], list[UnknownValue]], Iterable[int]]:
        if log and not asked:
            asked.extend(asked_in_log(sys.stdin.buffer, frozenset(index.packages)))
        found = list(look_up(index, asked, options.tag, offer=offer))
        tags = Query().with_part(ValuePart.of("tag", options.tag)) if options.tag else Query()
        return (found, unknown_values(index, tags)), [match.row for each in found for match in each.matches]

    found, unknown = answer(catalogue, options, ask)
    talk(value.phrase for value in unknown)
    if options.count:
        print(sum(len(each.matches) for each in found))
    else:
        report = LookupReport(found, options.limit)
        sys.stdout.writelines(written(report, options.format, terminal_width()))
    talk(lookup_notes(found, log=log))
    return FOUND if found and all(each.found in ("exact", "prefix") for each in found) else NOTHING


def survey(options: Options) -> int:
    """Coverage, diff or doctor."""
    from cachetui.cli import surveys

    return surveys.run(options)


def completion(options: Options) -> int:
    """The completion script of a shell."""
    from cachetui.cli import completion as shell

    sys.stdout.write(shell.script(*options.words[:1] or ("",)))
    return FOUND


def complete(words: Sequence[str]) -> int:
    """What the last of the words may become: `files` or `words`, then a candidate a line."""
    from cachetui.cli import completion as shell

    found = shell.candidates(words, os.environ)
    print("files" if found.files else "words", *found.words, sep="\n")
    return FOUND


def spec_writer(options: Options) -> Callable[[Iterable[Spec]], Iterable[str]]:
    """How specs are written in the format of the options; raises FormatError for one that cannot be read."""
    if options.format in FORMATS:
        width = terminal_width()
        return lambda specs: written(SpecList(specs), options.format, width)
    if options.packages:
        raise FormatError(f"no format {options.format} with --packages: there are {', '.join(FORMATS)}")
    if "{" not in options.format:
        raise FormatError(
            f"no format {options.format}: there are {', '.join(FORMATS)}, and texts such as '{{name}}/{{hash:7}}'"
        )
    line = template(options.format)
    # a template may bring its own end of the line
    return lambda specs: (line(spec).removesuffix("\n") + "\n" for spec in specs)


def sort_of(options: Options) -> tuple[str | None, bool]:
    """The field that `find` sorts by, None for the usual order, and whether backwards; raises UsageError."""
    if options.sort is None:
        return None, False
    fields = PACKAGE_FIELDS if options.packages else FIELDS
    name = options.sort.removeprefix("-")
    name = "package" if name == "name" else name
    if name not in fields:
        raise UsageError(f"no field {name} to sort by: there are {', '.join(('name', *fields))}")
    return name, options.sort.startswith("-")


def sorted_rows(results: Results, field: str | None, *, descending: bool) -> Iterable[int]:
    """The rows by a field, or else by package, the newest version first, then hash."""
    if field is None:
        return results.in_order()
    index = results.index

    def key(row: int) -> Any:
        text = field_text(index.spec(row), field)
        return sort_key(text) if field == "version" else text if field == "hash" else natural_key(text)

    return sorted(results.rows, key=key, reverse=descending)


def sorted_packages(results: Results, field: str | None, *, descending: bool) -> list[tuple[str, int, list[str]]]:
    """Every package with its number of specs and its versions, the newest first, by one of the three."""
    found = [(package.name, package.specs, results.versions(package.number)) for package in results.packages]
    keys: dict[str | None, Callable[[tuple[str, int, list[str]]], Any]] = {
        "package": lambda each: each[0],
        "specs": lambda each: each[1],
        "versions": lambda each: list(map(sort_key, each[2])),
    }
    return sorted(found, key=keys[field], reverse=descending) if field else found

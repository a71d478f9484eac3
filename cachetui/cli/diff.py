"""`diff`: what changed between two tags."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Annotated, cast

from msgspec.structs import replace

from cachetui.analysis.drift import Comparison, Drift, drift
from cachetui.cli.notes import FOUND, NOTHING, note, print_notes, terminal_width
from cachetui.cli.options import Count, FormatName, Limit, Option, QueryOptions, UsageError
from cachetui.cli.session import answer, check_tag, no_host_notes, one_a_page, open_catalogue, query_of
from cachetui.explain.why import why_nothing
from cachetui.report.drift import DriftReport
from cachetui.report.formats import written
from cachetui.report.why import nothing_found
from cachetui.search.index import Index


class DiffOptions(QueryOptions, frozen=True, kw_only=True):
    by: Annotated[
        str,
        Option("signature (what the page says of a build) or hash", "WHAT", values=("signature", "hash")),
    ] = "signature"
    exit_code: Annotated[bool, Option("status 1 if something changed")] = False
    format: FormatName = "table"
    limit: Limit = None
    count: Count = False


OPTIONS = DiffOptions

REFUSED = {"--tag": "diff takes its two tags as words: cachetui diff ./content OLD NEW"}


def run(options: DiffOptions) -> int:
    """Prints what changed."""
    if len(options.words) < 2:
        raise UsageError("diff needs two tags: cachetui diff ./content develop-2025-04-20 develop")
    old, new = options.words[:2]
    query = query_of(replace(options, words=options.words[2:]))
    if query.parts_of("tag"):
        raise UsageError("diff compares the two tags that it is given: leave tag= out of the query")
    by = cast(Comparison, options.by)

    def ask(index: Index) -> tuple[tuple[Index, Drift], Iterable[int]]:
        for tag in (old, new):
            check_tag(index, tag)
        both = index.value_rows("tag", old) | index.value_rows("tag", new)
        return (index, drift(index, old, new, query, by=by)), one_a_page(index, index.rows(query) & both)

    index, found = answer(open_catalogue(options), options, ask)
    if options.count:
        print(len(found.changes) + sum(map(len, _wholes(found))))
    else:
        sys.stdout.writelines(written(DriftReport(found, options.limit), options.format, terminal_width()))
    if not found and not found.unchanged and not found.rebuilt:
        print_notes(nothing_found(index, why_nothing(index, query)))
        print_notes(no_host_notes(options, index))
        return NOTHING
    if options.limit is not None and options.limit < len(found.changes) and not options.count:
        note(f"{options.limit} of {len(found.changes)} changes; --limit cut the rest")
    return NOTHING if options.exit_code and found else FOUND


def _wholes(found: Drift) -> tuple[tuple[str, ...], ...]:
    return *found.packages.values(), found.stacks_gained, found.stacks_lost

"""`diff`: what changed between two tags, or in what two specs differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, cast

from msgspec.structs import replace

from cachetui.analysis.comparison import Comparison, compare
from cachetui.analysis.diff import CHANGE_KINDS, Drift, drift
from cachetui.analysis.which import LookupAnswer, look_up
from cachetui.cli.notes import FOUND, NOTHING, note, print_notes, terminal_width
from cachetui.cli.options import Count, FormatName, Limit, Option, QueryOptions, Stacks, UsageError
from cachetui.cli.parser import PAIR
from cachetui.cli.session import (
    answer,
    answerable,
    checked_stacks,
    checked_tag,
    host_notes,
    one_a_page,
    open_catalogue,
    query_notes,
    query_of,
)
from cachetui.cli.streams import print_lines
from cachetui.model.spec import HASH_WORD, snapshot_day
from cachetui.query.parts.facets import ValuePart
from cachetui.query.query import Query
from cachetui.report.comparison import ComparisonReport
from cachetui.report.drift import KINDS, STACK_KINDS, VERSION_KINDS, DriftReport
from cachetui.report.formats import written
from cachetui.report.lookup import lookup_notes
from cachetui.report.why import nothing_found
from cachetui.safe_text import listed
from cachetui.search.builds import ComparedBy
from cachetui.search.index import Index
from cachetui.search.mentions import asked_by

HELP = f"""\
OLD and NEW are tags; `latest` and `previous` are the newest weekly snapshots. Without them these two are compared.
Two hashes are two specs: cachetui diff ./mirror /2feova4../qrcxhva
Kinds for --kind, as in the table that is printed:
  of packages          gone, new
  of whole stacks      {", ".join(STACK_KINDS)}
  of builds            {", ".join(CHANGE_KINDS)}
  of versions alone    {", ".join(VERSION_KINDS)}
"""

_TAG_OR_HASH = re.compile(r"[A-Za-z0-9_][\w./-]*|/[A-Za-z2-7]+")
"""Two of these side by side are no query."""


class DiffOptions(QueryOptions, frozen=True, kw_only=True):
    kind: Annotated[tuple[str, ...], Option("only changes of this kind; may be given again", "K", values=KINDS)] = ()
    stack: Stacks = ()
    by: Annotated[
        str,
        Option("signature (what the page says of a build) or hash", "WHAT", values=("signature", "hash")),
    ] = "signature"
    exit_code: Annotated[bool, Option("status 1 if something changed")] = False
    format: FormatName = "table"
    limit: Limit = None
    count: Count = False


OPTIONS = DiffOptions

REFUSED = {"--tag": "diff takes its two tags as one word: cachetui diff CONTENT OLD..NEW"}


def run(options: DiffOptions) -> int:
    """Prints what changed."""
    pair, words = _pair(options.words)
    if pair and all(map(HASH_WORD.fullmatch, pair)):
        if words:
            raise UsageError(f"two specs are compared without a query: leave {' '.join(words)} out")
        return _compare(options, pair)
    query = _query(replace(options, words=words))

    def ask(index: Index) -> tuple[tuple[Index, Drift], Iterable[int]]:
        checked_stacks(index, options.stack)
        old, new = (checked_tag(index, tag) for tag in pair or _newest(index))
        answerable(index, query)
        both = index.value_rows("tag", old) | index.value_rows("tag", new)
        found = drift(index, old, new, query, by=cast(ComparedBy, options.by))
        return (index, found), one_a_page(index, index.rows(query) & both)

    index, found = answer(open_catalogue(options), options, ask)
    report = DriftReport(found, index, options.kind, options.limit)
    if options.count:
        print_lines([f"{len(report)}\n"])
    else:
        print_lines(written(report, options.format, terminal_width()))
    print_notes(host_notes(index, found.query))
    if not found and not found.unchanged and not found.rebuilt:
        print_notes(nothing_found(index, found.query))
        return NOTHING
    print_notes(query_notes(index, found.query))
    if options.limit is not None and options.limit < len(report) and not options.count:
        note(f"{options.limit} of {len(report)} changes; --limit cut the rest")
    return NOTHING if options.exit_code and found and len(report) else FOUND


def _compare(options: DiffOptions, pair: Sequence[str]) -> int:
    """Prints in what two specs differ."""
    asked = [asked_by(word) for word in pair]

    def ask(index: Index) -> tuple[tuple[list[LookupAnswer], Comparison | None], Iterable[int]]:
        answers = list(look_up(index, asked))
        rows = [match.row for each in answers for match in each.matches]
        if any(each.hashes != 1 for each in answers):
            return (answers, None), ()
        return (answers, compare(index, *(each.matches[0].row for each in answers))), rows

    answers, found = answer(open_catalogue(options), options, ask)
    print_notes(lookup_notes(answers, log=False))
    if found is None:
        return NOTHING
    differs = found.old.hash != found.new.hash
    if options.count:
        print_lines([f"{len(found.differs) + len(found.dependencies or ())}\n"])
    else:
        print_lines(written(ComparisonReport(found), options.format, terminal_width()))
    return NOTHING if options.exit_code and differs else FOUND


def _query(options: DiffOptions) -> Query:
    query = query_of(options)
    if query.parts_of("tag"):
        raise UsageError("diff compares the two tags that it is given: leave tag= out of the query")
    if not options.stack:
        return query
    if query.parts_of("stack"):
        raise UsageError("--stack and stack= both name the stack: give it once")
    return query.with_part(ValuePart.of("stack", options.stack))


def _pair(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The two tags or hashes to compare, none where none are named, and the words of the query; raises UsageError."""
    first = PAIR.fullmatch(words[0]) if words else None
    if first:
        return (first["old"], first["new"]), tuple(words[1:])
    if len(words) > 1 and all(map(_TAG_OR_HASH.fullmatch, words[:2])):
        raise UsageError(f"diff takes its two tags or hashes as one word: cachetui diff CONTENT {'..'.join(words[:2])}")
    return (), tuple(words)


def _newest(index: Index) -> tuple[str, str]:
    """The two newest weeks, or the only two tags; raises UsageError."""
    if len([tag for tag in index.tags if snapshot_day(tag)]) > 1:
        return "previous", "latest"
    if len(index.tags) == 2:
        return index.tags[1], index.tags[0]
    raise UsageError(f"diff needs two tags: {_tags_text(index)}; cachetui diff CONTENT OLD..NEW")


def _tags_text(index: Index) -> str:
    """Which tags there are, in one phrase."""
    if not index.tags:
        return "there is none here"
    return f"there {'is only' if len(index.tags) == 1 else 'are'} {listed(index.tags)}"

"""`diff`: what changed between two tags, or in what two specs differ."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, cast

from msgspec.structs import replace

from cachetui.analysis.comparison import Comparison, compare
from cachetui.analysis.drift import CHANGE_KINDS, Drift, drift
from cachetui.analysis.lookup import LookupAnswer, look_up
from cachetui.cli.notes import FOUND, NOTHING, note, print_notes, terminal_width
from cachetui.cli.options import Count, FormatName, Limit, Option, QueryOptions, UsageError
from cachetui.cli.session import (
    answer,
    answerable,
    checked_stacks,
    checked_tag,
    host_notes,
    no_host_notes,
    one_a_page,
    open_catalogue,
    query_notes,
    query_of,
)
from cachetui.explain.why import why_nothing
from cachetui.model.likeness import nearest_names
from cachetui.model.spec import snapshot_day, tag_meant
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
Two hashes are two specs: cachetui diff ./mirror /2feova4 /qrcxhva
Kinds for --kind, as in the table that is printed:
  of packages          gone, new
  of whole stacks      {", ".join(STACK_KINDS)}
  of builds            {", ".join(CHANGE_KINDS)}
  of versions alone    {", ".join(VERSION_KINDS)}
"""

_HASH = re.compile(r"[^\s/]*/[A-Za-z0-9]{1,32}")
"""`/2feova4`, `hdf5/2feova4`."""

_WORD = re.compile(r"[A-Za-z0-9_][\w.-]*")

_LIKE_A_TAG = re.compile(r"(develop|v\d|latest$|previous$)[\w.-]*")


class DiffOptions(QueryOptions, frozen=True, kw_only=True):
    kind: Annotated[tuple[str, ...], Option("only changes of this kind; may be given again", "K", values=KINDS)] = ()
    stack: Annotated[tuple[str, ...], Option("only this stack; may be given again", "S", completed_by="stack")] = ()
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
    if len(options.words) == 2 and all(_HASH.fullmatch(word) for word in options.words):
        return _compare(options)

    def ask(index: Index) -> tuple[tuple[Index, Drift | None], Iterable[int]]:
        if not index.columns.page_path:
            return (index, None), ()  # whoever opened it says that it holds nothing
        checked_stacks(index, options.stack)
        old, new, words = _tags(index, options.words)
        query = _query(replace(options, words=words))
        answerable(index, query)
        both = index.value_rows("tag", old) | index.value_rows("tag", new)
        found = drift(index, old, new, query, by=cast(ComparedBy, options.by))
        return (index, found), one_a_page(index, index.rows(query) & both)

    index, found = answer(open_catalogue(options), options, ask)
    if found is None:
        return NOTHING
    report = DriftReport(found, index, options.kind, options.limit)
    if options.count:
        print(len(report))
    else:
        sys.stdout.writelines(written(report, options.format, terminal_width()))
    print_notes(host_notes(index, found.query))
    if not found and not found.unchanged and not found.rebuilt:
        print_notes(nothing_found(index, why_nothing(index, found.query)))
        print_notes(no_host_notes(options, index))
        return NOTHING
    print_notes(query_notes(index, found.query))
    if options.limit is not None and options.limit < len(report) and not options.count:
        note(f"{options.limit} of {len(report)} changes; --limit cut the rest")
    return NOTHING if options.exit_code and found and len(report) else FOUND


def _compare(options: DiffOptions) -> int:
    """Prints in what two specs differ."""
    asked = [asked_by(word) for word in options.words]

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
        print(len(found.differs) + len(found.dependencies or ()))
    else:
        sys.stdout.writelines(written(ComparisonReport(found), options.format, terminal_width()))
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


def _tags(index: Index, words: Sequence[str]) -> tuple[str, str, tuple[str, ...]]:
    """The two tags to compare, and the words of the query; raises UsageError."""
    first = words[:2]
    if any(_is_tag(index, word) for word in first):
        if len(first) < 2 or not (_is_tag(index, first[1]) or _LIKE_A_TAG.match(first[1])):
            other = next((word for word in first if not _is_tag(index, word)), "")
            near = nearest_names(other, index.tags)
            none = f"{other} is none, " if other else ""
            meant = f"{none}nearest: {', '.join(near)}" if near else f"{none}{_tags_text(index)}"
            raise UsageError(f"diff needs two tags: {meant}; cachetui diff CONTENT OLD NEW")
        old, new = (checked_tag(index, word) for word in first)
        return old, new, tuple(words[2:])
    if len(first) == 2 and all(map(_WORD.fullmatch, first)) and index.package_number(first[0]) is None:
        raise UsageError(f"diff needs two tags: {' and '.join(first)} are none, {_tags_text(index)}")
    weekly = [tag for tag in index.tags if snapshot_day(tag)]
    if len(weekly) > 1:
        return tag_meant("previous", index.tags), tag_meant("latest", index.tags), tuple(words)
    if len(index.tags) == 2:
        return index.tags[1], index.tags[0], tuple(words)
    raise UsageError(f"diff needs two tags: {_tags_text(index)}; cachetui diff CONTENT OLD NEW")


def _tags_text(index: Index) -> str:
    """Which tags there are, in one phrase."""
    if not index.tags:
        return "there is none here"
    return f"there {'is only' if len(index.tags) == 1 else 'are'} {listed(index.tags)}"


def _is_tag(index: Index, word: str) -> bool:
    return tag_meant(word, index.tags) in index.tags or bool(_LIKE_A_TAG.fullmatch(word))

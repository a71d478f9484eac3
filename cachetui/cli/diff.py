"""`diff`: show the changes between two tags, or the differences between two specs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, cast

from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.analysis.comparison import compare
from cachetui.analysis.diff import TagDiff, consequences, diff
from cachetui.analysis.which import LookupAnswer, look_up
from cachetui.cli.options import Baseline, GateFormat, Option, QueryResultOptions, StackOption, UsageError
from cachetui.cli.output import FOUND, NOTHING, print_document, print_gate, print_notes, read_baseline
from cachetui.cli.parser import PAIR
from cachetui.cli.session import (
    answer,
    ask_since,
    checked_stacks,
    checked_tag,
    open_catalogue,
    query_notes,
    query_of,
    settled,
)
from cachetui.environments.reader import read_locks
from cachetui.environments.wanted import Asked
from cachetui.model.spec import HASH_WORD
from cachetui.model.tags import NOW, day_of, own_tag, tag_meant, weekly_tags
from cachetui.report.comparison import ComparisonDocument, ComparisonReport
from cachetui.report.diff import DiffDocument, DiffReport, searched
from cachetui.report.formats import CaseKey
from cachetui.report.which import lookup_notes
from cachetui.report.why import nothing_found
from cachetui.safe_text import containing, listed
from cachetui.search.hash_extraction import asked_by
from cachetui.search.index import Index
from cachetui.search.signatures import ComparedBy

HELP = """\
OLD and NEW are tags or days of snapshots, such as `yesterday..now` or
`2026-11-01..7d` (7d is 7 days ago). Without them, diff compares the two newest
weekly tags, `previous` and `latest`. With two hashes, it compares two specs.
"""

_TAG_OR_HASH = re.compile(r"[A-Za-z0-9_][\w./-]*|/[A-Za-z2-7]+")
"""A tag or a hash. Two adjacent words of this form are probably a mistyped OLD..NEW."""


class DiffOptions(QueryResultOptions, frozen=True, kw_only=True):
    stack: StackOption = ()
    by: Annotated[
        str,
        Option(
            "compare builds by `signature` (all fields except the hash; default) or by `hash`",
            "WHAT",
            values=("signature", "hash"),
        ),
    ] = "signature"
    since: Annotated[
        str | None, Option("compare the latest snapshot on or before DAY with now", "DAY", completed_by="tag")
    ] = None
    search: Annotated[
        str, Option("show only changes with WORD in the package, the stack or the kind of change", "WORD")
    ] = ""
    exit_code: Annotated[bool, Option("exit with status 1 if anything changed", group="output")] = False
    format: GateFormat = "table"
    baseline: Baseline = None
    keep: Annotated[
        tuple[str, ...],
        Option(
            "also list the roots of this spack.lock that need a removed build; repeatable", "FILE", completed_by="file"
        ),
    ] = ()


DOCUMENT = (DiffDocument, ComparisonDocument)


def run(options: DiffOptions) -> int:
    """Print the changes between two tags, or the differences between two specs."""
    pair, words = _pair((*[f"{options.since}..{NOW}"] * bool(options.since), *options.words))
    locks = read_locks(options.keep, options.settings)
    query = query_of(replace(options, words=words), stack=options.stack)
    if query.terms_of("tag"):
        raise UsageError("tag= contradicts the two tags of diff: remove tag= from the query")
    before = read_baseline(options.baseline, DiffDocument, DiffDocument.cases)

    def ask(index: Index) -> tuple[TagDiff | list[LookupAnswer], Iterable[int]]:
        if pair and all(HASH_WORD.fullmatch(word) and tag_meant(word, index.tags) not in index.tags for word in pair):
            if query or options.by != "signature" or before is not None:
                raise UsageError("to compare two specs, leave out QUERY, --stack, --fits, --by and --baseline")
            answers = list(look_up(index, map(asked_by, pair)))
            rows = [match.row for each in answers for match in each.matches if match.row is not None]
            return answers, rows if len(rows) == len(pair) else ()
        checked_stacks(index, options.stack)
        first, second = pair or _newest(index)
        old = checked_tag(index, first)
        new = checked_tag(index, old.removesuffix(own_tag(old)) + NOW if second == NOW else second)
        both = index.value_rows("tag", old) | index.value_rows("tag", new)
        found = diff(index, old, new, settled(index, query, ()), by=cast(ComparedBy, options.by))
        return found, index.rows(query) & both

    catalogue = open_catalogue(replace(options, history=options.history or any(map(day_of, pair))), pair)
    if options.since:
        pair = ask_since(catalogue, pair[0]), NOW
    if not pair:
        catalogue.ask_newest()
    index, found = answer(catalogue, options, ask)
    if isinstance(found, TagDiff):
        return _print_tags(index, found, options, before, locks)
    return _print_specs(index, found, options)


def _print_tags(
    index: Index,
    found: TagDiff,
    options: DiffOptions,
    before: Mapping[CaseKey, str] | None,
    locks: Sequence[tuple[str, Asked]],
) -> int:
    """Print the changes between two tags, and the roots that no longer install.

    `before`: the errors of the baseline. `locks`: the roots of locks, each with the path of its lock.
    """
    rows = index.rows(found.query)
    broken = [
        each
        for each in consequences(index, (found.old, found.new), found.replaced, locks)[0]
        if rows.intersection(BitMap(index.rows_of(each.hash))) and containing(options.search, "broken", each.package)
    ]
    found = searched(found, options.search)
    report = DiffReport(found, index, broken)
    path, number = f"{found.old}..{found.new}", len(report)
    failed = print_gate(report, options, before, fails=options.exit_code and bool(found), path=path, number=number)
    if not found and not found.unchanged and not found.rebuilt:
        print_notes(nothing_found(index, found.query))
        return NOTHING
    print_notes(query_notes(index, found.query))
    return NOTHING if failed else FOUND


def _print_specs(index: Index, answers: Sequence[LookupAnswer], options: DiffOptions) -> int:
    """Print the differences between two specs."""
    print_notes(lookup_notes(answers, log=False))
    rows = [row for each in answers if each.hashes == 1 and (row := each.matches[0].row) is not None]
    if len(rows) < len(answers):
        return NOTHING
    found = compare(index, *rows)
    differs = found.old.hash != found.new.hash
    print_document(ComparisonReport(found), options, len(found.differs) + len(found.dependencies or ()))
    return NOTHING if options.exit_code and differs else FOUND


def _pair(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split the words of the command line. Return the two tags or hashes in `OLD..NEW`, and the words of the query.

    Without `OLD..NEW`, the first result is empty. Raise UsageError if two tags or hashes are separate words.
    """
    first = PAIR.fullmatch(words[0]) if words else None
    if first:
        return (first["old"], first["new"]), tuple(words[1:])
    if len(words) > 1 and all(map(_TAG_OR_HASH.fullmatch, words[:2])):
        raise UsageError(f"write the two tags or hashes as one word: cachetui diff CONTENT {'..'.join(words[:2])}")
    return (), tuple(words)


def _newest(index: Index) -> tuple[str, str]:
    """Return the two newest weekly tags, or the only two tags. Raise UsageError if the content has neither."""
    if len(weekly_tags(index.tags)) > 1:
        return "previous", "latest"
    if len(index.tags) == 2:
        return index.tags[1], index.tags[0]
    raise UsageError(f"diff needs two tags, written OLD..NEW; tags of the content: {listed(index.tags) or 'none'}")

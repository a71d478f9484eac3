"""`which`: look up hashes, given as arguments or in a log."""

import sys
from collections.abc import Iterable

from cachetui.analysis.which import LookupAnswer, look_up
from cachetui.cli.options import ResultOptions, Tags, UsageError
from cachetui.cli.output import FOUND, NOTHING, print_document, print_notes
from cachetui.cli.session import answer, checked_tag, open_catalogue
from cachetui.model.problem import UNREAD, UNREAD_CACHES
from cachetui.model.spec import Spec
from cachetui.report.specs import Places
from cachetui.report.which import AnswerRecord, LookupReport, lookup_notes
from cachetui.search.hash_extraction import HashQuery
from cachetui.search.index import Index
from cachetui.search.log_hashes import asked_in, asked_in_log


class WhichOptions(ResultOptions, frozen=True, kw_only=True):
    tag: Tags = ()


DOCUMENT = (list[AnswerRecord],)


def run(options: WhichOptions) -> int:
    """Print the facts about each hash."""
    if not options.words:
        raise UsageError("give a hash, or - to read a log: cachetui which ./content /2feova4")
    log = options.words == ("-",)
    if log and sys.stdin is None:
        raise UsageError("standard input is closed: give a log with cachetui which ./content - <LOG")
    if "-" in options.words and not log:
        raise UsageError("- must be the only word after CONTENT: cachetui which ./content - <LOG")
    offer = not log or options.format == "json"
    catalogue = open_catalogue(options)
    asked: list[HashQuery] = []

    def ask(index: Index) -> tuple[list[LookupAnswer], Iterable[int]]:
        if not asked:
            packages = frozenset(index.packages)
            asked.extend(asked_in_log(sys.stdin.buffer, packages) if log else asked_in(options.words, packages))
        joint = catalogue.over_snapshots(index, hashes=[each.hash for each in asked if each.hash])
        found = list(look_up(joint, asked, [checked_tag(index, tag) for tag in options.tag], offer=offer))
        hashes = [match.spec.hash or "" for each in found for match in each.matches]
        # a hash without a row may have been removed: without rows, `answer` compares all files
        are_there = all(map(catalogue.own(index).rows_of, hashes))
        return found, [row for each in hashes for row in index.rows_of(each)] if are_there else ()

    index, found = answer(catalogue, options, ask, misses=lambda found: not all(each.matches for each in found))
    # a removal is only certain if every file could be read
    snapshots = [
        tag
        for tag in (
            [] if any(each.kind in (UNREAD, *UNREAD_CACHES) for each in index.problems) else catalogue.snapshots
        )
        if tag not in catalogue.own(index).tags
    ]

    def signed(spec: Spec) -> Spec:
        from cachetui.sources.buildcache.remote_binaries import with_signature  # late: tables do not show signatures

        return with_signature(spec, index.graph, options.settings)

    report = LookupReport(found, signed, Places(catalogue.contents), snapshots)
    print_document(report, options, len({match.spec.hash for each in found for match in each.matches}))
    print_notes(lookup_notes(found, log=log, snapshots=snapshots))
    return FOUND if found and all(each.found in ("exact", "prefix", "recorded") for each in found) else NOTHING

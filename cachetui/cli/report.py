"""`report`: write a page with the broken roots, the fixes and the new builds since an earlier tag or snapshot."""

import time
from collections.abc import Iterable
from typing import Annotated, Any, cast

from msgspec.structs import replace

from cachetui.analysis.diff import consequences, diff
from cachetui.analysis.stacks import stack_gaps, stack_sizes
from cachetui.cli.options import ContentOptions, Option, UsageError, format_option
from cachetui.cli.output import FOUND, NOTHING, print_document
from cachetui.cli.session import answer, ask_since, checked_stacks, checked_tag, index_times, open_catalogue
from cachetui.environments.reader import read_locks
from cachetui.model.problem import UNREAD, UNREAD_CACHES
from cachetui.model.tags import NOW, label_of, own_tag, tags_to_compare
from cachetui.report.report import ReportDocument, changes_of
from cachetui.report.specs import Places
from cachetui.safe_text import listed, utc_time
from cachetui.search.index import Index

HELP = """\
The report compares the content with the previous tag or snapshot. It lists the
broken roots of each LOCK (a spack.lock) and of each stack. A root is broken if
it needs a removed build. The roots of a stack are the specs that no other spec
of the stack needs. If nothing changed, the report has only two lines. Pages of
cache.spack.io record no dependencies: to see the broken roots, give a LOCK. If
you open more than one CONTENT, write --since LABEL/DAY. LABEL/ is the prefix of
the tag names of one CONTENT.
"""


class ReportOptions(ContentOptions, frozen=True, kw_only=True):
    since: Annotated[
        str | None, Option("compare the latest snapshot on or before DAY with now", "DAY", completed_by="tag")
    ] = None
    stack: Annotated[
        tuple[str, ...],
        Option(
            "list the new gaps of S: packages in another given stack; give --stack at least twice",
            "S",
            completed_by="stack",
        ),
    ] = ()
    exit_code: Annotated[bool, Option("exit with status 1 if a root is broken or a file is unreadable")] = False
    format: Annotated[str, format_option(("markdown", "html", "json"))] = "markdown"


DOCUMENT = (ReportDocument,)


def run(options: ReportOptions) -> int:
    """Print the page."""
    locks = read_locks(options.words, options.settings)
    catalogue = open_catalogue(replace(options, history=True))
    if len(catalogue.contents) > 1 and not label_of(options.since or ""):
        labels = listed([f"{label}7d" for label, _ in catalogue.contents], 3)
        raise UsageError(f"report compares only one CONTENT: select one with --since LABEL/DAY, such as {labels}")
    since = ask_since(catalogue, options.since) if options.since else ""
    if not since:
        catalogue.ask_newest()

    def ask(index: Index) -> tuple[ReportDocument, Iterable[int]]:
        checked_stacks(index, options.stack)
        now = checked_tag(index, since.removesuffix(own_tag(since)) + NOW)
        old, new = (checked_tag(index, since), now) if since else tags_to_compare(index.tags, now)
        if not old:
            raise UsageError(
                "report needs two tags, and the content has only one: to save a snapshot, run cachetui record CONTENT"
            )
        found = diff(index, old, new)
        lost, back = consequences(index, (old, new), found.replaced, locks)
        named = {spec_hash for each in (*lost, *back) for spec_hash in (each.hash, *each.follows)}
        added, rebuilt, removed = changes_of(index, found, named)
        sizes = stack_sizes(index, [new], catalogue)
        gaps, before = (stack_gaps(index, tag, options.stack) for tag in (new, old))
        times = [when for cache, when in index_times(catalogue, index, options).items() if cache.tag == new]
        page = ReportDocument(
            content=Places(catalogue.contents).apart(new)[0],
            old=old,
            new=new,
            locks=options.words,
            host=options.settings.host().name,
            time=utc_time(time.time()),
            by_index=utc_time(min(times)) if times else None,
            unread=[each.path for each in index.problems if each.kind in (UNREAD, *UNREAD_CACHES, "unreadable")],
            broken=[each for each in lost if each.roots],
            fixed=back,
            added=added,
            needed=[each for each in lost if not each.roots],
            stacks=[each for each in sizes if each.is_low and each.tags.get(old) != each.specs],
            gaps={stack: sorted(names - before[stack]) for stack, names in gaps.items()},
            rebuilt=rebuilt,
            removed=removed,
        )
        return page, index.value_rows("tag", new)

    _, found = answer(catalogue, options, ask)
    print_document(cast(Any, found), options)  # no format of `report` calls `records`
    return NOTHING if options.exit_code and (found.broken or found.unread) else FOUND

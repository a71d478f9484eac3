"""`doctor`: what is wrong with a catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from msgspec.structs import replace

from cachetui.analysis.doctor import health
from cachetui.cli.notes import FOUND, NOTHING, note, terminal_width
from cachetui.cli.options import ContentOptions, Count, FormatName, Limit, Option, Tags, UsageError
from cachetui.cli.session import answer, checked_tag, open_catalogue
from cachetui.cli.streams import print_lines
from cachetui.model.problem import Problem
from cachetui.report.formats import written
from cachetui.report.health import HealthReport
from cachetui.safe_text import plural
from cachetui.search.index import Index

HELP = """\
The status is 1 if there are faults, 0 if there are none: notes do not count. With --unreferenced it is 1 if there are
binaries that nothing needs.
"""


class DoctorOptions(ContentOptions, frozen=True, kw_only=True):
    unreferenced: Annotated[
        bool, Option("the binaries that nothing needs; behind CONTENT locks and hashes to keep")
    ] = False
    tag: Tags = ()
    format: FormatName = "table"
    limit: Limit = None
    count: Count = False
    deep: Annotated[bool, Option("read every blob and tarball of a build cache to check its sha256")] = False


OPTIONS = DoctorOptions


def _of_caches(index: Index, tags: Sequence[str], *, deep: bool) -> Iterator[Problem]:
    """What is wrong with the build caches of the content."""
    if index.graph:
        from cachetui.sources.buildcache.examination import examine_caches, missing_dependencies

        yield from examine_caches(index.graph, tags, deep=deep)
        yield from missing_dependencies(index.graph, tags)


def run(options: DoctorOptions) -> int:
    """Prints every fault and note, or what one can prune."""
    if options.unreferenced:
        from cachetui.cli.unreferenced import run_unreferenced  # late, as it is seldom asked for

        return run_unreferenced(options, options.tag, options.limit, count=options.count, form=options.format)
    if options.words:
        raise UsageError(f"doctor takes no query: {' '.join(options.words)}; leave it out, or ask find")

    def ask(index: Index) -> tuple[tuple[Index, tuple[Problem, ...]], Iterable[int]]:
        tags = [checked_tag(index, tag) for tag in options.tag]
        return (index, (*health(index, tags), *_of_caches(index, tags, deep=options.deep))), ()

    # its subject is the files, so they are always compared
    catalogue = open_catalogue(options)
    index, problems = answer(catalogue, replace(options, fresh=True), ask, judges=True)
    problems = (*(stale.problem for stale in catalogue.stale), *problems)
    if options.count:
        print_lines([f"{len(problems)}\n"])
    else:
        print_lines(written(HealthReport(problems[: options.limit]), options.format, terminal_width()))
    faults = sum(problem.level == "fault" for problem in problems)
    found = f"{plural(faults, 'fault')} and {plural(len(problems) - faults, 'note')}"
    note(f"{found}, {plural(len(index.columns.page_path), 'page')} read")
    return NOTHING if faults else FOUND

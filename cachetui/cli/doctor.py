"""`doctor`: what is wrong with a catalogue; with `--unreferenced` the binaries that nothing needs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from msgspec.structs import replace

from cachetui.analysis.doctor import health
from cachetui.cli.options import Option, ResultOptions, Tags, UsageError
from cachetui.cli.output import FOUND, NOTHING, note, print_document
from cachetui.cli.session import answer, asking_of, checked_tag, open_catalogue, scope_of, sizes_of
from cachetui.model.problem import Problem
from cachetui.model.spec import HASH
from cachetui.report.doctor import binary_list, health_document
from cachetui.report.places import Places
from cachetui.safe_text import plural, size_text
from cachetui.search.index import Index
from cachetui.sources.source import ByTags
from cachetui.sources.transport.cache import Servers

HELP = """\
The status is 1 if there are faults, 0 if there are none: notes do not count. With --unreferenced it is 1 if there are
binaries that nothing needs.
"""


class DoctorOptions(ResultOptions, frozen=True, kw_only=True):
    unreferenced: Annotated[
        bool, Option("the binaries that nothing needs; behind CONTENT locks and hashes to keep")
    ] = False
    tag: Tags = ()


OPTIONS = DoctorOptions


def run(options: DoctorOptions) -> int:
    """Print every fault and note, or what one can prune."""
    if options.unreferenced:
        return _run_unreferenced(options)
    if options.words:
        raise UsageError(f"doctor takes no query: {' '.join(options.words)}; leave it out, or ask find")

    def ask(index: Index) -> tuple[tuple[Problem, ...], Iterable[int]]:
        servers = Servers(os.environ, asking_of(options), catalogue.headers)
        tags = [checked_tag(index, tag) for tag in options.tag]
        return (*health(index, tags), *_of_caches(index, tags, servers)), ()

    # its subject is the files, so they are always compared
    catalogue = open_catalogue(options)
    index, problems = answer(catalogue, replace(options, fresh=True), ask, judges=True)
    problems = (*(stale.problem for stale in catalogue.stale), *problems)
    print_document(health_document(problems[: options.limit]), options, len(problems))
    faults = sum(problem.level == "fault" for problem in problems)
    found = f"{plural(faults, 'fault')} and {plural(len(problems) - faults, 'note')}"
    note(f"{found}, {plural(len(index.columns.page_path), 'page')} read")
    return NOTHING if faults else FOUND


def _of_caches(index: Index, tags: Sequence[str], servers: Servers) -> Iterator[Problem]:
    """What is wrong with the build caches of the content."""
    if index.graph:
        from cachetui.sources.buildcache.examination import examine_caches, missing_dependencies

        yield from examine_caches(index.graph, tags, servers)
        yield from missing_dependencies(index.graph, tags)


def _run_unreferenced(options: DoctorOptions) -> int:
    """Print the binaries that nothing needs; the words name roots that are to be kept with all that they need."""
    from cachetui.analysis.deps import unreferenced  # late, as it is seldom asked for
    from cachetui.environments.reader import read_wanted
    from cachetui.search.closures import total_size

    wanted = read_wanted(options.words)
    asked = wanted.asked
    if no_root := next((each.text for each in asked if not HASH.fullmatch(each.hash or "")), None):
        raise UsageError(f"{no_root} is no root: name whole hashes or a spack.lock")
    roots = [each.hash or "" for each in asked]
    kept = {*roots, *(listed for lock in wanted.locks for part in lock.graph.parts for listed in part.hashes)}

    def ask(index: Index) -> tuple[list[str], Iterable[int]]:
        query = scope_of(index, options.tag)
        return unreferenced(index, query, kept), index.rows(query)

    catalogue = open_catalogue(options)
    index, found = answer(catalogue, options, ask)
    if not index.graph or any(isinstance(stale, ByTags) for stale in catalogue.stale):
        raise UsageError("doctor --unreferenced needs dependencies: give a build cache, as pages and tags record none")
    sizes = sizes_of(catalogue, index, found, options)
    print_document(binary_list(index, found[: options.limit], sizes, Places(catalogue.contents)), options, len(found))
    total = total_size(found, sizes)
    size = "" if total is None or not found else f", {size_text(total)}"
    if unknown := [root for root in roots if index.graph.number(root) is None]:
        note(f"not here: {len(unknown):,} of {plural(len(roots), 'root')} to keep")
    note(f"{len(found):,} {'binary' if len(found) == 1 else 'binaries'} that nothing needs{size}")
    return NOTHING if found else FOUND

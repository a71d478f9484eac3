"""`check`: report whether a hash, a spec, a `spack.lock` or a `spack.yaml` would install from binaries."""

import os
from collections.abc import Iterable, Iterator
from typing import Annotated

from msgspec.structs import replace

from cachetui.analysis.causes import Cause, causes_of_locks
from cachetui.analysis.check import Install, StackHealth, install, signed_mirrors, stack_health
from cachetui.cli.options import (
    AnyFormat,
    Baseline,
    ContentOptions,
    DecidingFits,
    Limit,
    Option,
    StackOption,
    Tags,
    UsageError,
)
from cachetui.cli.output import FOUND, NOTHING, announce, note, print_gate, print_notes, read_baseline
from cachetui.cli.session import answer, asking_of, index_times, open_catalogue, scope_of, sizes_of, virtual_notes
from cachetui.environments.files import IN_A_FOLDER
from cachetui.environments.reader import read_wanted
from cachetui.environments.wanted import Wanted
from cachetui.model.dependency import LINK_RUN, WITH_BUILD
from cachetui.model.host import Host
from cachetui.model.tags import NOW, day_of, own_tag
from cachetui.report.check import CheckDocument, CheckReport, StackHealthReport, StacksDocument
from cachetui.report.formats import FORMATS
from cachetui.report.specs import Places
from cachetui.safe_text import plural
from cachetui.search.availability import Availability
from cachetui.search.index import Index
from cachetui.sources.buildcache.presence import BinaryFiles, trusts
from cachetui.sources.buildcache.remote_binaries import RemoteBinaries, Sizes, seems_signed
from cachetui.suggest.no_match import unmatched

HELP = """\
ENV is a /hash, a spec, a spack.lock, a spack.yaml, the folder of an
environment, a spec.json (spack spec --json), a file with one hash or spec per
line, or - for standard input. Without ENV, check reads the spack.lock or
spack.yaml of the current folder. With several ENVs, check prints one verdict
for all of them.
For a spec, check chooses the best build, if possible one that runs on the host.
An installed spec needs no binary. --tag and --stack select binaries of build
caches, and do not affect an installation.
The status is 0 if everything is installed or has a binary, and otherwise 1. If
you name a host (--fits, CACHETUI_HOST, or host in the config file), a binary
that does not run on this host counts as missing.
"""


class CheckOptions(ContentOptions, frozen=True, kw_only=True):
    all: Annotated[bool, Option("check every stack instead of ENV, and list the missing specs")] = False
    with_build: Annotated[bool, Option("include build dependencies")] = False
    ask: Annotated[bool, Option("ask the servers whether each needed binary exists")] = False
    verify: Annotated[bool, Option("compare checksums of tarballs; this downloads files from servers")] = False
    fits: DecidingFits = None
    stack: StackOption = ()
    tag: Tags = ()
    format: AnyFormat = "table"
    baseline: Baseline = None
    limit: Limit = None
    since: Annotated[
        str | None, Option("print the last snapshot since DAY in which ENV was complete", "DAY", completed_by="tag")
    ] = None


DOCUMENT = (CheckDocument, StacksDocument)


def run(options: CheckOptions) -> int:
    """Print the verdict on the requested specs, the missing specs and the reasons."""
    if options.all:
        return _run_all(options)
    host = Host.parse(options.fits or "here", options.settings.host)
    settings = replace(options.settings, fits=host)
    since = day_of(options.since or "0d")
    if since is None:
        raise UsageError(f"--since cannot be {options.since}: write a day such as 2026-11-01, yesterday or 7d")
    words = options.words or _environment_here()
    before = read_baseline(options.baseline, CheckDocument, CheckDocument.cases)
    wanted = read_wanted(words, settings)
    decides = options.fits is not None or bool(settings.value("host"))
    types = WITH_BUILD if options.with_build else LINK_RUN

    def ask(index: Index) -> tuple[tuple[Install, list[Cause], Availability], Iterable[int]]:
        is_asked = options.ask or options.verify
        remote = RemoteBinaries(settings, asking_of(options), catalogue.credentials) if is_asked else None
        trusted, verify = trusts(catalogue.keyrings), options.verify
        files = BinaryFiles(catalogue.rules, settings, trusted, verify=verify, remote=remote, announce=announce)
        availability = Availability(index, scope_of(index, options.tag, options.stack), files)
        found = install(index, wanted, availability, host, types, host_decides=decides)
        rows = (row for each in (*found.here, *found.installed) for row in index.rows_of(each))
        why = causes_of_locks(wanted.locks, [each.hash for each in found.missing], availability)
        return (found, why, availability), rows

    catalogue = open_catalogue(options)
    index, (found, why, looked) = answer(
        catalogue, options, ask, by_files=any(each.expectation is None for each in wanted.asked)
    )
    known = {each: length for each in found.binaries if (length := looked.size(each)) is not None}
    others = sizes_of(catalogue, index, [each for each in found.binaries if each not in known], options)

    def size(spec_hash: str) -> int | None:
        return known.get(spec_hash) or others(spec_hash)

    # after the sizes, because reading a manifest for its size also shows whether it is signed
    signed = signed_mirrors(index, found, seems_signed(index.graph, settings), looked)
    report = CheckReport(found, size, why, index.graph, Places(catalogue.contents), signed, settings.mirror)
    failed = print_gate(report, options, before, fails=not found.complete, path=" ".join(words))
    print_notes(each.phrase for each in unmatched(index, scope_of(index, options.tag, options.stack)))
    print_notes(_notes(index, wanted, found, options))
    if options.since is not None:
        snapshots = (tag for tag in map(own_tag, catalogue.snapshots_holding(found.binaries)) if tag[:10] >= since)
        last = NOW if found.complete else next(snapshots, f"in no snapshot since {since}")
        note(f"last complete: {last}")
    return NOTHING if failed else FOUND


def _environment_here() -> tuple[str]:
    """Return the environment file in the current folder; raises UsageError if there is none."""
    name = next(filter(os.path.exists, IN_A_FOLDER), None)
    if name is None:
        raise UsageError(
            "check needs a spec, or an environment in the current folder: cachetui check ./mirror spack.lock"
        )
    note(f"check reads {name} in the current folder")
    return (name,)


def _run_all(options: CheckOptions) -> int:
    """Print the health of each stack."""
    if options.words or options.with_build or any(each is not None for each in (options.fits, options.since)):
        raise UsageError("check --all checks whole stacks: leave out ENV, --fits, --since and --with-build")
    before = read_baseline(options.baseline, StacksDocument, StacksDocument.cases)

    def ask(index: Index) -> tuple[list[StackHealth], Iterable[int]]:
        scope = scope_of(index, options.tag, options.stack)
        return list(stack_health(index, scope, Sizes(index))), index.rows(scope)

    catalogue = open_catalogue(options)
    index, found = answer(catalogue, options, ask)
    report = StackHealthReport(found, Places(catalogue.contents), index_times(catalogue, index, options))
    failed = print_gate(report, options, before, fails=any(each.verdict != "yes" for each in found))
    print_notes(each.phrase for each in unmatched(index, scope_of(index, options.tag, options.stack)))
    unknown = sum(each.complete_binaries is None and not each.unread for each in found)
    if unknown:
        print_notes(
            [f"the dependencies of {plural(unknown, 'stack')} are not recorded: give a build cache, which records them"]
        )
    return NOTHING if failed or not found else FOUND


def _notes(index: Index, wanted: Wanted, found: Install, options: CheckOptions) -> Iterator[str]:
    yield from (*wanted.notes, *wanted.unapplied)
    entries = (each.expectation for each in wanted.asked if each.expectation)
    yield from virtual_notes(index, (entry.query for entry in entries if entry.query))
    if FORMATS[options.format].for_programs:  # other formats show these errors in the document
        yield from (f"{root.asked}: {root.fault}" for root in found.roots if root.fault)
    if found.unfit and not found.host_decides:
        of_all = f"{len(found.unfit):,} of {len(found.here) + len(found.installed):,}"
        yield f"{of_all} binaries do not run on this machine, {found.host.name}: for another host, give --fits HOST"

"""`doctor`: list the errors in the content; with `--signed`, list the signers of its binaries."""

import os
from collections.abc import Iterable
from typing import Annotated

from msgspec.structs import replace

from cachetui.analysis.doctor import health, verified
from cachetui.cli.options import Baseline, GateFormat, Option, ResultOptions, Tags
from cachetui.cli.output import FOUND, NOTHING, announce, note, print_gate, read_baseline
from cachetui.cli.session import answer, asking_of, checked_tag, open_catalogue, scope_of
from cachetui.model.problem import Problem, Signer
from cachetui.report.doctor import HealthReport, ProblemRecord, SignerRecord, SignerReport, problem_cases, signer_cases
from cachetui.report.specs import Places
from cachetui.safe_text import plural
from cachetui.search.index import Index
from cachetui.sources.transport.cache import Servers

HELP = """\
The status is 1 if there is an error, and otherwise 0, even with warnings.
With --signed, the status is 0 if every binary is signed with a key that its
cache publishes. --signed reads only folders, and does not verify signatures.
"""


class DoctorOptions(ResultOptions, frozen=True, kw_only=True):
    signed: Annotated[
        bool, Option("list the keys that signed the binaries; say whether the build cache publishes each key")
    ] = False
    verify: Annotated[bool, Option("compare checksums of blobs and tarballs; this downloads files from servers")] = (
        False
    )
    tag: Tags = ()
    format: GateFormat = "table"
    baseline: Baseline = None


DOCUMENT = (list[ProblemRecord], list[SignerRecord])


def run(options: DoctorOptions) -> int:
    """Print every error and warning."""
    if options.signed:
        return _run_signed(options)
    from cachetui.sources.buildcache.examination import examine_caches  # late, because the help does not need it
    from cachetui.sources.buildcache.presence import BinaryFiles
    from cachetui.sources.buildcache.remote_binaries import RemoteBinaries

    before = read_baseline(options.baseline, list[ProblemRecord], problem_cases)

    def ask(index: Index) -> tuple[tuple[Problem, ...], Iterable[int]]:
        servers = Servers(options.settings, asking_of(options), catalogue.credentials)
        scope = scope_of(index, options.tag)
        tags = scope.selected("tag", index.tags)
        found = [*health(index, tags), *examine_caches(index.graph, tags, servers, verify=options.verify)]
        if options.verify:
            remote = RemoteBinaries(options.settings, servers.asking, catalogue.credentials)
            found += verified(
                index, scope, BinaryFiles({}, options.settings, verify=True, remote=remote, announce=announce)
            )
        return tuple(found), ()

    # always compare all files, because doctor reports on files
    catalogue = open_catalogue(options)
    index, problems = answer(catalogue, replace(options, fresh=True), ask, judges=True)
    problems = (*(stale.problem for stale in catalogue.stale), *problems)
    problems = tuple(replace(each, path=_from_here(each.path)) for each in problems)
    report = HealthReport(items=problems)
    faults = sum(problem.level == "fault" for problem in problems)
    failed = print_gate(report, options, before, fails=faults > 0, number=len(problems))
    found = f"{plural(faults, 'error')} and {plural(len(problems) - faults, 'warning')}"
    note(f"{found}, {plural(len(index.columns.page_path), 'page')} read")
    return NOTHING if failed else FOUND


def _run_signed(options: DoctorOptions) -> int:
    """Print the signers of the binaries."""
    from cachetui.sources.buildcache.examination import signers  # late, because the help does not need it

    before = read_baseline(options.baseline, list[SignerRecord], signer_cases)

    def ask(index: Index) -> tuple[list[Signer], Iterable[int]]:
        return signers(index.graph, [checked_tag(index, tag) for tag in options.tag]), ()

    catalogue = open_catalogue(options)
    _, found = answer(catalogue, replace(options, fresh=True), ask)
    found = [replace(each, first=_from_here(each.first)) for each in found]
    report = SignerReport(items=found, places=Places(catalogue.contents))
    fails = not all(each.published for each in found)
    return NOTHING if print_gate(report, options, before, fails=fails, number=len(found)) else FOUND


def _from_here(path: str) -> str:
    """Turn a path into a path relative to the current folder, as GitLab needs. Leave paths outside of it unchanged."""
    try:
        return path.removeprefix(os.path.join(os.getcwd(), ""))
    except OSError:  # the working folder was removed
        return path

"""`deps`: show the dependencies or dependents of a spec."""

from collections.abc import Iterable
from typing import Annotated

from cachetui.analysis.deps import Dependencies, breaking, dependencies
from cachetui.analysis.which import LookupAnswer, look_up
from cachetui.cli.options import Option, ResultOptions, UsageError, format_option
from cachetui.cli.output import FOUND, NOTHING, note, print_document, print_lines, print_notes
from cachetui.cli.session import answer, open_catalogue, sizes_of
from cachetui.model.dependency import ALL_TYPES, LINK_RUN
from cachetui.report.deps import (
    MAX_LEVELS,
    BreakingDocument,
    DependencyReport,
    DepsDocument,
    binary_rows,
    dot,
)
from cachetui.report.formats import format_names
from cachetui.report.specs import Places
from cachetui.report.which import lookup_notes
from cachetui.safe_text import plural
from cachetui.search.hash_extraction import asked_by
from cachetui.search.index import Index

_TYPES = ("build", "link", "run", "test")


class DepsOptions(ResultOptions, frozen=True, kw_only=True):
    dependents: Annotated[bool, Option("show the dependents instead of the dependencies")] = False
    all: Annotated[
        bool, Option("with --dependents: instead of a tree, list each binary that needs the spec, with its build cache")
    ] = False
    type: Annotated[
        tuple[str, ...],
        Option(f"follow only these types of dependencies: {','.join(_TYPES)}", "T"),
    ] = ()
    depth: Annotated[
        int | None, Option(f"print at most N levels of the tree; default: {MAX_LEVELS}", "N", "output")
    ] = None
    format: Annotated[str, format_option((*format_names(), "dot"))] = "table"


DOCUMENT = (DepsDocument, BreakingDocument)


def run(options: DepsOptions) -> int:
    """Print the dependencies or the dependents of a spec."""
    if len(options.words) != 1:
        raise UsageError("deps needs one hash: cachetui deps ./mirror /2feova4")
    if options.all and not options.dependents:
        raise UsageError("--all needs --dependents: add --dependents, or leave out --all")
    types = _types(options.type)
    asked = asked_by(options.words[0])
    if not asked.hash:
        raise UsageError(f"no hash in {options.words[0]!r}: to list hashes, run cachetui find")

    def ask(index: Index) -> tuple[tuple[LookupAnswer, Dependencies | None], Iterable[int]]:
        (found,) = look_up(index, [asked])
        whole = (found.matches[0].spec.hash or "") if found.hashes == 1 else asked.hash
        if found.hashes != 1 and not (index.graph and index.graph.number(whole) is not None):
            return (found, None), ()
        deps = dependencies(index, whole, types, dependents=options.dependents, near=options.all and not is_graph)
        return (found, deps), [match.row for match in found.matches if match.row is not None]

    is_graph = options.format == "dot" and not options.count
    catalogue = open_catalogue(options)
    index, (found, deps) = answer(catalogue, options, ask)
    if deps is None:
        print_notes(lookup_notes([found], log=False))
        return NOTHING
    if not deps.nodes:
        remedy = "" if index.graph else ": give a build cache or an installation"
        note(f"the dependencies of /{deps.root[:7]} are not recorded in this content{remedy}")
    binaries = breaking(index, deps.root) if options.all else None
    number = len(deps.nodes if binaries is None else binaries)
    if is_graph:
        named = {node.hash for node in deps.nodes} if binaries is None else {deps.root, *binaries}
        if options.depth is not None:
            named &= deps.of_levels(options.depth)
        print_lines(dot(deps.only(named)))
    elif binaries is not None:
        sizes = sizes_of(catalogue, index, binaries, options)
        report = BreakingDocument(deps.root, list(binary_rows(index, binaries, sizes, Places(catalogue.contents))))
        print_document(report, options, number)
    else:
        depth = MAX_LEVELS if options.depth is None else options.depth
        print_document(DependencyReport(deps, depth), options, number)
        is_tree = options.format in ("table", "markdown", "html") and not options.count
        if is_tree and (below := len(deps.nodes) - len(deps.of_levels(depth))):
            note(f"{plural(below, 'spec')} below level {depth} hidden: to show more levels, give --depth N")
    if options.dependents and index.graph.trees:
        breaks, needing = (len(breaking(index, deps.root, each)) for each in (LINK_RUN, ALL_TYPES))
        others = f"{needing - breaks:,} others can no longer be rebuilt"
        note(f"if this spec is removed, {plural(breaks, 'spec')} can no longer run, and {others}")
    return FOUND if deps.nodes else NOTHING


def _types(given: Iterable[str]) -> frozenset[str]:
    """Return the types of dependencies that the option names, by default all. Raise UsageError for an unknown type."""
    types = [each for text in given for each in text.split(",")]
    for each in types:
        if each not in _TYPES:
            raise UsageError(f"--type cannot be {each}: choose one of {', '.join(_TYPES)}")
    return frozenset(types) or ALL_TYPES

"""`stacks`: compare the size of each stack with its usual size."""

from collections.abc import Iterable
from typing import Annotated

from msgspec.structs import replace

from cachetui.analysis.stacks import StackSizeRecord, stack_sizes
from cachetui.cli.options import FigureFormat, Fits, Option, ResultOptions, StackOption, Tags
from cachetui.cli.output import FOUND, NOTHING, note, print_document
from cachetui.cli.session import answer, checked_stacks, checked_tag, open_catalogue
from cachetui.query.query import Query
from cachetui.query.terms import FitsTerm
from cachetui.report.specs import Places
from cachetui.report.stacks import StacksReport, verdict
from cachetui.search.index import Index


class StacksOptions(ResultOptions, frozen=True, kw_only=True):
    tag: Tags = ()
    stack: StackOption = ()
    fits: Fits = None
    """The name of a host, or `here` for this machine."""
    exit_code: Annotated[
        bool, Option("exit with status 1 if a stack is below 90 % of its usual size", group="output")
    ] = False
    format: FigureFormat = "table"


DOCUMENT = (list[StackSizeRecord],)


def run(options: StacksOptions) -> int:
    """Print a line for each stack."""

    def ask(index: Index) -> tuple[tuple[StackSizeRecord, ...], Iterable[int]]:
        checked_stacks(index, options.stack)
        tags = [checked_tag(index, tag) for tag in options.tag]
        host = () if options.fits is None else (FitsTerm.of(options.fits, options.settings.host),)
        found = stack_sizes(index, tags, catalogue, Query(host))
        return tuple(size for size in found if not options.stack or size.stack in options.stack), ()

    catalogue = open_catalogue(replace(options, history=True))
    _, found = answer(catalogue, options, ask)
    print_document(StacksReport(found, Places(catalogue.contents)), options, len(found))
    note(verdict(found))
    return NOTHING if not found or (options.exit_code and any(size.is_low for size in found)) else FOUND

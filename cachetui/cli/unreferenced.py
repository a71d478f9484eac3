"""`doctor --unreferenced`: the binaries that nothing needs, with their sizes: what one can prune."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cachetui.analysis.pruning import HeldBinary, unreferenced
from cachetui.cli.notes import FOUND, NOTHING, note, terminal_width
from cachetui.cli.options import ContentOptions, UsageError
from cachetui.cli.session import answer, checked_tag, one_a_page, open_catalogue
from cachetui.cli.sizes import sizes_of
from cachetui.cli.streams import print_lines
from cachetui.environments.files import FileError
from cachetui.environments.wanted_reader import read_wanted
from cachetui.model.spec import HASH
from cachetui.query.parts.facets import ValuePart
from cachetui.query.query import Query
from cachetui.report.formats import written
from cachetui.report.install import size_text
from cachetui.report.pruning import BinaryList
from cachetui.search.closures import total_size
from cachetui.search.index import Index


def run_unreferenced(options: ContentOptions, tags: Sequence[str], limit: int | None, *, count: bool, form: str) -> int:
    """Prints the binaries that nothing needs; the words name roots that are to be kept with all that they need."""
    roots = _roots(options.words)

    def ask(index: Index) -> tuple[tuple[Index, list[HeldBinary]], Iterable[int]]:
        named = [checked_tag(index, tag) for tag in tags]
        query = Query().with_part(ValuePart.of("tag", named)) if named else Query()
        return (index, list(unreferenced(index, query, roots))), one_a_page(index, index.rows(query))

    index, found = answer(open_catalogue(options), options, ask)
    if not index.graph:
        raise UsageError("doctor --unreferenced needs dependencies: give a build cache, as pages record none")
    sizes = sizes_of(index, [each.hash for each in found], options)
    if count:
        print_lines([f"{len(found)}\n"])
    else:
        print_lines(written(BinaryList(found[:limit], sizes), form, terminal_width()))
    total = total_size((each.hash for each in found), sizes)
    size = "" if total is None or not found else f", {size_text(total)}"
    note(f"{len(found):,} {'binary' if len(found) == 1 else 'binaries'} that nothing needs{size}")
    return NOTHING if found else FOUND


def _roots(words: Sequence[str]) -> list[str]:
    try:
        wanted = read_wanted(words)
    except FileError as error:
        raise UsageError(str(error)) from None
    hashes = [each.hash or "" for each in wanted.asked]
    for each, spec_hash in zip(wanted.asked, hashes, strict=True):
        if not HASH.fullmatch(spec_hash):
            raise UsageError(f"{each.text} is no root: name whole hashes or a spack.lock")
    return hashes

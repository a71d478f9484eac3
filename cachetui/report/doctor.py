"""The documents of `doctor`: problems, and lists of binaries with their sizes and caches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from cachetui.model.problem import Problem
from cachetui.query.query import Query
from cachetui.report.formats import ListDocument, TableBlock, cell_text
from cachetui.report.places import Place, Places
from cachetui.search.availability import Availability, CacheName, mirror_name
from cachetui.search.index import Index


def health_document(problems: Sequence[Problem]) -> ListDocument:
    """Return a document with a line for each problem."""
    rows = (
        [each.level, f"{each.path}:{each.line}" if each.line else each.path, each.kind, each.message]
        for each in problems
    )
    table = TableBlock(("level", "place", "kind", "message"), rows, headed=False)
    return ListDocument(problems, Problem.__struct_fields__, shown=lambda width: [table])


class BinaryRow(Struct, frozen=True):
    """A binary that nothing needs, or that would not install without another one."""

    hash: str
    package: str
    version: str | None
    bytes: int | None
    found_in: tuple[Place, ...]


def binary_list(index: Index, hashes: Iterable[str], size: Callable[[str], int | None], places: Places) -> ListDocument:
    """Return a document with a line for each binary: its size, and the caches that hold it."""
    availability = Availability(index, Query())
    rows = []
    for spec_hash in hashes:
        spec = index.spec(index.rows_of(spec_hash)[0])
        found_in = tuple(map(places.of, availability.mirrors(spec_hash)))
        rows.append(BinaryRow(spec_hash, spec.package, spec.version, size(spec_hash), found_in))
    return ListDocument(rows, BinaryRow.__struct_fields__, right=(3,), shrinking=(4,), cell=_cell)


def _cell(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(mirror_name(CacheName(each.tag, each.stack)) for each in value)
    return cell_text(value)

"""What is wrong with a catalogue, a problem in each line; binaries with their sizes and the caches that hold them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from cachetui.analysis.deps import HeldBinary
from cachetui.model.problem import Problem
from cachetui.report.formats import Block, ListDocument, TableBlock, cell_text
from cachetui.search.availability import CacheName, mirror_name


def health_document(problems: Sequence[Problem]) -> ListDocument:
    """A line for each problem."""
    rows = (
        [each.level, f"{each.path}:{each.line}" if each.line else each.path, each.kind, each.message]
        for each in problems
    )
    table = TableBlock(("level", "place", "kind", "message"), rows, headed=False)
    return ListDocument(problems, Problem.__struct_fields__, shown=lambda width: [table])


class BinaryRow(Struct, frozen=True):
    """A binary: what breaks if another one goes, or what nothing needs."""

    hash: str
    package: str
    version: str | None
    bytes: int | None
    caches: tuple[CacheName, ...]


def binary_list(found: Sequence[HeldBinary], size: Callable[[str], int | None]) -> ListDocument:
    """A line for each binary, with its size and the caches that hold it."""
    rows = [BinaryRow(each.hash, each.package, each.version, size(each.hash), each.mirrors) for each in found]
    fields = BinaryRow.__struct_fields__

    def table(width: int | None) -> Iterator[Block]:
        cells = ([_cell(getattr(row, field)) for field in fields] for row in rows)
        yield TableBlock(fields, ([shown[:7], *others] for shown, *others in cells), right=(3,), shrinking=(4,))

    return ListDocument(rows, fields, shown=table, cell=_cell)


def _cell(value: object) -> str:
    return ", ".join(map(mirror_name, value)) if isinstance(value, tuple) else cell_text(value)

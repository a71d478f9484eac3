"""What is wrong with a catalogue, a problem in each line; binaries with their sizes and the caches that hold them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from cachetui.analysis.deps import HeldBinary
from cachetui.model.problem import Problem
from cachetui.report.check import Places
from cachetui.report.formats import ListDocument, TableBlock, cell_text
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
    caches: tuple[Mapping[str, str], ...]


def binary_list(found: Sequence[HeldBinary], size: Callable[[str], int | None], places: Places) -> ListDocument:
    """A line for each binary, with its size and the caches that hold it."""
    rows = [
        BinaryRow(each.hash, each.package, each.version, size(each.hash), tuple(map(places.of, each.mirrors)))
        for each in found
    ]
    return ListDocument(rows, BinaryRow.__struct_fields__, right=(3,), shrinking=(4,), cell=_cell)


def _cell(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(mirror_name(CacheName(each["tag"], each["stack"])) for each in value)
    return cell_text(value)

"""Binaries with their sizes and the caches that hold them: what breaks if one goes, and what nothing needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from cachetui.analysis.pruning import HeldBinary
from cachetui.report.formats import Block, TableBlock
from cachetui.report.stacks import mirror_name

_BINARIES = ("hash", "package", "version", "bytes", "caches")


class BinaryList:
    """Binaries with their sizes and the caches that hold them."""

    def __init__(self, found: Sequence[HeldBinary], size: Callable[[str], int | None]) -> None:
        self._found = found
        self._size = size

    def document(self) -> object:
        return [
            {
                "hash": each.hash,
                "package": each.package,
                "version": each.version,
                "bytes": self._size(each.hash),
                "caches": each.mirrors,
            }
            for each in self._found
        ]

    def records(self) -> TableBlock:
        return TableBlock(_BINARIES, (self._cells(each, each.hash) for each in self._found), right=(3,))

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield TableBlock(
            _BINARIES, (self._cells(each, each.hash[:7]) for each in self._found), right=(3,), shrinking=(4,)
        )

    def _cells(self, each: HeldBinary, shown: str) -> list[str]:
        size = self._size(each.hash)
        caches = ", ".join(map(mirror_name, each.mirrors))
        return [shown, each.package, each.version or "", "" if size is None else str(size), caches]

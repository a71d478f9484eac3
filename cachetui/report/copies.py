"""The local copies of build caches, each with its age and what it takes on the disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from cachetui.report.formats import Block, TableBlock
from cachetui.safe_text import ago


class CopyRow(Struct, frozen=True):
    """A copy, or all saved indexes together."""

    what: str
    """The URL."""
    bytes: int
    files: int
    age: float | None
    """Seconds since it was used; None where that is not known."""


FIELDS = CopyRow.__struct_fields__


class CopyList:
    def __init__(self, copies: Sequence[CopyRow]) -> None:
        self._copies = copies

    def document(self) -> object:
        return list(self._copies)

    def records(self) -> TableBlock:
        rows = (
            [each.what, str(each.bytes), str(each.files), "" if each.age is None else f"{each.age:.0f}"]
            for each in self._copies
        )
        return TableBlock(FIELDS, rows, right=(1, 2, 3))

    def blocks(self, width: int | None) -> Iterator[Block]:
        rows = [
            [each.what, f"{each.bytes / 1e6:,.1f} MB", str(each.files), "-" if each.age is None else ago(each.age)]
            for each in self._copies
        ]
        if rows:
            yield TableBlock(("what", "size", "files", "used"), rows, right=(1, 2), shrinking=(0,))

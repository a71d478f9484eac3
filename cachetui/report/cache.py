"""The local copies of build caches, each with its age and what it takes on the disk."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from cachetui.report.formats import ListDocument, TableBlock
from cachetui.safe_text import ago


class CopyRow(Struct, frozen=True):
    """A copy, or all saved indexes together."""

    what: str
    """The URL."""
    bytes: int
    files: int
    age: float | None
    """Seconds since it was used; None where that is not known."""


def copy_list(copies: Sequence[CopyRow]) -> ListDocument:
    """A line for each copy."""
    rows = [
        [each.what, f"{each.bytes / 1e6:,.1f} MB", str(each.files), "-" if each.age is None else ago(each.age)]
        for each in copies
    ]
    table = [TableBlock(("what", "size", "files", "used"), rows, right=(1, 2), shrinking=(0,))] if rows else []
    return ListDocument(copies, CopyRow.__struct_fields__, shown=lambda width: table)

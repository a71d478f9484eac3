"""`cache`: the local copies of build caches that are kept on this machine."""

from __future__ import annotations

import os
import time
from pathlib import Path

from msgspec import Struct

from cachetui.cli.options import FormatName, Options, UsageError
from cachetui.cli.output import FOUND, note, print_document
from cachetui.report.formats import ListDocument, TableBlock
from cachetui.safe_text import ago
from cachetui.settings.folders import snapshot_folder
from cachetui.sources.transport.cache import stored_copies


class CacheOptions(Options, frozen=True, kw_only=True):
    format: FormatName = "table"


OPTIONS = CacheOptions


class CopyRow(Struct, frozen=True):
    """A local copy."""

    url: str
    bytes: int
    files: int
    age: float
    """Seconds since it was used."""
    folder: str

    @property
    def cells(self) -> list[str]:
        """What people read of it."""
        return [self.url, f"{self.bytes / 1e6:,.1f} MB", str(self.files), ago(self.age)]


def run(options: CacheOptions) -> int:
    """List what is kept."""
    if options.words:
        raise UsageError(f"cache takes no {options.words[0]}: cachetui cache")
    folder, now = Path(snapshot_folder(os.environ)), time.time()
    rows = [
        CopyRow(copy.url, copy.bytes, copy.files, max(0.0, now - copy.used), str(copy.folder))
        for copy in stored_copies(folder)
    ]
    table = TableBlock(("url", "size", "files", "used"), (row.cells for row in rows), right=(1, 2), shrinking=(0,))
    document = ListDocument(rows, CopyRow.__struct_fields__, shown=lambda width: [table] if rows else [])
    print_document(document, options)
    total = sum(each.bytes for each in rows)
    note(f"{total / 1e6:,.1f} MB in {folder}: what is removed there is fetched again when it is needed")
    return FOUND

"""`cache`: list or remove local copies of build caches, and index caches."""

import time
from contextlib import suppress
from pathlib import Path
from typing import Literal

from msgspec import Struct

from cachetui.cli.options import FormatName, Options, UsageError
from cachetui.cli.output import FOUND, note, print_document
from cachetui.report.formats import ListDocument, TableBlock
from cachetui.safe_text import ago
from cachetui.settings.folders import INDEX_FILES, own_folder
from cachetui.sources.transport.cache import remove_copy, stored_copies


class CacheOptions(Options, frozen=True, kw_only=True):
    format: FormatName = "table"


HELP = """\
  cachetui cache         list local copies and index caches
  cachetui cache clean   remove all of them; the next start creates them again
"""


class CopyRow(Struct, frozen=True):
    """A local copy of a build cache, or all index caches together."""

    kind: Literal["copy", "indexes"]
    url: str | None
    """The URL of the copied build cache; null in the row of the index caches."""
    bytes: int
    files: int
    age: float | None
    """Seconds since the last use of the copy; null if unknown."""


DOCUMENT = (list[CopyRow],)


def run(options: CacheOptions) -> int:
    """List or remove the local copies and index caches."""
    folder = Path(options.settings.cache_folder)
    if not options.words:
        rows = [
            CopyRow("copy", copy.url, copy.bytes, copy.files, max(0.0, time.time() - copy.used))
            for copy in stored_copies(folder)
        ]
        if sizes := _index_sizes(folder):
            rows.append(CopyRow("indexes", None, sum(sizes), len(sizes), None))
        cells = (
            [
                row.url or "index caches",
                f"{row.bytes / 1e6:,.1f} MB",
                str(row.files),
                "-" if row.age is None else ago(row.age),
            ]
            for row in rows
        )
        table = TableBlock(("what", "size", "files", "used"), cells, right=(1, 2), shrinking=(0,))
        print_document(
            ListDocument(rows, CopyRow.__struct_fields__, shown=lambda width: [table] if rows else []), options
        )
        total = sum(each.bytes for each in rows)
        note(f"{total / 1e6:,.1f} MB in {folder}" + ("; to remove all, run cachetui cache clean" if rows else ""))
        return FOUND
    if options.words != ("clean",):
        raise UsageError(f"cache does not accept {' '.join(options.words)}: the only argument is clean")
    copies = stored_copies(folder)
    for copy in copies:
        remove_copy(copy.folder)
    removed = sum(copy.bytes for copy in copies) + sum(_index_sizes(folder, removes=True))
    note(f"removed {removed / 1e6:,.1f} MB")
    return FOUND


def _index_sizes(folder: Path, *, removes: bool = False) -> list[int]:
    """Return the size in bytes of each index cache. With `removes`, also remove the index caches.

    If an index cache cannot be removed, omit its size.
    """
    with suppress(FileNotFoundError), own_folder(folder, created=INDEX_FILES) as own:
        found = {name: own.status(name).st_size for name in own.names() if INDEX_FILES.fullmatch(name)}
        return [size for name, size in found.items() if not removes or own.remove(name)]
    return []

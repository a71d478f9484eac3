"""The output of `prune`: the removable binaries of build caches, with their sizes and files.

Input: results of `analysis.prune`, with text from indexes and names of files.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from cachetui.analysis.prune import Plan
from cachetui.model.spec import at_version
from cachetui.report.formats import Block, FactsBlock, ListDocument, OwnDocument, TableBlock
from cachetui.safe_text import joined, plural, size_text


class Removal(Struct, frozen=True):
    """A binary that can be removed, because no binary to keep needs it."""

    package: str
    version: str | None
    hash: str
    bytes: int | None
    """The size in bytes of the files in `paths`, or of the tarball on a server; null if unknown."""
    paths: tuple[str, ...]
    """The files that belong to this binary and to no kept binary; empty if the cache is on a server."""


class PruneDocument(OwnDocument, frozen=True, tag_field="schema", tag="cachetui/prune/1"):
    """The binaries to keep, and the binaries that can be removed."""

    keep: Sequence[str]
    """The hashes of the binaries to keep."""
    remove: Sequence[Removal]
    bytes: int | None
    """The total size of the removable binaries in bytes; null if the size of one binary is unknown."""

    def records(self) -> TableBlock:
        return ListDocument(self.remove, Removal.__struct_fields__).records()

    def blocks(self, width: int | None) -> Iterable[Block]:
        files = sum(len(each.paths) for each in self.remove)
        goes = (plural(len(self.remove), "spec"), _size(self.bytes), plural(files, "file") if files else "")
        yield FactsBlock([("removable", joined(goes)), ("kept", plural(len(self.keep), "spec"))])
        columns = ("removable", "package", "size", "files")
        rows = (
            [
                each.hash if width is None else each.hash[:7],
                at_version(each.package, each.version),
                _size(each.bytes),
                str(len(each.paths)),
            ]
            for each in self.remove
        )
        if self.remove:
            yield TableBlock(columns, rows, (2, 3), fold="spec")


def prune_document(plan: Plan, paths: Mapping[str, Sequence[str]], size: Callable[[str], int | None]) -> PruneDocument:
    """Return the list of the binaries to remove and to keep, according to a plan.

    `paths`: for each hash, the full paths of the files to remove; empty if the binary is on a server. `size`: a
    function that returns the size in bytes of a binary on a server.
    """
    sizes = {each: sum(os.lstat(path).st_size for path in own) if own else size(each) for each, own in paths.items()}
    remove = [
        Removal(*plan.going[each], each, sizes[each], tuple(paths[each]))
        for each in filter(paths.__contains__, plan.going)
    ]
    known = [each.bytes for each in remove if each.bytes is not None]
    return PruneDocument(plan.keep, remove, sum(known) if len(known) == len(remove) else None)


def _size(size: int | None) -> str:
    return "size unknown" if size is None else size_text(size)

"""The document of `prune`: what build caches could lose, its bytes and its files.

Input: what `analysis.prune` found, whose text quotes indexes and names of files.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from cachetui.analysis.prune import Plan
from cachetui.model.spec import at_version
from cachetui.report.formats import Block, FactsBlock, ListDocument, TableBlock
from cachetui.safe_text import joined, plural, size_text


class Removal(Struct, frozen=True):
    """A binary that nothing needs."""

    package: str
    version: str | None
    hash: str
    bytes: int | None
    """The bytes of these files; on a server those of its tarball, null if unknown."""
    paths: tuple[str, ...]
    """Its files that nothing kept refers to, each named once; none if the cache is on a server."""


class PruneDocument(Struct, frozen=True, tag_field="schema", tag="cachetui/prune/1"):
    """What build caches could lose."""

    keep: Sequence[str]
    """The hashes that stay."""
    remove: Sequence[Removal]
    bytes: int | None
    """The bytes of all of these; null if one size is unknown."""

    def document(self) -> "PruneDocument":
        return self

    def records(self) -> TableBlock:
        return ListDocument(self.remove, Removal.__struct_fields__).records()

    def blocks(self, width: int | None) -> Iterable[Block]:
        files = sum(len(each.paths) for each in self.remove)
        goes = (plural(len(self.remove), "spec"), _size(self.bytes), plural(files, "file") if files else "")
        yield FactsBlock([("nothing needs", joined(goes)), ("kept", plural(len(self.keep), "spec"))])
        columns = ("unneeded", "package", "size", "files")
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
    """Return the document of a plan.

    `paths`: the whole paths of the files that could go with each hash, empty for one on a server; a hash that is
    missing has no files. `size` gives the bytes of a binary on a server.
    """
    sizes = {each: sum(os.lstat(path).st_size for path in own) if own else size(each) for each, own in paths.items()}
    remove = [
        Removal(*plan.going[each], each, sizes[each], tuple(paths[each]))
        for each in filter(paths.__contains__, plan.going)
    ]
    known = [each.bytes for each in remove if each.bytes is not None]
    return PruneDocument(plan.keep, remove, sum(known) if len(known) == len(remove) else None)


def _size(size: int | None) -> str:
    return "size not known" if size is None else size_text(size)

"""The saved views, with the contents that they are of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from cachetui.report.formats import Block, TableBlock
from cachetui.safe_text import shell_word

_COLUMNS = ("view", "content", "start", "screen", "query", "package")


class ViewRow(Struct, frozen=True):
    """A saved view."""

    view: str
    content: str
    contents: tuple[str, ...]
    """The content as one names it on a command line."""
    is_start: bool
    """Whether the browser begins with it."""
    screen: str
    query: str
    package: str

    def cells(self, view: str, content: str) -> list[str]:
        """A line of a table, with its names as they are to be written there."""
        return [view, content, "start" if self.is_start else "", self.screen, self.query, self.package]


class ViewList(Struct, frozen=True):
    views: Sequence[ViewRow]

    def document(self) -> object:
        return self.views

    def records(self) -> TableBlock:
        return TableBlock(_COLUMNS, (each.cells(each.view, each.content) for each in self.views))

    def blocks(self, width: int | None) -> Iterator[Block]:
        """The table, with names and contents as one writes them on a command line."""
        contents = (_end(" ".join(map(shell_word, each.contents)), width) for each in self.views)
        rows = [each.cells(shell_word(each.view), content) for each, content in zip(self.views, contents, strict=True)]
        if rows:
            yield TableBlock(_COLUMNS, rows, shrinking=(0, 4))


def _end(text: str, width: int | None) -> str:
    """The text, on a terminal no more than a third of its width: the end of a path tells more than its beginning."""
    most = len(text) if width is None else max(width // 3, 20)
    return text if len(text) <= most else f"…{text[1 - most :]}"

"""What is in force of the user's settings, and where it comes from; what keys do; the saved views."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from cachetui.report.formats import Block, TableBlock
from cachetui.safe_text import shell_word

Origin = Literal["default", "file", "environment", "option"]


class Setting(Struct, frozen=True):
    """One setting as it is in force."""

    setting: str
    value: str
    origin: Origin
    place: str = ""
    """The file and line, the variable or the option that it comes from; empty for a default."""


FIELDS = Setting.__struct_fields__


class SettingList:
    def __init__(self, settings: Sequence[Setting]) -> None:
        self._settings = settings

    def document(self) -> object:
        return list(self._settings)

    def records(self) -> TableBlock:
        return TableBlock(FIELDS, ([each.setting, each.value, each.origin, each.place] for each in self._settings))

    def blocks(self, width: int | None) -> Iterator[Block]:
        rows = ([each.setting, each.value, each.place or each.origin] for each in self._settings)
        yield TableBlock(("setting", "value", "from"), rows, shrinking=(1,))


class KeyRow(Struct, frozen=True):
    """What some keys do."""

    id: str
    keys: tuple[str, ...]
    what: str


class KeyList:
    def __init__(self, keys: Sequence[KeyRow]) -> None:
        self._keys = keys

    def document(self) -> object:
        return list(self._keys)

    def records(self) -> TableBlock:
        return TableBlock(KeyRow.__struct_fields__, ([each.id, " ".join(each.keys), each.what] for each in self._keys))

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield replace(self.records(), shrinking=(2,))


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


def _end(text: str, width: int | None) -> str:
    """The text, on a terminal no more than a third of its width: the end of a path tells more than its beginning."""
    most = len(text) if width is None else max(width // 3, 20)
    return text if len(text) <= most else f"…{text[1 - most :]}"


class ViewList:
    def __init__(self, views: Sequence[ViewRow]) -> None:
        self._views = views

    def document(self) -> object:
        return list(self._views)

    def records(self) -> TableBlock:
        return self._table((each.view, each.content) for each in self._views)

    def blocks(self, width: int | None) -> Iterator[Block]:
        """The table, with names and contents as one writes them on a command line."""
        words = ((shell_word(each.view), _end(" ".join(map(shell_word, each.contents)), width)) for each in self._views)
        if self._views:
            yield replace(self._table(words), shrinking=(0, 4))

    def _table(self, names: Iterable[tuple[str, str]]) -> TableBlock:
        rows = (
            [*name, "start" if each.is_start else "", each.screen, each.query, each.package]
            for name, each in zip(names, self._views, strict=True)
        )
        return TableBlock(("view", "content", "start", "screen", "query", "package"), rows)

"""What is in force of the user's settings, and where it comes from; what keys do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from cachetui.report.formats import ListDocument, TableBlock

Origin = Literal["default", "file", "environment"]


class Setting(Struct, frozen=True):
    """One setting as it is in force."""

    setting: str
    value: str
    origin: Origin
    place: str = ""
    """The file or the variable that it comes from; empty for a default."""


class KeyRow(Struct, frozen=True):
    """What some keys do."""

    id: str
    keys: tuple[str, ...]
    what: str


def setting_list(settings: Iterable[Setting]) -> ListDocument:
    """A line for each setting."""
    settings = list(settings)
    rows = ([each.setting, each.value, each.place or each.origin] for each in settings)
    table = TableBlock(("setting", "value", "from"), rows, shrinking=(1,))
    return ListDocument(settings, Setting.__struct_fields__, shown=lambda width: [table])


def key_list(keys: Sequence[KeyRow]) -> ListDocument:
    """A line for each binding; no comma stands between its keys, as it may be one of them."""
    return ListDocument(
        keys,
        KeyRow.__struct_fields__,
        shrinking=(2,),
        cell=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
    )

"""The keys of `keymap` as Textual takes them."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from cachetui.tui.keymap import KEYS

PRIORITY = ("prompt", "app")
"""Whose keys come before those of the widget that has the focus."""


def bindings(section: str) -> list[BindingType]:
    """The bindings of a section of `KEYS`."""
    return [
        Binding(key.keys, key.action, key.label, id=key.id, tooltip=key.what, priority=section in PRIORITY)
        for key in KEYS[section]
    ]

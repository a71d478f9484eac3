"""The keys that a user has chosen in the config file, checked against all that there are.

A key itself is bound in its screen or widget (`BINDINGS`; those of the main screen are in `screens.browse_keys`) with
an id such as `browse.filter`, by which the file names it. Input: the settings of the file.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from inspect import getmembers, isclass
from pkgutil import iter_modules
from typing import NamedTuple

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, Keys

from cachetui.model.likeness import nearest_names
from cachetui.safe_text import visible
from cachetui.settings.config import Config

FIXED = ("app.interrupt", "app.suspend")
"""What no config file changes, so that there is always a way out."""

UNDER_ALL = ("rows", "table")
"""The lists, which take their keys before the screen around them does."""


class Bound(NamedTuple):
    """One thing that keys do."""

    id: str
    keys: tuple[str, ...]
    """By their names: `slash`, `ctrl+p`."""
    what: str


def changed_keys(config: Config) -> tuple[dict[str, str], list[str]]:
    """The keymap that the settings ask for, as Textual takes it, and a line for each that cannot be followed."""
    if not config.keys:
        return {}, []
    wanted: dict[str, tuple[str, ...]] = {}
    mistakes: list[str] = []
    for name, keys in config.keys.items():
        reason = _why_not(name, keys)
        if reason:
            mistakes.append(config.mistake(f"keys.{name}", reason))
        else:
            wanted[name] = tuple(map(key_name, keys))
    for name in list(wanted):
        if other := _taken_by(name, wanted):
            mistakes.append(config.mistake(f"keys.{name}", f"that key is {other} there: give that one another"))
            del wanted[name]
    return {name: ",".join(keys) for name, keys in wanted.items()}, mistakes


@cache
def all_keys() -> Mapping[str, Bound]:
    """Everything that keys do, by id; imports every screen."""
    found = (bound for owner in _owners() for bound in _bound(owner))
    return {bound.id: bound for bound in sorted(found)}


def key_name(key: str) -> str:
    """The name of a key that is written as its sign; a name stays as it is."""
    if len(key) != 1 or key.isalnum():
        return key
    name = unicodedata.name(key, key).lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


def key_sign(name: str) -> str:
    """A key as people write it: its sign where it has one."""
    signs = {key_name(chr(code)): chr(code) for code in range(0x21, 0x7F)}
    return signs.get(name, name)


def _why_not(name: str, keys: tuple[str, ...]) -> str:
    """Why a binding cannot have these keys; empty where it can."""
    if name not in all_keys():
        near = ", ".join(nearest_names(name, list(all_keys()), 3))
        nearest = f"nearest: {near}; " if near else ""
        return f"nothing has this name; {nearest}cachetui config --keys lists all"
    if name in FIXED:
        return "this key stays, so that there is always a way out"
    known = {str(key.value) for key in Keys} | {key_name(chr(code)) for code in range(0x20, 0x7F)}
    unknown = [visible(key) for key in keys if key_name(key) not in known]
    return f"no key {', '.join(unknown)}: a key is a sign or a name, as in / ctrl+f pageup" if unknown else ""


def _taken_by(name: str, wanted: Mapping[str, tuple[str, ...]]) -> str:
    """What else one of the new keys of a binding does where it is used; empty for nothing."""
    beside = {
        bound.id: bound
        for owner in _owners()
        if any(each.id == name for each in _bound(owner))
        for bound in _bound(owner)
    }
    if name.partition(".")[0] not in ("prompt", "lookup"):
        beside |= {key: bound for key, bound in all_keys().items() if key.partition(".")[0] in (*UNDER_ALL, "app")}
    mine = set(wanted[name]) - set(all_keys()[name].keys)
    others = (each for each in beside.values() if each.id != name and mine & {*wanted.get(each.id, each.keys)})
    return next((f"{each.id} ({each.what or each.id})" for each in others), "")


@cache
def _owners() -> tuple[type[DOMNode], ...]:
    """The classes that have keys of ours: the app, the screens, the widgets."""
    modules = ["cachetui.tui.app"]
    for folder in ("cachetui.tui.screens", "cachetui.tui.widgets"):
        modules += [module.name for module in iter_modules(import_module(folder).__path__, f"{folder}.")]
    found = (each for name in modules for _, each in getmembers(import_module(name), isclass))
    return tuple(dict.fromkeys(each for each in found if issubclass(each, DOMNode) and "cachetui" in each.__module__))


def _bound(owner: type[DOMNode]) -> Iterator[Bound]:
    """What the keys of a class do, those that it has of the classes below it too."""
    for each in owner.__mro__:
        for binding in each.__dict__.get("BINDINGS", ()):
            if isinstance(binding, Binding) and binding.id:
                keys = tuple(key.strip() for key in binding.key.split(","))
                yield Bound(binding.id, keys, binding.tooltip or binding.description)

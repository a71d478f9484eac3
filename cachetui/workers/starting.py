"""Import msgspec without what it does not need here, which halves what a short command takes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any


def import_msgspec() -> None:
    """Import msgspec without modules that it needs for nothing that it does here; they take as long as all the rest.

    That is `typing_extensions`, of which it takes what Python has too, what describes types (as JSON schemas),
    `platform`, for a name of the system, and `decimal` and `uuid`: msgspec reads and writes none of their values then.
    Of `datetime` it gets the part in C. Whoever wants one of these modules afterwards imports it as ever.
    """
    instead: dict[str, ModuleType | None] = {
        "typing_extensions": None,  # how Python marks what cannot be imported
        "msgspec.inspect": ModuleType("msgspec.inspect"),
        "msgspec._json_schema": _module("msgspec._json_schema", schema=None, schema_components=None),
        "platform": _module("platform", system=lambda: os.uname().sysname),
        "decimal": _module("decimal", Decimal=type("Decimal", (), {})),
        "uuid": _module("uuid", UUID=type("UUID", (), {}), SafeUUID=type("SafeUUID", (), {"unknown": None})),
    }
    with suppress(ImportError):  # not every Python has it
        instead["datetime"] = import_module("_datetime")
    _import("msgspec", instead)


def _import(name: str, instead: Mapping[str, ModuleType | None]) -> None:
    """Imports a module, with these in place of modules that are not imported yet."""
    if name in sys.modules:
        return
    hidden = [each for each in instead if each not in sys.modules]
    modules: MutableMapping[str, Any] = sys.modules  # None is allowed: such a module is not found
    modules.update((each, instead[each]) for each in hidden)
    try:
        __import__(name)  # only so that it is imported already where it is used
    except (ImportError, AttributeError):
        pass  # a version that needs more of them: it is imported as a whole where it is used
    finally:
        for each in hidden:
            del sys.modules[each]


def _module(name: str, **contents: object) -> ModuleType:
    """A module that holds nothing but this."""
    module = ModuleType(name)
    vars(module).update(contents)
    return module

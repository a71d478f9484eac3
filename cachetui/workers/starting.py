"""Import msgspec without what it does not need here, which halves what a short command takes."""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping
from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace
from typing import Any


def import_msgspec() -> None:
    """Import msgspec without modules that it needs for nothing that it does here; they take as long as all the rest.

    That is `typing_extensions`, of which it takes what Python has too, what describes types (as JSON schemas),
    `platform`, for a name of the system, and `decimal` and `uuid`: msgspec reads and writes none of their values then.
    Of `datetime` it gets the part in C. Whoever wants one of these modules afterwards imports it as ever.
    """
    if "msgspec" in sys.modules:
        return
    instead: dict[str, Any] = {
        "typing_extensions": None,  # how Python marks what cannot be imported
        "msgspec.inspect": SimpleNamespace(),
        "msgspec._json_schema": SimpleNamespace(schema=None, schema_components=None),
        "platform": SimpleNamespace(system=lambda: os.uname().sysname),
        "decimal": SimpleNamespace(Decimal=type("Decimal", (), {})),
        "uuid": SimpleNamespace(UUID=type("UUID", (), {}), SafeUUID=type("SafeUUID", (), {"unknown": None})),
    }
    with suppress(ImportError):  # not every Python has it
        instead["datetime"] = import_module("_datetime")
    hidden = instead.keys() - sys.modules.keys()
    modules: MutableMapping[str, Any] = sys.modules
    modules.update((each, instead[each]) for each in hidden)
    try:
        __import__("msgspec")  # only so that it is imported already where it is used
    except (ImportError, AttributeError):
        pass  # a version that needs more of them: it is imported as a whole where it is used
    finally:
        for each in hidden:
            del sys.modules[each]

"""Import msgspec without its unused modules, which halves the time of a short command."""

import os
import sys
from collections.abc import MutableMapping
from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace
from typing import Any


def import_msgspec() -> None:
    """Import msgspec with stand-ins for modules that take as long to import as all the rest.

    These are `typing_extensions`, of which Python has all that it needs, the modules for JSON schemas, `platform`, and
    `decimal` and `uuid`, whose values msgspec cannot read and write then. Of `datetime` it gets the part in C. The
    stand-ins are removed again, so that other code imports the real modules.
    """
    if "msgspec" in sys.modules:
        return
    instead: dict[str, Any] = {
        "typing_extensions": None,  # Python's mark for a module that cannot be imported
        "msgspec.inspect": SimpleNamespace(),
        "msgspec._json_schema": SimpleNamespace(schema=None, schema_components=None),
        "platform": SimpleNamespace(system=lambda: os.uname().sysname),
        "decimal": SimpleNamespace(Decimal=type("Decimal", (), {})),
        "uuid": SimpleNamespace(UUID=type("UUID", (), {}), SafeUUID=type("SafeUUID", (), {"unknown": None})),
    }
    with suppress(ImportError):  # some builds of Python do without
        instead["datetime"] = import_module("_datetime")
    hidden = instead.keys() - sys.modules.keys()
    modules: MutableMapping[str, Any] = sys.modules
    modules.update((each, instead[each]) for each in hidden)
    try:
        __import__("msgspec")
    except (ImportError, AttributeError):
        pass  # a version that needs the real modules: it is imported as usual where it is used
    finally:
        for each in hidden:
            del sys.modules[each]


def schema_components() -> Any:
    """Return msgspec's function of this name in place of its stand-in."""
    import_module("msgspec.inspect")
    return import_module("msgspec._json_schema").schema_components

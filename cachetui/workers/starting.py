"""Import msgspec without its optional modules. A short command then takes half of its usual time."""

import os
import sys
from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace
from typing import Any


def import_msgspec() -> None:
    """Import msgspec, with stand-ins for some modules that msgspec imports. This halves the time of the import.

    The replaced modules are `typing_extensions`, which is unnecessary with Python 3.11, the modules for JSON schemas,
    `platform`, `decimal` and `uuid`. Therefore msgspec cannot read or write values of `decimal` and `uuid`. `datetime`
    is replaced by its C implementation. At the end, the stand-ins are removed, so that other code imports the real
    modules.
    """
    if "msgspec" in sys.modules:
        return
    instead: dict[str, Any] = {
        "typing_extensions": None,  # None makes an import fail
        "msgspec.inspect": SimpleNamespace(),
        "msgspec._json_schema": SimpleNamespace(schema=None, schema_components=None),
        "platform": SimpleNamespace(system=lambda: os.uname().sysname),
        "decimal": SimpleNamespace(Decimal=type("Decimal", (), {})),
        "uuid": SimpleNamespace(UUID=type("UUID", (), {}), SafeUUID=type("SafeUUID", (), {"unknown": None})),
    }
    with suppress(ImportError):  # some builds of Python lack this module
        instead["datetime"] = import_module("_datetime")
    hidden = instead.keys() - sys.modules.keys()
    modules: dict[str, Any] = sys.modules
    modules.update((each, instead[each]) for each in hidden)
    try:
        __import__("msgspec")
    except (ImportError, AttributeError):
        pass  # this version of msgspec needs the real modules; later imports load it as usual
    finally:
        for each in hidden:
            del sys.modules[each]


def schema_components() -> Any:
    """Return the real function `schema_components` of msgspec, which `import_msgspec` replaced."""
    import_module("msgspec.inspect")
    return import_module("msgspec._json_schema").schema_components

"""What every process of the program imports first, since that makes its start shorter."""

from __future__ import annotations

import os
import sys
from types import ModuleType


def import_msgspec() -> None:
    """Imports msgspec without modules that it needs for nothing that it does here; they take as long as all the rest.

    That is `typing_extensions`, of which it takes what Python has too, what describes types (as JSON schemas),
    `platform`, for a name of the system, and `decimal` and `uuid`: msgspec reads and writes none of their values then.
    Whoever wants one of these modules afterwards imports it as ever.
    """
    if "msgspec" in sys.modules:
        return
    instead: dict[str, ModuleType | None] = {
        "typing_extensions": None,  # how Python marks what cannot be imported
        "msgspec.inspect": ModuleType("msgspec.inspect"),
        "msgspec._json_schema": _module("msgspec._json_schema", schema=None, schema_components=None),
        "platform": _module("platform", system=lambda: os.uname().sysname),
        "decimal": _module("decimal", Decimal=type("Decimal", (), {})),
        "uuid": _module("uuid", UUID=type("UUID", (), {}), SafeUUID=type("SafeUUID", (), {"unknown": None})),
    }
    hidden = [name for name in instead if name not in sys.modules]
    sys.modules.update((name, instead[name]) for name in hidden)  # type: ignore[misc]  # None is allowed
    try:
        import msgspec  # noqa: F401  # only so that it is imported already where it is used
    except (ImportError, AttributeError):
        pass  # a version that needs more of them: it is imported as a whole where it is used
    finally:
        for name in hidden:
            del sys.modules[name]


def _module(name: str, **contents: object) -> ModuleType:
    """A module that holds nothing but this."""
    module = ModuleType(name)
    vars(module).update(contents)
    return module

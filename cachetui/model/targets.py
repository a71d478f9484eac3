"""Microarchitectures and their ancestors, from the JSON file of archspec, the library that Spack uses.

Only `own_target` imports `archspec.cpu`, because the import takes a quarter of the time of a command.
"""

import os
from collections.abc import Mapping
from functools import cache

from msgspec import Struct
from msgspec.json import Decoder

from cachetui.model.edit_distance import nearest_names
from cachetui.model.problem import UserError

FOLDERS = "ARCHSPEC_CPU_DIR", "ARCHSPEC_EXTENSION_CPU_DIR"
"""The environment variables that name the folder with archspec's list of targets, and a folder with more targets."""

_folders: list[str | None] = [None, None]
"""The values of the variables in `FOLDERS`."""

_FILE = "microarchitectures.json"


class HostError(UserError, ValueError):
    """An unknown host or target. The message suggests the nearest names, or names the missing field."""


class _Target(Struct, frozen=True, rename={"parents": "from"}):
    parents: tuple[str, ...]
    vendor: str


class _List(Struct):
    microarchitectures: dict[str, _Target]


def _read(path: str) -> Mapping[str, _Target]:
    with open(path, "rb") as file:
        return Decoder(_List).decode(file.read()).microarchitectures


def use_folders(environ: Mapping[str, str]) -> None:
    """Read the environment variables in `FOLDERS`. Call this function before any other function of this module."""
    _folders[:] = map(environ.get, FOLDERS)


@cache
def _targets() -> Mapping[str, _Target]:
    import archspec  # type: ignore[import-untyped]  # it ships neither annotations nor stubs

    own, more = (f"{folder}/{_FILE}" for folder in (_folders[0] or f"{archspec.__path__[0]}/json/cpu", _folders[1]))
    known = {**_read(own), **(_read(more) if os.path.exists(more) else {})}
    known.setdefault(os.uname().machine, _Target((), "generic"))  # archspec does the same
    return known


@cache
def ancestors(target: str) -> frozenset[str] | None:
    """Return a target and all targets whose binaries run on it; None for a target that is missing in archspec."""
    known = _targets().get(target)
    if known is None:
        return None
    return frozenset({target}).union(*(ancestors(parent) or () for parent in known.parents))


def nearest_targets(name: str) -> tuple[str, ...]:
    """Return the targets with the most similar names, nearest first."""
    return nearest_names(name, list(_targets()))


@cache
def steps_up(target: str, ancestor: str) -> int:
    """Return the number of generations between a target and its ancestor (shortest path); 0 for the same target."""
    above = (parent for parent in _targets()[target].parents if ancestor in (ancestors(parent) or ()))
    return 0 if ancestor == target else 1 + min(steps_up(parent, ancestor) for parent in above)


def known_target(name: str) -> str:
    """Return the name of a target unchanged; raises HostError with the nearest names for an unknown target."""
    if ancestors(name) is None:
        near = " or ".join(nearest_targets(name)) or "a microarchitecture such as x86_64_v3"
        raise HostError(f"no target {name!r}: expected {near}")
    return name


def is_of_apple(target: str) -> bool:
    """Return whether Apple makes a target."""
    return _targets()[target].vendor == "Apple"


def own_target() -> str:
    """Return the target of this machine."""
    from archspec.cpu import host  # type: ignore[import-untyped]  # as above

    return str(host().name)

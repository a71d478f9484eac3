"""Microarchitectures and their ancestors, as archspec lists them, Spack's own library.

Only its JSON file is read: to import archspec itself takes a quarter of the time of a command. It is imported only to
ask for the target of this machine.
"""

import os
from collections.abc import Mapping
from functools import cache

from msgspec import Struct
from msgspec.json import Decoder

from cachetui.model.edit_distance import nearest_names
from cachetui.model.problem import UserError

FOLDERS = "ARCHSPEC_CPU_DIR", "ARCHSPEC_EXTENSION_CPU_DIR"
"""The variables that name archspec's folder of targets, and a folder with more targets."""

_folders: list[str | None] = [None, None]
"""The values of these variables."""

_FILE = "microarchitectures.json"


class HostError(UserError, ValueError):
    """An unknown host or target. The message suggests the nearest names, or tells the missing part."""


class _Target(Struct, frozen=True, rename={"parents": "from"}):
    parents: tuple[str, ...]
    vendor: str


class _List(Struct):
    microarchitectures: dict[str, _Target]


def _read(path: str) -> Mapping[str, _Target]:
    with open(path, "rb") as file:
        return Decoder(_List).decode(file.read()).microarchitectures


def use_folders(environ: Mapping[str, str]) -> None:
    """Read the targets where archspec would with these variables; call it before the first target is looked up."""
    _folders[:] = map(environ.get, FOLDERS)


@cache
def _targets() -> Mapping[str, _Target]:
    import archspec  # type: ignore[import-untyped]  # it ships neither annotations nor stubs

    own, more = (f"{folder}/{_FILE}" for folder in (_folders[0] or f"{archspec.__path__[0]}/json/cpu", _folders[1]))
    known = {**_read(own), **(_read(more) if os.path.exists(more) else {})}
    known.setdefault(os.uname().machine, _Target((), "generic"))  # as archspec does
    return known


@cache
def ancestors(target: str) -> frozenset[str] | None:
    """Return the target and all targets whose binaries it can run; None for a target that archspec does not know."""
    known = _targets().get(target)
    if known is None:
        return None
    return frozenset({target}).union(*(ancestors(parent) or () for parent in known.parents))


def nearest_targets(name: str) -> tuple[str, ...]:
    """Return the known targets that are spelled most like this name, nearest first."""
    return nearest_names(name, list(_targets()))


@cache
def steps_up(target: str, ancestor: str) -> int:
    """Return the length of the shortest way from a target up to one of its ancestors; 0 for itself."""
    level, steps = {target}, 0
    while ancestor not in level:
        level = {parent for name in level for parent in _targets()[name].parents}
        steps += 1
    return steps


def known_target(name: str) -> str:
    """Return the name unchanged; raises HostError, with the nearest names, if archspec does not have it."""
    if ancestors(name) is None:
        near = " or ".join(nearest_targets(name)) or "a microarchitecture such as x86_64_v3"
        raise HostError(f"no target {name!r}: expected {near}")
    return name


def is_of_apple(target: str) -> bool:
    """Return whether a known target is made by Apple."""
    return _targets()[target].vendor == "Apple"


def own_target() -> str:
    """Return the target of this machine."""
    from archspec.cpu import host  # type: ignore[import-untyped]  # as above

    return str(host().name)

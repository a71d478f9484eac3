"""Microarchitectures and their ancestors, by archspec, Spack's own library: imported here alone, on first use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from cachetui.model.edit_distance import nearest_names
from cachetui.model.problem import UserError


class HostError(UserError, ValueError):
    """A host or target that is not known; the message names the nearest, or what is missing."""


@cache
def _archspec() -> Any:
    import archspec.cpu  # type: ignore[import-untyped]  # it ships neither annotations nor stubs

    return archspec.cpu


def _targets() -> Mapping[str, Any]:
    targets: Mapping[str, Any] = _archspec().TARGETS
    return targets


@cache
def ancestors(target: str) -> frozenset[str] | None:
    """Return the target itself and everything it can run; None if archspec does not know it."""
    known = _targets().get(target)
    return None if known is None else frozenset({target, *(ancestor.name for ancestor in known.ancestors)})


def nearest_targets(name: str) -> tuple[str, ...]:
    """Return the known targets that are spelled most like this name, nearest first."""
    return nearest_names(name, list(_targets()))


@cache
def steps_up(target: str, ancestor: str) -> int:
    """Return the length of the shortest way from a target up to one of its ancestors; 0 for itself."""
    level, steps = {target}, 0
    while ancestor not in level:
        level = {parent.name for name in level for parent in _targets()[name].parents}
        steps += 1
    return steps


def known_target(name: str) -> str:
    """Return the name as it is; raises HostError, with the nearest names, where archspec does not know it."""
    if ancestors(name) is None:
        near = " or ".join(nearest_targets(name)) or "a microarchitecture such as x86_64_v3"
        raise HostError(f"no target {name!r}: expected {near}")
    return name


def is_of_apple(target: str) -> bool:
    """Return whether a target that archspec knows is one of Apple's."""
    return bool(_targets()[target].vendor == "Apple")


def own_target() -> str:
    """Return the target of this machine."""
    return str(_archspec().host().name)

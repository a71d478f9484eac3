"""Which tag and stack each build cache below a folder is.

A cache that was opened by itself is one tag without stacks. Of caches below a folder the first part of the path is the
tag, the rest the stack; the cache at the tag itself is the stack `root`, as in the public mirrors.
Input: paths relative to a local folder: those of folders end in `/`, the folder itself is the empty one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from cachetui.model.spec import ROOT


class Place(Struct, frozen=True):
    """The caches of one tag."""

    path: str
    """What they lie below; empty for the folder itself, else with `/` at its end."""
    tag: str
    stacks: Mapping[str, str]
    """For each path of a cache its stack, empty where it is none; the ones that tell of a node first come first."""


def graph_path(path: str) -> str:
    """By what the graph of the caches below a path is known in an index."""
    return f"{path}#"


def place_path(path: str, *, within_cache: bool) -> str:
    """The path of the place that a cache is at; `within_cache` says that the folder itself is a cache."""
    return "" if within_cache or not path else path[: path.index("/") + 1]


def places(root_name: str, paths: Iterable[str]) -> list[Place]:
    """The places of these caches; `root_name` is the tag of what lies at the folder itself."""
    found = sorted(set(paths))
    within_cache = "" in found
    by_place: dict[str, dict[str, str]] = {}
    for path in found:
        place = place_path(path, within_cache=within_cache)
        by_place.setdefault(place, {})[path] = path[len(place) :].rstrip("/") or ROOT
    if found == [""]:
        by_place = {"": {"": ""}}
    return [Place(place, place.rstrip("/") or root_name, stacks) for place, stacks in by_place.items()]


def view_stack(stack: str, view: str) -> str:
    """The stack that a view of a cache is."""
    return view if not stack or stack == ROOT else f"{stack}/{view}"

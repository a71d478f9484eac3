"""Timeline: one package in each tag, and where a version or a stack of it appears or vanishes.

Releases follow releases, weekly snapshots follow snapshots, and `develop` is the head of these; a tag is compared with
the one before it in its own series, whether or not that holds the package.
Input: an index and a query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cachetui.model.spec import ROOT
from cachetui.model.tags import Series, by_recency, series
from cachetui.query.parts.names import NamePart
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.row_values import versions_of


class Moment(Struct, frozen=True):
    """What one tag holds of the package."""

    tag: str
    specs: int
    """Rows; 0 where the tag does not have it."""
    versions: tuple[str, ...]
    """The newest first."""
    stacks: tuple[str, ...]
    """Without `root`."""
    appeared: tuple[str, ...] = ()
    """Versions, then stacks, that the tag before it in its series does not have."""
    vanished: tuple[str, ...] = ()
    """Versions, then stacks, that only the tag before it has."""


class Sighting(Struct, frozen=True):
    """In which tags a version, a stack or the package itself is."""

    name: str
    tags: tuple[str, ...]
    """In their true order."""
    first_seen: str
    """The oldest of the snapshots, else of the releases, else of the other tags."""
    last_seen: str
    """`develop`, else the newest snapshot, else the newest release, else the first of the other tags."""


class Timeline(Struct, frozen=True, dict=True):
    package: str
    moments: tuple[Moment, ...]
    """Every tag of the catalogue in its true order."""
    sighting: Sighting | None
    """The package as a whole; None where no tag has it."""
    versions: tuple[Sighting, ...]
    """The newest first."""
    stacks: tuple[Sighting, ...]


def timeline(index: Index, package: str, query: Query | None = None) -> Timeline:
    """The package over all tags, among the specs that the query takes; a name or tag in the query is passed over."""
    wanted = (query or Query()).without_key("name").without_key("tag")
    rows = index.rows(wanted) & index.part_rows(NamePart(package))
    names = [stack for stack in index.values("stack") if stack != ROOT]
    moments: list[Moment] = []
    for tag in index.tags:
        own = rows & index.value_rows("tag", tag)
        stacks = tuple(name for name in names if own.intersect(index.value_rows("stack", name)))
        moments.append(Moment(tag, len(own), tuple(versions_of(index, own)), stacks))
    return Timeline(
        package=package,
        moments=_compared(moments),
        sighting=next(_sightings([package], lambda moment: (package,) * bool(moment.specs), moments), None),
        versions=tuple(_sightings(versions_of(index, rows), lambda moment: moment.versions, moments)),
        stacks=tuple(_sightings(names, lambda moment: moment.stacks, moments)),
    )


def _compared(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    """The moments with what appeared and vanished since the one before; they stand from the newest."""
    newer: dict[Series, int] = {}
    found = list(moments)
    for place, moment in enumerate(moments):
        kind = series(moment.tag)
        kind = "snapshot" if kind == "develop" else kind
        if kind != "other" and kind in newer:
            found[newer[kind]] = _since(moments[newer[kind]], moment)
        newer[kind] = place
    return tuple(found)


def _since(moment: Moment, before: Moment) -> Moment:
    now, then = (*moment.versions, *moment.stacks), (*before.versions, *before.stacks)
    return replace(
        moment,
        appeared=tuple(name for name in now if name not in then),
        vanished=tuple(name for name in then if name not in now),
    )


def _sightings(
    names: Iterable[str], held: Callable[[Moment], Sequence[str]], moments: Sequence[Moment]
) -> Iterator[Sighting]:
    """A sighting of each name that some tag has."""
    for name in names:
        tags = [moment.tag for moment in moments if name in held(moment)]
        if tags:
            # within a series the tags stand from the newest
            latest = by_recency(tags)
            earliest = [tag for tag in latest if series(tag) != "develop"] or latest
            oldest = [tag for tag in earliest if series(tag) == series(earliest[0])]
            yield Sighting(name, tuple(tags), oldest[-1], latest[0])

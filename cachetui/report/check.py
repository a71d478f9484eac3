"""The documents of `check`: the verdict with roots, causes, what is missing and externals; the health of build caches.

Input is what `analysis` found; nothing is worked out here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from cachetui.analysis.check import LIBCS, External, Install, Missing, NeededSpec, Root
from cachetui.model.spec import all_signed
from cachetui.report.formats import Block, Code, FactsBlock, TableBlock, cell_text
from cachetui.report.paste import cache_lines
from cachetui.report.places import Places
from cachetui.safe_text import listed, size_text
from cachetui.search.availability import CacheName, mirror_name
from cachetui.search.closures import total_size
from cachetui.store.graph import Graph

if TYPE_CHECKING:
    from cachetui.analysis.causes import Cause
    from cachetui.analysis.check import StackHealth

LONGEST = 200
"""Most characters of a cell that quotes what was asked for."""

COLUMNS = (
    *("asked", "hash", "complete", "needs", "bytes"),
    *("missing", "package", "version", "content", "tag", "stack", "installed"),
)
"""The columns of CSV, which has a row for each root and for each thing that it misses."""

_HEALTH = ("tag", "stack", "binaries", "complete", "missing", "bytes")

MOST_SPOILERS = 10
"""Most missing specs of a cache in the table."""


_NOT_KNOWN = ("not-recorded", "unknown")
"""The reasons for which nobody can tell whether a root is complete."""

_SAID = {
    "no-build": "no build of {}",
    "unknown": "unknown: {}",
    "not-recorded": "nothing is recorded of what {} needs",
}
"""What the verdict says of the roots that are not complete for these reasons."""


class CheckReport(Struct, frozen=True):
    """The answer of `check`; tables list at most `limit` of what is missing, external or unfit.

    `unread` are the caches that could not be read; `signed` says whether what is needed of each mirror is signed.
    """

    found: Install
    size: Callable[[str], int | None]
    causes: Sequence[Cause]
    graph: Graph
    places: Places
    signed: Mapping[CacheName, bool | None]
    limit: int | None = None
    unread: Sequence[str] = ()

    def document(self) -> object:
        found = self.found
        return {
            "complete": found.complete,
            "roots": [self._root(root) for root in found.roots],
            "installed": found.installed,
            "causes": self.causes,
            "mirrors": list(map(self.places.of, found.mirrors)),
            "signed": all_signed(self.signed.values()),
            "unread": self.unread,
            "unfit": [
                {"hash": piece.hash, "package": piece.name, "version": piece.version, "reason": fit.reason}
                for piece, fit in found.unfit
            ],
        }

    def _root(self, root: Root) -> dict[str, object]:
        return {
            "asked": root.asked,
            "hash": root.hash,
            "complete": root.complete,
            "needs": root.closure.needs if root.closure else 0,
            "bytes": self._bytes(root),
            "installed": root.installed,
            "missing": [
                {
                    "hash": each.hash,
                    "package": each.name,
                    "version": each.version,
                    "found_in": list(map(self.places.of, each.found_in)),
                }
                for each in root.missing
            ],
            "externals": root.externals,
            "reason": _reason(root),
        }

    def _bytes(self, root: Root) -> int | None:
        return total_size(root.binaries, self.size) if root.closure else None

    def records(self) -> TableBlock:
        rows = []
        for root in self.found.roots:
            needs, size = str(root.closure.needs) if root.closure else "", cell_text(self._bytes(root))
            installed = str(len(root.installed)) if root.closure else ""
            own = (root.asked, root.hash or "", "yes" if root.complete else "no", needs, size)
            for each in root.missing:
                place = self.places.of(each.found_in[0]).values() if each.found_in else [""] * 3
                rows.append([*own, each.hash, each.name or "", each.version or "", *place, installed])
            if not root.missing:
                rows.append([*own, *[""] * 6, installed])
        return TableBlock(COLUMNS, rows)

    # For people

    def blocks(self, width: int | None) -> Iterator[Block]:
        found, limit = self.found, self.limit
        yield FactsBlock(list(self._facts()))
        is_installed = bool(found.installed)
        ordered = sorted(found.roots, key=lambda root: root.complete)
        yield TableBlock(
            ("root", "complete", *["installed"] * is_installed, "needs", "missing", "hash"),
            (_root_cells(root, is_installed=is_installed) for root in ordered),
            right=(2, 3, 4)[: 2 + is_installed],
            shrinking=(0,),
        )
        tables = (
            (("cause", "differs", "nearest", "follow", "require"), map(_cause_cells, self.causes)),
            (("missing", "package", "found in"), map(_missing_cells, found.missing)),
            (("external", "package", "path", "host"), map(_external_cells, found.externals)),
            (("unfit", "package", "reason"), ([*_named(piece), fit.reason] for piece, fit in found.unfit)),
        )
        for columns, cells in tables:
            if rows := list(cells)[:limit]:
                yield TableBlock(columns, rows, shrinking=(1, 2))

    def _facts(self) -> Iterator[tuple[str, str]]:
        found = self.found
        yield verdict(found, f"on {found.host.name}", total_size(found.binaries, self.size), self.unread)
        if found.mirrors and (found.missing or len(found.mirrors) > 1):
            lines = cache_lines(self.graph, self.signed, os.environ.get("CACHETUI_MIRROR"))
            yield "mirrors", Code("; ".join(lines))
        signed = all_signed(self.signed.values())
        if signed is not None:
            yield "signed", "yes" if signed else "no"


def verdict(found: Install, where: str, size: int | None, unread: Sequence[str] = ()) -> tuple[str, str]:
    """Whether it would install; then how much is there and what is not, whether it runs `where`, and the bytes."""
    reasons = {_reason(root) for root in found.roots}
    is_unfit = found.host_decides and bool(found.unfit)
    short = "not known" if reasons <= {None, *_NOT_KNOWN} and not is_unfit else "not complete"
    return "complete" if found.complete else short, "; ".join(filter(None, _verdict(found, where, size, unread)))


def _verdict(found: Install, where: str, size: int | None, unread: Sequence[str]) -> Iterator[str]:
    yield f"installed {len(found.installed):,}" if found.installed else ""
    yield f"from binaries {len(found.here):,} of {len(found.binaries):,}" if found.binaries else ""
    yield f"missing {len(found.missing):,}" if found.missing else ""
    if (found.here or found.installed) and found.host_decides:
        yield f"{len(found.unfit):,} do not run {where}" if found.unfit else ""
        yield f"not known of {found.unknown:,} whether they run {where}" if found.unknown else ""
        yield f"all run {where}" if not found.unfit and not found.unknown else ""
    gone = [piece_name(each) for each in found.externals if each.fits is False and each.name not in LIBCS]
    yield f"not on this machine: {listed(gone, 3)}" if gone else ""
    for reason, said in _SAID.items():
        roots = [_short(root.asked) for root in found.roots if _reason(root) == reason]
        yield said.format(listed(roots)) if roots else ""
    yield size_text(size) if size else ""
    yield f"not looked at: {listed(unread)}" if unread and not found.complete else ""


def _reason(root: Root) -> str | None:
    """Return why a root is not complete, as in JSON."""
    if root.complete:
        return None
    if root.closure is None:
        return "no-build" if root.is_clear else "unknown"
    if root.missing:
        return "missing"
    return "does-not-run" if root.closure.recorded else "not-recorded"


def differences_text(cause: Cause) -> str:
    """Return in what the nearest build differs from what is wanted."""
    if cause.nearest is None:
        return "no build at all"
    where = "installed" if cause.nearest_installed else "here"
    differs = (_difference(name, *values, where) for name, values in cause.differs.items())
    return "; ".join(differs) or "differs in nothing that is recorded"


def on_host(external: External) -> str:
    """Return whether the host has an external, or a C library that is new enough."""
    if external.fits is None:
        return "has to be there"
    yes, no = ("new enough", "too old") if external.name in LIBCS else ("is there", "is not there")
    return yes if external.fits else no


def _difference(name: str, wanted: str | None, found: str | None, where: str) -> str:
    """Return what is wanted and what there is in one field; hashes of recipes are shortened."""
    wanted, found = ("nothing" if value is None else value for value in (wanted, found))
    if name == "package_hash":
        name, wanted, found = "recipe", wanted[:7], found[:7]
    label = "" if name in ("version", "variants") else f"{name} "
    return f"{label}{wanted}, {where} {found}"


def _root_cells(root: Root, *, is_installed: bool) -> list[str]:
    """Return the cells of a root; with `is_installed` also how much of it is installed."""
    complete = "not known" if _reason(root) in _NOT_KNOWN else "yes" if root.complete else "no"
    needs = f"{root.closure.needs:,}" if root.closure else ""
    found = f"/{root.hash[:7]}" if root.hash else _short(root.fault)
    installed = [f"{len(root.installed):,}"] * is_installed
    return [Code(_short(root.asked)), complete, *installed, needs, str(len(root.missing)), found]


def _cause_cells(cause: Cause) -> list[str]:
    nearest = f"/{cause.nearest[:7]}" if cause.nearest else "-"
    follow = f"{len(cause.follows):,}" if cause.follows else "-"
    return [cause.package, differences_text(cause), nearest, follow, Code(cause.requirement or "-")]


def _missing_cells(each: Missing) -> list[str]:
    return [*_named(each), listed(list(map(mirror_name, each.found_in)), 3) or "nowhere"]


def _external_cells(each: External) -> list[str]:
    return [*_named(each), each.path, on_host(each)]


def _named(piece: NeededSpec) -> tuple[str, str]:
    return piece.hash[:7], piece_name(piece)


def piece_name(piece: NeededSpec) -> str:
    """Return its name and version to be read: `hdf5@1.14`."""
    return f"{piece.name or '?'}@{piece.version}" if piece.version else piece.name or "?"


def _short(text: str) -> str:
    """Return what a user typed, cut to `LONGEST` characters; JSON and CSV have all of it."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


# The health of build caches


class StackHealthReport(Struct, frozen=True):
    """A line for each cache, and the missing specs that most of its binaries need."""

    found: Sequence[StackHealth]
    places: Places

    def document(self) -> object:
        return [
            {
                **self.places.of(each.mirror),
                "binaries": each.binaries,
                "complete": each.complete,
                "missing": each.missing,
                "bytes": each.bytes,
            }
            for each in self.found
        ]

    def records(self) -> TableBlock:
        return TableBlock(_HEALTH, map(_health_cells, self.found), right=(2, 3, 4, 5))

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield self.records()
        spoilers = [
            (each.hash[:7], f"{each.name}@{each.version}", mirror_name(health.mirror), f"{each.spoils:,}")
            for health in self.found
            for each in health.missing[:MOST_SPOILERS]
        ]
        if spoilers:
            yield TableBlock(("missing", "package", "in", "spoils"), spoilers, right=(3,))


def _health_cells(each: StackHealth) -> list[str]:
    figures = (each.binaries, each.complete, len(each.missing), each.bytes)
    return [each.mirror.tag, each.mirror.stack, *("" if figure is None else str(figure) for figure in figures)]

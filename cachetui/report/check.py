"""Would it install from binaries: the verdict, roots, causes of what is missing, what is missing, externals; the health
of build caches.

Input is what `analysis` found; nothing is worked out here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from cachetui.analysis.check import External, Install, Missing, NeededSpec, Root
from cachetui.model.spec import all_signed, own_tag
from cachetui.report.formats import Block, FactsBlock, TableBlock
from cachetui.report.markdown import Code
from cachetui.report.paste import TRUST
from cachetui.safe_text import listed, plural, size_text
from cachetui.search.availability import CacheName, mirror_name
from cachetui.store.graph import Graph

if TYPE_CHECKING:
    from cachetui.analysis.causes import Cause
    from cachetui.analysis.check import StackHealth

LONGEST = 200
"""Characters of a cell that quotes what was asked for."""

COLUMNS = ("asked", "hash", "complete", "needs", "bytes", "missing", "name", "version", "content", "tag", "stack")
"""Of CSV: a row for each root and thing that it misses."""

_HEALTH = ("tag", "stack", "binaries", "complete", "missing", "bytes")

MOST_SPOILERS = 10
"""Most missing nodes of a cache that people are told."""

MOST_CAUSES = 20
"""Most causes that people are told; the others are counted."""


ON_HOST = {True: "new enough", False: "too old", None: "has to be there"}
"""What is said of an external: whether the host has it, as far as that can be compared."""


class CheckReport(Struct, frozen=True):
    """`content` says in which content a cache is, `mirror_line` how it is added.

    At most `limit` of what is missing, external or unfit are listed for people. `unread` are the caches that could not
    be read, `signed` says of the mirrors whether what is needed of them is.
    """

    found: Install
    causes: Sequence[Cause]
    content: Callable[[CacheName], str]
    mirror_line: Callable[[CacheName], str]
    limit: int | None = None
    unread: Sequence[str] = ()
    signed: Mapping[CacheName, bool | None] = {}

    def document(self) -> object:
        found = self.found
        return {
            "complete": found.complete,
            "needs": found.needs,
            "bytes": found.bytes,
            "roots": [self._root(root) for root in found.roots],
            "causes": self.causes,
            "mirrors": [self._place(mirror) for mirror in found.mirrors],
            "signed": all_signed(self.signed.values()),
            "unread": self.unread,
            "unfit": [
                {"hash": piece.hash, "name": piece.name, "version": piece.version, "reason": fit.reason}
                for piece, fit in found.unfit
            ],
        }

    def _root(self, root: Root) -> dict[str, object]:
        return {
            "asked": root.asked,
            "hash": root.hash,
            "complete": root.complete,
            "runs": root.runs,
            "needs": root.closure.needs if root.closure else 0,
            "bytes": root.bytes,
            "missing": [
                {
                    "hash": each.hash,
                    "name": each.name,
                    "version": each.version,
                    "found_in": self._place(each.found_in[0]) if each.found_in else [],
                    "places": [self._place(mirror) for mirror in each.found_in],
                }
                for each in root.missing
            ],
            "externals": root.externals,
            "candidates": {"count": root.candidates, "complete": root.complete_candidates},
            "remark": root.fault,
        }

    def _place(self, mirror: CacheName) -> list[str]:
        return [self.content(mirror), own_tag(mirror.tag), mirror.stack]

    def records(self) -> TableBlock:
        rows = []
        for root in self.found.roots:
            own = (root.asked, root.hash or "", "yes" if root.complete else "no", *_figures(root))
            rows += [
                [*own, each.hash, each.name or "", each.version or "", *place]
                for each in root.missing
                for place in [self._place(each.found_in[0]) if each.found_in else ["", "", ""]]
            ] or [[*own, *[""] * 6]]
        return TableBlock(COLUMNS, rows)

    # For people

    def blocks(self, width: int | None) -> Iterator[Block]:
        found = self.found
        facts = list(self._verdict())
        if facts:
            yield FactsBlock(facts)
        yield TableBlock(
            ("root", "complete", "needs", "missing", "hash"),
            map(_root_cells, sorted(found.roots, key=lambda root: root.complete)),
            right=(2, 3),
            shrinking=(0,),
        )
        if self.causes:
            yield FactsBlock(list(self._reasons()))
        if found.missing:
            cells = [self._missing_cells(each) for each in found.missing[: self.limit]]
            yield TableBlock(("missing", "package", "found in"), cells, shrinking=(2,))
        if found.externals:
            cells = [_external_cells(each) for each in found.externals[: self.limit]]
            yield TableBlock(("external", "package", "path", "host"), cells)
        if found.unfit:
            unfit = found.unfit[: self.limit]
            cells = [[piece.hash[:7], f"{piece.name}@{piece.version}", fit.reason] for piece, fit in unfit]
            yield TableBlock(("unfit", "package", "reason"), cells)

    def _verdict(self) -> Iterator[tuple[str, str]]:
        found = self.found
        lacks = list(_lacks(found))
        if lacks and self.unread:
            lacks.append(f"not looked at: {listed(self.unread)}")
        if found.complete:
            yield "complete", f"all {_binaries(found.needs)}"
        elif lacks:
            yield "not complete", "; ".join(lacks)
        unrecorded = sum(_is_unrecorded(root) for root in found.roots)
        if unrecorded:
            which = "it" if len(found.roots) == 1 else f"{unrecorded:,} of {plural(len(found.roots), 'root')}"
            yield "not known", f"what {which} need{'s' if unrecorded == 1 else ''} is not recorded"
        if found.bytes is not None and found.needs:
            yield "download", size_text(found.bytes)
        lacking = sum(not each.found_in for each in found.missing)
        all_of_it = f"all but {lacking:,} of it" if lacking else "all of it"
        if found.mirrors and (found.missing or len(found.mirrors) > 1):
            keys = [] if set(self.signed.values()) == {False} else [TRUST]
            yield f"{all_of_it} with", Code("; ".join([*map(self.mirror_line, found.mirrors), *keys]))
        signed = all_signed(self.signed.values())
        if signed is not None:
            yield "signed", "yes" if signed else "no"

    def _reasons(self) -> Iterator[tuple[str, ...]]:
        """What differs, each with its package; last the packages of which there is nothing to compare with."""
        known = [cause for cause in self.causes if cause.nearest is not None]
        yield from ((cause.package, *self._reason(cause)) for cause in known[:MOST_CAUSES])
        if len(known) > MOST_CAUSES:
            yield "and", f"{len(known) - MOST_CAUSES:,} more that differ"
        unknown = list(dict.fromkeys(cause.package for cause in self.causes if cause.nearest is None))
        if unknown:
            yield "no build at all", listed(unknown, MOST_CAUSES)

    def _reason(self, cause: Cause) -> tuple[str, ...]:
        said = [f"{differences_text(cause)} (/{(cause.nearest or '')[:7]})"]
        if cause.follows:
            verb = "follows" if len(cause.follows) == 1 else "follow"
            said.append(f"{len(cause.follows):,} of {plural(len(self.found.missing), 'miss')} {verb}")
        if cause.requirement:
            return "; ".join([*said, "packages.yaml: "]), Code(f'require: "{cause.requirement}"')
        return ("; ".join(said),)

    def _missing_cells(self, each: Missing) -> list[str]:
        places = list(map(mirror_name, each.found_in[:3]))
        more = [f"{len(each.found_in) - 3} more"] if len(each.found_in) > 3 else []
        return [each.hash[:7], piece_name(each), ", ".join([*places, *more]) or "nowhere"]


def _binaries(number: int) -> str:
    return f"{number:,} {'binary' if number == 1 else 'binaries'}"


HERE, IN_CACHE = " here ", ", cached "
"""What stands between what is wanted and what there is: on one line, and beside what is said of the host."""


def differences_text(cause: Cause, there: str = HERE) -> str:
    """What of the nearest build is not as it is wanted."""
    if cause.nearest is None:
        return "no build at all"
    differs = (_difference(name, *values, there) for name, values in cause.differs.items())
    return ", ".join(differs) or "differs in nothing that is recorded"


def _difference(name: str, wanted: str | None, found: str | None, there: str) -> str:
    """What is wanted and what there is of one field; hashes of recipes are shortened."""
    wanted, found = ("nothing" if value is None else value for value in (wanted, found))
    if name == "package_hash":
        return f"recipe {wanted[:7]}, {there.lstrip(', ')}{found[:7]}"
    return f"{wanted}{there}{found}" if name in ("version", "variants") else f"{name} {wanted}{there}{found}"


def _lacks(found: Install) -> Iterator[str]:
    """What is not there: binaries, and builds of what was asked for, beside which the others are counted."""
    if found.missing:
        yield f"{len(found.missing):,} of {_binaries(found.needs)} missing"
    if found.unfit and found.host_decides:
        number = len(found.unfit)
        yield f"{number:,} of {_binaries(found.needs)} {'does' if number == 1 else 'do'} not run on {found.host.name}"
    without = [_short(root.asked) for root in found.roots if root.closure is None]
    if without:
        yield f"no build to take for {listed(without)}"
        complete = sum(root.complete for root in found.roots)
        if complete:
            yield f"{complete:,} of {plural(len(found.roots), 'root')} complete"


def _is_unrecorded(root: Root) -> bool:
    """Whether it is here and nobody knows what it needs."""
    return root.closure is not None and not root.closure.recorded and not root.missing


def _root_cells(root: Root) -> list[str]:
    complete = "not known" if _is_unrecorded(root) else "yes" if root.complete else "no"
    if root.candidates > 1 and not _is_unrecorded(root):
        complete += f", {root.complete_candidates} of {root.candidates} builds"
    needs, _ = _figures(root)
    return [
        Code(_short(root.asked)),
        complete,
        needs,
        str(len(root.missing)),
        f"/{root.hash[:7]}" if root.hash else _short(root.fault),
    ]


def _figures(root: Root) -> tuple[str, str]:
    needs = str(root.closure.needs) if root.closure else ""
    return needs, "" if root.bytes is None else str(root.bytes)


def piece_name(piece: NeededSpec) -> str:
    """What it is, for the eye: `hdf5@1.14`."""
    return f"{piece.name or '?'}@{piece.version}" if piece.version else piece.name or "?"


def _external_cells(each: External) -> list[str]:
    return [each.hash[:7], piece_name(each), each.path, ON_HOST[each.fits]]


def _short(text: str) -> str:
    """What a user typed, as much of it as anybody reads; a document has all of it."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


# The health of build caches


class StackHealthReport(Struct, frozen=True):
    """A line for each cache, and what spoils the most in each."""

    found: Sequence[StackHealth]
    content: Callable[[CacheName], str]

    def document(self) -> object:
        return [
            {
                "content": self.content(each.mirror),
                "tag": each.mirror.tag,
                "stack": each.mirror.stack,
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
        for each in self.found:
            if each.missing:
                cells = [
                    [spoiler.hash[:7], f"{spoiler.name}@{spoiler.version}", f"{spoiler.spoils:,}"]
                    for spoiler in each.missing[:MOST_SPOILERS]
                ]
                yield TableBlock((f"missing in {mirror_name(each.mirror)}", "package", "spoils"), cells, right=(2,))
                if len(each.missing) > MOST_SPOILERS:
                    yield FactsBlock([("and", f"{len(each.missing) - MOST_SPOILERS:,} more that are missing")])


def _health_cells(each: StackHealth) -> list[str]:
    figures = (each.binaries, each.complete, len(each.missing), each.bytes)
    return [each.mirror.tag, each.mirror.stack, *("" if figure is None else str(figure) for figure in figures)]


def content_of(graph: Graph, mirror: CacheName, contents: Sequence[str]) -> str:
    """The content that a cache belongs to; of several the one whose folder it is below."""
    folder = graph.mirror(mirror.tag, (mirror.stack,)) or ""
    own = (each for each in contents if f"{folder}/".startswith(f"{os.path.abspath(each)}/"))
    return next(own, next(iter(contents), ""))

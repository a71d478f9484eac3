"""Read specs of an environment, in several pieces and with toolchains, by the rules of Spack 1.x."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from cachetui.query.parser import QueryError, in_order
from cachetui.query.parts import DependencyPart, Part, contradict, direct_edge
from cachetui.query.query import Query
from cachetui.query.tokens import OURS
from cachetui.settings.settings import Settings


def read_spec(pieces: Sequence[str], toolchains: Mapping[str, Any]) -> Query:
    """Return the query of a spec in pieces; each further piece constrains the first. Raises QueryError."""
    settings = Settings(toolchains_of=lambda _: toolchains)
    parts: list[Part] = []
    for piece in pieces:
        own = _nested(Query.parse(piece, has_graph=True, settings=settings).parts, toolchains)
        if contradict(parts, own):
            raise QueryError(f"{piece} contradicts {' '.join(pieces[: pieces.index(piece)])}", 0, "pieces that agree")
        parts = _constrained(parts, own)
    parts.sort(key=lambda part: part.key != "name")
    if len(pieces) == 1 and pieces[0].strip():
        return Query(tuple(parts))
    return Query(tuple(replace(part, start=0, end=0, typed="", shares=1) for part in parts))


def _nested(parts: Iterable[Part], toolchains: Container[str] = ()) -> list[Part]:
    """Return the terms of a query; terms after a direct dependency (`%`) become parts of it, like in Spack since 1.0.

    Raises QueryError if a term follows a toolchain.
    """
    found: list[Part] = []
    for part in sorted(parts, key=lambda part: part.start):
        before = found[-1].typed if found else ""
        if isinstance(part, DependencyPart) and not part.direct:
            found.append(replace(part, parts=tuple(in_order(_nested(part.parts, toolchains)))))
        elif not before.startswith("%") or part.typed.startswith("%") or part.key in OURS:
            found.append(part)
        elif before.lstrip("% ") in toolchains:
            raise QueryError(f"{part.typed} must not follow a toolchain", part.start, f"only % or ^ after {before}")
        elif edge := direct_edge(found[-1]):
            own = tuple(in_order((*edge.parts, part)))
            found[-1] = replace(edge, parts=own, start=found[-1].start, end=part.end, typed=before)
    return found


def _constrained(parts: Sequence[Part], more: Iterable[Part]) -> list[Part]:
    """Return these query parts combined with the parts of another piece. The parts must not contradict each other."""
    found = list(parts)
    for part in more:
        if any(other.within(part) for other in found):
            continue
        edges = {replace(other, parts=()): other for other in found if isinstance(other, DependencyPart)}
        found = [other for other in found if not part.within(other)]
        if isinstance(part, DependencyPart) and (same := edges.get(replace(part, parts=()))):
            found[found.index(same)] = replace(same, parts=tuple(in_order(_constrained(same.parts, part.parts))))
        else:
            found.append(part)
    return found

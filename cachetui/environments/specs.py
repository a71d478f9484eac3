"""Specs as an environment writes them: in pieces, and with toolchains. Read as Spack 1.x reads them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from cachetui.query.parser import QueryError, in_order
from cachetui.query.parts import CompilerPart, DependencyPart, Part
from cachetui.query.query import Query
from cachetui.query.tokens import NAME, OURS, QUOTED
from cachetui.query.written import contradict

_TOOLCHAIN = re.compile(rf"(?:{QUOTED}|\[[^\]]*\])|(?P<sign>%%?)\s*(?P<name>{NAME})(?![\w.,=-])(?P<after>\s*\S?)")
"""A toolchain or a compiler, or a text in quotes or brackets that may look like one."""

_EDGE = re.compile(r"%\s*(?:\[(?P<properties>[^\]]*)\]\s*)?(?P<rest>.*)", re.DOTALL)

_LONGEST = 100_000
"""Maximum number of characters of a spec after its toolchains are expanded."""


def read_spec(pieces: Sequence[str], toolchains: Mapping[str, Any]) -> Query:
    """Return the query of a spec, whose first piece the others constrain; raises QueryError."""
    parts: list[Part] = []
    for piece in pieces:
        own = _nested(Query.parse(expanded(piece, toolchains), has_graph=True).parts)
        if contradict(parts, own):
            raise QueryError(f"{piece} contradicts {' '.join(pieces[: pieces.index(piece)])}", 0, "pieces that agree")
        parts = _constrained(parts, own)
    parts.sort(key=lambda part: part.key != "name")
    if len(pieces) == 1 and pieces[0].strip():
        return Query(tuple(parts))
    return Query(tuple(replace(part, start=0, end=0, typed="", shares=1) for part in parts))


def expanded(spec: str, toolchains: Mapping[str, Any]) -> str:
    """Return a spec with `%NAME` of each toolchain replaced; raises QueryError."""
    done, at = "", 0
    while toolchains and (found := _TOOLCHAIN.search(spec, at)):
        name, start = found["name"], found.start()
        if name is None or name not in toolchains:
            done += spec[at : found.end("name") if name else found.end()]
            at = found.end("name") if name else found.end()
            continue
        if found["after"].strip() not in ("", "%", "^"):
            raise QueryError(f"{found[0]} follows the toolchain {name}", start, f"%{name} and then %, ^ or nothing")
        own, edges = _toolchain(name, toolchains[name])
        before = done + spec[at:start]
        node = before.rindex("^") if "^" in before else 0
        first = before.find("%", node)  # the text after an edge belongs to the dependency
        place = first if first >= 0 else len(before)
        done = " ".join(filter(None, (before[:place].strip(), own, before[place:].strip(), edges))) + " "
        at = found.end("name")
        if len(done) > _LONGEST:
            raise QueryError("the toolchains are too long", start, "shorter toolchains")
    return (done + spec[at:]).strip()


def _toolchain(name: str, written: object) -> tuple[str, str]:
    """Return the terms of a toolchain for the node itself, and its edges with their conditions; raises QueryError."""
    entries = written if isinstance(written, list) else [{"spec": written}]
    own, edges = [], []
    for entry in entries:
        spec = entry.get("spec") if isinstance(entry, dict) else None
        if not isinstance(spec, str) or "^" in spec:
            raise QueryError(f"the toolchain {name} is not a list of specs, or has a '^'", 0, "spec: '%c=gcc'")
        when = str(entry.get("when") or "") if isinstance(entry, dict) else ""
        for text in re.split(r"\s+(?=%)|(?<=[^%\s])(?=%)", spec.strip()):
            edge = _EDGE.fullmatch(text)
            if edge is None:
                own.append(text)
            elif not when:
                edges.append(text)
            else:
                quote = '"' if "'" in when else "'"
                properties = f"{edge['properties'] or ''} when={quote}{when}{quote}".strip()
                edges.append(f"%[{properties}] {edge['rest']}")
    return " ".join(own), " ".join(edges)


def _nested(parts: Iterable[Part]) -> list[Part]:
    """Return terms so that those after a direct dependency belong to it, as in Spack since 1.0."""
    found: list[Part] = []
    for part in sorted(parts, key=lambda part: part.start):
        if isinstance(part, DependencyPart) and not part.direct:
            found.append(replace(part, parts=tuple(in_order(_nested(part.parts)))))
        elif found and _is_direct(found[-1]) and not _is_direct(part) and part.key not in OURS:
            last = found[-1]
            edge = DependencyPart.of_compiler(last) if isinstance(last, CompilerPart) else last
            assert isinstance(edge, DependencyPart)
            found[-1] = replace(edge, parts=tuple(in_order((*edge.parts, part))), start=last.start, end=part.end)
        else:
            found.append(part)
    return found


def _is_direct(part: Part) -> bool:
    return isinstance(part, CompilerPart) or (isinstance(part, DependencyPart) and part.direct)


def _constrained(parts: Sequence[Part], more: Iterable[Part]) -> list[Part]:
    """Return these parts with those of another piece, which do not contradict them."""
    found = list(parts)
    for part in more:
        if any(other.within(part) for other in found):
            continue
        found = [other for other in found if not part.within(other)]
        at = next((k for k, other in enumerate(found) if _is_same_edge(part, other)), None)
        if at is None:
            found.append(part)
        else:
            edge, other = part, found[at]
            assert isinstance(edge, DependencyPart)
            assert isinstance(other, DependencyPart)
            found[at] = replace(other, parts=tuple(in_order(_constrained(other.parts, edge.parts))))
    return found


def _is_same_edge(part: Part, other: Part) -> bool:
    if not isinstance(part, DependencyPart) or not isinstance(other, DependencyPart):
        return False
    return replace(part, parts=()) == replace(other, parts=())

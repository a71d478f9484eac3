"""Parse the specs of an environment, with matrix rows and toolchains, by the rules of Spack 1.x."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from cachetui.query.parser import QueryError, in_order
from cachetui.query.query import Query
from cachetui.query.terms import DependencyTerm, Term, contradict, direct_edge
from cachetui.query.tokens import OURS
from cachetui.settings.settings import Settings


def read_spec(pieces: Sequence[str], toolchains: Mapping[str, Any]) -> Query:
    """Parse a spec that consists of several pieces. All pieces constrain the same build. Raises QueryError."""
    settings = Settings(toolchains_of=lambda _: toolchains)
    terms: list[Term] = []
    for piece in pieces:
        own = _nested(Query.parse(piece, has_graph=True, settings=settings).terms, toolchains)
        if contradict(terms, own):
            raise QueryError(f"{piece} contradicts {' '.join(pieces[: pieces.index(piece)])}", 0, "pieces that agree")
        terms = _constrained(terms, own)
    terms.sort(key=lambda term: term.key != "name")
    if len(pieces) == 1 and pieces[0].strip():
        return Query(tuple(terms))
    return Query(tuple(replace(term, start=0, end=0, typed="", shares=1) for term in terms))


def _nested(terms: Iterable[Term], toolchains: Container[str] = ()) -> list[Term]:
    """Return the terms of a query. Terms after a direct dependency (`%`) become terms of this dependency.

    Spack does the same since 1.0. Raises QueryError if a term follows a toolchain.
    """
    found: list[Term] = []
    for term in sorted(terms, key=lambda term: term.start):
        before = found[-1].typed if found else ""
        if isinstance(term, DependencyTerm) and not term.direct:
            found.append(replace(term, terms=tuple(in_order(_nested(term.terms, toolchains)))))
        elif not before.startswith("%") or term.typed.startswith("%") or term.key in OURS:
            found.append(term)
        elif before.lstrip("% ") in toolchains:
            raise QueryError(f"{term.typed} must not follow a toolchain", term.start, f"only % or ^ after {before}")
        elif edge := direct_edge(found[-1]):
            own = tuple(in_order((*edge.terms, term)))
            found[-1] = replace(edge, terms=own, start=found[-1].start, end=term.end, typed=before)
    return found


def _constrained(terms: Sequence[Term], more: Iterable[Term]) -> list[Term]:
    """Combine the query terms of two pieces that do not contradict each other."""
    found = list(terms)
    for term in more:
        if any(other.implies(term) for other in found):
            continue
        edges = {replace(other, terms=()): other for other in found if isinstance(other, DependencyTerm)}
        found = [other for other in found if not term.implies(other)]
        if isinstance(term, DependencyTerm) and (same := edges.get(replace(term, terms=()))):
            found[found.index(same)] = replace(same, terms=tuple(in_order(_constrained(same.terms, term.terms))))
        else:
            found.append(term)
    return found

"""Explain why a query matches few specs: find unmatched terms, remove each term in turn, and count specs for the host.

Some returned texts quote the query or the content and must be escaped before they are shown.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from operator import and_
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.model.edit_distance import MAX_NEAREST_NAMES, nearest_compilers, nearest_names, nearest_versions
from cachetui.model.spec import VALUE_KEYS
from cachetui.model.version import VersionList, natural_key
from cachetui.query.query import Query
from cachetui.query.terms import DependencyTerm, HashTerm, NameTerm, Term, ValueTerm, VersionTerm
from cachetui.safe_text import listed
from cachetui.search.dependencies import dependency_names, nodes_named
from cachetui.search.hashes import lookup
from cachetui.search.index import Index, tags_of, variant_counts, versions_of

MAX_NEAREST_VALUES = 50
"""Maximum number of unmatched values for which similar values are searched."""

MAX_WORDS = 6
"""Maximum number of words in `HostFit.sum`. If there are more, the last word is `others`."""

CONFLICT = "removing one term is not enough: remove at least two terms"
"""The message if the query finds nothing, whichever single term is removed."""


class NoMatch(Struct, frozen=True):
    """A value in a query that no spec in the selected tags has."""

    text: str
    """A query with only this value. For a version, variant or flag, the query also names the package."""
    nearest: tuple[str, ...]
    """The nearest existing values, best first."""
    term: Term
    """The term of the query that contains the value."""
    tags: tuple[str, ...] = ()
    """Other tags that have this value."""
    is_to_leave_out: bool = False
    """Whether the query excludes the value."""

    @property
    def phrase(self) -> str:
        if self.tags:
            return in_other_tags(self.text, self.tags)
        said = f"{self.text} {'excludes no spec' if self.is_to_leave_out else 'matches nothing'}"
        return said + (f"; nearest: {', '.join(self.nearest)}" if self.nearest else "")


def in_other_tags(text: str, tags: Sequence[str]) -> str:
    """Return the message that a string has no match in the selected tag. `tags`: other tags that have a match."""
    return f"{text} matches nothing in this tag, but it is in {listed(tags)}"


def unmatched(index: Index, query: Query) -> list[NoMatch]:
    """Return the values in a query that no spec has, in the order of the terms.

    If the query names a package, search versions, variants and flags only in the specs of this package. If this package
    does not exist, ignore the versions, variants and flags in the query.
    """
    query = index.with_virtual_versions(query)
    package = query.package
    has_package = package is None or bool(index.term_rows(package))
    scope = index.scope(query)
    found: list[NoMatch] = []
    for term in query.terms:
        is_of_package = package is not None and term.key in ("version", "variant", "flag")
        if is_of_package and not has_package:
            continue
        of_package = (package,) if package and is_of_package else ()
        for typed, value in _values(index, term):
            text, asked = Query((*of_package, typed)).line, Query((*of_package, value))
            rows = index.rows(asked)
            if not rows and not index.hidden(asked):
                nearest = nearest_values(index, value, package) if len(found) < MAX_NEAREST_VALUES else ()
                found.append(NoMatch(text, nearest, term, is_to_leave_out=typed != value))
            elif rows and scope and term.key != "tag" and rows.isdisjoint(scope):
                found.append(NoMatch(text, (), term, tuple(tags_of(index, rows))))
    return found


def _values(index: Index, term: Term) -> Sequence[tuple[Term, Term]]:
    """Split a term into one term for each value. Return pairs: the term as typed, and the term to look up.

    For `os!=a,b`, the pairs are (`os!=a`, `os=a`) and (`os!=b`, `os=b`). Omit the pair if a spec has the value. Without
    `!=`, both terms of a pair are equal. If no pair remains, return the whole typed term as a pair.
    """
    if not isinstance(term, ValueTerm):
        return [(term, term)]
    words = [word for word in term.words if isinstance(word, str) and word]
    if term.excluded:
        words = term.unknown_words(index.values(term.key))
    values = (ValueTerm.of(term.key, [word]) for word in words)
    return [(replace(value, excluded=term.excluded), value) for value in values] or [(term, term)]


def nearest_values(index: Index, term: Term, package: NameTerm | None) -> tuple[str, ...]:
    """Return the existing values that are most similar to the value of a term, best first."""
    match term:
        case NameTerm():
            return nearest_names(term.name, index.packages)
        case HashTerm():
            return tuple(match.hash for match in lookup(index.columns.hashes, term.prefix, MAX_NEAREST_NAMES))
        case DependencyTerm():
            return _nearest_dependencies(index, term)
        case ValueTerm(excluded=True):
            return ()  # the excluded value exists
        case ValueTerm() if term.key != "compiler":
            # `no` is a value of `complete` even if every spec is complete
            return nearest_names(
                str(term.words[0]), [value for value in index.values(term.key) if not term.holds(value)]
            )
    if term.key == "compiler":
        return nearest_compilers(re.sub("^(%|compiler=)", "", term.text), index.values("compiler"))
    rows = index.term_rows(package) if package else index.all_rows
    if isinstance(term, VersionTerm):
        return nearest_versions(_first_version(term.versions), versions_of(index, rows)) if package else ()
    if term.key not in ("variant", "flag"):
        return ()
    variants = variant_counts(index, rows) if package else index.variants
    values = (f"{key}={value}" for key in VALUE_KEYS for value in index.values(key))  # the key may be misspelt
    return nearest_names(term.text, [*variants, *values])


def _first_version(versions: VersionList) -> str:
    return next(iter(re.findall("[^=:,]+", str(versions))), "")


def _nearest_dependencies(index: Index, term: DependencyTerm) -> tuple[str, ...]:
    """Return similar names if no dependency has this name. Otherwise, return the nearest versions of the dependency."""
    if term.asks_for_compiler and term.as_compiler:
        compiler = term.as_compiler.text.removeprefix("%")
        return tuple(each for each in nearest_compilers(compiler, index.values("compiler")) if each != compiler)
    there = {node.version for node in nodes_named(index.graph, term.name)}
    if there:
        return nearest_versions(_first_version(term.versions), [*there]) if term.versions else ()
    return tuple(each for each in nearest_names(term.name, dependency_names(index.columns)) if each != term.name)


class WithoutTerm(NamedTuple):
    """A term of a query, and the query that remains without this term."""

    text: str
    """The term, in the typed form."""
    specs: int
    """The number of specs that match the other terms."""
    query: Query
    """The other terms."""


def without_each(index: Index, query: Query) -> list[WithoutTerm]:
    """Remove each term in turn, and count the specs that match the rest. The highest count is first."""
    query = index.with_virtual_versions(query)
    masks = [reduce(and_, map(index.term_rows, group)) for group in query.spelled.values()]
    before = accumulate(masks, and_, initial=index.all_rows)
    behind = [*accumulate(reversed(masks), and_, initial=index.all_rows)]
    found = []
    for (text, group), rows, others in zip(query.spelled.items(), before, behind[-2::-1], strict=False):
        rest = reduce(Query.without, group, query)
        found.append(WithoutTerm(text, index.counter(rest)(rows & others), rest))
    return sorted(found, key=lambda each: -each.specs)


class HostFit(Struct, frozen=True):
    """The number of specs that run on the host in a query (`fits=`), and the number of specs that do not.

    Both numbers count only specs that match all other terms of the query.
    """

    host: str
    """The name of the host."""
    counts: tuple[tuple[str, int], ...]
    """The number of specs for each word of the sum (`Fit.word`). `run` is first, then the most frequent words."""
    shown: int
    """The number of specs that run, or may run, on the host."""

    @property
    def total(self) -> int:
        """The number of specs that match the other terms."""
        return sum(specs for _, specs in self.counts)

    @property
    def sum(self) -> str:
        """The counts as a sum: `112 = 16 run + 39 glibc + 39 aarch64 + 18 x86_64_v4`."""
        counts = list(self.counts)
        if len(counts) > MAX_WORDS:
            counts[MAX_WORDS - 1 :] = [("others", sum(specs for _, specs in counts[MAX_WORDS - 1 :]))]
        return f"{self.total:,} = {' + '.join(f'{specs:,} {word}' for word, specs in counts)}"


def host_fit(index: Index, query: Query, only_rows: BitMap | None = None) -> HostFit | None:
    """Count the specs that run on the host in a query; None if the query lacks the term `fits`.

    `only_rows`: count only the specs in these rows.
    """
    term = query.fits
    if term is None:
        return None
    others = query.without_key(term.key)
    taken, count = index.rows(others), index.counter(others)
    taken = taken if only_rows is None else taken & only_rows
    counts, shown = Counter({"run": 0}), 0
    for fit, rows in index.fit_rows(term.host, taken):
        specs = count(taken & rows)
        counts[fit.word] += specs
        shown += 0 if fit.distance is None else specs
    order = sorted(+counts - Counter(run=counts["run"]), key=lambda word: (-counts[word], natural_key(word)))
    return HostFit(term.host.name, tuple((word, counts[word]) for word in ("run", *order)), shown)

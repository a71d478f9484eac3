"""Look up hashes: find the matching specs, or similar hashes if the content lacks a hash.

A hash with typing errors never counts as a match. Input: an index, and hashes from arguments or a log.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.model.dependency import State
from cachetui.model.spec import HASH, Spec
from cachetui.query.parser import QueryError
from cachetui.query.query import Query
from cachetui.query.terms import ValueTerm
from cachetui.search.hash_extraction import HashQuery
from cachetui.search.hashes import near, prefixed, shortest_unique
from cachetui.search.index import Index, tags_of

NEAR_HASHES = 5
"""Maximum number of similar hashes, and of nearest builds, for a missing hash."""

FoundKind = Literal["exact", "prefix", "ambiguous", "recorded", "none"]
"""`recorded`: only the dependency graph has the hash, because the spec is external or has no binary."""

SEARCHED_HASHES = 50
"""Maximum number of missing hashes with a search for similar hashes. Each search takes some milliseconds."""


class Match(Struct, frozen=True):
    """A spec of the content that has the requested hash or is similar to the requested spec."""

    row: int | None
    """The row of the spec; None if only the dependency graph has the hash."""
    spec: Spec
    """The spec in its first tag. The field `tags` of the spec has all tags."""
    shortest: str
    """The shortest prefix that no other hash begins with."""


class LookupAnswer(Struct, frozen=True):
    asked: HashQuery
    found: FoundKind
    matches: tuple[Match, ...] = ()
    """The matches, sorted by hash, then by package."""
    tags: tuple[str, ...] = ()
    """The tags that have the hash, if the requested tags lack it."""
    elsewhere: tuple[Match, ...] = ()
    """If nothing matches: hashes with this prefix whose package or version is not the requested one."""
    like: tuple[Match, ...] = ()
    """If nothing matches: hashes within two typing errors, nearest first."""
    builds: tuple[Match, ...] = ()
    """If nothing matches and the text names a package: the nearest builds of this package."""

    @property
    def hashes(self) -> int:
        """The number of distinct hashes that were found."""
        return len({match.spec.hash for match in self.matches})


# Results


def look_up(
    index: Index, asked: Iterable[HashQuery], tags: Sequence[str] = (), *, offer: bool = True
) -> Iterator[LookupAnswer]:
    """Look up each hash in the whole content or in these tags, and yield the results.

    In a log, an ordinary word may look like a hash. Such a doubtful hash has a result only if a spec matches, and if
    the text before the hash names the package of this spec. If several hashes of a log match the same specs, only the
    first has a result. `offer`: whether to suggest similar hashes for the first `SEARCHED_HASHES` missing hashes.
    """
    misses = 0
    scope = BitMap.union(BitMap(), *(index.value_rows("tag", tag) for tag in tags)) if tags else index.all_rows
    seen: set[tuple[str | None, ...]] = set()
    for each in asked:
        answer = _answer(index, each, scope, tags, offer and not each.doubtful and misses < SEARCHED_HASHES)
        if each.doubtful and not all(_is_named(match.spec.package, each.label) for match in answer.matches):
            continue
        misses += answer.found == "none" and not each.doubtful
        hashes = tuple(match.spec.hash for match in answer.matches)
        if hashes not in seen if hashes else not each.doubtful:
            yield answer
        if hashes and each.line is not None:
            seen.add(hashes)


def _is_named(package: str, label: str) -> bool:
    """Return whether the label (the text before a hash) contains the name of a package. True for an empty label."""
    return not label or re.search(rf"(?<![A-Za-z0-9]){re.escape(package)}(?![A-Za-z0-9])", label) is not None


def _answer(index: Index, asked: HashQuery, scope: BitMap, tags: Sequence[str], offer: bool) -> LookupAnswer:
    """Look up one hash in the rows of `scope`. `offer`: whether to suggest similar hashes and nearest builds."""
    numbers = prefixed(index.columns.hashes, asked.hash) if asked.hash else ()
    found = _matches(index, numbers, scope)
    query = package_query(index, asked, tags) if offer or (found and not HASH.fullmatch(asked.hash)) else None
    own = found if query is None else _matches(index, numbers, scope & index.rows(query))
    if own:
        distinct = {match.spec.hash for match in own}
        kind: FoundKind = "ambiguous" if len(distinct) > 1 else "exact" if asked.hash in distinct else "prefix"
        return LookupAnswer(asked, kind, tuple(own))
    recorded = [] if found else list(_recorded(index, asked, tags))
    if recorded:
        return LookupAnswer(asked, "recorded" if len(recorded) == 1 else "ambiguous", tuple(recorded))
    if not found and numbers:
        in_any = BitMap.union(*map(BitMap, map(index.hash_rows, numbers)))
        return LookupAnswer(asked, "none", tags=tuple(tags_of(index, in_any)))
    elsewhere = tuple(found[:NEAR_HASHES])
    if not offer:
        return LookupAnswer(asked, "none", elsewhere=elsewhere)
    from cachetui.suggest.nearest_build import nearest_builds  # late, because most hashes are found

    like = _matches(index, (match.number for match in near(index.columns.hashes, asked.hash)[:NEAR_HASHES]), scope)
    near_builds = [] if query is None else nearest_builds(index, _read(f"{query} {asked.rest}") or query, NEAR_HASHES)
    return LookupAnswer(
        asked,
        "none",
        elsewhere=elsewhere,
        like=tuple(like),
        builds=tuple(_match(index, build.row) for build in near_builds),
    )


def _matches(index: Index, numbers: Iterable[int], scope: BitMap) -> list[Match]:
    """Return one match for each hash, from the rows in `scope`.

    If several packages have a hash, return a match for each.
    """
    found: list[Match] = []
    for number in numbers:
        first: dict[int, int] = {}
        for row in index.hash_rows(number):
            if row in scope:
                first.setdefault(index.columns.package_of(row), row)
        found += (_match(index, row) for row in first.values())
    return found


def _recorded(index: Index, asked: HashQuery, tags: Sequence[str]) -> Iterator[Match]:
    """Yield a match for each external or missing spec that has this hash in the dependency graph."""
    is_whole = HASH.fullmatch(asked.hash)
    for number in index.graph.beginning_with(asked.hash) if asked.hash and index.graph else ():
        node = index.graph.node(number)
        if not index.rows_of(node.hash) and (is_whole or _is_named(node.name, asked.label)):
            state = "external" if node.state == State.EXTERNAL else "missing"
            spec = replace(index.graph.spec(number, node.hash), version=node.version or None, state=state)
            if not tags or node.tag in tags:
                yield Match(None, spec, node.hash[:7])


def _match(index: Index, row: int) -> Match:
    return Match(row, index.spec(row), shortest_unique(index.columns.hashes, index.columns.hash[row]))


def package_query(index: Index, asked: HashQuery, tags: Sequence[str] = ()) -> Query | None:
    """Return a query for the package that the text before a hash names.

    Return None if the content lacks the package.
    """
    name, version = _package(index, asked.label or asked.hash)
    query = (version and _read(f"{name}@{version}")) or _read(name)
    return query.with_term(ValueTerm.of("tag", tags)) if query and tags else query or None


def _read(text: str) -> Query | None:
    try:
        return Query.parse(text)
    except QueryError:
        return None


def _package(index: Index, label: str) -> tuple[str, str]:
    """Return the package and version in a text such as `hdf5@1.14.3` or `gcc-12-hdf5-1.14.3`.

    Both are empty if the text names no known package.
    """
    label = re.split(r"[%+~\s]", label, maxsplit=1)[0]
    name, _, version = label.partition("@")
    if index.package_number(name) is not None:
        return name, version.removeprefix("=")
    from cachetui.search.index import versions_of  # late, because only few labels need it

    likely = ("", "")
    dashes = [match.start() for match in re.finditer("-", label)]
    for start in (0, *(dash + 1 for dash in dashes)):
        for dash in reversed(dashes):
            name, version = label[start:dash], label[dash + 1 :]
            number = index.package_number(name) if dash > start else None
            if number is not None and version in versions_of(index, index.package_rows(number)):
                return name, version
            if number is not None and version[:1].isdigit():
                likely = name, version
    return likely
